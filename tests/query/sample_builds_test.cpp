// Every object of the three sample builds, refreshed release by release: what is recorded,
// unfolded to nodes, is exactly what tests/data/expected says (computed apart from this code).
// SPDX-License-Identifier: MIT
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "query/histories.hpp"
#include "query/release_contents.hpp"
#include "query/tree_at.hpp"
#include "reads.hpp"
#include "source/files_build.hpp"
#include "store/store.hpp"
#include "support/catch.hpp"
#include "support/recording.hpp"
#include "support/small_build.hpp"
#include "support/temp_dir.hpp"
#include "support/trees.hpp"

using tables::RowKind;
using tree::ObjectName;

namespace {

using Lines = std::multiset<std::string>;  // "+ [cells]", "- [cells]", "created"
using Differences = std::map<ObjectName, Lines>;

Differences expected(const std::string& file) {
    std::ifstream in("tests/data/expected/" + file);
    REQUIRE(in);
    Differences differences;
    for (std::string line; std::getline(in, line);) {
        const auto parts = base::split(line, '\t');
        REQUIRE(parts.size() == 4);
        const auto cells = parts[3].empty() ? "" : nlohmann::json::parse(parts[3]).dump();
        differences[{std::string(parts[0]), std::string(parts[1])}].insert(
            std::string(parts[2]) + (cells.empty() ? "" : " " + cells));
    }
    return differences;
}

void unfold(Lines& lines, const std::string& sign, const compare::Change& change,
            const support::Nodes& nodes) {
    std::vector<std::string> path;
    for (const auto& cell : change.path) path.push_back(cell.text);
    for (const auto& cells : support::unfolded(nodes, path))
        lines.insert(sign + " " + nlohmann::json(cells).dump());
}

Lines unfolded(const tables::Row& row) {
    Lines lines;
    if (row.kind == RowKind::created || row.kind == RowKind::vanished)
        lines.insert(std::string(name_of(row.kind)));
    for (const auto& change : row.notes.changes) {
        unfold(lines, "-", change, change.before);
        unfold(lines, "+", change, change.after);
    }
    return lines;
}

class SampleHistory {
   public:
    SampleHistory()
        : pool_(store::connector(
                    {store::Engine::sqlite, folder_.path() / "history.db", {}, {}, {}, {}, false},
                    "", store::IfMissing::create),
                2) {
        const auto connection = pool_.lease();
        REQUIRE(store::initialise(*connection));
    }

    source::Build open(const std::string& version) {
        source::FilesSettings settings;
        settings.folder = "examples/builds/" + version;
        settings.index_dir = folder_.path() / "index";
        auto build = source::open_files(settings);
        REQUIRE(build);
        return *build;
    }

    void refresh_all(const source::Source& build, const source::Source* previous) {
        const auto names = support::names_in(build);
        names_.insert(names.begin(), names.end());
        const history::Context context{pool_, settings_, clock_, labels_};
        for (const auto& name : names_) {
            const auto done = support::record(context, build, previous, name);
            if (!done) FAIL(done.error().text);
        }
    }

    Differences recorded(const base::Release& release) {
        Differences differences;
        for (const auto& name : names_)
            for (const auto& row : reads_.rows(name, release))
                if (row.release == release) differences[name] = unfolded(row);
        return differences;
    }

    tables::Row row_of(const ObjectName& name, const base::Release& release) {
        return reads_.rows(name, release).at(0);
    }

    query::ReadContext reading(const source::Build& build) { return reads_.of(build); }

   private:
    support::TempDir folder_{support::quick_folder()};
    base::Clock clock_ = [] { return base::Seconds{*base::parse_date("2008-04-01")}; };
    history::Settings settings_;
    history::LabelCache labels_;
    store::Pool pool_;
    query::Reads reads_{pool_, settings_};
    std::set<ObjectName> names_;
};

}  // namespace

TEST_CASE("What is recorded and read of every sample object is exactly what is expected") {
    SampleHistory sample;
    const auto first = sample.open("WS186"), second = sample.open("WS187"),
               third = sample.open("WS188");
    sample.refresh_all(*first, nullptr);
    sample.refresh_all(*second, first.get());
    sample.refresh_all(*third, second.get());
    CHECK(sample.recorded(second->release()) == expected("WS186-WS187.tsv"));
    CHECK(sample.recorded(third->release()) == expected("WS187-WS188.tsv"));

    const auto phenotype = sample.row_of({"Phenotype", "WBPhenotype:0001213"}, third->release());
    CHECK(phenotype.kind == RowKind::vanished);
    CHECK(phenotype.renamed_to == ObjectName{"Phenotype", "WBPhenotype:0004022"});
    const auto renamed = sample.row_of({"Person", "WBPerson625"}, third->release());
    CHECK(renamed.renamed_to == ObjectName{"Person", "WBPerson625alias"});
    const auto alias = sample.row_of({"Person", "WBPerson625alias"}, third->release());
    CHECK(alias.renamed_from == ObjectName{"Person", "WBPerson625"});

    // Releases, classes and comparisons say the same.
    const auto reading = sample.reading(third);
    const auto differences = expected("WS187-WS188.tsv");

    const auto contents = query::release_contents(reading, "WS188", {"", "", 0, 5000});
    REQUIRE(contents);
    CHECK(contents->matching == differences.size());
    // The old names of two objects have no entry of their own.
    const std::set<ObjectName> old_names{{"Person", "WBPerson625"},
                                         {"Phenotype", "WBPhenotype:0001213"}};
    std::vector<ObjectName> shown, entries;
    for (const auto& [name, lines] : differences)
        if (!old_names.contains(name)) shown.push_back(name);
    for (const auto& entry : contents->entries) entries.push_back(entry.object);
    CHECK(entries == shown);
    const auto phenotypes = query::class_history(reading, "Phenotype", {1000, "WS187"})->rows;
    CHECK(std::ranges::none_of(phenotypes,
                               [&](const auto& row) { return old_names.contains(row.object); }));
    CHECK(std::ranges::any_of(phenotypes, [](const auto& row) {
        return row.renamed_from == ObjectName{"Phenotype", "WBPhenotype:0001213"};
    }));
    CHECK(contents->before->version == "WS187");
    CHECK_FALSE(contents->after);

    std::map<std::string, std::uint64_t> by_class;
    for (const auto& [name, lines] : differences) ++by_class[name.class_name];
    CHECK(contents->classes.size() == by_class.size());
    for (const auto& count : contents->classes)
        CHECK(count.objects == by_class[count.class_name]);

    const auto genes = query::class_history(reading, "Gene", {1000, "WS187"});
    REQUIRE(genes);
    CHECK(genes->recorded == by_class["Gene"]);
    CHECK(query::release_history(reading, "WS188", {1000, ""})->recorded == differences.size());

    for (const auto& [name, lines] : differences) {
        INFO(name.class_name << ' ' << name.name);
        const auto found = query::difference(reading, name, "WS187", "WS188");
        REQUIRE(found);
        tables::Row row;
        row.notes.changes = found->changes;
        if (!found->was_there) row.kind = RowKind::created;
        if (!found->is_there) row.kind = RowKind::vanished;
        CHECK(unfolded(row) == lines);
    }
}
