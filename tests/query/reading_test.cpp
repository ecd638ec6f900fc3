// What is read of classes and releases, held to a plain walk over all rows.
// SPDX-License-Identifier: MIT
#include <fcntl.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>
#include <set>

#include "base/descriptor.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "process.hpp"
#include "query/histories.hpp"
#include "query/release_contents.hpp"
#include "store/dialect.hpp"
#include "support/temp_dir.hpp"
#include "tables/lists.hpp"
#include "tables/release_rows.hpp"

using namespace tables;
using namespace history;
using namespace query;
using namespace processes;
using store::Value;

namespace {

PageRequest rows_wanted(std::size_t most, std::size_t before = 0, ChangeFilter filter = {},
                        std::string since = {}) {
    return {most, std::move(since), std::move(filter), before};
}

const store::Insert rows_of_history{
    "history", {"oid", "version", "date", "recorded_at", "kind", "label", "notes"}, {}};

// A store written by hand: many rows of all kinds in an order of recording that is no order of
// releases. One of the releases is newer than the current one.
class Written {
    support::FreshStore fresh_;

   public:
    static constexpr int releases = 6;

    explicit Written(int objects, store::Engine engine = GENERATE(support::engines()))
        : fresh_(engine), process(fresh_.connect()) {
        std::minstd_rand random(7);
        process.put(version(releases - 2), day(releases - 2), {{a, "1"}});
        store::perform(process.pool, store::Access::write, [&](store::Transaction& transaction) {
            write_objects(transaction, objects);
            write_releases(transaction);
            write_rows(transaction, random, objects);
        });
        process.name_rows();
    }

    static std::string version(int release) { return "WS" + std::to_string(98 + release); }
    static std::string day(int release) { return "2008-01-0" + std::to_string(1 + release); }

    struct Stored {
        std::string name;  // name_of(row)
        int release;
        ObjectName object;
        std::string kind, op, tag;
    };
    // In the order of recording, those that are news in releases up to the current one.
    [[nodiscard]] std::vector<Stored> news() const {
        std::vector<Stored> news;
        for (const auto& row : rows)
            if (row.release < releases - 1 && row.kind != "reconstructed") news.push_back(row);
        return news;
    }
    template <class Keep>
    [[nodiscard]] std::vector<Stored> news_where(Keep keep) const {
        auto found = news();
        std::erase_if(found, [&](const Stored& row) { return !keep(row); });
        return found;
    }

    Process process;
    std::vector<Stored> rows;

   private:
    static void write_objects(store::Transaction& transaction, int objects) {
        std::vector<Value> values;
        for (std::int64_t oid = 1; oid <= objects; ++oid) {
            const auto object = object_of(oid);
            values.insert(values.end(), {oid, object.class_name, object.name, object.name});
        }
        store::insert_many(transaction, {"objects", {"oid", "class", "name", "name_key"}, {}},
                           values);
    }
    static void write_releases(store::Transaction& transaction) {
        for (int release = 0; release < releases; ++release)
            store::insert_unless_there(transaction,
                                       {"releases", {"version", "released_on"}, {"version"}},
                                       std::vector<Value>{version(release), day(release)});
    }
    // Names in another order than ids.
    static ObjectName object_of(std::int64_t oid) {
        return {oid % 3 == 0 ? "Paper" : "Gene", "n" + std::to_string((oid * 7919) % 100'003)};
    }
    void write_rows(store::Transaction& transaction, std::minstd_rand& random, int objects) {
        constexpr std::array kinds{"changed",       "created",   "vanished", "reappeared",
                                   "reconstructed", "withdrawn", "changed",  "changed"};
        constexpr std::array ops{"added", "removed"}, sides{"after", "before"};
        std::vector<Value> values;
        std::vector<std::pair<std::int64_t, int>> places;
        for (std::int64_t oid = 1; oid <= objects; ++oid)
            for (int release = 0; release < releases; ++release)
                if (random() % 3 != 0) places.emplace_back(oid, release);
        std::ranges::shuffle(places, random);
        for (const auto& [oid, release] : places) {
            const std::string kind = kinds[random() % kinds.size()];
            const auto which = random() % ops.size();
            const std::string op = ops[which];
            const std::string tag = random() % 16 == 0 ? "Evidence" : "Remark";
            const auto object = object_of(oid);
            rows.push_back({version(release) + ' ' + object.class_name + ' ' + object.name,
                            release, object, kind, op, tag});
            values.insert(values.end(),
                          {oid, version(release), day(release), "2008-02-01T00:00:00Z", kind,
                           object.name,
                           R"({"changes":[{"op":")" + op + R"(","path":[{"tag":")" + tag +
                               R"("}],")" + sides[which] + R"(":[{"text":"x"}]}]})"});
        }
        store::insert_many(transaction, rows_of_history, values);
    }
};

// In the order of a feed.
std::vector<Written::Stored> first_by_name(std::vector<Written::Stored> rows, std::size_t most) {
    std::ranges::sort(rows, [](const auto& x, const auto& y) {
        return x.release != y.release ? x.release > y.release : x.object < y.object;
    });
    rows.resize(std::min(rows.size(), most));
    return rows;
}

std::vector<std::string> newest(const std::vector<Written::Stored>& rows, std::size_t most) {
    std::vector<std::string> names;
    for (const auto& row : first_by_name(rows, most)) names.push_back(row.name);
    return names;
}

// By release, and within one by the order of recording.
std::vector<std::string> page(std::vector<Written::Stored> rows, std::size_t before) {
    std::ranges::stable_sort(rows, {}, &Written::Stored::release);
    const auto from = std::min(before - archive_page, rows.size());
    const auto to = std::min(before, rows.size());
    return newest({rows.begin() + static_cast<std::ptrdiff_t>(from),
                   rows.begin() + static_cast<std::ptrdiff_t>(to)},
                  archive_page);
}

// Every page shows what a walk over `rows` finds.
void hold(const std::vector<Written::Stored>& rows, const ChangeFilter& filter,
          const std::function<base::Result<HistoryPage>(const PageRequest&)>& read) {
    for (const std::size_t most : {1U, 50U, 333U}) {
        const auto found = read(rows_wanted(most, 0, filter));
        REQUIRE(found);
        CHECK(found->recorded == rows.size());
        CHECK(found->filter == filter);
        CHECK(found->numbered_by_recording);
        CHECK_FALSE(found->cut);
        CHECK(names_of(found->rows) == newest(rows, most));
    }
    const auto pages = rows.size() / archive_page + 2;
    for (std::size_t number : {std::size_t{1}, std::size_t{2}, pages - 1, pages}) {
        const auto found = read(rows_wanted(1, number * archive_page, filter));
        REQUIRE(found);
        CHECK(found->recorded == rows.size());
        CHECK(names_of(found->rows) == page(rows, number * archive_page));
    }
}

}  // namespace

TEST_CASE("A class's rows are those that a walk over all rows finds, on every page") {
    const int objects = GENERATE(150, 2'000);
    const Written written(objects);
    const auto reading = written.process.context();
    const auto read = [&](const PageRequest& request) {
        return class_history(reading, "Gene", request);
    };
    hold(written.news_where([](const auto& row) { return row.object.class_name == "Gene"; }), {},
         read);
    const auto since = read(rows_wanted(1000, 0, {}, Written::version(2)));
    REQUIRE(since);
    CHECK(names_of(since->rows) == newest(written.news_where([](const auto& row) {
              return row.object.class_name == "Gene" && row.release > 2;
          }),
                                          1000));
    if (objects > 200) return;
    for (const std::string tag : {"Remark", "Evidence"})
        for (const auto& ops : {std::vector<compare::Op>{}, {compare::Op::removed}})
            hold(written.news_where([&](const auto& row) {
                return row.object.class_name == "Gene" && row.tag == tag &&
                       (ops.empty() || row.op == "removed");
            }),
                 ChangeFilter{base::fold_ascii(tag), ops}, read);
}

TEST_CASE("A release's rows are those that a walk over all rows finds, on every page") {
    const Written written(300);
    const auto reading = written.process.context();
    const auto read = [&](const PageRequest& request) {
        return release_history(reading, Written::version(1), request);
    };
    hold(written.news_where([](const auto& row) { return row.release == 1; }), {}, read);
    hold(
        written.news_where([](const auto& row) { return row.release == 1 && row.op == "added"; }),
        ChangeFilter{"", {compare::Op::added}}, read);
}

TEST_CASE("Counts are kept until a release has a row of a higher number, or for minutes") {
    using namespace std::chrono_literals;
    Written store(20);
    auto& process = store.process;
    constexpr auto current = Written::releases - 2;
    for (const auto& [release, kept_for] : {std::pair(current, 1min), std::pair(0, 10min)}) {
        const Value version{Written::version(release)};
        const auto counted = [&] {
            return release_contents(process.context(), Written::version(release), {})
                ->summary.all_objects();
        };
        const auto delete_first = [&, version] {
            const auto sids = process.pool.lease()->query(
                "SELECT sid FROM history WHERE version = ? AND kind = 'changed' ORDER BY sid",
                std::span(&version, 1));
            process.write("DELETE FROM history WHERE sid = ?", {sids.at(0).value(0)});
            return sids.back().value(0);
        };
        const auto rows = counted();
        const auto last = delete_first();
        process.now += kept_for - 2s;  // and the second of the write
        CHECK(counted() == rows);
        process.now += 1s;
        CHECK(counted() == rows - 1);
        delete_first();
        process.write("UPDATE history SET sid = sid + 10000 WHERE sid = ?", {last});
        CHECK(counted() == rows - 2);
    }
}

TEST_CASE("Of a release of very many rows the first by name are found in the order of names") {
    Written written(2'000, GENERATE(support::both_engines()));
    const auto reading = written.process.context();
    const auto rows = written.news_where([](const auto& row) { return row.release == 3; });
    REQUIRE(rows.size() > tables::most_compared);
    const auto limited = [&](std::size_t most, const ChangeFilter& filter,
                             std::size_t before = 0) {
        auto request = rows_wanted(most, before, filter);
        request.limits.filtered_of_many = 300;
        return request;
    };
    const auto found = release_history(reading, Written::version(3), rows_wanted(70));
    REQUIRE(found);
    CHECK(found->recorded == rows.size());
    CHECK(names_of(found->rows) == newest(rows, 70));
    CHECK_FALSE(found->cut);
    // A filter is applied to the first rows, and the page says so.
    const ChangeFilter added{"", {compare::Op::added}};
    const auto of_added =
        written.news_where([](const auto& row) { return row.release == 3 && row.op == "added"; });
    auto first_added = first_by_name(rows, 300);
    std::erase_if(first_added, [](const auto& row) { return row.op != "added"; });
    for (const std::size_t most : {9U, 333U}) {
        const auto filtered = release_history(reading, Written::version(3), limited(most, added));
        REQUIRE(filtered);
        CHECK(filtered->cut);
        CHECK(filtered->recorded == first_added.size());
        CHECK(names_of(filtered->rows) == newest(first_added, most));
    }
    // As many rows as the limit are all looked at.
    for (const auto limit : {rows.size() - 1, rows.size()}) {
        auto request = limited(9, added);
        request.limits.filtered_of_many = limit;
        const auto filtered = release_history(reading, Written::version(3), request);
        REQUIRE(filtered);
        CHECK(filtered->cut == (limit < rows.size()));
        CHECK(filtered->recorded + (filtered->cut ? 1 : 0) >= of_added.size());
        CHECK(names_of(filtered->rows) == newest(of_added, 9));
    }
    // The newest release of a class has fewer rows than are looked at.
    auto of_evidence = first_by_name(
        written.news_where([](const auto& row) { return row.object.class_name == "Paper"; }),
        900);
    std::erase_if(of_evidence, [](const auto& row) { return row.tag != "Evidence"; });
    auto evidence = limited(900, {"evidence", {}});
    evidence.limits.filtered_of_many = 900;
    CHECK(names_of(class_history(reading, "Paper", evidence)->rows) == newest(of_evidence, 900));
    const auto no_page = class_history(reading, "Gene", limited(1, added, archive_page));
    CHECK((no_page->cut && no_page->rows.empty()));
    const auto contents = release_contents(reading, Written::version(3), {"", "", 15, 20});
    REQUIRE(contents);
    CHECK(contents->matching == rows.size());
    auto names = newest(rows, 35);
    names.erase(names.begin(), names.begin() + 15);
    std::vector<std::string> entries;
    for (const auto& entry : contents->entries)
        entries.push_back(Written::version(3) + ' ' + entry.object.class_name + ' ' +
                          entry.object.name);
    CHECK(entries == names);
    const auto searched = release_contents(reading, Written::version(3), {"Gene", "N77", 0, 100});
    REQUIRE(searched);
    CHECK(searched->matching ==
          static_cast<std::uint64_t>(std::ranges::count_if(rows, [](const auto& row) {
              return row.object.class_name == "Gene" && row.object.name.starts_with("n77");
          })));
    CHECK(searched->entries.size() == std::min<std::size_t>(searched->matching, 100));
}

TEST_CASE("Names and labels with a beginning are the same, found by spelling or one by one") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Process process(fresh.connect());
    std::minstd_rand random(3);
    std::vector<Value> objects, rows;
    const auto text = [&](std::size_t least) {
        constexpr std::string_view letters = "aAbB1-";
        std::string made;
        for (auto size = least + random() % 4; size > 0; --size)
            made += letters[random() % letters.size()];
        return made;
    };
    std::set<std::string> names;
    while (names.size() < 300) names.insert(text(1));
    std::int64_t oid = 0;
    for (const auto& name : names) {
        const auto label = random() % 3 == 0 ? base::search_key(text(1)) : "";
        const auto* const class_name = random() % 4 == 0 ? "Paper" : "Gene";
        objects.insert(objects.end(), {++oid, class_name, name, base::fold_ascii(name), label,
                                       std::int64_t{random() % 5 == 0 ? 2 : 1}});
        if (random() % 5 != 0)
            rows.insert(rows.end(), {oid, "WS1", "2008-01-01", "2008-02-01T00:00:00Z",
                                     random() % 9 == 0 ? "reconstructed" : "changed", "", "{}"});
    }
    process.insert({"objects", {"oid", "class", "name", "name_key", "label_key", "build"}, {}},
                   objects);
    process.insert({"releases", {"version", "released_on"}, {}}, {"WS1", "2008-01-01"});
    process.insert(rows_of_history, rows);
    process.name_rows();
    const std::string version = "WS1";
    store::perform(process.pool, store::Access::read, [&](store::Transaction& transaction) {
        const auto release = count_rows(transaction, std::span(&version, 1)).at(0);
        for (int round = 0; round < 60; ++round) {
            const RowSelection one_by_one{
                .class_name = round % 2 == 0 ? "" : "Gene", .text = text(0), .newest_build = 1};
            if (base::search_key(one_by_one.text).empty()) continue;
            auto by_spelling = one_by_one;
            by_spelling.by_spelling = true;
            INFO(one_by_one.text);
            for (const std::size_t from : {0U, 3U}) {
                const auto found = rows_with_text(transaction, by_spelling, release, from, 20);
                const auto wanted = rows_with_text(transaction, one_by_one, release, from, 20);
                CHECK(found.all == wanted.all);
                CHECK(found.sids == wanted.sids);
            }
        }
    });
}

TEST_CASE("A filtered list says when it did not look at its oldest rows") {
    Server process;
    constexpr int objects = 20, releases = 11;
    process.put("WS1010", "2008-01-01", {{a, "1"}});
    std::vector<Value> of_objects, of_releases, of_rows;
    std::vector<ObjectName> asked;
    const auto version = [](int release) { return "WS" + std::to_string(1000 + release); };
    for (std::int64_t oid = 1; oid <= objects; ++oid) {
        asked.push_back({"Gene", "n" + std::to_string(oid)});
        of_objects.insert(of_objects.end(),
                          {oid, "Gene", asked.back().name, asked.back().name, std::int64_t{1}});
        for (int release = 0; release < releases; ++release)
            of_rows.insert(of_rows.end(), {oid, version(release), "2007-01-01",
                                           "2008-02-01T00:00:00Z", "changed", "", "{}"});
    }
    for (int release = 0; release < releases - 1; ++release)
        of_releases.insert(of_releases.end(), {version(release), "2007-01-01"});
    process.insert({"objects", {"oid", "class", "name", "name_key", "build"}, {}}, of_objects);
    process.insert({"releases", {"version", "released_on"}, {}}, of_releases);
    process.insert(rows_of_history, of_rows);
    process.name_rows();
    const ChangeFilter added{"", {compare::Op::added}};
    auto filtered = rows_wanted(5, 0, added), all = rows_wanted(5);
    filtered.limits.filtered = all.limits.filtered = objects * releases - 1;
    CHECK(process.list(asked, filtered).cut);
    CHECK_FALSE(process.list(asked, all).cut);
    filtered.limits.filtered = objects * releases;
    CHECK_FALSE(process.list(asked, filtered).cut);
}

TEST_CASE("The contents of a release are counted by class and kind") {
    const Written written(200);
    const auto reading = written.process.context();
    const auto contents = release_contents(reading, Written::version(2), {});
    REQUIRE(contents);
    REQUIRE(contents->classes.size() == 2);
    std::uint64_t all = 0;
    for (const auto& each : contents->classes) {
        all += each.objects;
        CHECK(each.kinds.size() == 5);
        for (const auto& [kind, objects] : each.kinds)
            CHECK(objects == written
                                 .news_where([&](const auto& row) {
                                     return row.release == 2 && row.kind == name_of(kind) &&
                                            row.object.class_name == each.class_name;
                                 })
                                 .size());
    }
    CHECK(contents->classes[0].objects > contents->classes[1].objects);
    CHECK(contents->matching == all);
    CHECK(contents->entries.size() == 100);
    CHECK(contents->entries[0].counts.all() == 1);
    CHECK(contents->before->version == Written::version(1));
    CHECK(contents->after->version == Written::version(3));
    CHECK_FALSE(release_contents(reading, Written::version(4), {})->after);
    CHECK_FALSE(release_contents(reading, Written::version(0), {})->before);
}

TEST_CASE("The list of all releases has what the page of each has") {
    const Written written(300);
    const auto reading = written.process.context();
    ReleaseListCache cache;
    const auto list = cache.get(reading);
    REQUIRE(list.size() == Written::releases - 1);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto version = Written::version(Written::releases - 2 - static_cast<int>(i));
        const auto own = release_contents(reading, version, {});
        REQUIRE(own);
        CHECK(list[i].summary.reconstructed == own->summary.reconstructed);
        for (const auto& [kind, objects] : own->summary.kinds)
            CHECK(list[i].summary.objects(kind) == objects);
        // A build was recorded of the current one alone.
        CHECK(list[i].summary.is_first_seen == (i == 0));
        CHECK(list[i].summary.reconstructed > 0);
        CHECK(std::ranges::equal(list[i].details->classes, own->classes, {}, &ClassCount::objects,
                                 &ClassCount::objects));
        CHECK(list[i].details->leading.size() == most_leading);
    }
}

TEST_CASE("The newest release is compared when a job has ended, or another release follows") {
    Server process;
    ReleaseListCache cache;
    const auto compared = [&] {
        const auto list = cache.get(process.context());
        std::string versions;
        for (const auto& each : compared_releases(list)) versions += each.summary.release.version;
        const auto& newest = list.front().summary;
        CHECK(release_contents(process.context(), newest.release.version, {})
                  ->summary.is_compared == newest.is_compared);
        return versions;
    };
    process.put("WS1", "2008-01-01", {{a, "1"}});
    CHECK(compared().empty());
    process.put("WS2", "2008-01-02", {{a, "2"}});
    CHECK(compared() == "WS1");
    process.write("UPDATE builds SET recorded_at = '2008-01-03T00:00:00Z' WHERE version = 'WS2'");
    CHECK(compared() == "WS2WS1");
}

TEST_CASE("The details of a release are read once for the same rows") {
    Written written(60);
    const auto reading = written.process.context();
    ReleaseListCache cache;
    const auto before = cache.get(reading);
    written.process.write("DELETE FROM history WHERE version = ? AND kind = 'created'",
                          {Written::version(3)});
    written.process.now += std::chrono::minutes(10);
    const auto after = cache.get(reading);
    CHECK(after[2].details == before[2].details);
    CHECK(after[1].details != before[1].details);
    CHECK(after[1].summary.objects(RowKind::created) == 0);
    // A row that was replaced leaves the counts as they were.
    written.process.write(
        "UPDATE history SET sid = 1000000 WHERE sid = (SELECT MAX(sid) FROM history"
        " WHERE version = ?)",
        {Written::version(2)});
    const auto replaced = cache.get(reading);
    CHECK(replaced[2].details != after[2].details);
    CHECK(replaced[1].details == after[1].details);
}

TEST_CASE("An object is followed from the first release in which a tree or row of it is known") {
    Server process;
    fill(process);
    const auto followed = [&](const ObjectName& object) {
        const auto [releases, first_seen] =
            followed_releases(process.context(), process.history(object));
        CHECK((first_seen == "WS185" || releases.empty()));
        std::string versions;
        for (const auto& release : releases) versions += release.version + ' ';
        return versions;
    };
    CHECK(followed(a) == "WS189 WS188 WS187 WS186 WS185 ");
    CHECK(followed(c) == "WS189 WS188 WS187 WS186 WS185 ");
    const ObjectName late{"Gene", "late"}, same{"Gene", "same"};
    process.put("WS190", "2008-05-01", {{a, "5"}, {late, "1"}, {same, "1"}});
    CHECK(followed(same).empty());
    process.put("WS191", "2008-06-01", {{a, "5"}, {late, "1"}, {same, "2"}});
    process.put("WS192", "2008-07-01", {{a, "5"}, {late, "2"}, {same, "2"}});
    CHECK(followed(same) == "WS192 WS191 WS190 ");
    // An older build is current again.
    process.put("WS187", "2008-02-01", {{a, "3"}, {b, "3"}, {c, "3"}});
    CHECK(followed(a) == "WS187 WS186 WS185 ");
}

TEST_CASE("Helpers that came or went follow from others, and the important leads a release") {
    const bool has_helpers = GENERATE(true, false);
    history::Settings settings;
    if (has_helpers) settings.ranking.helper_classes = {"paper"};
    settings.ranking.important = {{"Paper", {{"Remark"}}}};
    Server process(settings);
    fill(process);
    const auto reading = process.context();
    const auto contents = release_contents(reading, "WS189", {});
    REQUIRE(contents->entries.size() == 2);
    CHECK_FALSE(contents->entries[0].only_follows);
    CHECK(contents->entries[1].object == c);
    CHECK(contents->entries[1].only_follows == has_helpers);
    // Whoever asks for them sees them, and what changed in one is a change of its own.
    CHECK_FALSE(release_contents(reading, "WS189", {"Paper", ""})->entries[0].only_follows);
    const auto changed = release_contents(reading, "WS187", {});
    for (const auto& entry : changed->entries) CHECK_FALSE(entry.only_follows);
    ReleaseListCache cache;
    const auto list = cache.get(reading);
    const auto& leading = list[0].details->leading;
    REQUIRE(leading.size() == (has_helpers ? 1 : 2));
    CHECK(leading[0].object == (has_helpers ? a : c));
}

TEST_CASE(
    "Rows that a job found quiet are counted apart, and neither they nor the alphabet lead") {
    Server process;
    const auto record = [&](const char* version, const char* day, const char* remark) {
        const auto build = std::make_shared<support::SmallBuild>(version, day);
        for (int i = 10; i < 50; ++i)
            build->with("Gene", "g" + std::to_string(i),
                        {support::tag(i == 40 ? "Status" : "Remark", {support::text(remark)})});
        process.record(build);
    };
    record("WS1", "2008-01-01", "one");
    record("WS2", "2008-02-01", "two");
    const auto newest = [&] {
        process.now += std::chrono::minutes(10);
        return ReleaseListCache().get(process.context()).front();
    };
    CHECK(newest().summary.quiet == QuietCount{});
    CHECK(newest().details->leading.size() == most_leading);
    CHECK(newest().details->leading.front().object.name == "g40");
    process.write("UPDATE history SET quiet = CASE name WHEN 'g11' THEN 'echo' ELSE 'mass' END"
                  " WHERE version = 'WS2' AND name <> 'g40' AND name <> 'g12'");
    CHECK(newest().summary.quiet == QuietCount{37, 1});
    CHECK(newest().summary.objects(RowKind::changed) == 40);
    CHECK(newest().details->leading.size() == 2);
}

TEST_CASE("What is not known, or is newer than the current release, is absent") {
    const Written written(20);
    const auto reading = written.process.context();
    for (const auto& version : {Written::version(5), std::string("WS1"), std::string()}) {
        CHECK(release_history(reading, version, {}).error().kind == base::ErrorKind::absent);
        CHECK(release_contents(reading, version, {}).error().kind == base::ErrorKind::absent);
    }
    CHECK(class_history(reading, "gene", {}).error().kind == base::ErrorKind::absent);
    CHECK(class_history(reading, "Gene", {50, "WS1"}).error().kind == base::ErrorKind::refused);
    const auto counts = store::perform(reading.pool, store::Access::read, tables::count_store);
    CHECK(counts.objects == 20);
    CHECK(counts.rows == static_cast<std::int64_t>(written.rows.size()));
}

TEST_CASE("A class without rows has an empty history, as old as the release") {
    Server process;
    process.put("WS190", "2008-05-01", {{{"Protein", "p"}, "1"}});
    const auto none = class_history(process.context(), "Protein", {});
    REQUIRE(none);
    CHECK((none->rows.empty() && none->recorded == 0));
    CHECK(none->last_modified == *base::parse_date("2008-05-01"));
}

TEST_CASE("A class that only a newer release than the current one has is not known yet") {
    Server process;
    const ObjectName gone{"Clone", "gone"};
    process.put("WS185", "2008-01-20", {{gone, "1"}, {a, "1"}});
    (void)process.history(gone);
    process.put("WS186", "2008-02-01", {{a, "1"}});
    (void)process.history(a);
    process.put("WS187", "2008-02-15", {{{"Protein", "p"}, "1"}, {a, "1"}});
    (void)process.history({"Protein", "p"});
    const auto is_known = [&](const std::string& class_name) {
        const auto reading = process.context();
        const auto classes = known_classes(reading);
        const bool is_listed = std::ranges::find(classes, class_name) != classes.end();
        CHECK(class_history(reading, class_name, {}).has_value() == is_listed);
        return is_listed;
    };
    CHECK(is_known("Protein"));
    process.put("WS186", "2008-02-01", {{a, "1"}});
    CHECK_FALSE(is_known("Protein"));
    CHECK(is_known("Clone"));  // without a row, as long as nobody asks for it
}

TEST_CASE("A row that cannot be read is left out of every page, and logged once") {
    const support::TempDir folder;
    Server process;
    fill(process);
    const auto damage = [&](const std::string& change, const ObjectName& object,
                            const std::string& version) {
        process.write("UPDATE history SET " + change +
                          " WHERE version = ? AND oid ="
                          " (SELECT oid FROM objects WHERE name = ?)",
                      {version, object.name});
    };
    damage("notes = '{\"changes\":[{}]}'", a, "WS186");
    damage(GENERATE("kind = 'misspelled'", "date = '2008-02-31'"), b, "WS187");
    const auto log = folder.write("log", "");
    const base::Descriptor file_of_log(::open(log.c_str(), O_WRONLY | O_CLOEXEC));
    base::log::send_to(file_of_log.number(), base::log::Level::warning);
    const auto context = process.context();
    for (int again = 0; again < 2; ++again) {
        CHECK(names_of(class_history(context, "Gene", {})->rows) ==
              std::vector<std::string>{"WS189 Gene a", "WS187 Gene a"});
        CHECK(names_of(release_history(context, "WS186", {})->rows) ==
              std::vector<std::string>{"WS186 Paper c"});
        CHECK(release_contents(context, "WS186", {})->entries.size() == 1);
        CHECK(names_of(process.history(a).rows) ==
              std::vector<std::string>{"WS189 Gene a", "WS187 Gene a"});
        CHECK(process.history(b).rows.empty());
        CHECK(query::difference(context, b, "WS187", "WS188"));
        CHECK(names_of(process.list({a, b}).rows) == names_of(process.history(a).rows));
        PageRequest narrowed;
        narrowed.filter.tag = "Remark";
        CHECK(process.history(a, narrowed).rows.size() == 2);
        CHECK(class_history(context, "Gene", narrowed)->rows.size() == 2);
    }
    base::log::send_to(2, base::log::Level::info);
    std::ifstream lines(log);
    std::vector<std::string> logged;
    for (std::string line; std::getline(lines, line);) logged.push_back(line);
    std::ranges::sort(logged, {},
                      [](const auto& line) { return line.substr(line.find("class=")); });
    REQUIRE(logged.size() == 2);
    CHECK_THAT(logged[0], Catch::Contains("cannot be read") && Catch::Contains("name=a") &&
                              Catch::Contains("WS186") && Catch::Contains("a change without"));
    CHECK_THAT(logged[1], Catch::Contains("name=b") && Catch::Contains("unknown kind"));

    const auto checked = store::perform(process.pool, store::Access::read, [](auto& transaction) {
        return check_rows(transaction, std::numeric_limits<std::int64_t>::max(), 100);
    });
    CHECK(checked.rows == 7);
    CHECK(checked.unreadable.size() == 2);
}
