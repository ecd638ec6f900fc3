// When a running server looks for another build.
// SPDX-License-Identifier: MIT
#include "app/serving.hpp"

#include <thread>

#include "app/config_file.hpp"
#include "archive/adoption.hpp"
#include "support/ace_server.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

using namespace std::chrono_literals;

std::shared_ptr<const support::AceContents> one_gene() {
    return std::make_shared<support::AceContents>(support::AceContents::of_text(
        "\n\n // Class Gene \n\nGene : \"a\"\n\n // End of this dump file \n\n"));
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
    {
        const auto pool = app::open_pool(*config, store::IfMissing::create);
        const auto connection = pool->lease();
        REQUIRE(archive::initialise(*connection, base::system_clock_now()));
    }
    auto services = app::open_services(*config);
    REQUIRE(services);
    return std::move(*services);
}

}  // namespace

TEST_CASE("A running AceDB is asked seldom, files are looked at twice a second") {
    app::SourceConfig config;
    CHECK(app::pace_of(config) == app::Pace{500ms, 500ms});
    config.kind = GENERATE(app::SourceKind::server, app::SourceKind::tace);
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
