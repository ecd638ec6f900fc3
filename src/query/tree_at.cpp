// SPDX-License-Identifier: MIT
#include "query/tree_at.hpp"

#include <algorithm>
#include <optional>

#include "compare/compare.hpp"
#include "query/as_of.hpp"
#include "tables/replacement.hpp"

namespace query {
namespace {

using base::Result;
using store::Transaction;

// A tree and the releases it held in: from where it was stored to the last in which the object
// was compared and found the same.
struct Span {
    Release first, last;
    std::string stored_in;  // empty: the object was not there before its first row
};

// A tree that differs from the one before in what is ignored has no row: which releases lie
// between the two is told by the release jobs alone.
std::string last_without_row(Transaction& transaction, const tables::Releases& releases,
                             const tables::ObjectRow& object, const std::string& stored_in,
                             const std::string& next) {
    auto before_next = releases.up_to(*releases.find(next));
    before_next.pop_back();
    auto then = object;
    then.ace_version = stored_in;
    tables::settle(transaction, then, {}, tables::Releases(std::move(before_next)));
    return then.compared_in;
}

std::string last_of(Transaction& transaction, const tables::Releases& releases,
                    const std::vector<std::string>& versions, std::size_t place,
                    const tables::ObjectRow& object,
                    const std::vector<std::pair<std::string, std::string>>& rows) {
    if (place + 1 == versions.size()) return object.compared_in;
    const auto& next = versions[place + 1];
    for (const auto& [version, since] : rows)
        if (version == next) return releases.find(since) != nullptr ? since : versions[place];
    return last_without_row(transaction, releases, object, versions[place], next);
}

// In the order of releases.
std::vector<Span> spans_of(Transaction& transaction, const tables::ObjectRow& object,
                           const tables::Releases& releases) {
    std::vector<std::string> versions;
    for (const auto& row :
         transaction.query("SELECT version FROM trees WHERE oid = ?", {store::Value{object.oid}}))
        if (releases.find(row.text(0)) != nullptr) versions.push_back(row.text(0));
    std::sort(versions.begin(), versions.end(),
              [&](const auto& a, const auto& b) { return releases.is_later(b, a); });
    std::vector<std::pair<std::string, std::string>> rows;  // version, since
    std::vector<Span> spans;
    for (const auto& row :
         transaction.query("SELECT version, since, kind FROM history WHERE oid = ?",
                           {store::Value{object.oid}})) {
        rows.emplace_back(row.text(0), row.text(1));
        const auto* before = releases.find(row.text(1));
        if (row.text(2) == tables::name_of(tables::RowKind::created) && before != nullptr)
            spans.push_back({*before, *before, {}});
    }
    for (std::size_t place = 0; place < versions.size(); ++place) {
        const auto* last =
            releases.find(last_of(transaction, releases, versions, place, object, rows));
        const auto* first = releases.find(versions[place]);
        spans.push_back({*first, last != nullptr ? *last : *first, versions[place]});
    }
    return spans;
}

// As they are known up to a release.
std::vector<Span> up_to(std::vector<Span> spans, const Release& newest) {
    std::erase_if(spans, [&](const Span& span) { return newest < span.first; });
    for (auto& span : spans) span.last = std::min(span.last, newest);
    return spans;
}

// The end of a span that lies closest to `release`, by days.
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
                           const Span& span, const Release& release) {
    if (span.stored_in.empty()) return PastTree{release, false, {}};
    auto tree = tables::tree_of(transaction, object.oid, span.stored_in);
    if (!tree) return tl::unexpected(tree.error());
    const auto vanished = transaction.query(
        "SELECT kind FROM history WHERE oid = ? AND version = ? AND kind = ?",
        {store::Value{object.oid}, store::Value{span.stored_in},
         store::Value{std::string(tables::name_of(tables::RowKind::vanished))}});
    return PastTree{release, vanished.empty(), std::move(*tree)};
}

// What a release that was published again makes of the object is asked of the tables.
Result<void> put_in_place(store::Pool& pool, const history::Settings& settings,
                          std::int64_t oid) {
    const auto known = store::perform(pool, store::Access::read, [&](Transaction& transaction) {
        return history::known_releases(transaction, settings, nullptr, nullptr);
    });
    if (known.replacing().empty()) return {};
    return store::perform(pool, store::Access::write, [&](Transaction& transaction) {
        return tables::move_into_place(transaction, oid, settings.keep_trees, known);
    });
}

}  // namespace

Result<PastTree> tree_at(store::Pool& pool, const history::Settings& settings,
                         const tables::ObjectRow& object, std::string_view version,
                         const std::optional<Release>& newest) {
    if (const auto moved = put_in_place(pool, settings, object.oid); !moved)
        return tl::unexpected(moved.error());
    return store::perform(
        pool, store::Access::read, [&](Transaction& transaction) -> Result<PastTree> {
            const auto releases =
                history::known_releases(transaction, settings, nullptr, nullptr);
            const auto* release = releases.find(version);
            if (release == nullptr || (newest && *newest < *release))
                return base::fail(base::Kind::malformed,
                                  "no release " + std::string(version) + " is known");
            auto settled = object;
            tables::settle(transaction, settled, {}, releases);
            auto spans = spans_of(transaction, settled, releases);
            if (newest) spans = up_to(std::move(spans), *newest);
            for (const auto& span : spans)
                if (!(*release < span.first) && !(span.last < *release))
                    return read_span(transaction, object, span, *release);
            const auto known = nearest(spans, *release);
            return base::fail(base::Kind::absent,
                              object.object.class_name + " " + object.object.name +
                                  ": nothing is known of it in " + release->version +
                                  (known.empty() ? "" : "; the nearest known is " + known));
        });
}

Result<PastTree> tree_at(const ReadContext& reading, const ObjectName& object,
                         const std::string& version) {
    struct Known {
        std::optional<tables::ObjectRow> row;
        AsOf now;
    };
    const auto known =
        store::perform(reading.pool, store::Access::read, [&](Transaction& transaction) {
            return Known{tables::find_object(transaction, object),
                         as_of_now(transaction, reading)};
        });
    const auto* place = known.now.order.find(version);
    if (place == nullptr || !place->is_shown)
        return base::fail(base::Kind::refused, "no release " + version + " is known");
    if (!known.row)
        return base::fail(base::Kind::absent,
                          object.class_name + " " + object.name + " is not recorded");
    return tree_at(reading.pool, reading.settings, *known.row, version, known.now.current);
}

Result<std::vector<compare::Change>> changes_between(const PastTree& from, const PastTree& to,
                                                     const ObjectName& object,
                                                     const tree::Models& models,
                                                     const compare::Ignored& ignored) {
    if (!from.there && !to.there)
        return base::fail(base::Kind::absent,
                          object.class_name + " " + object.name + " is in neither of the two");
    return compare::without_ignored(
        compare::compare(from.nodes, to.nodes, models, models.of_class(object.class_name)),
        ignored, object.class_name);
}

}  // namespace query
