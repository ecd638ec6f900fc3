// Watch lists are kept once, and give way only when nobody uses them.
// SPDX-License-Identifier: MIT
#include "tables/watch_lists.hpp"

#include <algorithm>
#include <set>

#include "support/catch.hpp"
#include "support/faulty_connection.hpp"
#include "support/stores.hpp"
#include "tables/writing.hpp"

using namespace tables;
using store::Value;
using support::Fault;
using tables_tests::Writing;

namespace {

base::Seconds on(const std::string& day) { return base::Seconds(*base::parse_date(day)); }

WatchListRow list_of(const std::string& name) { return watch_list_of({{"Gene", name}}); }

}  // namespace

TEST_CASE("The id of a watch list is made of its objects alone") {
    const auto id = watch_list_of({{"Gene", "a"}, {"Gene", "b"}}).id;
    CHECK(is_watch_list_id(id));
    CHECK(watch_list_of({{"Gene", "a"}, {"Gene", "b"}}).id == id);
    CHECK(watch_list_of({{"Gene", "a\nGene:b"}}).id != id);
    CHECK(watch_list_of({{"Gene:a", "b"}}).id != watch_list_of({{"Gene", "a:b"}}).id);
    // SHA-256 of "Gene:a\nGene:b\n", its first 80 bits in base32: an id is forever.
    CHECK(id == "rhhn4az52phipxie");
}

TEST_CASE_METHOD(Writing,
                 "Of too many watch lists the one unused longest gives way, after 400 days") {
    const auto keep = [&](const std::string& name, const std::string& day) {
        return keep_watch_list(transaction, list_of(name), on(day), 2);
    };
    const auto use = [&](const std::vector<std::string>& names, const std::string& day) {
        std::set<std::string> ids;
        for (const auto& name : names) ids.insert(list_of(name).id);
        note_use_of_lists(transaction, ids, *base::parse_date(day));
    };
    CHECK(keep("a", "2008-01-01") == KeptList::kept);
    CHECK(keep("b", "2008-01-02") == KeptList::kept);
    use({"a", "b"}, "2008-01-03");
    CHECK(keep("c", "2009-02-06") == KeptList::full);
    CHECK(keep("a", "2009-02-06") == KeptList::kept);  // it is there
    use({"a", "nobody"}, "2009-02-01");
    CHECK(keep("c", "2009-02-07") == KeptList::kept);
    CHECK_FALSE(find_watch_list(transaction, list_of("b").id));
    CHECK(check_watch_lists(transaction).lists == 2);
    CHECK(check_watch_lists(transaction).damaged.empty());
    // One that was never used gives way after a day.
    CHECK(keep("new", "2009-02-08") == KeptList::full);
    CHECK(keep("new", "2009-02-09") == KeptList::kept);
    CHECK(find_watch_list(transaction, list_of("a").id));
    CHECK_FALSE(find_watch_list(transaction, list_of("c").id));
    // Unless it has subscribers.
    transaction.execute("INSERT INTO topics (id, url, url_digest, subject, class, name, version)"
                        " VALUES (1, '', '', 'watch_list', '', ?, '')",
                        {Value{list_of("new").id}});
    transaction.execute("INSERT INTO subscriptions (topic, callback, callback_digest, host)"
                        " VALUES (1, '', '', '')");
    CHECK(keep("newer", "2009-02-19") == KeptList::full);
    CHECK(delete_unused_watch_lists(transaction, *base::parse_date("2009-03-01"), 9) == 1);
    CHECK(find_watch_list(transaction, list_of("new").id));
}

TEST_CASE_METHOD(
    Writing,
    "Operators see when watch lists were used, and delete one or those that nobody uses") {
    for (const std::string name : {"a", "b", "c", "d"})
        CHECK(keep_watch_list(transaction, list_of(name),
                              on("2008-01-0" + std::to_string(name[0] - '`'))) == KeptList::kept);
    const auto ids = [&](const std::string& after, std::size_t most) {
        std::vector<std::string> found;
        for (const auto& list : list_watch_lists(transaction, after, most)) {
            CHECK(list.objects == 1);
            CHECK(list.created_at == list.last_used + "T00:00:00Z");
            found.push_back(list.id);
        }
        return found;
    };
    const auto all = ids("", 9);
    CHECK(all.size() == 4);
    CHECK(std::ranges::is_sorted(all));
    CHECK(ids("", 2) == std::vector(all.begin(), all.begin() + 2));
    CHECK(ids(all[1], 9) == std::vector(all.begin() + 2, all.end()));
    CHECK(delete_unused_watch_lists(transaction, *base::parse_date("2008-01-04"), 2) == 2);
    CHECK(delete_unused_watch_lists(transaction, *base::parse_date("2008-01-04"), 2) == 1);
    CHECK(delete_unused_watch_lists(transaction, *base::parse_date("2008-01-04"), 2) == 0);
    CHECK(ids("", 9) == std::vector{list_of("d").id});
    CHECK(delete_watch_list(transaction, list_of("d").id));
    CHECK_FALSE(delete_watch_list(transaction, list_of("d").id));
    CHECK(ids("", 9).empty());
}

TEST_CASE_METHOD(Writing, "A watch list of more than 16 KB is not kept") {
    // "Gene:" and the end of the line come on top.
    const auto longest = list_of(std::string(16'384 - 6, 'x'));
    const auto longer = list_of(std::string(16'384 - 5, 'x'));
    CHECK(keep_watch_list(transaction, longest, on("2008-02-15")) == KeptList::kept);
    CHECK(keep_watch_list(transaction, longer, on("2008-02-15")) == KeptList::too_long);
    CHECK_FALSE(find_watch_list(transaction, longer.id));
}

TEST_CASE("A watch list is kept once, whatever fails at any statement") {
    const auto engine = GENERATE(support::both_engines());
    const auto fault = GENERATE(from_range(support::all_faults));
    support::sweep(fault, [&](const std::shared_ptr<support::FaultPlan>& plan) {
        const support::FreshStore fresh(engine);
        store::Pool pool(support::faulty(fresh.connect(), plan), 2, support::no_waiting());
        const auto list = list_of("n");
        const auto kept = store::perform(pool, store::Access::write, [&](auto& transaction) {
            return keep_watch_list(transaction, list, on("2008-02-15"));
        });
        CHECK(kept == KeptList::kept);
        const auto connection = fresh.connect()();
        store::Transaction transaction(*connection, store::Access::read);
        CHECK(find_watch_list(transaction, list.id) == list.objects);
        CHECK(check_watch_lists(transaction).lists == 1);
    });
}
