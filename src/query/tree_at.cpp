// SPDX-License-Identifier: MIT
#include "query/tree_at.hpp"

#include <algorithm>
#include <utility>

#include "compare/compare.hpp"
#include "compare/ignored.hpp"
#include "query/search.hpp"
#include "tables/trees.hpp"

namespace query {
namespace {

using base::Result;
using store::Transaction;

constexpr std::size_t most_labels = 200;  // of a difference, as of a row

// Releases between which an object had the same tree, or was not there.
struct Span {
    Release first, last;
    bool was_there = true;
    std::string stored_in = {};  // the release of the tree; empty: not there before its first row
};

// Returns the version of the release in which an object was compared last: the current one, if the build is known to
// have the same of it.
//   error  what a look-up in the build met
Result<std::string> last_compared(const ReadView& now, const history::Identity& identity) {
    const auto& row = *identity.row;
    if (now.number() != 0 && !now.build()->skips(row.object.class_name)) {
        const auto is_current = history::is_up_to_date(identity, *now.build(), now.number());
        if (!is_current) return tl::unexpected(is_current.error());
        if (*is_current) return now.current.version;
    }
    return now.releases().version_of(row.build);
}

// Returns them in the order of releases, up to the current one. A tree holds from the release of which it is stored to
// that since which the next one is known.
//   error  of last_compared()
Result<std::vector<Span>> spans_of(const ReadView& now, const history::Identity& identity) {
    auto until = last_compared(now, identity);
    if (!until) return tl::unexpected(until.error());
    const auto oid = identity.row->oid;
    const auto& releases = now.releases();
    std::vector<Span> spans;
    for (const auto& [of, rows] : tables::row_summaries(now.transaction, std::span(&oid, 1)))
        for (const auto& row : rows)
            if (const auto* before = releases.find(row.since);
                before != nullptr && row.kind == tables::RowKind::created)
                spans.push_back({*before, *before, false});
    for (const auto& tree : tables::stored_trees(now.transaction, oid, releases)) {
        const auto* first = releases.find(tree.version);
        if (first == nullptr) continue;
        const auto* last = releases.find(*until);
        spans.push_back({*first, last == nullptr ? *first : std::max(*first, *last),
                         tree.is_there, tree.version});
        *until = tree.since;
    }
    std::erase_if(spans, [&](const Span& span) { return now.current < span.first; });
    for (auto& span : spans) span.last = std::min(span.last, now.current);
    std::ranges::stable_sort(spans, {}, &Span::first);
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

Result<PastTree> read_span(Transaction& transaction, std::int64_t oid, const Span& span,
                           const Release& release) {
    if (!span.was_there) return PastTree{release, false, {}};
    auto tree = tables::tree_of(transaction, oid, span.stored_in);
    if (!tree) return tl::unexpected(tree.error());
    return PastTree{release, true, std::move(tree->nodes)};
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

// Returns the past of a recorded object in releases up to the build's.
//   version  empty: the newest release of which something is known
//   error    as of tree_at()
Result<KnownPast> known_past(const ReadContext& context, const ObjectName& object,
                             const std::string& version) {
    const auto absent = [](const std::string& text) {
        return base::fail(base::ErrorKind::absent, text);
    };
    return read(context, [&](const ReadView& now) -> Result<KnownPast> {
        const auto* release = now.shown(version);
        if (!version.empty() && release == nullptr) return no_release(version);
        const auto found = history::identify(now.transaction, now.build(), std::span(&object, 1));
        if (!found) return tl::unexpected(found.error());
        const auto& row = found->front().row;
        if (!row) return absent(object.class_name + " " + object.name + " is not recorded");
        const auto spans = spans_of(now, found->front());
        if (!spans) return tl::unexpected(spans.error());
        if (version.empty() && !spans->empty()) release = &spans->back().last;
        const auto name = row->object.class_name + " " + row->object.name;
        if (release == nullptr) return absent(name + ": no tree of it is recorded");
        for (const auto& span : *spans) {
            if (*release < span.first || span.last < *release) continue;
            auto tree = read_span(now.transaction, row->oid, span, *release);
            if (!tree) return tl::unexpected(tree.error());
            return KnownPast{std::move(*tree), releases_in(*spans, now.releases())};
        }
        const auto known = nearest(*spans, *release);
        return absent(name + ": nothing is known of it in " + release->version +
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

Result<PastTree> tree_at(const ReadContext& context, const ObjectName& object,
                         const std::string& version) {
    auto past = known_past(context, object, version);
    if (!past) return tl::unexpected(past.error());
    return std::move(past->tree);
}

Result<Difference> difference_between(const PastTree& from, const PastTree& to,
                                      const ObjectName& object, const tree::Models& models,
                                      const compare::Ignored& ignored) {
    if (!from.there && !to.there)
        return base::fail(base::ErrorKind::absent,
                          object.class_name + " " + object.name + " is in neither of the two");
    Difference difference;
    difference.object = object;
    difference.from = from.release;
    difference.to = to.release;
    difference.was_there = from.there;
    difference.is_there = to.there;
    difference.changes = compare::without_ignored(
        compare::compare(from.nodes, to.nodes, models, models.of_class(object.class_name)),
        ignored, object.class_name);
    return difference;
}

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
    static const tree::Models none;
    auto models = models_of(context.builds);
    auto difference = difference_between(*before, *after, recorded, models ? *models : none,
                                         context.settings.ignored);
    if (!difference) return difference;
    difference->models = std::move(models);
    difference->label = history::label_of((after->there ? after : before)->nodes, recorded,
                                          context.settings.names);
    difference->people = context.people;
    difference->references =
        current_references(context, compare::objects_named_in(difference->changes, most_labels));
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
