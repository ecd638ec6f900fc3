// What feeds and pages say of the hub where changes can be subscribed to.
// SPDX-License-Identifier: MIT
#include "sample.hpp"
#include "sample_pages.hpp"
#include "support/catch.hpp"
#include "support/feed_rules.hpp"

using namespace sample;

namespace {

const std::string hub_url = "https://changes.example.org/hub";

render::Channel channel_with_hub(const query::History& history) {
    auto channel = channel_of(history, site());
    channel.hub_url = hub_url;
    return channel;
}

}  // namespace

TEST_CASE("A feed with a hub keeps the rules, and says where it is next to its own address") {
    const std::map<std::string, std::string> spelled = {
        {"rss", "<atom:link href=\"" + hub_url + "\" rel=\"hub\"/>"},
        {"atom", "<link rel=\"hub\" href=\"" + hub_url + "\"/>"},
        {"json", R"("hubs":[{"type":"WebSub","url":")" + hub_url + R"("}])"}};
    for (const auto& format : support::feed_formats) {
        const auto* writer = render::format_named(format.format);
        const auto bytes = writer->render(gene(), channel_with_hub(gene()), site());
        INFO(bytes.substr(0, 3000));
        CHECK(format.findings(bytes, self_url, now()) == none);
        CHECK(count(bytes, spelled.at(format.format)) == 1);
        CHECK(format.read(bytes).self == self_url);
        CHECK(count(bytes, "rel=\"self\"") == (std::string(format.format) == "json" ? 0 : 1));
    }
}

TEST_CASE("A part of a feed is not complete, and links to the newest page of the archive") {
    auto history = gene();
    history.rows.erase(history.rows.begin());
    auto channel = channel_with_hub(gene());
    for (const auto& format : support::feed_formats) {
        const auto* writer = render::format_named(format.format);
        channel.is_part = true;
        const auto feed = format.read(writer->render(history, channel, site()));
        CHECK_FALSE(feed.complete);
        CHECK(feed.older == channel.archive_url + "50");
        CHECK(feed.items.size() == 2);
    }
}

TEST_CASE("A part of the feed of all releases is not complete") {
    render::Channel channel;
    channel.subject = render::subject_of_releases(site());
    channel.self_url = site().base_url + "/releases?format=atom";
    const query::ReleaseList few;
    CHECK(support::read_atom(render::atom_of_releases(few, channel, site())).complete);
    channel.is_part = true;
    CHECK_FALSE(support::read_atom(render::atom_of_releases(few, channel, site())).complete);
}

TEST_CASE("A page with feeds names the hub, and the first feed as its topic") {
    auto with_hub = site();
    with_hub.hub_url = hub_url;
    const auto page = [&](const render::Site& of) {
        return render::history_page({.history = gene(), .at = {}}, of, templates());
    };
    const auto html = page(with_hub);
    CHECK(count(html, "<link rel=\"hub\" href=\"" + hub_url + "\">") == 1);
    CHECK(count(html, "<link rel=\"self\" href=\"https://changes.example.org/rss?class=Gene&amp;"
                      "name=WBGene00006763\">") == 1);
    CHECK_FALSE(holds(page(site()), "rel=\"hub\""));
}

TEST_CASE("A page without feeds names no hub") {
    auto with_hub = site();
    with_hub.hub_url = hub_url;
    CHECK_FALSE(holds(render::error_page(404, "Not Found", "x", with_hub, templates()), hub_url));
}
