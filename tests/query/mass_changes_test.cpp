// Places that a release changed in most objects of a class: with which histories they come.
// SPDX-License-Identifier: MIT
#include "tables/mass_changes.hpp"

#include "query/history_service.hpp"
#include "support/catch.hpp"
#include "support/small_build.hpp"
#include "support/stores.hpp"
#include "tables/tables.hpp"

using namespace tables;
using namespace history;
using namespace query;
using store::Value;
using support::tag;
using support::text;

namespace {

const ObjectName gene{"Gene", "WBGene00006763"};

// A process over the store, whose current build is set by hand.
class Process {
   public:
    explicit Process(const store::Connect& connect)
        : pool(connect, 4), current(opener(), pool),
          service(pool, current, {}, [this] { return now; }) {}

    void put(const std::string& version, const std::string& day) {
        auto build = std::make_shared<support::SmallBuild>(version, day);
        build->with("Gene", gene.name, {tag("Remark", {text("in " + version)})});
        build_ = std::move(build);
        identity_ += '1';
        current.look();
    }
    History history(const PageRequest& window = {}) {
        const auto answer = service.history_of(gene, window);
        REQUIRE(answer);
        return answer->history;
    }
    // As the end of a release job does.
    void write(const std::string& sql, const std::vector<Value>& values = {}) {
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            transaction.execute(sql, values);
            move_generation(transaction);
        });
    }
    void add(const std::string& version, const std::string& class_name,
             const std::string& place) {
        write("INSERT INTO mass_changes (version, class, path, objects, of_objects)"
              " VALUES (?, ?, ?, 30123, 45000)",
              {Value{version}, Value{class_name}, Value{place}});
    }

    base::Seconds now{*base::parse_date("2008-04-01")};
    store::Pool pool;
    CurrentBuild current;
    HistoryService service;

   private:
    BuildOpener opener() {
        return {[this] { return base::Result<std::string>(identity_); },
                [this](Wholeness) { return base::Result<source::Build>(build_); },
                [](const base::Release&, const WasServed&) { return source::Build(); }};
    }
    source::Build build_;
    std::string identity_;
};

// Rows of WS187 and WS188, which is current.
void fill(Process& process) {
    process.put("WS186", "2008-02-01");
    static_cast<void>(process.history());
    process.put("WS187", "2008-02-15");
    static_cast<void>(process.history());
    process.put("WS188", "2008-03-22");
    REQUIRE(process.history().rows.size() == 2);
}

MassChange remark_in(const std::string& version) {
    return {version, "Gene", "Remark", 30'123, 45'000};
}

}  // namespace

TEST_CASE("a history comes with its class's mass changes in the releases it shows") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    fill(process);
    CHECK(process.history().mass_changes.empty());
    process.add("WS188", "Gene", "Remark");
    process.add("WS187", "Gene", "Remark");
    process.add("WS187", "Gene", "Identity > Name");
    process.add("WS186", "Gene", "Remark");     // has no row
    process.add("WS187", "Protein", "Remark");  // of another class
    process.add("WS187", "gene", "Remark");
    process.add("WS187", "Gene", "");  // texts that stand in no tag
    CHECK(process.history().mass_changes ==
          std::vector{MassChange{"WS187", "Gene", "Identity > Name", 30'123, 45'000},
                      remark_in("WS187"), remark_in("WS188")});
    CHECK(process.history({1, ""}).mass_changes == std::vector{remark_in("WS188")});
}

TEST_CASE("mass changes of a release are not told while an older one is current") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    fill(process);
    process.add("WS188", "Gene", "Remark");
    process.add("WS187", "Gene", "Remark");
    process.put("WS187", "2008-02-15");
    CHECK(process.history().mass_changes == std::vector{remark_in("WS187")});
    process.put("WS188", "2008-03-22");
    CHECK(process.history().mass_changes.size() == 2);
}

TEST_CASE("a server that knew of no mass changes tells those that a job wrote meanwhile") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process server(fresh.connect()), job(fresh.connect());
    fill(server);
    const auto before = server.service.cache_version();
    CHECK(server.history().mass_changes.empty());
    job.add("WS188", "Gene", "Remark");
    server.now += std::chrono::seconds{1};
    CHECK(server.service.cache_version().generation > before.generation);
    CHECK(server.history().mass_changes == std::vector{remark_in("WS188")});
    job.write("DELETE FROM mass_changes");
    server.now += std::chrono::seconds{1};
    static_cast<void>(server.service.cache_version());
    CHECK(server.history().mass_changes.empty());
}

TEST_CASE("while the table is known to be empty, no request asks for mass changes") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process server(fresh.connect());
    fill(server);
    static_cast<void>(server.service.cache_version());
    // Without a word to the generation: nobody looks.
    store::perform(server.pool, store::Access::write, [](store::Transaction& transaction) {
        transaction.execute("INSERT INTO mass_changes (version, class, path, objects,"
                            " of_objects) VALUES ('WS188', 'Gene', 'Remark', 30123, 45000)");
    });
    CHECK(server.history().mass_changes.empty());
}

TEST_CASE("mass changes are read for rows of kind changed, however many there are") {
    const support::FreshStore fresh(GENERATE(support::engines()));
    Process process(fresh.connect());
    process.add("WS5", "Gene", "Remark");
    process.add("WS90", "Gene", "Remark");
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
