// When a running server looks for another build, and when it takes over another configuration.
// SPDX-License-Identifier: MIT
#include "app/serving.hpp"

#include <thread>

#include "app/config_file.hpp"
#include "support/ace_server.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

using namespace std::chrono_literals;

std::shared_ptr<const support::AceContents> one_gene() {
    return std::make_shared<support::AceContents>(support::AceContents::of_text(
        "\n\n // Class Gene \n\nGene : \"a\"\n\n // End of this dump file \n\n"));
}

void initialise(const app::Config& config) {
    const auto pool = app::open_pool(config, store::IfMissing::create);
    const auto connection = pool->lease();
    REQUIRE(store::initialise(*connection));
}

// Returns the services of a site over the server, with an empty store.
app::Services services_over(const support::AceServer& server, const support::TempDir& folder) {
    folder.write("releases.tsv", "WS188\t2008-03-22\nWS189\t2008-04-18\n");
    folder.write("password", "secret\n");
    const auto config = app::load_config(folder.write(
        "varve.conf",
        "[site]\nbase_url = http://127.0.0.1\nauthority = example.org,2008\n"
        "[store]\nurl = sqlite:history.db\n[source]\nkind = server\nhost = 127.0.0.1\n"
        "port = " +
            std::to_string(server.port()) +
            "\nuser = reader\npassword_file = password\nindex = index\n"));
    INFO((config ? "" : config.error().text));
    REQUIRE(config);
    initialise(*config);
    auto services = app::open_services(*config);
    REQUIRE(services);
    return std::move(*services);
}

// A site over builds of one object each.
class Builds {
   public:
    [[nodiscard]] const support::TempDir& folder() const { return folder_; }

    void put(const std::string& version, const std::string& date, const std::string& text) const {
        const auto build = folder_.path() / "builds" / version;
        std::filesystem::create_directories(build);
        folder_.write("builds/" + version + "/release.ini",
                      "version = " + version + "\ndate = " + date + "\n");
        folder_.write("builds/" + version + "/genes.jsonl",
                      R"({"class":"Gene","name":"a","tree":[{"text":")" + text + "\"}]}\n");
    }

    // Returns the configuration that serves this build, after writing it to the file.
    [[nodiscard]] app::Config configure(const std::string& version) const {
        const auto config = app::load_config(folder_.write(
            "varve.conf",
            "[site]\nbase_url = http://127.0.0.1\nauthority = example.org,2008\n"
            "[store]\nurl = sqlite:history.db\n[source]\nkind = dump\nindex = index\n"
            "path = builds/" +
                version + "\n"));
        INFO((config ? "" : config.error().text));
        REQUIRE(config);
        return *config;
    }

   private:
    support::TempDir folder_;
};

// Returns what /healthz says once it contains the words; fails after a minute without them.
std::string health_with(app::Server& server, const std::string& words) {
    serve::Request request;
    request.method = "GET";
    request.path = "/healthz";
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    for (;;) {
        const auto report = *server.answer(request).body;
        if (report.find(words) != std::string::npos) return report;
        if (std::chrono::steady_clock::now() >= deadline)
            FAIL("no " << words << " in " << report);
        std::this_thread::yield();
    }
}

}  // namespace

TEST_CASE("A running AceDB is asked seldom, files are looked at twice a second") {
    app::SourceConfig config;
    CHECK(app::pace_of(config) == app::Pace{500ms, 500ms});
    config.kind = app::SourceKind::server;
    CHECK(app::pace_of(config) == app::Pace{500ms, 5s});
}

TEST_CASE("A request makes an idle server look for another build") {
    const support::TempDir folder;
    support::AceServer server(one_gene());
    auto services = services_over(server, folder);
    app::Housekeeping housekeeping(services, {1ms, 1h});
    housekeeping.wait_for_first_look(60s);
    REQUIRE(services.current->build());
    CHECK(services.current->build()->release().version == "WS188");
    server.publish(one_gene(), "WS189", "2008-04-18_10:00:00");
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    housekeeping.note_request();
    while (services.current->build()->release().version != "WS189" &&
           std::chrono::steady_clock::now() < deadline)
        std::this_thread::yield();
    CHECK(services.current->build()->release().version == "WS189");
}

TEST_CASE(
    "A rejected configuration is named in healthz, and taken over once its build is there") {
    const Builds builds;
    builds.put("WS188", "2008-03-22", "one");
    builds.put("WS189", "2008-01-01", "two");
    const auto config = builds.configure("WS188");
    initialise(config);
    serve::Metrics metrics;
    auto first = app::open_serving(config, metrics);
    REQUIRE(first);
    app::Server server(std::move(*first), metrics);
    CHECK(health_with(server, "WS188").find("rejected_configuration") == std::string::npos);
    (void)builds.configure("WS189");
    server.reload();
    const auto report = health_with(server, "rejected_configuration");
    CHECK(report.find("would come before WS188") != std::string::npos);
    CHECK(report.find("\"status\":\"ok\"") != std::string::npos);
    builds.put("WS189", "2008-04-18", "two");
    CHECK(health_with(server, "\"release\":\"WS189\"").find("rejected_configuration") ==
          std::string::npos);
}
