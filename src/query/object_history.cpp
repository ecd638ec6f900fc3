// SPDX-License-Identifier: MIT
#include "query/object_history.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "tables/lists.hpp"
#include "tables/mass_changes.hpp"
#include "tables/trees.hpp"

namespace query {
namespace {

using base::Result;
using store::Transaction;

// -- rows

// A row of one of the objects, before it is read as a whole.
struct Candidate {
    std::size_t rank = 0;    // of its release
    std::size_t object = 0;  // index, by class and name
    int of_day = 0;
    std::int64_t sid = 0;

    [[nodiscard]] std::pair<std::ptrdiff_t, std::size_t> place() const {
        return {-static_cast<std::ptrdiff_t>(rank), object};
    }
};

class RowReader {
   public:
    RowReader(Transaction& transaction, std::span<const tables::ObjectRow> objects,
              const Release& current, const tables::Releases& releases,
              std::size_t most_note_bytes)
        : transaction_(transaction), current_(current), releases_(releases),
          most_note_bytes_(most_note_bytes) {
        for (const auto& object : objects) objects_.push_back(&object);
        std::ranges::sort(objects_, {}, [](const auto* object) { return object->object; });
        for (std::size_t at = 0; at < objects_.size(); ++at) index_[objects_[at]->oid] = at;
    }

    Result<ShownRows> read(const PageRequest& request) {
        const auto first_rank = first_rank_after(releases_, request.since, current_);
        if (!first_rank) return tl::unexpected(first_rank.error());
        if (objects_.size() == 1 && !request.filter.chooses_rows() &&
            most_note_bytes_ >= tables::FewRows::most * tables::FewRows::longest_notes)
            few_ = tables::FewRows::of(transaction_, objects_.front()->oid);
        find_candidates();
        ShownRows rows;
        for (const auto& candidate : candidates_)
            ++rows.of_object[objects_[candidate.object]->oid];
        std::erase_if(candidates_,
                      [&](const Candidate& candidate) { return candidate.rank < *first_rank; });
        std::ranges::sort(candidates_, {}, &Candidate::place);
        rows.cut = request.filter.chooses_rows() && candidates_.size() > request.limits.filtered;
        rows.cut = apply(request.filter, request.limits.filtered) || rows.cut;
        rows.recorded = candidates_.size();
        rows.rows = whole(slice_of(request, candidates_.size()));
        rows.unreadable = std::move(unreadable_);
        return rows;
    }

   private:
    void find_candidates() {
        std::vector<std::int64_t> oids;
        for (const auto* object : objects_) oids.push_back(object->oid);
        for (const auto& [sid, oid, version] :
             few_ ? few_->keys() : tables::row_keys(transaction_, oids))
            add(version, {.object = index_.at(oid), .sid = sid});
    }

    void add(const std::string& version, Candidate candidate) {
        // A row is written together with its release, so every version is known.
        const auto position = releases_.position(version);
        if (!position || current_ < releases_.all()[position->rank]) return;
        candidate.rank = position->rank;
        candidate.of_day = position->of_day;
        candidates_.push_back(candidate);
    }

    // Returns whether some rows were not looked at, because there are too many bytes before them.
    bool apply(const ChangeFilter& filter, std::size_t most) {
        if (!filter.chooses_rows()) return false;
        // Older rows are neither looked at nor counted.
        candidates_.resize(std::min(candidates_.size(), most));
        const auto shown = filtered_rows(transaction_, sids_of(candidates_), filter,
                                         note_unreadable_, most_note_bytes_);
        const std::set<std::int64_t> stay(shown.sids.begin(), shown.sids.end());
        std::erase_if(candidates_,
                      [&](const Candidate& candidate) { return !stay.contains(candidate.sid); });
        return shown.cut;
    }

    static std::vector<std::int64_t> sids_of(std::span<const Candidate> candidates) {
        std::vector<std::int64_t> sids;
        for (const auto& candidate : candidates) sids.push_back(candidate.sid);
        return sids;
    }

    std::vector<tables::Row> whole(Slice slice) {
        const auto shown = std::span(candidates_).subspan(slice.from, slice.size());
        const auto sids = sids_of(shown);
        auto stored =
            few_ ? few_->numbered(sids, note_unreadable_)
                 : tables::rows_numbered(transaction_, sids, note_unreadable_, most_note_bytes_);
        std::vector<tables::Row> rows;
        rows.reserve(shown.size());
        for (const auto& candidate : shown) {
            auto row = stored.by_sid.extract(candidate.sid);
            if (!row) continue;  // it cannot be read
            rows.push_back(std::move(row.mapped()));
            rows.back().of_day = candidate.of_day;
            rows.back().since_on = releases_.date_of(rows.back().since);
        }
        tables::find_renames(transaction_, rows);
        return rows;
    }

    Transaction& transaction_;
    const Release& current_;
    const tables::Releases& releases_;
    std::size_t most_note_bytes_;
    std::vector<const tables::ObjectRow*> objects_;        // by class and name
    std::unordered_map<std::int64_t, std::size_t> index_;  // oid -> index in objects_
    std::optional<tables::FewRows> few_;                   // nullopt: they are not read yet
    std::vector<Candidate> candidates_;                    // newest release first, then by object
    std::vector<tables::UnreadableRow> unreadable_;
    const tables::OnUnreadable note_unreadable_ = [this](const tables::UnreadableRow& row) {
        unreadable_.push_back(row);
    };
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
    if (!known) now.context.unreadable.note({row.object, release.version, known.error().text});
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
                      const ShownRows& rows) {
    return is_told_by_build(now, identity) && !identity.spelling &&
           !rows.of_object.contains(identity.row->oid);
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

// Returns nullopt when several rows have more than most_bytes together: fewer have to be read.
//   throws  tables::NotesTooLong when a single one has
std::optional<tables::NumberedRows> rows_of_step(Transaction& transaction,
                                                 std::span<const std::int64_t> sids,
                                                 const tables::OnUnreadable& on_unreadable,
                                                 std::size_t most_bytes) {
    try {
        return tables::rows_numbered(transaction, sids, on_unreadable, most_bytes);
    } catch (const tables::NotesTooLong&) {
        if (sids.size() == 1) throw;
        return std::nullopt;
    }
}

}  // namespace

const MassPlaces& MassPlacesReader::of(const std::string& class_name,
                                       const std::string& version) {
    const auto [known, is_new] = known_.try_emplace({class_name, version});
    auto& [changes, places] = known->second;
    if (is_new) {
        changes = tables::mass_changes_in(transaction_, version, class_name);
        for (const auto& each : changes) places.insert(each.place);
    }
    return places;
}

PageRequest looked_for(PageRequest request, const ReadView& now) {
    if (!now.known->has_mass_changes) request.filter.mass = true;
    return request;
}

void fill_page(HistoryPage& page, const ReadView& now, ShownRows rows,
               const PageRequest& request) {
    for (const auto& row : rows.unreadable) now.context.unreadable.note(row);
    page.rows = std::move(rows.rows);
    page.recorded = rows.recorded;
    page.cut = rows.cut;
    page.people = now.context.people;
    page.filter = request.filter;
    page.memory = now.memory;
    if (now.known->has_mass_changes)
        page.mass_changes = tables::mass_changes_of(now.transaction, page.rows);
}

Result<History> load_history(const ReadView& now, const history::Identity& identity,
                             const PageRequest& request) {
    const auto release = release_of(now, *identity.row);
    const auto row = row_as_of(now, *identity.row, release);
    auto rows = load_rows(now.transaction, std::span(&row, 1), release, looked_for(request, now),
                          now.releases(), now.most_note_bytes());
    if (!rows) return tl::unexpected(rows.error());
    if (is_of_the_future(now, identity, *rows))
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
    auto rows = load_rows(now.transaction, objects, list.current, looked_for(request, now),
                          now.releases(), now.most_note_bytes());
    if (!rows) return tl::unexpected(rows.error());
    for (std::size_t at = 0; at < objects.size(); ++at) {
        if (is_of_the_future(now, identities[at], *rows)) continue;
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
    std::vector<ObjectName> names;
    for (const auto& named : list.objects) names.push_back(named.object);
    add_mentions(list, now, names, request.mentions);
    return list;
}

Result<ShownRows> load_rows(Transaction& transaction, std::span<const tables::ObjectRow> objects,
                            const Release& current, const PageRequest& request,
                            const tables::Releases& releases, std::size_t most_note_bytes) {
    return RowReader(transaction, objects, current, releases, most_note_bytes).read(request);
}

Result<std::size_t> first_rank_after(const tables::Releases& releases, const std::string& since,
                                     const Release& current) {
    if (since.empty()) return 0;
    const auto position = releases.position(since);
    const auto newest = releases.position(current.version);
    const bool is_shown = position && (!newest || position->rank <= newest->rank);
    if (!is_shown) return base::fail(base::ErrorKind::refused, no_release(since).value().text);
    return position->rank + 1;
}

std::size_t visit_notes(Transaction& transaction, std::span<const std::int64_t> sids,
                        const VisitNotes& visit, const tables::OnUnreadable& on_unreadable,
                        std::size_t most_note_bytes) {
    constexpr std::size_t first_step = 8, most_of_step = 1 << 20;
    const auto bytes_of_step = std::min(most_of_step, most_note_bytes);
    std::size_t rows = 0, bytes = 0;
    auto step = first_step;
    while (rows < sids.size() && bytes < most_filtered_bytes) {
        const auto next = sids.subspan(rows, std::min(step, sids.size() - rows));
        const auto read = rows_of_step(transaction, next, on_unreadable,
                                       next.size() > 1 ? bytes_of_step : most_note_bytes);
        if (!read) {
            step = next.size() / 2;
            continue;
        }
        for (const auto sid : next)
            if (const auto found = read->by_sid.find(sid); found != read->by_sid.end())
                visit(sid, found->second);
        rows += next.size();
        bytes += read->bytes;
        const auto bytes_of_row = read->bytes / next.size() + 1;
        step = std::clamp<std::size_t>(bytes_of_step / bytes_of_row, 1, tables::longest_list);
    }
    return rows;
}

FilteredRows filtered_rows(Transaction& transaction, std::span<const std::int64_t> sids,
                           const ChangeFilter& filter, const tables::OnUnreadable& on_unreadable,
                           std::size_t most_note_bytes) {
    static const MassPlaces none;
    FilteredRows found;
    MassPlacesReader places(transaction);
    const auto visited = visit_notes(
        transaction, sids,
        [&](std::int64_t sid, const tables::Row& row) {
            if (filter.shows_row(
                    row.kind, row.notes,
                    filter.mass ? none : places.of(row.object.class_name, row.release.version)))
                found.sids.push_back(sid);
        },
        on_unreadable, most_note_bytes);
    found.cut = visited < sids.size();
    return found;
}

}  // namespace query
