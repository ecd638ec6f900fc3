// SPDX-License-Identifier: MIT
#include "query/tree_at.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "compare/compare.hpp"
#include "compare/ignored.hpp"
#include "query/search.hpp"
#include "tables/prewarmed.hpp"
#include "tables/replacements.hpp"
#include "tables/trees.hpp"

namespace query {
namespace {

using base::Result;
using store::Transaction;

constexpr std::size_t most_labels = 200;  // of a difference, as of a row

// A tree and the releases it held in: from where it was stored to the last in which the object
// was compared and found the same.
struct Span {
    Release first, last;
    bool was_there = true;       // false: the object was not in these releases
    std::string stored_in = {};  // empty: not there before its first row
};

// Returns the last release of a tree whose successor has no row, because the two differ only in
// what is ignored: the release jobs alone say which releases lie between them.
std::string last_without_row(Transaction& transaction, const tables::Releases& releases,
                             const tables::ObjectRow& object, const std::string& stored_in,
                             const std::string& next) {
    auto before_next = releases.up_to(*releases.find(next));
    before_next.pop_back();
    auto then = object;
    then.ace_version = stored_in;
    tables::resolve_compared_in(transaction, std::array{&then}, {},
                                tables::Releases(std::move(before_next)));
    return then.compared_in;
}

const tables::RowSummary* row_of(const std::vector<tables::RowSummary>& rows,
                                 const std::string& version) {
    const auto found = std::ranges::find(rows, version, &tables::RowSummary::version);
    return found == rows.end() ? nullptr : &*found;
}

// Returns the last release of the tree that was stored in versions[place].
std::string last_of(Transaction& transaction, const tables::Releases& releases,
                    const std::vector<std::string>& versions, std::size_t place,
                    const tables::ObjectRow& object,
                    const std::vector<tables::RowSummary>& rows) {
    if (place + 1 == versions.size()) return object.compared_in;
    const auto& next = versions[place + 1];
    if (const auto* row = row_of(rows, next))
        return releases.find(row->since) != nullptr ? row->since : versions[place];
    return last_without_row(transaction, releases, object, versions[place], next);
}

// What the tables hold of an object's past, with replacements in force.
struct Records {
    std::vector<std::string>
        versions;  // of the trees of known releases, in the order of releases
    std::vector<tables::RowSummary> rows;
    std::map<std::string, std::vector<tree::Node>> replaced_trees;
};

// A replacement stays where it is: reading writes nothing.
Result<Records> read_records(Transaction& transaction, const tables::ObjectRow& object,
                             const tables::Releases& releases,
                             const tables::OnUnreadable& on_unreadable) {
    auto summaries = tables::row_summaries(transaction, std::span(&object.oid, 1), on_unreadable);
    auto trees = tables::replaced_trees(transaction, object.oid, releases);
    if (!trees) return tl::unexpected(trees.error());
    std::vector<std::string> hidden;
    const auto rows = tables::replaced_rows(transaction, object, releases,
                                            [&](const tables::UnreadableRow& row) {
                                                hidden.push_back(row.version);
                                                on_unreadable(row);
                                            });
    Records records{
        tables::tree_versions(transaction, std::span(&object.oid, 1), releases)[object.oid],
        std::move(summaries[object.oid]), std::move(*trees)};
    std::erase_if(records.rows, [&](const auto& each) {
        return std::ranges::find(hidden, each.version) != hidden.end();
    });
    for (const auto& row : rows) {
        std::erase_if(records.rows,
                      [&](const auto& each) { return each.version == row.release.version; });
        records.rows.push_back({row.release.version, row.since, row.release.released_on, row.kind,
                                row.signature, row.label});
    }
    auto& versions = records.versions;
    for (const auto& [version, nodes] : records.replaced_trees)
        if (std::ranges::find(versions, version) == versions.end()) versions.push_back(version);
    std::erase_if(versions, [&](const auto& each) { return releases.find(each) == nullptr; });
    std::ranges::sort(versions, [&](const auto& one, const auto& other) {
        return releases.is_later(other, one);
    });
    return records;
}

// In the order of releases.
std::vector<Span> spans_of(Transaction& transaction, const tables::ObjectRow& object,
                           const Records& records, const tables::Releases& releases) {
    const auto& [versions, rows, replaced] = records;
    std::vector<Span> spans;
    for (const auto& row : rows)
        if (const auto* before = releases.find(row.since);
            before != nullptr && row.kind == tables::RowKind::created)
            spans.push_back({*before, *before, false});
    for (std::size_t place = 0; place < versions.size(); ++place) {
        const auto* last =
            releases.find(last_of(transaction, releases, versions, place, object, rows));
        const auto* first = releases.find(versions[place]);
        const auto* row = row_of(rows, versions[place]);
        const bool vanished = row != nullptr && row->kind == tables::RowKind::vanished;
        spans.push_back({*first, last != nullptr ? *last : *first, !vanished, versions[place]});
    }
    std::ranges::stable_sort(spans, {}, &Span::first);
    return spans;
}

// Cuts them off after a release.
std::vector<Span> up_to(std::vector<Span> spans, const Release& newest) {
    std::erase_if(spans, [&](const Span& span) { return newest < span.first; });
    for (auto& span : spans) span.last = std::min(span.last, newest);
    return spans;
}

// Returns the end of a span that is closest to `release`, by days.
std::string nearest(const std::vector<Span>& spans, const Release& release) {
    const Release* best = nullptr;
    const auto distance = [&](const Release& other) {
        const auto days = (other.released_on - release.released_on).count();
        return days < 0 ? -days : days;
    };
    for (const auto& span : spans)
        for (const auto* end : {&span.first, &span.last})
            if (best == nullptr || distance(*end) < distance(*best)) best = end;
    return best == nullptr ? "" : best->version;
}

Result<PastTree> read_span(Transaction& transaction, const tables::ObjectRow& object,
                           const Records& records, const Span& span, const Release& release) {
    if (span.stored_in.empty()) return PastTree{release, false, {}};
    const auto replaced = records.replaced_trees.find(span.stored_in);
    if (replaced != records.replaced_trees.end())
        return PastTree{release, span.was_there, replaced->second};
    auto tree = tables::tree_of(transaction, object.oid, span.stored_in);
    if (!tree) return tl::unexpected(tree.error());
    return PastTree{release, span.was_there, std::move(*tree)};
}

// Returns the releases of which something is known; a later span decides where two meet.
std::vector<KnownPast::In> releases_in(const std::vector<Span>& spans,
                                       const tables::Releases& releases) {
    std::vector<KnownPast::In> known;
    auto span = spans.begin();
    for (const auto& release : releases.all()) {
        while (span != spans.end() && span->last < release) ++span;
        if (span == spans.end()) break;
        if (!(release < span->first)) known.push_back({release, span->was_there});
    }
    return known;
}

//   version  empty: the newest of which something is known
Result<KnownPast> past_of(store::Pool& pool, const history::Settings& settings,
                          const tables::ObjectRow& object, std::string_view version,
                          const std::optional<Release>& newest,
                          const tables::OnUnreadable& on_unreadable) {
    return store::perform(
        pool, store::Access::read, [&](Transaction& transaction) -> Result<KnownPast> {
            const auto releases =
                history::known_releases(transaction, settings, nullptr, nullptr);
            const auto* release = releases.find(version);
            if (!version.empty() && (release == nullptr || (newest && *newest < *release)))
                return no_release(std::string(version));
            auto resolved = object;
            tables::resolve_compared_in(transaction, std::array{&resolved}, {}, releases);
            const auto records = read_records(transaction, resolved, releases, on_unreadable);
            if (!records) return tl::unexpected(records.error());
            const auto all = spans_of(transaction, resolved, *records, releases);
            const auto spans = newest ? up_to(all, *newest) : all;
            if (release == nullptr && !spans.empty()) release = &spans.back().last;
            for (const auto& span : spans)
                if (release != nullptr && !(*release < span.first) && !(span.last < *release)) {
                    auto tree = read_span(transaction, object, *records, span, *release);
                    if (!tree) return tl::unexpected(tree.error());
                    return KnownPast{std::move(*tree), releases_in(spans, releases)};
                }
            const auto name = object.object.class_name + " " + object.object.name;
            if (release == nullptr)
                return base::fail(base::ErrorKind::absent, name + ": no tree of it is recorded");
            const auto known = nearest(spans, *release);
            return base::fail(base::ErrorKind::absent,
                              name + ": nothing is known of it in " + release->version +
                                  (known.empty() ? "" : "; the nearest known is " + known));
        });
}

using compare::AddedIn;
using Origin = ObjectAt::Origin;

// Marks what a row added that does not have all of its changes, by the trees before and after it.
//   returns  false when one of them is not known
bool mark_by_trees(const ReadContext& context, const tables::Row& row, AddedIn& added,
                   AddedIn::Mark mark) {
    const auto after = tree_at(context, row.object, row.release.version);
    if (!after) return false;
    if (row.since.empty()) return false;
    const auto before = tree_at(context, row.object, row.since);
    if (!before) return false;
    added.mark_new(before->nodes, after->nodes, mark);
    return true;
}

// Fills in where the nodes come from.
//   has_all_rows  false: some rows up to the release cannot be read, or are too many
void find_origins(const ReadContext& context, ObjectAt& object, bool has_all_rows) {
    const auto& nodes = object.past.tree.nodes;
    AddedIn added(nodes);
    const auto next = [&](Origin origin) {
        object.origins.push_back(std::move(origin));
        return static_cast<AddedIn::Mark>(object.origins.size() - 1);
    };
    if (const auto rest = compare::without_ignored(nodes, context.settings.ignored,
                                                   object.history.object.class_name))
        added.mark_new(*rest, nodes, next({Origin::Kind::ignored}));
    constexpr std::size_t most_compared = 20;  // pairs of trees
    std::size_t compared = 0;
    for (const auto& row : object.history.rows) {
        if (added.is_complete()) break;
        const bool is_observed = row.kind != tables::RowKind::reconstructed;
        const auto mark =
            next({is_observed ? Origin::Kind::row : Origin::Kind::reconstructed, row.release});
        added.mark(row.notes.changes, mark);
        if (row.notes.is_whole()) continue;
        if (compared++ == most_compared || !mark_by_trees(context, row, added, mark))
            added.mark_rest(next({Origin::Kind::or_before, row.release}));
    }
    if (!added.is_complete() && !has_all_rows)
        added.mark_rest(next({Origin::Kind::or_before, object.release()}));
    if (!added.is_complete()) added.mark_rest(next({Origin::Kind::older}));
    object.origin_of = added.marks();
}

Release first_seen(const ObjectAt& object) {
    auto first = object.release();
    for (const auto& [release, there] : object.past.releases)
        if (there) first = std::min(first, release);
    for (const auto& row : object.history.rows) first = std::min(first, row.release);
    return first;
}

}  // namespace

Result<PastTree> tree_at(store::Pool& pool, const history::Settings& settings,
                         const tables::ObjectRow& object, std::string_view version,
                         const std::optional<Release>& newest,
                         const tables::OnUnreadable& on_unreadable) {
    auto past = past_of(pool, settings, object, version, newest, on_unreadable);
    if (!past) return tl::unexpected(past.error());
    return std::move(past->tree);
}

Result<KnownPast> known_past(const ReadContext& context, const ObjectName& object,
                             const std::string& version) {
    struct Known {
        std::optional<tables::ObjectRow> row;
        bool is_shown;
        Release current;
    };
    const auto known = read(context, [&](const ReadView& now) {
        const auto rows = tables::objects_named(now.transaction, std::span(&object, 1));
        const auto* row = rows.find(object);
        return Known{row != nullptr ? std::optional(*row) : std::nullopt,
                     version.empty() || now.shown(version) != nullptr, now.current};
    });
    if (!known.is_shown) return no_release(version);
    if (!known.row)
        return base::fail(base::ErrorKind::absent,
                          object.class_name + " " + object.name + " is not recorded");
    const auto note = [&](const tables::UnreadableRow& row) { context.unreadable.note(row); };
    return past_of(context.pool, context.settings, *known.row, version, known.current, note);
}

Result<PastTree> tree_at(const ReadContext& context, const ObjectName& object,
                         const std::string& version) {
    auto past = known_past(context, object, version);
    if (!past) return tl::unexpected(past.error());
    return std::move(past->tree);
}

Result<std::vector<compare::Change>> changes_between(const PastTree& from, const PastTree& to,
                                                     const ObjectName& object,
                                                     const tree::Models& models,
                                                     const compare::Ignored& ignored) {
    if (!from.there && !to.there)
        return base::fail(base::ErrorKind::absent,
                          object.class_name + " " + object.name + " is in neither of the two");
    return compare::without_ignored(
        compare::compare(from.nodes, to.nodes, models, models.of_class(object.class_name)),
        ignored, object.class_name);
}

namespace {

const tree::Models& models_at_hand(const history::Builds& builds) {
    static const tree::Models none;
    if (builds.build) return builds.build->models();
    return builds.previous ? builds.previous->models() : none;
}

}  // namespace

Result<Difference> difference(const ReadContext& context, const ObjectName& object,
                              const std::string& from, const std::string& to) {
    const auto rows = store::perform(context.pool, store::Access::read, tables::objects_named,
                                     std::span(&object, 1));
    const auto* row = rows.find(object);
    const auto& recorded = row != nullptr ? row->object : object;
    const auto before = tree_at(context, recorded, from);
    if (!before) return tl::unexpected(before.error());
    const auto after = tree_at(context, recorded, to);
    if (!after) return tl::unexpected(after.error());
    auto changes = changes_between(*before, *after, recorded, models_at_hand(context.builds),
                                   context.settings.ignored);
    if (!changes) return tl::unexpected(changes.error());
    Difference difference;
    difference.object = recorded;
    difference.label = history::label_of((after->there ? after : before)->nodes, recorded,
                                         context.settings.names);
    difference.from = before->release;
    difference.to = after->release;
    difference.was_there = before->there;
    difference.is_there = after->there;
    difference.changes = std::move(*changes);
    difference.people = context.people;
    difference.references =
        current_references(context, compare::objects_named_in(difference.changes, most_labels));
    return difference;
}

compare::References current_references(const ReadContext& context,
                                       std::span<const ObjectName> objects) {
    using Fate = compare::Reference::Fate;
    const auto looked_up = look_up(context, objects);
    compare::References references;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto& [named, is_nowhere] = looked_up[i];
        if (is_nowhere)
            references.push_back({objects[i], {}, Fate::absent});
        else if (named.label != named.object.name)
            references.push_back({objects[i], named.label});
    }
    std::ranges::sort(references, {}, &compare::Reference::object);
    return references;
}

base::Result<ObjectAt> object_at(const ReadContext& context, History history,
                                 const std::string& version) {
    auto past = known_past(context, history.object, version);
    if (!past) return tl::unexpected(past.error());
    ObjectAt object;
    object.past = std::move(*past);
    object.history = std::move(history);
    auto& rows = object.history.rows;
    const bool has_all_rows = object.history.recorded == rows.size();
    std::erase_if(rows, [&](const auto& row) { return object.release() < row.release; });
    object.label = object.there()
                       ? history::label_of(object.past.tree.nodes, object.history.object,
                                           context.settings.names)
                       : object.history.label;
    object.history.vanished = !object.there();
    object.first_seen = first_seen(object);
    find_origins(context, object, has_all_rows);
    return object;
}

}  // namespace query
