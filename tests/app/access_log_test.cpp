// SPDX-License-Identifier: MIT
#include "app/logs.hpp"

#include "serve/parameters.hpp"
#include "support/catch.hpp"

TEST_CASE("The logged query never contains a token, however its parameter is spelled") {
    for (const auto& [query, logged] :
         {std::pair{"class=Gene&name=x&token=secret", "class=Gene&name=x"},
          {"token=secret&class=Gene", "class=Gene"},
          {"class=Gene;token=secret;name=x", "class=Gene;name=x"},
          {"%74o%6Ben=secret", ""},
          {"token=a&token=secret", ""},
          {"token", ""},
          {"mytoken=1&tokens=2&access_token=3", ""},
          {"token[]=secret&Token=secret&n=1", "n=1"},
          {"token%5B%5D=secret&%54oken[0]=secret", ""},
          {"%2574oken=secret&to%6ben%zz=secret&token+=secret&?token=secret", ""},
          {"name=x?token[]=secret", ""},
          {"name=token&class=token-1", "name=token&class=token-1"},
          {"n=1&TOKEN=secret&%26token=secret&token%3Dsecret&token=%zz", "n=1"},
          {"name=%zz", "name=%zz"},
          {"", ""}})
        CHECK(serve::without_token(query) == logged);
    CHECK(serve::without_token(std::string(5000, 'x')).size() == 1000);
}

TEST_CASE("The logged path never contains a token, whatever separates it from the page") {
    for (const auto* path : {"/rss?token=secret", "/rss;token=secret", "/rss/token=secret",
                             "/rss?n=1&Token=secret", "/rss%3ftoken%3Dsecret", "/token=secret"}) {
        serve::Request request;
        request.path = path;
        const auto line = app::access_line(base::Seconds{}, request, {}, {});
        INFO(line);
        CHECK(line.find("secret") == std::string::npos);
    }
}

TEST_CASE("An access line is logfmt, and hostile bytes stay inside their quotes") {
    serve::Request request;
    request.path = "/rss\nstatus=200 \"";
    request.query = "token=secret&n=1";
    request.client_address = "192.0.2.1";
    serve::Response response;
    response.status = 404;
    response.body = std::make_shared<const std::string>("12345");
    const auto line =
        app::access_line(base::Seconds{}, request, response, std::chrono::microseconds(1234));
    CHECK(line == "1970-01-01T00:00:00Z client=192.0.2.1 method=GET "
                  "path=\"/rss?status=200 \\\"\" query=\"n=1\" status=404 bytes=5 us=1234\n");
    response.send_body = false;
    CHECK(app::access_line(base::Seconds{}, request, response, {}).find(" bytes=0 us=0\n") !=
          std::string::npos);
}

TEST_CASE("No character of an access line begins another line or controls a terminal") {
    serve::Request request;
    request.path = "/a\xc2\x85"
                   "b\xe2\x80\xa8"
                   "c\xe2\x80\xa9"
                   "d\xc2\x9b"
                   "e\xc3\xa9";
    request.query = "n=\x9b"
                    "2J\x85\xe2\x80";
    const auto line = app::access_line(base::Seconds{}, request, {}, {});
    INFO(line);
    CHECK(line.find("path=\"/a?b?c?d?e\xc3\xa9\"") != std::string::npos);
    CHECK(line.find("query=\"n=?2J???\"") != std::string::npos);
}
