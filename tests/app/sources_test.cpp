// The release that the configured source holds now, for each kind of source.
// SPDX-License-Identifier: MIT
#include "app/sources.hpp"

#include "app/config_keys.hpp"
#include "support/ace_server.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

app::Config config_of(app::SourceKind kind, const support::TempDir& folder) {
    auto config = app::Draft(folder.path() / "varve.conf").config;
    config.source.kind = kind;
    config.source.timeout = std::chrono::seconds(5);
    return config;
}

}  // namespace

TEST_CASE("The current release of a folder is that of its release.ini") {
    const support::TempDir folder;
    auto config = config_of(app::SourceKind::dump, folder);
    config.source.path = "examples/builds/WS188";
    const auto release = app::current_release(config);
    REQUIRE(release);
    CHECK(*release == base::Release{"WS188", *base::parse_date("2008-03-22")});
    config.source.path = "/no/such/folder";
    CHECK_FALSE(app::current_release(config));
}

TEST_CASE("A date that releases.tsv gives is not the configuration's, though both name one day") {
    const support::TempDir folder;
    auto config = config_of(app::SourceKind::server, folder);
    config.source.date = base::parse_date("2008-02-15");
    folder.write("releases.tsv", "WS187\t2008-02-15\n");
    const auto opener = app::build_opener(config);
    const auto day = *base::parse_date("2008-02-15");
    CHECK_FALSE(opener.is_dated_by_configuration({"WS187", day}));
    CHECK(opener.is_dated_by_configuration({"WS188", day}));
    CHECK_FALSE(opener.is_dated_by_configuration({"WS188", *base::parse_date("2008-03-22")}));
}

TEST_CASE("The current release of a server is asked for, and makes no index") {
    const support::TempDir folder;
    const support::AceServer server(std::make_shared<support::AceContents>(
        support::AceContents::of_text("\n\n // Class Gene \n\n // End of this dump file \n\n")));
    auto config = config_of(app::SourceKind::server, folder);
    folder.write("releases.tsv", "WS187\t2008-02-15\n");
    config.source.index = folder.path() / "index";
    config.source.server = {"127.0.0.1", server.port(), "reader", "secret"};
    config.source.release = "WS187";
    const auto release = app::current_release(config);
    INFO((release ? "" : release.error().text));
    REQUIRE(release);
    CHECK(*release == base::Release{"WS187", *base::parse_date("2008-02-15")});
    CHECK_FALSE(std::filesystem::exists(config.source.index));

    config.source.release = "WS999";
    const auto undated = app::current_release(config);
    REQUIRE_FALSE(undated);
    CHECK(undated.error().kind == base::ErrorKind::refused);

    // A look at the build notices that the date is known now.
    const auto opener = app::build_opener(config);
    const auto before = opener.identity();
    folder.write("releases.tsv", "WS187\t2008-02-15\nWS999\t2009-01-01\n");
    CHECK(opener.identity().value() != before.value());
    CHECK(opener.open(history::Wholeness::required).value()->release() ==
          base::Release{"WS999", *base::parse_date("2009-01-01")});
    folder.write("releases.tsv", "WS999 2009-01-01\n");
    CHECK(app::current_release(config).error().text.find("releases.tsv:1") != std::string::npos);
}
