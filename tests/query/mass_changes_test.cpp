// Places that a release changed in most objects of a class: with which histories they come.
// SPDX-License-Identifier: MIT
#include "tables/mass_changes.hpp"

#include "process.hpp"
#include "query/histories.hpp"

using namespace tables;
using namespace history;
using namespace query;
using namespace processes;
using store::Value;

namespace {

void put(Process& process, const std::string& version, const std::string& day) {
    process.put(version, day, {{gene, "in " + version}});
}

// As the end of a release job does.
void add(Process& process, const std::string& version, const std::string& class_name,
         const std::string& place) {
    process.write("INSERT INTO mass_changes (version, class, path, objects, of_objects)"
                  " VALUES (?, ?, ?, 30123, 45000)",
                  {Value{version}, Value{class_name}, Value{place}});
}

// Rows of WS187 and WS188, which is current.
void record_three_releases(Process& process) {
    put(process, "WS186", "2008-02-01");
    (void)process.history(gene);
    put(process, "WS187", "2008-02-15");
    (void)process.history(gene);
    put(process, "WS188", "2008-03-22");
    REQUIRE(process.history(gene).rows.size() == 2);
}

MassChange remark_in(const std::string& version) {
    return {version, "Gene", "Remark", 30'123, 45'000};
}

}  // namespace

TEST_CASE("A history comes with its class's mass changes in the releases it shows") {
    Server process;
    record_three_releases(process);
    CHECK(process.history(gene).mass_changes.empty());
    add(process, "WS188", "Gene", "Remark");
    add(process, "WS187", "Gene", "Remark");
    add(process, "WS187", "Gene", "Identity > Name");
    add(process, "WS186", "Gene", "Remark");     // has no row
    add(process, "WS187", "Protein", "Remark");  // of another class
    add(process, "WS187", "gene", "Remark");
    add(process, "WS187", "Gene", "");  // texts that are in no tag
    CHECK(process.history(gene).mass_changes ==
          std::vector{MassChange{"WS187", "Gene", "Identity > Name", 30'123, 45'000},
                      remark_in("WS187"), remark_in("WS188")});
    CHECK(process.history(gene, {1, ""}).mass_changes == std::vector{remark_in("WS188")});
}

TEST_CASE("Mass changes of a release are not shown while an older one is current") {
    Server process;
    record_three_releases(process);
    add(process, "WS188", "Gene", "Remark");
    add(process, "WS187", "Gene", "Remark");
    put(process, "WS187", "2008-02-15");
    CHECK(process.history(gene).mass_changes == std::vector{remark_in("WS187")});
    put(process, "WS188", "2008-03-22");
    CHECK(process.history(gene).mass_changes.size() == 2);
}

TEST_CASE("On the page of a release, what most objects of the class share only follows") {
    Server process;
    record_three_releases(process);
    const auto entry = [&] {
        return release_contents(process.context(), "WS188", {})->entries.at(0);
    };
    CHECK_FALSE(entry().only_follows);
    CHECK(entry().headline == process.history(gene).rows[0].headline.title);
    add(process, "WS188", "Protein", "Remark");
    CHECK_FALSE(entry().only_follows);
    add(process, "WS188", "Gene", "Remark");
    CHECK(entry().only_follows);
}

TEST_CASE("A server that knew of no mass changes shows those that a job wrote meanwhile") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process server(fresh.connect()), job(fresh.connect());
    record_three_releases(server);
    CHECK(server.history(gene).mass_changes.empty());
    add(job, "WS188", "Gene", "Remark");
    server.now += std::chrono::seconds{1};
    CHECK(server.history(gene).mass_changes == std::vector{remark_in("WS188")});
    job.write("DELETE FROM mass_changes");
    server.now += std::chrono::seconds{1};
    CHECK(server.history(gene).mass_changes.empty());
}

TEST_CASE("While the table is known to be empty, no request asks for mass changes") {
    Server server;
    record_three_releases(server);
    (void)server.history(gene);
    // Known for a second.
    store::perform(server.pool, store::Access::write, [](store::Transaction& transaction) {
        transaction.execute("INSERT INTO mass_changes (version, class, path, objects,"
                            " of_objects) VALUES ('WS188', 'Gene', 'Remark', 30123, 45000)");
    });
    CHECK(server.history(gene).mass_changes.empty());
}

TEST_CASE("Mass changes are read for rows of kind changed, however many there are") {
    Server process;
    add(process, "WS5", "Gene", "Remark");
    add(process, "WS90", "Gene", "Remark");
    std::vector<Row> rows(100);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].object = gene;
        rows[i].release.version = "WS" + std::to_string(i);
        rows[i].notes.changes.resize(1);
    }
    const auto read = [&] {
        return store::perform(process.pool, store::Access::read, [&](auto& transaction) {
            return mass_changes_of(transaction, rows);
        });
    };
    CHECK(read() == std::vector{remark_in("WS5"), remark_in("WS90")});
    rows[90].kind = RowKind::created;
    CHECK(read() == std::vector{remark_in("WS5")});
    rows[5].notes.changes.clear();
    CHECK(read().empty());
}

TEST_CASE(
    "mass=no leaves out items that hold only a mass change, in the feed of an object, a watch "
    "list, a class and a release") {
    Server process;
    record_three_releases(process);
    const PageRequest without{
        .most = 50, .since = "", .filter = {.tag = {}, .only = {}, .mass = false}};
    const auto versions_of = [](const HistoryPage& page) {
        std::vector<std::string> versions;
        for (const auto& row : page.rows) versions.push_back(row.release.version);
        CHECK(page.recorded == versions.size());
        CHECK_FALSE(page.cut);
        return versions;
    };
    const auto context = [&] { return process.context(); };
    using Versions = std::vector<std::string>;
    const Versions both = {"WS188", "WS187"};
    CHECK(versions_of(process.history(gene, without)) == both);
    add(process, "WS188", "Gene", "Remark");
    add(process, "WS187", "Protein", "Remark");  // of another class
    const Versions older = {"WS187"};
    CHECK(versions_of(process.history(gene, without)) == older);
    CHECK(versions_of(process.history(gene)) == both);
    CHECK(versions_of(process.list({gene}, without)) == older);
    CHECK(versions_of(*class_history(context(), "Gene", without)) == older);
    CHECK(versions_of(*release_history(context(), "WS187", without)) == older);
    CHECK(versions_of(*release_history(context(), "WS188", without)).empty());
    // A page of the archive has those that are left.
    auto archive = without;
    archive.before = 50;
    CHECK(versions_of(process.history(gene, archive)) == older);
    CHECK(versions_of(*class_history(context(), "Gene", archive)) == older);
}

TEST_CASE("mass=no keeps rows with a change of their own, rows that came or went, and those that "
          "are not whole") {
    using compare::Op;
    const tree::Cell remark{tree::CellKind::tag, "Remark", {}},
        name{tree::CellKind::tag, "Name", {}};
    const auto text = [](const std::string& words) {
        return std::vector{tree::Node{{tree::CellKind::text, words, {}}, {}, {}}};
    };
    const compare::Change shared{Op::added, {remark}, {}, text("shared")};
    const compare::Change own{Op::removed, {name}, text("own"), {}};
    const MassPlaces places = {{"Remark", nullptr}};
    const ChangeFilter no{.tag = {}, .only = {}, .mass = false};
    Notes notes;
    notes.changes = {shared, shared};
    CHECK_FALSE(no.shows_row(RowKind::changed, notes, places));
    CHECK(no.shows_row(RowKind::changed, notes, {}));
    CHECK(no.shows_row(RowKind::created, notes, places));
    CHECK(ChangeFilter{}.shows_row(RowKind::changed, notes, places));
    notes.left_out.added = 1;
    CHECK(no.shows_row(RowKind::changed, notes, places));
    notes.left_out = {};
    notes.changes.push_back(own);
    CHECK(no.shows_row(RowKind::changed, notes, places));
    // Of a narrowed feed, what it shows counts.
    CHECK_FALSE(ChangeFilter{.tag = {}, .only = {Op::added}, .mass = false}.shows_row(
        RowKind::changed, notes, places));
    CHECK(ChangeFilter{.tag = "Name", .only = {}, .mass = false}.shows_row(RowKind::changed,
                                                                           notes, places));
    CHECK(no.shows_row(RowKind::changed, Notes{}, places));
}

TEST_CASE("While no release has mass changes, mass=no reads no rows to look for them") {
    Server process;
    record_three_releases(process);
    process.write("UPDATE history SET notes = 'damaged' WHERE version = 'WS187'");
    const PageRequest without{
        .most = 1, .since = "", .filter = {.tag = {}, .only = {}, .mass = false}};
    const auto page = process.history(gene, without);
    CHECK(page.recorded == 2);
    CHECK_FALSE(page.filter.mass);
}
