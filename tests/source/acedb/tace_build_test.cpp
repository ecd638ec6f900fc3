// Builds read by tace: the same objects, children that die, databases that are saved.
// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "source/acedb/tace_session.hpp"
#include "source/files_build.hpp"
#include "source/live.hpp"
#include "source/sessions.hpp"
#include "tree/outline.hpp"

using base::ErrorKind;
using source::Build;
using tree::ObjectName;

namespace {

namespace fs = std::filesystem;

class Environment {
   public:
    Environment(const char* name, const std::string& value) : name_(name) {
        ::setenv(name, value.c_str(), 1);
    }
    ~Environment() { ::unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

   private:
    const char* name_;
};

// A database folder for the stand-in of tace.
class DatabaseFolder {
   public:
    explicit DatabaseFolder(const std::string& version) { save(version); }

    // Replaces the database, as a session does that saves.
    void save(const std::string& version) {
        for (const auto& entry : fs::directory_iterator("examples/builds/" + version))
            if (entry.path().extension() == ".ace")
                fs::copy_file(entry.path(), path() / "dump.ace",
                              fs::copy_options::overwrite_existing);
        fs::copy_file("examples/builds/" + version + "/models.wrm", path() / "models.wrm",
                      fs::copy_options::overwrite_existing);
        write("name.txt", version + "\n");
        write("database/ACEDB.wrm", version + std::string(++saved_, '.'));
        write("database/log.wrm", version);
    }
    void write(const std::string& name, const std::string& bytes) const {
        folder_.write("db/" + name, bytes);
    }
    [[nodiscard]] fs::path path() const {
        fs::create_directories(folder_.path() / "db");
        return folder_.path() / "db";
    }

    [[nodiscard]] source::acedb::BuildSettings settings(std::size_t children = 2) const {
        source::acedb::DatabaseSettings of_database;
        const source::acedb::TaceSettings command{support::tace_stand_in(), path().string(),
                                                  std::chrono::minutes(10)};
        of_database.open = [command] { return source::acedb::open_tace_session(command); };
        of_database.change_mark = [folder = command.folder] {
            return source::acedb::change_mark_of(folder);
        };
        of_database.name = command.folder;
        of_database.most_sessions = children;
        of_database.patience = std::chrono::minutes(10);
        source::acedb::BuildSettings settings;
        settings.database = std::make_shared<source::acedb::Database>(std::move(of_database));
        settings.index_dir = (folder_.path() / "index").string();
        settings.known_releases = [] {
            return std::vector<base::Release>{{"WS187", *base::parse_date("2008-02-15")},
                                              {"WS188", *base::parse_date("2008-03-22")}};
        };
        return settings;
    }

   private:
    support::TempDir folder_;
    std::size_t saved_ = 0;
};

Build open(const source::acedb::BuildSettings& settings) {
    auto build = source::acedb::open_build(settings);
    INFO((build ? "" : build.error().text));
    REQUIRE(build);
    return *build;
}

const ObjectName unc_26{"Gene", "WBGene00006763"};

}  // namespace

TEST_CASE("tace and the dump of its release have the same objects") {
    const DatabaseFolder database("WS188");
    const auto live = open(database.settings());
    const support::TempDir index;
    const auto dump = source::open_files({"examples/builds/WS188", index.path().string(), 64});
    REQUIRE(dump);
    CHECK(live->release() == (*dump)->release());
    std::size_t objects = 0;
    source::each_object(**dump, [&](const source::Listed& listed) {
        INFO(listed.class_name << " " << listed.name);
        const auto there = live->load(listed.id()), here = (*dump)->load(listed.id());
        REQUIRE(there);
        REQUIRE(here);
        CHECK(*there == *here);
        ++objects;
        return true;
    });
    std::uint64_t listed = 0;
    for (const auto& count : live->class_counts()) listed += count.objects;
    CHECK(listed == objects);
}

TEST_CASE("A tace that dies is started again, without zombies or open descriptors") {
    const DatabaseFolder database("WS187");
    const auto before = sessions::open_descriptors();
    {
        const auto settings = database.settings();
        const auto build = open(settings);
        const Environment dies("TACE_DIE_AFTER", "3");  // each child from now on
        settings.database->status().value();
        for (int i = 0; i < 10; ++i) {
            const auto object = build->load(unc_26);
            INFO((object ? "" : object.error().text));
            CHECK(object);
        }
    }
    CHECK_FALSE(sessions::has_children());
    CHECK(sessions::open_descriptors() == before);
}

TEST_CASE("A database that was saved is another build and is read again") {
    DatabaseFolder database("WS187");
    const auto settings = database.settings();
    const auto before = open(settings);
    const auto identity = source::acedb::identity_of(settings).value();
    CHECK(source::acedb::identity_of(settings).value() == identity);
    database.save("WS188");
    const auto loaded = before->load(unc_26);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::unavailable);
    CHECK(source::acedb::identity_of(settings).value() != identity);
    const auto after = open(settings);
    CHECK(after->release().version == "WS188");
    CHECK(after->load(unc_26));
}

TEST_CASE("The identity of a database depends on its block files, not on logs and locks") {
    const DatabaseFolder database("WS187");
    const auto folder = database.path().string();
    const auto before = source::acedb::change_mark_of(folder);
    CHECK_FALSE(before.empty());
    database.write("database/log.wrm", "another line");
    database.write("database/readlocks/1.host.7", "");
    CHECK(source::acedb::change_mark_of(folder) == before);
    database.write("database/block1.wrm", "a block");
    CHECK(source::acedb::change_mark_of(folder) != before);
    CHECK(source::acedb::change_mark_of(folder + "/none").empty());
}

TEST_CASE("While children die, 16 threads get the right object or an error") {
    const DatabaseFolder database("WS188");
    const auto settings = database.settings();
    const auto build = open(settings);
    const auto expected = tree::signature_of(build->load(unc_26)->nodes);
    const Environment dies("TACE_DIE_AFTER", "40");
    std::atomic<int> right = 0, unavailable = 0, other = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 16; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 20; ++i) {
                    const auto object = build->load(unc_26);
                    if (object && tree::signature_of(object->nodes) == expected)
                        ++right;
                    else
                        ++(!object && object.error().kind == ErrorKind::unavailable ? unavailable
                                                                                    : other);
                }
            });
    }
    CHECK(other == 0);
    CHECK(right > 300);
}

TEST_CASE("A missing tace is unavailable, and the error names it") {
    const DatabaseFolder database("WS188");
    source::acedb::DatabaseSettings of_database;
    of_database.open = [folder = database.path().string()] {
        return source::acedb::open_tace_session(
            {"no-such-tace", folder, std::chrono::seconds(5)});
    };
    of_database.name = "here";
    source::acedb::Database none(std::move(of_database));
    const auto status = none.status();
    REQUIRE_FALSE(status);
    CHECK(status.error().kind == ErrorKind::unavailable);
    CHECK(status.error().text.find("no-such-tace") != std::string::npos);
}
