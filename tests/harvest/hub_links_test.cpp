// A feed's hub is found where its server or the feed names it.
// SPDX-License-Identifier: MIT
#include "harvest/hub_links.hpp"

#include "support/catch.hpp"

using harvest::hub_links_of;
using harvest::HubLinks;

namespace {

const std::string feed_url = "https://a.example/feeds/news";

HubLinks links_of(const std::vector<std::string>& values, const feed::Feed& document = {}) {
    std::vector<net::Field> fields = {{"Content-Type", "text/xml"}};
    for (const auto& value : values) fields.push_back({"link", value});
    return hub_links_of(fields, document, feed_url);
}
feed::Feed document_with(const std::string& hub, const std::string& self) {
    feed::Feed document;
    document.hub_url = hub;
    document.self_url = self;
    return document;
}
const HubLinks both{"https://hub.example/", "https://a.example/self"};

}  // namespace

TEST_CASE("Hub and self are found in one Link field or in several") {
    CHECK(links_of(
              {"<https://hub.example/>; rel=\"hub\", <https://a.example/self>; rel=\"self\""}) ==
          both);
    CHECK(links_of({"<https://a.example/self>; rel=self", "<https://hub.example/>;rel=hub"}) ==
          both);
    CHECK(links_of({"</style.css>; rel=preload; as=style",
                    "<https://a.example/self>;REL=\"alternate Self\" , "
                    "<https://hub.example/>; title=\"a, \\\"b\\\"; rel=x <\"; rel=HUB"}) == both);
    CHECK(links_of({"<../self>; rel=self, <//hub.example/>; rel=hub"}) == both);
}

TEST_CASE("The first hub and the first self count") {
    CHECK(links_of({"<https://hub.example/>; rel=hub, <https://b.example/>; rel=hub",
                    "<https://a.example/self>; rel=self, <https://b.example/>; rel=self"}) ==
          both);
}

TEST_CASE("Links about something else, and what is no link, are left out") {
    for (const auto* value :
         {"", "<", "<>", "hub", "rel=hub", "<https://hub.example/>",
          "<https://hub.example/>; rel", "<https://hub.example/>; rel=",
          "<https://hub.example/>; rel=\"", "<https://hub.example/",
          "<https://hub.example/>, rel=hub", "<https://hub.example/>; rel=hubs",
          "<https://hub.example/>; rel=next; rel=hub", "<https://hub.example/>; xrel=hub",
          "<https://hub.example/>; rel=hub; anchor=\"/other\"", "<ftp://hub.example/>; rel=hub",
          "<javascript:alert(1)>; rel=hub"}) {
        INFO(value);
        CHECK(links_of({value}) == HubLinks{});
    }
}

TEST_CASE("What the server says goes before what the document says") {
    const auto document = document_with("https://old.example/", "https://a.example/self");
    CHECK(links_of({}, document) == HubLinks{"https://old.example/", "https://a.example/self"});
    CHECK(links_of({"<https://hub.example/>; rel=hub"}, document) == both);
    CHECK(links_of({"<https://hub.example/>; rel=hub, <https://a.example/self>; rel=self"},
                   document_with("https://b.example/", "https://b.example/")) == both);
    CHECK(links_of({}, {}) == HubLinks{});
}
