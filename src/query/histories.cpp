// SPDX-License-Identifier: MIT
#include "query/histories.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "tables/lists.hpp"
#include "tables/mass_changes.hpp"
#include "tables/objects.hpp"
#include "tables/release_rows.hpp"
#include "tables/trees.hpp"

namespace query {
namespace {

using base::Result;
using Sids = std::vector<std::int64_t>;

// -- rows

// Returns the rank of the first release that a page after `since` shows.
//   since    a version; empty: from the oldest
//   current  the newest that is shown
//   error    refused: it is not known, or newer than the current one
Result<std::size_t> first_rank_after(const tables::Releases& releases, const std::string& since,
                                     const Release& current) {
    if (since.empty()) return 0;
    const auto position = releases.position(since);
    const auto newest = releases.position(current.version);
    const bool is_shown = position && (!newest || position->rank <= newest->rank);
    if (!is_shown) return base::fail(base::ErrorKind::refused, no_release(since).value().text);
    return position->rank + 1;
}

// Visits rows in their order.
//   returns  how many rows it looked at
//   throws   tables::NotesTooLong when rows that are read at once have more than the page may have
//   cost     up to 64 rows a query, fewer where notes are long: 1 MB or one row is held at once
using VisitRow = std::function<void(std::int64_t sid, tables::Row&& row)>;
std::size_t visit_rows(const ReadView& now, std::span<const std::int64_t> sids,
                       const tables::NotesLimits& limits, const VisitRow& visit) {
    const std::size_t most_of_step = now.may_be_long ? 1 << 20 : short_page;
    std::size_t rows = 0, bytes = 0, step = tables::longest_list;
    while (rows < sids.size() && bytes < limits.all) {
        const auto next = sids.subspan(rows, std::min(step, sids.size() - rows));
        const bool must_fit = next.size() > 1 || !now.may_be_long;
        std::optional<tables::NumberedRows> read;
        try {
            read = tables::rows_numbered(now.transaction, next, now.on_unreadable(),
                                         {.all = must_fit ? most_of_step : tables::any_bytes,
                                          .of_row = limits.of_row,
                                          .before_shortening = limits.before_shortening});
        } catch (const tables::NotesTooLong&) {
            if (!now.may_be_long) throw;
            step = next.size() / 2;
            continue;
        }
        for (const auto sid : next)
            if (const auto found = read->by_sid.find(sid); found != read->by_sid.end())
                visit(sid, std::move(found->second));
        rows += next.size();
        bytes += read->bytes;
        const auto bytes_of_row = read->bytes / next.size() + 1;
        step = std::clamp<std::size_t>(most_of_step / bytes_of_row, 1,
                                       std::min(2 * next.size(), tables::longest_list));
    }
    return rows;
}

// Reads the mass changes of classes and releases, each once.
class MassPlacesReader {
   public:
    explicit MassPlacesReader(store::Transaction& transaction) : transaction_(transaction) {}

    const MassPlaces& of(const std::string& class_name, const std::string& version) {
        const auto [known, is_new] = known_.try_emplace({class_name, version});
        auto& [changes, places] = known->second;
        if (is_new) {
            changes = tables::mass_changes_in(transaction_, version, class_name);
            for (const auto& each : changes) places.emplace(each.place, &each);
        }
        return places;
    }

   private:
    struct Known {
        std::vector<tables::MassChange> changes;
        MassPlaces places;  // of these
    };
    store::Transaction& transaction_;
    std::map<std::pair<std::string, std::string>, Known> known_;
};

// Those rows that a filter shows, in the same order.
struct FilteredRows {
    Sids sids;
    bool cut = false;  // some rows were not looked at
};
//   throws, cost  as of visit_rows(), and a query for each class and release if rows of mass changes are left out
FilteredRows filtered_rows(const ReadView& now, std::span<const std::int64_t> sids,
                           const ChangeFilter& filter) {
    static const MassPlaces none;
    FilteredRows found;
    MassPlacesReader places(now.transaction);
    const auto visit = [&](std::int64_t sid, const tables::Row& row) {
        if (filter.shows_row(row.kind, row.notes,
                             filter.mass ? none
                                         : places.of(row.object.class_name, row.release.version)))
            found.sids.push_back(sid);
    };
    const auto visited = visit_rows(now, sids, {most_filtered_bytes, tables::any_bytes}, visit);
    found.cut = visited < sids.size();
    return found;
}

// Returns the request without filters that would match every row, so that their notes need not be read.
PageRequest looked_for(PageRequest request, const ReadView& now) {
    if (!now.known->has_mass_changes) request.filter.mass = true;
    return request;
}

// Returns a row with what the releases say of it.
tables::Row dated(const ReadView& now, tables::Row row) {
    // A row is written together with its release, so every version is known.
    row.of_day = now.releases().position(row.release.version)->of_day;
    row.since_on = now.releases().date_of(row.since);
    return row;
}

// Rows that a page shows, newest release first, then by class and name.
struct ShownRows {
    std::vector<tables::Row> rows;
    std::size_t recorded = 0;  // that since and filter leave, in all
    bool cut = false;          // as in HistoryPage
};

// Puts rows on a page with what belongs to them: the people, the filter and the mass changes.
void fill_page(HistoryPage& page, const ReadView& now, ShownRows rows,
               const PageRequest& request) {
    page.rows = std::move(rows.rows);
    tables::find_renames(now.transaction, page.rows);
    page.recorded = rows.recorded;
    page.cut = rows.cut;
    page.people = now.context.people;
    page.models = models_of(now.context.builds);
    page.filter = request.filter;
    if (now.known->has_mass_changes)
        page.mass_changes = tables::mass_changes_of(now.transaction, page.rows);
}

// -- rows of objects

// A row of one of the objects, before it is read as a whole.
struct Candidate {
    std::size_t rank = 0;    // of its release
    std::size_t object = 0;  // index, by class and name
    std::int64_t sid = 0;

    [[nodiscard]] std::pair<std::ptrdiff_t, std::size_t> place() const {
        return {-static_cast<std::ptrdiff_t>(rank), object};
    }
};

// Reads the rows of objects together, up to a release.
class RowReader {
   public:
    //   objects  each once
    //   current  the release
    RowReader(const ReadView& now, std::span<const tables::ObjectRow> objects,
              const Release& current)
        : now_(now), current_(current) {
        for (const auto& object : objects) objects_.push_back(&object);
        std::ranges::sort(objects_, {}, [](const auto* object) { return object->object; });
        for (std::size_t at = 0; at < objects_.size(); ++at) index_[objects_[at]->oid] = at;
    }

    //   error   refused: the page begins after a release that is not known
    //   throws  tables::NotesTooLong
    Result<ShownRows> read(const PageRequest& request) {
        const auto first_rank = first_rank_after(now_.releases(), request.since, current_);
        if (!first_rank) return tl::unexpected(first_rank.error());
        find_candidates();
        std::erase_if(candidates_,
                      [&](const Candidate& candidate) { return candidate.rank < *first_rank; });
        std::ranges::sort(candidates_, {}, &Candidate::place);
        ShownRows rows;
        rows.cut = apply(request.filter, request.limits.filtered);
        rows.recorded = candidates_.size();
        if (!request.at.empty()) {
            const auto only = now_.releases().position(request.at);
            std::erase_if(candidates_, [&](const Candidate& candidate) {
                return !only || candidate.rank != only->rank;
            });
        }
        const auto of_row = request.at.empty() ? longest_shown : tables::any_bytes;
        const auto slice = slice_of(request, candidates_.size());
        const auto begin = std::clamp(request.changes_from.value_or(0), slice.from, slice.to);
        const auto end =
            request.changes_from ? std::min(slice.to, begin + archive_page) : slice.to;
        const auto add = [&](std::size_t from, std::size_t to, std::size_t most_of_row) {
            auto read =
                rows_in_order(now_, sids_of(std::span(candidates_).subspan(from, to - from)),
                              {longest_page, most_of_row});
            std::ranges::move(read, std::back_inserter(rows.rows));
        };
        add(slice.from, begin, 0);
        add(begin, end, of_row);
        add(end, slice.to, 0);
        return rows;
    }

    // Returns whether the object has a row up to the release.
    [[nodiscard]] bool has_rows(std::int64_t oid) const { return with_rows_.contains(oid); }

   private:
    void find_candidates() {
        Sids oids;
        for (const auto* object : objects_) oids.push_back(object->oid);
        const auto& releases = now_.releases();
        for (const auto& [sid, oid, version] : tables::row_keys(now_.transaction, oids)) {
            const auto position = releases.position(version);
            if (!position || current_ < releases.all()[position->rank]) continue;
            candidates_.push_back({position->rank, index_.at(oid), sid});
            with_rows_.insert(oid);
        }
    }

    // Returns whether some rows were not looked at, because there are too many, or too many bytes before them.
    bool apply(const ChangeFilter& filter, std::size_t most) {
        if (!filter.chooses_rows()) return false;
        // Older rows are neither looked at nor counted.
        const bool are_too_many = candidates_.size() > most;
        candidates_.resize(std::min(candidates_.size(), most));
        const auto shown = filtered_rows(now_, sids_of(candidates_), filter);
        const std::set<std::int64_t> stay(shown.sids.begin(), shown.sids.end());
        std::erase_if(candidates_,
                      [&](const Candidate& candidate) { return !stay.contains(candidate.sid); });
        return are_too_many || shown.cut;
    }

    static Sids sids_of(std::span<const Candidate> candidates) {
        Sids sids;
        for (const auto& candidate : candidates) sids.push_back(candidate.sid);
        return sids;
    }

    const ReadView& now_;
    const Release& current_;
    std::vector<const tables::ObjectRow*> objects_;        // by class and name
    std::unordered_map<std::int64_t, std::size_t> index_;  // oid -> index in objects_
    std::set<std::int64_t> with_rows_;                     // oids
    std::vector<Candidate> candidates_;                    // newest release first, then by object
};

// -- histories

// Returns the release to show: without a build, and unless a job has compared all objects in the newest one, that in
// which the object was compared last.
Release release_of(const ReadView& now, const tables::ObjectRow& row) {
    const auto& releases = now.releases();
    const auto* compared = releases.find(releases.version_of(row.build));
    const bool is_known = now.build() != nullptr || compared == nullptr ||
                          releases.is_recorded(releases.number_of(now.current.version));
    return is_known ? now.current : *compared;
}

Release release_of(const ReadView& now, std::span<const history::Identity> identities) {
    if (now.build() != nullptr) return now.current;
    Release newest;
    for (const auto& identity : identities)
        newest = std::max(newest, release_of(now, *identity.row));
    return newest;
}

// Returns the row as it was in the release, if a newer one is recorded: a build that was prewarmed
// before it becomes current is not shown yet.
// What cannot be read is left out: the object keeps its name as label then, or an early date.
tables::ObjectRow row_as_of(const ReadView& now, tables::ObjectRow row, const Release& release) {
    const auto& releases = now.releases();
    if (now.is_shown(row.build)) return row;
    const auto known = tables::tree_as_of(now.transaction, row.oid, release, releases);
    if (known && known->is_newest) return row;
    const auto& settings = now.context.settings;
    row.last_modified = settings.first_seen_since;
    row.label = row.object.name;
    if (known && known->tree)
        row.label = history::label_of(known->tree->nodes, row.object, settings.names);
    for (const auto& [oid, of_object] :
         tables::row_summaries(now.transaction, std::span(&row.oid, 1)))
        for (const auto& each : of_object)
            if (each.date && !releases.is_later(each.version, release.version))
                row.last_modified = std::max(row.last_modified, *each.date);
    if (!known)
        now.context.shared.unreadable.note({row.object, release.version, known.error().text});
    return row;
}

// Returns whether the build covers the object's class.
bool is_told_by_build(const ReadView& now, const history::Identity& identity) {
    return now.build() != nullptr && !now.build()->skips(identity.row->object.class_name);
}

//   row  of the object, as of the current release
bool has_vanished(const ReadView& now, const history::Identity& identity,
                  const tables::ObjectRow& row) {
    return is_told_by_build(now, identity) ? !identity.spelling : row.signature.empty();
}

// Returns true when the object is known only from a newer release than the build's.
bool is_of_the_future(const ReadView& now, const history::Identity& identity,
                      const RowReader& rows) {
    return is_told_by_build(now, identity) && !identity.spelling &&
           !rows.has_rows(identity.row->oid);
}

// Adds the newest mentions of objects to a page.
void add_mentions(HistoryPage& page, const ReadView& now, std::span<const ObjectName> objects,
                  std::size_t most) {
    if (most == 0) return;
    page.mentions = tables::load_mentions(now.transaction, objects, most);
    page.mentioned = page.mentions.size();
    if (page.mentioned < most) return;
    page.mentioned = 0;
    for (const auto& object : objects)
        page.mentioned += tables::count_mentions(now.transaction, object);
}

// Chooses which rows of some releases a page has.
class RowChooser {
   public:
    //   class_name  empty: of all classes
    //   releases    known ones, newest first
    RowChooser(const ReadView& now, std::string class_name, const std::vector<Release>& releases)
        : now_(now), counted_(now.counted(releases)) {
        selection_.class_name = std::move(class_name);
    }

    ShownRows read(const PageRequest& request) const {
        std::size_t recorded = 0;
        for (const auto& release : counted_) recorded += news(*release);
        if (request.filter.chooses_rows()) return filtered(request, recorded);
        const auto sids = request.before > 0 ? archived(request.before) : newest(request.most);
        return {whole(sids), recorded};
    }

   private:
    [[nodiscard]] std::size_t news(const tables::CountedRows& release) const {
        return release.news(selection_.class_name);
    }

    [[nodiscard]] Sids newest(std::size_t most) const {
        Sids sids;
        for (const auto& release : counted_) {
            if (news(*release) == 0) continue;
            if (sids.size() >= most) break;
            append(sids, tables::rows_by_name(now_.transaction, selection_, *release, 0,
                                              most - sids.size()));
        }
        return sids;
    }

    // Returns the rows of a page of the archive; none if there is no such page.
    [[nodiscard]] Sids archived(std::size_t before) const {
        auto skipped = before - archive_page;
        Sids sids;
        for (const auto& release : counted_ | std::views::reverse) {
            const auto rows = news(*release);
            if (rows <= skipped) {
                skipped -= rows;
                continue;
            }
            append(sids, tables::rows_as_recorded(now_.transaction, selection_, *release, skipped,
                                                  archive_page - sids.size()));
            if (sids.size() >= archive_page) break;
            skipped = 0;
        }
        return sids;
    }

    // Looks at the first rows in the order of a feed. Where there are more, the page has no archive, so
    // nobody has to know how many the filter shows.
    ShownRows filtered(const PageRequest& request, std::size_t recorded) const {
        const auto most = request.limits.filtered_of_many;
        Sids looked_at;
        for (const auto& release : counted_) {
            if (news(*release) == 0) continue;
            if (looked_at.size() >= most) break;
            auto some = tables::rows_by_name(now_.transaction, selection_, *release, 0,
                                             most - looked_at.size());
            // Pages of the archive go by recording.
            if (request.before > 0) std::ranges::sort(some, std::greater());
            append(looked_at, some);
        }
        auto [sids, cut] = filtered_rows(now_, looked_at, request.filter);
        const auto found = sids.size();
        cut = cut || recorded > most;
        if (cut && request.before > 0) return {{}, found, cut};
        const auto slice = slice_of(request, found);
        return {whole(std::span(sids).subspan(slice.from, slice.size())), found, cut};
    }

    // Returns the rows newest release first, then by class and name.
    [[nodiscard]] std::vector<tables::Row> whole(std::span<const std::int64_t> sids) const {
        auto rows = rows_in_order(now_, sids);
        // Committed since the release was counted.
        std::erase_if(rows,
                      [](const auto& row) { return row.kind == tables::RowKind::reconstructed; });
        const auto rank_of = [this](const tables::Row& row) {
            return now_.releases().position(row.release.version)->rank;
        };
        std::ranges::sort(rows, [&](const auto& a, const auto& b) {
            const auto rank = rank_of(a), other = rank_of(b);
            return rank != other ? rank > other : a.object < b.object;
        });
        return rows;
    }

    static void append(Sids& sids, const Sids& more) {
        sids.insert(sids.end(), more.begin(), more.end());
    }

    const ReadView& now_;
    tables::RowSelection selection_;
    const std::vector<CountedRowsPtr> counted_;  // newest release first
};

HistoryPage page_of(const ReadView& now, const std::string& class_name,
                    const std::vector<Release>& releases, const PageRequest& request) {
    HistoryPage page;
    page.current = now.current;
    page.numbered_by_recording = true;
    fill_page(page, now, RowChooser(now, class_name, releases).read(looked_for(request, now)),
              request);
    join_renames(page.rows);
    return page;
}

}  // namespace

std::vector<tables::Row> rows_in_order(const ReadView& now, std::span<const std::int64_t> sids,
                                       tables::NotesLimits limits) {
    if (sids.size() <= archive_page) limits.all = tables::any_bytes;
    static const MassPlaces none;
    MassPlacesReader places(now.transaction);
    const auto models = models_of(now.context.builds);
    limits.before_shortening = [&](tables::Row& row) {
        const auto& class_name = row.object.class_name;
        const compare::ClassRules rules(now.context.settings.ranking, class_name, models.get());
        add_headline(row, rules,
                     now.known->has_mass_changes ? places.of(class_name, row.release.version)
                                                 : none);
    };
    std::vector<tables::Row> rows;
    visit_rows(now, sids, limits, [&](std::int64_t, tables::Row&& row) {
        rows.push_back(dated(now, std::move(row)));
    });
    return rows;
}

Result<History> load_history(const ReadView& now, const history::Identity& identity,
                             const PageRequest& request) {
    const auto release = release_of(now, *identity.row);
    const auto row = row_as_of(now, *identity.row, release);
    RowReader reader(now, std::span(&row, 1), release);
    auto rows = reader.read(looked_for(request, now));
    if (!rows) return tl::unexpected(rows.error());
    if (is_of_the_future(now, identity, reader))
        return base::fail(base::ErrorKind::absent, row.object.class_name + " " + row.object.name +
                                                       " is not in " + release.version);
    History history;
    history.object = row.object;
    history.spelling = identity.spelling.value_or(row.object);
    history.label = row.object.label_or_name(row.label);
    history.oid = row.oid;
    history.current = release;
    history.last_modified = row.last_modified;
    history.vanished = has_vanished(now, identity, row);
    fill_page(history, now, std::move(*rows), request);
    add_mentions(history, now, std::span(&history.object, 1), request.mentions);
    return history;
}

FollowedReleases followed_releases(const ReadContext& context, const History& history) {
    if (history.rows.empty()) return {};
    return read(context, [&](const ReadView& now) {
        FollowedReleases followed;
        const auto& releases = now.releases();
        const auto& oldest = history.rows.back();
        auto first = releases.position(oldest.release.version);
        // Nothing is known from before an object was created.
        if (oldest.kind != tables::RowKind::created)
            for (const auto& [oid, versions] :
                 tables::tree_versions(now.transaction, std::span(&history.oid, 1), releases))
                for (const auto& version : versions)
                    if (const auto seen = releases.position(version);
                        seen && first && seen->rank < first->rank)
                        first = seen;
        const auto known = releases.up_to(history.current);
        for (auto rank = known.size(); first && rank-- > first->rank;)
            followed.releases.push_back(known[rank]);
        if (const auto* build = releases.first_build()) followed.first_seen = build->version;
        return followed;
    });
}

Result<WatchList> load_list(const ReadView& now, std::span<const history::Identity> identities,
                            const PageRequest& request) {
    WatchList list;
    list.current = release_of(now, identities);
    std::vector<tables::ObjectRow> objects;
    for (const auto& identity : identities)
        objects.push_back(row_as_of(now, *identity.row, list.current));
    RowReader reader(now, objects, list.current);
    auto rows = reader.read(looked_for(request, now));
    if (!rows) return tl::unexpected(rows.error());
    for (std::size_t at = 0; at < objects.size(); ++at) {
        if (is_of_the_future(now, identities[at], reader)) continue;
        const auto& object = objects[at].object;
        list.objects.push_back({object, object.label_or_name(objects[at].label)});
        if (has_vanished(now, identities[at], objects[at])) list.vanished.push_back(object);
        list.last_modified = std::max(list.last_modified, objects[at].last_modified);
    }
    if (list.objects.empty())
        return base::fail(base::ErrorKind::absent, "none of these objects is known");
    std::ranges::sort(list.objects, {}, &Named::object);
    std::ranges::sort(list.vanished);
    fill_page(list, now, std::move(*rows), request);
    join_renames(list.rows);
    std::vector<ObjectName> names;
    for (const auto& named : list.objects) names.push_back(named.object);
    add_mentions(list, now, names, request.mentions);
    return list;
}

bool is_shown_class(const ReadView& now, const std::string& class_name) {
    if (now.build() != nullptr)
        for (const auto& count : now.build()->class_counts())
            if (count.class_name == class_name) return true;
    if (std::ranges::any_of(now.counted(now.shown()),
                            [&](const auto& each) { return each->news(class_name) > 0; }))
        return true;
    // Objects that were compared, and had no change yet.
    constexpr std::size_t enough = 1'000;
    const auto builds = tables::builds_compared_with(now.transaction, class_name, enough);
    return std::ranges::any_of(builds, [&](const auto& number) { return now.is_shown(number); });
}

Result<HistoryPage> class_history(const ReadContext& context, const std::string& class_name,
                                  const PageRequest& request) {
    return read(context, [&](const ReadView& now) -> Result<HistoryPage> {
        if (!is_shown_class(now, class_name))
            return base::fail(base::ErrorKind::absent, "there is no class " + class_name);
        const auto first_rank = first_rank_after(now.releases(), request.since, now.current);
        if (!first_rank) return tl::unexpected(first_rank.error());
        auto releases = now.shown();
        const auto oldest =
            releases.empty() ? now.current.released_on : releases.back().released_on;
        releases.resize(releases.size() - std::min(releases.size(), *first_rank));
        auto page = page_of(now, class_name, releases, request);
        page.last_modified = oldest;  // a feed without items stays the same in each release
        return page;
    });
}

Result<HistoryPage> release_history(const ReadContext& context, const std::string& version,
                                    const PageRequest& request) {
    return read(context, [&](const ReadView& now) -> Result<HistoryPage> {
        const auto* release = now.shown(version);
        if (release == nullptr) return no_release(version);
        auto page = page_of(now, {}, {*release}, request);
        page.last_modified = release->released_on;
        return page;
    });
}

}  // namespace query
