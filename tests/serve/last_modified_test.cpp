// Last-Modified: what changes the bytes of a page changes its date too, or a client that knows only the
// date would keep old bytes.
// SPDX-License-Identifier: MIT
#include "serve/world.hpp"

using namespace world;
using namespace std::chrono_literals;

namespace {

base::Seconds date_of(const Response& response) {
    const auto date = base::parse_http_date(response.field("Last-Modified"));
    REQUIRE(date);
    return *date;
}

}  // namespace

TEST_CASE("The date of a page changes with its bytes, and with nothing else") {
    for (const std::string& url : {"/rss?" + plain, "/history?" + plain}) {
        for (const auto* coding : {"identity", "gzip"}) {
            INFO(url << ' ' << coding);
            World world;
            world.release_up_to(2);
            const auto ask = [&, coded = Fields{{"accept-encoding", coding}}](
                                 std::optional<base::Seconds> since = {}) {
                auto fields = coded;
                if (since) fields["if-modified-since"] = base::format_http_date(*since);
                return world.open(url, fields);
            };
            const auto first = world.small.now, date = date_of(ask());
            CHECK(date == first);
            CHECK(ask(date).status == 304);
            world.make_stale();
            CHECK(date_of(ask(date)) == date);
            CHECK(ask(date).status == 304);
            world.set_value(unc26, "1");
            world.small.put(world.build(1));
            const auto rolled_back = ask(date);
            CHECK(rolled_back.status == 200);
            CHECK(date_of(rolled_back) == world.small.now);
            CHECK(ask(date_of(rolled_back)).status == 304);
            // Its date would be that of the other bytes; it lies ahead.
            world.set_value(unc26, "0");
            world.small.put(world.build(0));
            const auto ahead = ask(date_of(rolled_back));
            CHECK(ahead.status == 200);
            CHECK(ahead.field("Last-Modified").empty());
            world.small.now += 1s;
            CHECK(date_of(ask()) == world.small.now);
        }
    }
}
