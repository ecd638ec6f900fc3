// SPDX-License-Identifier: MIT
#include "base/log.hpp"

#include "support/catch.hpp"

using base::log::line_of;

TEST_CASE("A line of the log is logfmt, and hostile bytes stay inside their quotes") {
    CHECK(line_of("now", {{"method", "GET"}, {"path", "/rss\nstatus=200 \""}, {"query", ""}}) ==
          "now method=GET path=\"/rss?status=200 \\\"\" query=\"\"\n");
}

TEST_CASE("No character of a line begins another line or controls a terminal") {
    CHECK(line_of("now", {{"path", "/a\xc2\x85"
                                   "b\xe2\x80\xa8"
                                   "c\xe2\x80\xa9"
                                   "d\xc2\x9b\xe2\x80\xae"
                                   "e\xc3\xa9"},
                          {"query", "n=\x9b"
                                    "2J\x85\xe2\x80"}}) ==
          "now path=\"/a?b?c?d??e\xc3\xa9\" query=\"n=?2J???\"\n");
}
