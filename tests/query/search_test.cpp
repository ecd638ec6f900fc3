// Objects found by their names and by what people call them; two releases of one compared.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <functional>
#include <rapidcheck.h>
#include <set>
#include <tuple>

#include "base/utf8.hpp"
#include "compare/compare.hpp"
#include "process.hpp"
#include "store/dialect.hpp"
#include "support/faulty_connection.hpp"
#include "support/watched_connection.hpp"
#include "tables/object_search.hpp"
#include "tables/objects.hpp"
#include "tables/release_rows.hpp"

using namespace history;
using namespace processes;
using support::tag;
using support::text;

namespace {

// Genes with their labels, and what else has names.
Shared build_of_names(const std::string& version, const std::string& day) {
    const auto build = std::make_shared<support::SmallBuild>(version, day);
    for (const auto& [name, label] : {std::pair{"WBGene01", "unc-26"},
                                      {"WBGene02", "UNC-2"},
                                      {"WBGene03", "lin-7"},
                                      {"WBGene04", "100%_\\x"},
                                      {"WBGene05", "100 more"}})
        build->with("Gene", name, {tag("Name", {text(label)})});
    build->with("Paper", "unc-26", {});
    build->with("Paper", "Unc-70", {});
    return build;
}

const std::vector<ObjectName> recorded_names{{"Gene", "WBGene01"},
                                             {"Gene", "WBGene02"},
                                             {"Gene", "WBGene04"},
                                             {"Gene", "WBGene05"},
                                             {"Paper", "Unc-70"}};

std::vector<std::string> found(Process& process, const std::string& class_name,
                               const std::string& text, std::size_t most = 10) {
    std::vector<std::string> names;
    for (const auto& named :
         find_named(process.context(), class_name, text, {.from = 0, .most = most}).found)
        names.push_back(named.object.class_name + ' ' + named.object.name + " = " + named.label);
    return names;
}

using Found = std::vector<std::string>;

// The shown release has these names, and the objects of recorded_names are recorded.
void record_names(Process& process) {
    process.put(build_of_names("WS1", "2008-01-01"));
    (void)process.list(recorded_names);
}

constexpr std::int64_t first_build = 1;
const store::Insert labelled{
    "objects", {"class", "name", "name_key", "label", "label_key", "build"}, {}};

}  // namespace

TEST_CASE("SQLite finds labels and the most requested objects by indexes that have only these") {
    const support::FreshStore fresh(store::Engine::sqlite);
    std::set<std::string> asked;
    const auto note = [&](support::Statement, std::string_view sql) {
        if (sql.starts_with("SELECT") &&
            (sql.find("label_key") != sql.npos || sql.find(" hits ") != sql.npos))
            asked.emplace(sql);
    };
    store::Pool pool(support::watched(fresh.connect(), note), 1);
    store::perform(pool, store::Access::read, [](store::Transaction& transaction) {
        using tables::SearchKey;
        for (const std::string class_name : {"", "Gene"}) {
            (void)tables::objects_with_key(transaction, SearchKey::label, "unc-26", class_name,
                                           9);
            (void)tables::objects_with_key_prefix(transaction, SearchKey::label, "unc",
                                                  class_name, 9);
        }
        (void)tables::count_word(transaction, base::words_of("unc-26", 1).at(0), 9);
        (void)tables::most_requested_objects(transaction, 9);
        const tables::RowSelection beginning{.text = "unc", .by_spelling = true};
        const tables::CountedRows release{
            .version = "WS1", .classes = {{"Gene", 1, {}}}, .kinds = {}};
        (void)tables::rows_with_text(transaction, beginning, release, 0, 9);
        return 0;
    });
    CHECK(asked.size() == 7);
    const auto connection = fresh.connect()();
    for (const auto& sql : asked) {
        INFO(sql);
        std::string plan;
        const std::vector<store::Value> values(
            static_cast<std::size_t>(std::ranges::count(sql, '?')), store::Value{"1"});
        for (const auto& row : connection->query("EXPLAIN QUERY PLAN " + sql, values))
            plan += row.text(3) + '\n';
        INFO(plan);
        const bool is_label = sql.find("label_key") != sql.npos;
        CHECK_THAT(plan, Catch::Contains(is_label ? "objects_by_label" : "objects_by_hits"));
    }
}

TEST_CASE("A class is looked for without regard to ASCII case, recorded or in the build") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Process process(fresh.connect(), with_names());
    record_names(process);
    const Found both{"Gene WBGene02 = UNC-2", "Gene WBGene01 = unc-26"};
    CHECK(found(process, "gene", "unc") == both);
    CHECK(found(process, "PAPER", "unc-26") == Found{"Paper unc-26 = unc-26"});
    process.put("WS2", "2008-02-01", {{{"Protein", "p"}, "1"}});
    CHECK(found(process, "gene", "unc") == both);
    CHECK(found(process, "Genes", "unc").empty());
}

TEST_CASE("Of very many objects of one label the first classes of the index are found") {
    Server process(with_names());
    process.put(build_of_names("WS1", "2008-01-01"));
    std::vector<store::Value> values;
    for (int number = 0; number < 500; ++number) {
        const auto name = "n" + std::to_string(999 - number);
        const std::string class_name = number % 5 == 0 ? "CDS" : "Protein";
        values.insert(values.end(), {class_name, name, name, "Same", "same", first_build});
    }
    process.insert(labelled, values);
    store::perform(process.pool, store::Access::write, [&](store::Transaction& transaction) {
        for (std::size_t at = 0; at < values.size(); at += 6) {
            tables::ObjectRow row;
            row.object = {std::get<std::string>(values[at]),
                          std::get<std::string>(values[at + 1])};
            row.label = "Same";
            tables::add_words(transaction, std::array<const tables::ObjectRow*, 1>{&row});
        }
    });
    const auto first = found(process, "", "same", 100);
    REQUIRE(first.size() == 100);
    CHECK(std::ranges::all_of(first, [](const auto& name) { return name.starts_with("CDS "); }));
    CHECK(std::ranges::is_sorted(first));
    CHECK(found(process, "protein", "SAME", 7).size() == 7);
}

TEST_CASE(
    "A search says that it is not complete where very many labels begin with the rarest word") {
    Server process(with_names());
    process.put(build_of_names("WS1", "2008-01-01"));
    std::vector<store::Value> values;
    for (int number = 1000; number < 1600; ++number) {
        const auto id = std::to_string(number);
        values.insert(values.end(),
                      {"Gene", "n" + id, "n" + id, "let-" + id, "let" + id, first_build});
    }
    process.insert(labelled, values);
    const auto answer = [&](const std::string& text) {
        return query::find_named(process.context(), "", text, {.from = 0, .most = 5});
    };
    CHECK_FALSE(answer("let").is_complete);
    CHECK(answer("let").found.size() == 5);
    CHECK(answer("let-1599").is_complete);
    CHECK(answer("let-1599").found.size() == 1);
}

TEST_CASE("What is looked for is text, never a pattern") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Process process(fresh.connect(), with_names());
    record_names(process);
    // What begins with the text comes before what only has its words.
    const Found both{"Gene WBGene04 = 100%_\\x", "Gene WBGene05 = 100 more"};
    CHECK(found(process, "", "100%") == both);
    CHECK(found(process, "", "100%_\\") == both);
    for (const std::string asked :
         {"", " ", "%", "__", "%%", "'", "\\", "\xC3\xA9\xC3\xA9", "unc-26 AND lin-7",
          "unc NEAR more", "-more 1000", "m*re", "\xFF\xFE", "\xE2\x80\xAE", "unc-26 OR x"}) {
        INFO(asked);
        CHECK(found(process, "", asked).empty());
    }
    for (const std::string asked :
         {"more", "MORE 100", "\"more\"", "more*", "(more)", "-more", "more' --", "\"more 100"}) {
        INFO(asked);
        CHECK(found(process, "", asked) == Found{"Gene WBGene05 = 100 more"});
    }
    CHECK(found(process, "", std::string("mo\0re", 5)).empty());
    CHECK(found(process, "", std::string(600, 'x')).empty());
}

namespace {

history::Settings with_other_names() {
    auto settings = with_names();
    settings.search = {{"gene", {{"Identity", "Other_name"}, {"Synonym"}}}};
    settings.ranking.helper_classes = {"Gene_name"};
    return settings;
}

// A gene with other names.
void add_gene(support::SmallBuild& build, const std::string& name, const std::string& label,
              const std::vector<std::string>& others) {
    std::vector<tree::Node> values;
    for (const auto& other : others) values.push_back(text(other));
    build.with("Gene", name,
               {tag("Name", {text(label)}), tag("Identity", {tag("Other_name", values)})});
}

// Which objects and in which order a search finds, by looking at every object.
struct Known {
    ObjectName object;
    std::string label;
    std::vector<std::string> others;
    bool vanished = false;
};
std::vector<std::string> found_by_looking(const std::vector<Known>& all,
                                          const std::string& asked) {
    std::vector<std::tuple<bool, int, bool, std::string, ObjectName>> ranked;
    const auto is_it = [&](const std::string& name) {
        return base::equal_ignoring_case(name, asked);
    };
    const auto same = [&](const std::string& name) {
        return base::search_key(name) == base::search_key(asked);
    };
    for (const auto& each : all) {
        // What is the name or the label as well is no other name.
        auto others = each.others;
        std::erase(others, each.object.name);
        std::erase(others, each.label);
        const auto lines = base::join(others, "\n");
        const auto list = base::words_of(base::SearchTexts{each.object.name, each.label, lines});
        const std::set<std::string> words(list.begin(), list.end());
        bool is_there = true, whole = true;
        for (const auto& [key, text] : base::words_of(asked)) {
            const auto begins_one = [&](const std::string& word) {
                const auto first = words.lower_bound(word);
                return first != words.end() && first->starts_with(word);
            };
            is_there = is_there && (begins_one(key) || begins_one(text));
            whole = whole && (words.contains(key) || words.contains(text));
        }
        if (!is_there) continue;
        const auto label_key = base::search_key(each.label);
        const bool has_label = !base::equal_ignoring_case(each.label, each.object.name);
        const int rank = has_label && is_it(each.label)                      ? 0
                         : is_it(each.object.name)                           ? 1
                         : std::ranges::any_of(others, is_it)                ? 2
                         : has_label && same(each.label)                     ? 3
                         : std::ranges::any_of(others, same)                 ? 4
                         : label_key.starts_with(base::search_prefix(asked)) ? 5
                         : whole                                             ? 6
                                                                             : 7;
        ranked.emplace_back(each.object.class_name == "Gene_name", rank, each.vanished,
                            rank == 5 ? label_key : "", each.object);
    }
    std::ranges::sort(ranked);
    std::vector<std::string> names;
    for (const auto& [helper, rank, vanished, key, object] : ranked)
        names.push_back(object.class_name + ' ' + object.name + (vanished ? " gone" : ""));
    return names;
}

std::vector<std::string> found_in_pages(Process& process, const std::string& text,
                                        std::size_t size) {
    std::vector<std::string> names;
    for (query::SearchPage page{.from = 0, .most = size};; page.from += size) {
        const auto answer = find_named(process.context(), "", text, page);
        for (const auto& match : answer.found)
            names.push_back(match.object.class_name + ' ' + match.object.name +
                            (match.vanished ? " gone" : ""));
        if (!answer.has_more) return names;
    }
}

}  // namespace

TEST_CASE("An object is found by the words of the shown release, whichever is typed first") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Process process(fresh.connect(), with_other_names());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    add_gene(*build, "WBGene01", "Phosphatidylinositol-4,5-phosphate binding",
             {"JC8.10", "Synaptojanin homologue"});
    add_gene(*build, "WBGene02", "binding of \xC3\x89LAN", {});
    process.record(build);
    CHECK(found(process, "", "HOMO binding") ==
          Found{"Gene WBGene01 = Phosphatidylinositol-4,5-phosphate binding"});
    CHECK(found(process, "", "\xC3\xA9lan").size() == 1);
    CHECK(found(process, "", "binding homologue nothing").empty());
    // A later release takes a label and other names away, and an object.
    const auto next = std::make_shared<support::SmallBuild>("WS2", "2008-02-01");
    add_gene(*next, "WBGene01", "binding", {"JC8.11"});
    add_gene(*next, "WBGene09", "unc-9", {});
    process.put(next);
    (void)process.list({{"Gene", "WBGene01"}, {"Gene", "WBGene02"}, {"Gene", "WBGene09"}});
    CHECK(found(process, "", "homologue").empty());
    CHECK(found(process, "", "jc8.11") == Found{"Gene WBGene01 = binding"});
    CHECK(found(process, "", "unc-9") == Found{"Gene WBGene09 = unc-9"});
    const auto gone = find_named(process.context(), "", "\xC3\x89lan of", {.from = 0, .most = 5});
    REQUIRE(gone.found.size() == 1);
    CHECK(gone.found.front().vanished);
    CHECK(gone.found.front().vanished_in == "WS2");
    // As the site is rolled back, what is of the newer release alone is not found.
    process.put(build);
    for (const std::string asked : {"jc8.11", "unc-9", "WBGene09"})
        CHECK(found(process, "", asked).empty());
    CHECK_FALSE(find_named(process.context(), "", "binding of", {}).found.front().vanished);
}

TEST_CASE("A name is found as it was pasted, unless another object is spelled exactly that way") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Process process(fresh.connect(), with_names());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    const auto add = [&](const std::string& name, const std::string& label) {
        build->with("Gene", name, {tag("Name", {text(label)})});
    };
    add("WBGene01", "unc-26");
    add("WBGene02", "a gene of  blanks");
    add("WBGene03", "let-60 of 7 exons");
    add("WBGene07", "let-7");
    add("K07A11.2", "first");
    add("K07A11.2.", "second");
    add("K07A11.3", "third");
    process.put(build);
    (void)process.list(
        {{"Gene", "WBGene01"}, {"Gene", "WBGene03"}, {"Gene", "WBGene07"}, {"Gene", "K07A11.2"}});
    const auto reads = process.context();
    const auto called = [&](const std::string& name) {
        Found names;
        for (const auto& each : query::objects_called(reads, {"gene", name}, 5))
            names.push_back(each.object.name);
        return names;
    };
    for (const std::string asked :
         {"unc\u201026", "UNC\u201126", "unc\u201326", "unc\u221226", "unc-26 ", "\u00A0unc-26",
          "unc-26.", "unc26.", "WBGene01 "}) {
        INFO(asked);
        CHECK(called(asked) == Found{"WBGene01"});
        CHECK(found(process, "Gene", asked) == Found{"Gene WBGene01 = unc-26"});
        CHECK(found(process, "", asked) == Found{"Gene WBGene01 = unc-26"});
    }
    // Another one has its words.
    CHECK(found(process, "", "let\u20117") == Found{"Gene WBGene07 = let-7"});
    // Not recorded yet, and so found by its name alone.
    CHECK(called("K07A11.3.") == Found{"K07A11.3"});
    CHECK(found(process, "", "K07A11.3.") == Found{"Gene K07A11.3 = third"});
    CHECK(found(process, "", "K07A11.2.").front() == "Gene K07A11.2. = second");
    CHECK(called("K07A11.2. ") == Found{"K07A11.2."});
    CHECK(called("nothing.").empty());
    CHECK(found(process, "", " . ").empty());
}

TEST_CASE(
    "Of labels whose numbers are divided differently, the one that was asked for is meant") {
    Server process(with_other_names());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    const auto add = [&](const std::string& name, const std::string& label,
                         const std::vector<std::string>& others) {
        add_gene(*build, name, label, others);
    };
    for (int i = 10; i < 40; ++i) add("G" + std::to_string(i), "K07A11.2", {});
    add("H1", "K07A1.12", {});
    add("H2", "a", {"JC8.10"});
    add("H3", "b", {"JC81.0"});
    add("H4", "JC-8.10", {});
    process.record(build);
    const auto reads = process.context();
    const auto called = query::objects_called(reads, {"Gene", "k07a1.12"}, 5);
    REQUIRE(called.size() == 1);
    CHECK(called.front().object.name == "H1");
    CHECK(query::objects_called(reads, {"Gene", "K07A11.2"}, 5).size() == 5);
    CHECK(query::objects_called(reads, {"Gene", "K07A112"}, 100).size() == 31);
    std::size_t lookups = 100;
    CHECK(exactly_named(reads, std::vector<std::string>{"Gene"}, "K07A1.12", 5, lookups) ==
          std::vector<query::Named>{{{"Gene", "H1"}, "K07A1.12"}});
    CHECK(found(process, "", "K07A1.12").front() == "Gene H1 = K07A1.12");
    CHECK(found(process, "", "K07A11.2", 50).back() == "Gene H1 = K07A1.12");
    CHECK(found(process, "Gene", "jc8.10") ==
          Found{"Gene H2 = a", "Gene H4 = JC-8.10", "Gene H3 = b"});
    CHECK(found(process, "Gene", "jc81.0").front() == "Gene H3 = b");
}

TEST_CASE("A release is not narrowed by labels of a release that is not shown yet") {
    Server process(with_names());
    record_names(process);
    const auto shown = std::make_shared<support::SmallBuild>("WS2", "2008-02-01");
    const auto later = std::make_shared<support::SmallBuild>("WS3", "2008-03-01");
    shown->with("Gene", "WBGene01", {tag("Name", {text("unc-26")}), tag("Live")});
    later->with("Gene", "WBGene01", {tag("Name", {text("secret-1")}), tag("Live")});
    for (const auto& build : {shown, later})  // the same name in both
        build->with(
            "Gene", "WBGene02",
            {tag("Name", {text("unc-7")}), tag("Remark", {text(build->release().version)})});
    for (const auto& build : {shown, later, shown}) process.record(build);
    const auto matching = [&](const std::string& asked) {
        return query::release_contents(process.context(), "WS2", {"", asked, 0, 10})->matching;
    };
    CHECK(matching("wbgene01") == 1);
    CHECK(matching("secret") == 0);
    CHECK(matching("unc-7") == 1);
    process.put(later);
    CHECK(matching("secret") == 1);
}

TEST_CASE("An object is found by another name that its name begins with but for a joint") {
    Server process(with_other_names());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    add_gene(*build, "abc1", "x", {"ABC-1"});
    add_gene(*build, "JC810x", "y", {"JC8.10"});
    const std::string longest(63, 'b');
    add_gene(*build, "WBGene01", longest + "-1", {});
    process.record(build);
    for (const std::string class_name : {"", "Gene"}) {
        CHECK(found(process, class_name, "ABC-1") == Found{"Gene abc1 = x"});
        CHECK(found(process, class_name, "x abc-1") == Found{"Gene abc1 = x"});
        CHECK(found(process, class_name, "JC8.10") == Found{"Gene JC810x = y"});
        CHECK(found(process, class_name, longest + "-1 wbgene01").size() == 1);
    }
    std::vector<store::Value> values;
    for (int number = 1000; number < 1600; ++number) {
        const auto name = "abc" + std::to_string(number);
        values.insert(values.end(), {"Gene", name, name, name, "",
                                     number == 1599 ? "ABC-1 kin" : "", first_build});
    }
    process.insert({"objects",
                    {"class", "name", "name_key", "label", "label_key", "other_names", "build"},
                    {}},
                   values);
    store::perform(process.pool, store::Access::write, [&](store::Transaction& transaction) {
        tables::ObjectRow row;
        row.object = {"Gene", "abc1599"};
        row.label = row.object.name;
        row.other_names = "ABC-1 kin";
        tables::add_words(transaction, std::array<const tables::ObjectRow*, 1>{&row});
    });
    // The other word is rarer.
    CHECK(found(process, "", "abc-1 kin") == Found{"Gene abc1599 = abc1599"});
}

TEST_CASE(
    "Of many objects with newer names the first ones by name are read, whoever came first") {
    const support::FreshStore fresh(GENERATE(support::both_engines()));
    Process process(fresh.connect(), with_other_names());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    const auto next = std::make_shared<support::SmallBuild>("WS2", "2008-02-01");
    std::vector<ObjectName> genes;
    for (int i = 10; i < 90; ++i) {
        const auto name = "n" + std::to_string(i);
        add_gene(*build, name, "label", {"shared"});
        add_gene(*next, name, "label", {"another"});
        genes.push_back({"Gene", name});
    }
    for (const auto& each : {build, next}) {
        process.put(each);
        (void)process.list({genes.begin() + 40, genes.end()});
        (void)process.list({genes.begin(), genes.begin() + 40});
    }
    process.put(build);
    const auto answer =
        query::find_named(process.context(), "", "shared", {.from = 0, .most = 100});
    CHECK_FALSE(answer.is_complete);
    // 64 trees, and 8 objects of the build.
    REQUIRE(answer.found.size() == 72);
    CHECK(answer.found.back().object.name == "n81");
}

TEST_CASE("An object is found by what the shown release calls it while a later one is recorded") {
    Server process(with_other_names());
    const auto before = std::make_shared<support::SmallBuild>("WS0", "2007-12-01");
    add_gene(*before, "WBGene01", "zero", {"no name"});
    add_gene(*before, "WBGene02", "abc-1", {"third name"});
    process.record(before);
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    add_gene(*build, "WBGene01", "alpha", {"JC8.10", "first name"});
    add_gene(*build, "WBGene02", "abc-1", {"third name"});
    const auto next = std::make_shared<support::SmallBuild>("WS2", "2008-02-01");
    add_gene(*next, "WBGene01", "omega", {"second name"});
    add_gene(*next, "WBGene02", "xyz-1", {"jc8.1"});
    for (const auto& each : {build, next}) process.record(each);
    using NamesOfLabel = std::function<std::vector<std::string>(const std::string&)>;
    const NamesOfLabel called = [&](const std::string& label) {
        std::vector<std::string> names;
        for (const auto& each : query::objects_called(process.context(), {"Gene", label}, 5))
            names.push_back(each.object.name);
        return names;
    };
    const NamesOfLabel pasted = [&](const std::string& label) {
        std::vector<std::string> names;
        const std::vector<std::string> classes{"Gene"};
        std::size_t lookups = 100;
        for (const auto& named : exactly_named(process.context(), classes, label, 5, lookups))
            names.push_back(named.object.name);
        return names;
    };
    const auto labels = [&] {
        const std::vector<tree::ObjectName> both{{"Gene", "WBGene01"}, {"Gene", "WBGene02"}};
        std::vector<std::string> all;
        for (const auto& each : query::with_labels(process.context(), both))
            all.push_back(each.label);
        return all;
    };
    const std::vector<std::string> first{"WBGene01"}, second{"WBGene02"}, nobody;
    for (const auto& names_of_label : {called, pasted}) {
        CHECK(names_of_label("alpha") == nobody);
        CHECK(names_of_label("omega") == first);
    }
    CHECK(labels() == std::vector<std::string>{"omega", "xyz-1"});
    process.put(build);
    CHECK(labels() == std::vector<std::string>{"alpha", "abc-1"});
    for (const auto& names_of_label : {called, pasted}) {
        CHECK(names_of_label("alpha") == first);
        CHECK(names_of_label("abc-1") == second);
        CHECK(names_of_label("omega") == nobody);
    }
    for (const std::string name :
         {"alpha", "jc8.10", "jc8", "first name", "name alpha", "abc-1", "third"}) {
        INFO(name);
        // No row says what the second one was called.
        const bool is_second = name == "abc-1" || name == "third";
        CHECK(found(process, "", name) ==
              Found{is_second ? "Gene WBGene02 = abc-1" : "Gene WBGene01 = alpha"});
    }
    CHECK(found(process, "", "second name").empty());
    CHECK(found(process, "", "no name").empty());
}

TEST_CASE(
    "A search finds what looking at every object finds, in whichever order they were recorded") {
    const std::vector<std::string> parts{
        "unc-26", "unc",  "UNC-2",   "protein",     "Protein", "kinase", "JC8.10",
        "a",      "abc",  "GO:0004", "\xC3\x89lan", "binding", "x)",     "-7",
        "unc26",  "elan", "JC810",   "GO:0005",     "JC81.0",  "ABC-1",  "abc1"};
    const auto any_text = [&](int most) {
        return rc::gen::map(rc::gen::resize(most, rc::gen::container<std::vector<std::string>>(
                                                      rc::gen::elementOf(parts))),
                            [](const auto& words) { return base::join(words, " "); });
    };
    CHECK(rc::check([&] {
        const auto count = *rc::gen::inRange<std::size_t>(1, 9);
        std::vector<Known> all;
        for (std::size_t i = 0; i < count; ++i) {
            Known known{{"Gene", *rc::gen::elementOf(parts) + *rc::gen::elementOf(parts)},
                        *any_text(3),
                        {}};
            if (*rc::gen::arbitrary<bool>()) known.object.name = *rc::gen::elementOf(parts);
            const auto others =
                *rc::gen::resize(3, rc::gen::container<std::vector<std::string>>(any_text(2)));
            for (const auto& other : others)
                if (!base::trim(other).empty()) known.others.push_back(other);
            known.label = known.object.label_or_name(known.label);
            known.vanished = *rc::gen::inRange(0, 4) == 0;
            all.push_back(std::move(known));
            if (i % 3 == 0) all.push_back({{"Gene_name", parts[i % parts.size()]}, "", {}});
            if (i % 3 == 0) all.back().label = all.back().object.name;
        }
        const auto as_identified = [](const Known& each) {
            return std::pair(each.object.class_name, base::fold_ascii(each.object.name));
        };
        std::ranges::sort(all, {}, as_identified);
        const auto twice = std::ranges::unique(all, {}, as_identified);
        all.erase(twice.begin(), twice.end());
        std::vector<std::string> questions;
        for (int i = 0; i < 8; ++i) {
            auto question = *any_text(3);
            if (const auto cut = *rc::gen::inRange<std::size_t>(1, 8); cut < question.size())
                question = base::cut_at(question, cut);
            if (!base::words_of(question).empty()) questions.emplace_back(base::trim(question));
        }
        for (const auto engine : {store::Engine::sqlite, store::Engine::mysql}) {
            const support::FreshStore fresh(engine);
            Process process(fresh.connect(), with_other_names());
            const auto first = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
            const auto second = std::make_shared<support::SmallBuild>("WS2", "2008-02-01");
            std::vector<ObjectName> names;
            for (const auto& each : all) {
                names.push_back(each.object);
                for (const auto& build : {first, second}) {
                    if (build == second && each.vanished) continue;
                    if (each.object.class_name == "Gene")
                        add_gene(*build, each.object.name, each.label, each.others);
                    else
                        build->with("Gene_name", each.object.name, {});
                }
            }
            for (const auto& build : {first, second}) {
                process.put(build);
                const auto start = *rc::gen::inRange<std::size_t>(0, names.size());
                std::ranges::rotate(names, names.begin() + static_cast<std::ptrdiff_t>(start));
                const auto half = static_cast<std::ptrdiff_t>(names.size() / 2);
                (void)process.list({names.begin(), names.begin() + half});
                (void)process.list({names.begin() + half, names.end()});
            }
            for (const auto& question : questions)
                RC_ASSERT(found_in_pages(process, question, 3) ==
                          found_by_looking(all, question));
        }
    }));
}

TEST_CASE("Ten thousand other names of one object are cut to some, which find it") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect(), with_other_names());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    std::vector<std::string> others;
    for (int i = 0; i < 10'000; ++i) others.push_back("other" + std::to_string(i));
    others.emplace_back(10'000, 'y');
    add_gene(*build, "WBGene01", std::string(100'000, 'x') + " end", others);
    process.record(build);
    CHECK(found(process, "", "other7").size() == 1);
    CHECK(found(process, "", "other9999").empty());
    CHECK(found(process, "", std::string(64, 'x')).size() == 1);
    const auto connection = fresh.connect()();
    CHECK(connection->query("SELECT COUNT(*) FROM words").at(0).integer(0) ==
          static_cast<std::int64_t>(base::most_words) - 1);
}

TEST_CASE("An object has its words however the store fails while it is recorded or looked for") {
    const auto engine = GENERATE(support::engines());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    add_gene(*build, "WBGene01", "one binding", {"JC8.10 kinase"});
    using Plan = std::shared_ptr<support::FaultPlan>;
    support::sweep(support::Fault::lost, [&](const Plan& plan) {
        const support::FreshStore fresh(engine);
        Process process(fresh.connect(), with_other_names());
        process.put(build);
        Process broken(support::faulty(fresh.connect(), plan), with_other_names());
        broken.put(build);
        std::vector<std::string> names;
        try {
            (void)broken.service.history_of({"Gene", "WBGene01"}, {});
            names = found(broken, "", "kinase one");
        } catch (const store::Failure&) {
            CHECK(plan->struck());
        }
        (void)process.list({{"Gene", "WBGene01"}});
        const Found wanted{"Gene WBGene01 = one binding"};
        CHECK(found(process, "", "kinase one") == wanted);
        CHECK(((plan->struck() && names.empty()) || names == wanted));
    });
}

TEST_CASE("The difference of two releases is what its changes say, in either direction") {
    Server process;
    fill(process);
    const auto between = [&](const ObjectName& object, const char* from, const char* to) {
        return difference(process.context(), object, from, to);
    };
    const auto rows = process.history(a).rows;  // WS189, WS187, WS186
    const auto one = between(a, "WS186", "WS187");
    REQUIRE(one);
    CHECK(one->changes == rows[1].notes.changes);
    CHECK((one->from.version == "WS186" && one->to.version == "WS187"));
    CHECK((one->was_there && one->is_there));
    CHECK(one->object == a);
    CHECK(one->label == "a");
    CHECK(between({"gene", "A"}, "WS186", "WS187")->object == a);
    // WS188 changed nothing, so it has the tree of WS187.
    CHECK(between(a, "WS187", "WS188")->changes.empty());
    CHECK(between(a, "WS188", "WS189")->changes == rows[0].notes.changes);
    CHECK(between(a, "WS189", "WS188")->changes == compare::reversed(rows[0].notes.changes));
    const auto gone = between(c, "WS187", "WS189");
    REQUIRE(gone);
    CHECK((gone->was_there && !gone->is_there));
    CHECK(gone->changes == process.history(c).rows.front().notes.changes);
}

TEST_CASE("A difference that is not known names the nearest release, or what is unknown") {
    Server process;
    fill(process);
    process.write("INSERT INTO releases (version, released_on) VALUES ('WS180', '2007-01-01')");
    process.write("INSERT INTO releases (version, released_on) VALUES ('WS200', '2009-01-01')");
    const auto reading = process.context();
    const auto early = difference(reading, a, "WS180", "WS189");
    REQUIRE_FALSE(early);
    CHECK(early.error().kind == base::ErrorKind::absent);
    CHECK_THAT(early.error().text, Catch::Contains("WS185"));
    for (const auto& [from, to, unknown] : {std::array{"WS186", "WS200", "WS200"},
                                            {"WS1", "WS189", "WS1"},
                                            {"WS1", "WS200", "WS1"}}) {
        const auto unable = difference(reading, a, from, to);
        REQUIRE_FALSE(unable);
        CHECK(unable.error() == query::no_release(unknown).value());
    }
    CHECK(difference(reading, {"Gene", "x"}, "WS186", "WS189").error().kind ==
          base::ErrorKind::absent);
    CHECK(difference(reading, {"Paper", "c"}, "WS189", "WS189").error().kind ==
          base::ErrorKind::absent);
}

TEST_CASE("A difference reveals nothing of a release that is newer than the current one") {
    Server process;
    process.put("WS186", "2008-02-01", {{a, "1"}});
    (void)process.history(a);
    process.put("WS187", "2008-02-15", {{a, "1"}});
    process.put("WS188", "2008-02-20", {{a, "2"}});
    (void)process.history(a);
    process.put("WS187", "2008-02-15", {{a, "1"}});
    const auto reading = process.context();
    CHECK(difference(reading, a, "WS186", "WS188").error() == query::no_release("WS188").value());
    for (const std::string since : {"WS188", "WS200"}) {
        INFO(since);
        const auto refused = process.service.history_of(a, {.most = 5, .since = since});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == base::ErrorKind::refused);
        CHECK_FALSE(query::class_history(reading, "Gene", {.most = 5, .since = since}));
    }
    CHECK(process.service.history_of(a, {.most = 5, .since = "WS187"}));
    const auto known = difference(reading, a, "WS186", "WS187");
    const bool is_equal = known && known->changes.empty();
    CHECK((is_equal || (!known && known.error().text.find("WS188") == std::string::npos)));
}

TEST_CASE("Objects come with their labels, in the order of asking") {
    Server process(with_names());
    const auto build = std::make_shared<support::SmallBuild>("WS1", "2008-01-01");
    build->with("Gene", "WBGene01", {tag("Name", {text("unc-26")})});
    build->with("Gene", "WBGene02", {tag("Name", {text("lin-7")})});
    build->with("Paper", "WBGene01", {});
    process.put(build);
    (void)process.list({{"Gene", "WBGene01"}, {"Paper", "WBGene01"}});

    // Another spelling, another class with the same name, an unknown object, one that only the build
    // has, and a prefix, which only a search would complete.
    const std::vector<ObjectName> asked{{"gene", "wbgene01"}, {"Paper", "WBGene01"},
                                        {"Gene", "nobody"},   {"Gene", "wbgene02"},
                                        {"Gene", "WBGene0"},  {"Gene", "WBGene01"}};
    CHECK(query::with_labels(process.context(), asked) ==
          std::vector<query::Named>{{{"Gene", "WBGene01"}, "unc-26"},
                                    {{"Paper", "WBGene01"}, "WBGene01"},
                                    {{"Gene", "nobody"}, "nobody"},
                                    {{"Gene", "WBGene02"}, "lin-7"},
                                    {{"Gene", "WBGene0"}, "WBGene0"},
                                    {{"Gene", "WBGene01"}, "unc-26"}});
    CHECK(query::with_labels(process.context(), {}).empty());
    const auto absent = compare::Reference::Fate::absent;
    const std::vector<ObjectName> once{asked.begin() + 1, asked.begin() + 5};
    CHECK(query::current_references(process.context(), once) ==
          compare::References{{{"Gene", "WBGene0"}, "", absent},
                              {{"Gene", "nobody"}, "", absent},
                              {{"Gene", "wbgene02"}, "lin-7"}});
}
