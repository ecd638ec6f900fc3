// A test server with builds opened from it.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "source/acedb/build.hpp"
#include "source/acedb/session.hpp"
#include "source/files_build.hpp"
#include "support/ace_server.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace live {

using Contents = std::shared_ptr<const support::AceContents>;

inline Contents dump_of(const std::string& version) {
    const std::string folder = "examples/builds/" + version;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".ace")
            return std::make_shared<support::AceContents>(
                support::AceContents::of_dump(entry.path().string(), folder + "/models.wrm"));
    throw std::runtime_error(folder + " holds no dump");
}

inline Contents text_of(const std::string& dump) {
    return std::make_shared<support::AceContents>(support::AceContents::of_text(dump));
}

// Returns the lines of an object with one remark.
inline std::string remark(const std::string& text) { return "Remark\t \"" + text + "\"\n"; }

// Returns a dump of one class with these objects, each with its own lines.
inline std::string one_class(const std::string& class_name,
                             const std::vector<std::pair<std::string, std::string>>& objects) {
    std::string text = "\n\n // Class " + class_name + " \n\n";
    for (const auto& [name, lines] : objects)
        text += class_name + " : \"" + name + "\"\n" + lines + "\n";
    return text + " // End of this dump file \n\n";
}

// Returns genes, each with a remark of its own.
//   escaped_names  as in a dump
inline Contents genes(const std::vector<std::string>& escaped_names) {
    std::vector<std::pair<std::string, std::string>> objects;
    for (const auto& name : escaped_names) objects.emplace_back(name, remark("of " + name));
    return text_of(one_class("Gene", objects));
}

// A server and the settings to reach it.
class Site {
   public:
    explicit Site(Contents contents, support::AceServerSettings of_server = {})
        : server(std::move(contents), std::move(of_server)) {
        address.host = "127.0.0.1";
        address.port = server.port();
        address.user = "reader";
        address.password = "secret";
        address.timeout = std::chrono::minutes(10);
    }

    [[nodiscard]] std::shared_ptr<source::acedb::Database> database(
        std::size_t sessions = 8) const {
        source::acedb::DatabaseSettings settings;
        settings.open = [to = address] { return source::acedb::Session::open(to); };
        settings.name = address.name();
        settings.most_sessions = sessions;
        settings.patience = std::chrono::minutes(10);
        settings.pause = pause;
        return std::make_shared<source::acedb::Database>(std::move(settings));
    }

    [[nodiscard]] source::acedb::BuildSettings settings() const {
        source::acedb::BuildSettings settings;
        settings.database = database();
        settings.index_dir = (folder.path() / "index").string();
        settings.known_releases = [] {
            return std::vector<base::Release>{{"WS186", *base::parse_date("2008-02-01")},
                                              {"WS187", *base::parse_date("2008-02-15")},
                                              {"WS188", *base::parse_date("2008-03-22")}};
        };
        return settings;
    }

    [[nodiscard]] base::Result<source::Build> try_open() const {
        return source::acedb::open_build(settings());
    }
    [[nodiscard]] source::Build open() const {
        auto build = try_open();
        INFO((build ? "" : build.error().text));
        REQUIRE(build);
        return *build;
    }

    support::TempDir folder;
    support::AceServer server;
    source::acedb::ServerAddress address;
    std::chrono::milliseconds pause{100};  // before a silent server is asked again
};

// Opens a dump of the same release.
inline source::Build dumped(const Site& site, const std::string& dump) {
    site.folder.write("dumped/release.ini", "version = WS188\ndate = 2008-03-22\n");
    site.folder.write("dumped/models.wrm",
                      support::read_file("examples/builds/WS188/models.wrm"));
    site.folder.write("dumped/dump.ace", dump);
    const auto build = source::open_files(
        {(site.folder.path() / "dumped").string(), (site.folder.path() / "index").string(), 64});
    INFO((build ? "" : build.error().text));
    REQUIRE(build);
    return *build;
}

// Returns true once the condition holds, false when it does not within a minute.
template <class Condition>
bool comes_true(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

}  // namespace live
