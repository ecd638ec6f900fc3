// SPDX-License-Identifier: MIT
#include "app/logs.hpp"

#include "support/catch.hpp"

TEST_CASE("The logged query never contains a token, however its parameter is spelled") {
    for (const auto& [query, logged] :
         {std::pair{"class=Gene&name=x&token=secret", "class=Gene&name=x"},
          {"token=secret&class=Gene", "class=Gene"},
          {"class=Gene;token=secret;name=x", "class=Gene;name=x"},
          {"%74o%6Ben=secret", ""},
          {"token=a&token=secret", ""},
          {"token", ""},
          {"mytoken=1&tokens=2", "tokens=2"},
          {"n=1&TOKEN=secret&%26token=secret&token%3Dsecret&token=%zz", "n=1"},
          {"name=%zz", "name=%zz"},
          {"", ""}})
        CHECK(app::without_token(query) == logged);
    CHECK(app::without_token(std::string(5000, 'x')).size() == 1000);
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
