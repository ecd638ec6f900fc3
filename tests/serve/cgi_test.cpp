// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "serve/cgi.hpp"
#include "serve/server.hpp"
#include "support/catch.hpp"

using serve::Protocol;

namespace {

using Lines = std::vector<std::string>;

std::vector<const char*> pointers_to(const Lines& lines) {
    std::vector<const char*> pointers;
    for (const auto& line : lines) pointers.push_back(line.c_str());
    pointers.push_back(nullptr);
    return pointers;
}

serve::Request request_of(const Lines& lines, Protocol via) {
    return serve::request_of(pointers_to(lines).data(), via);
}

std::string path_of(const std::string& uri) {
    const auto request = request_of({"REQUEST_URI=" + uri}, Protocol::fastcgi);
    return request.error ? "fault " + std::to_string(request.error->status) : request.path;
}

// A file without a name that holds a text.
base::Descriptor file_of(std::string_view text) {
    base::Descriptor file(::memfd_create("text", MFD_CLOEXEC));
    REQUIRE(::pwrite(file.number(), text.data(), text.size(), 0) ==
            static_cast<ssize_t>(text.size()));
    return file;
}

// What a CGI program with these variables is asked for, and what it writes.
struct Ran {
    serve::Request request;
    std::string output;
};
Ran run_cgi(const Lines& lines, const serve::Response& response, int input) {
    const auto output = file_of("");
    Ran ran;
    CHECK(serve::answer_cgi(pointers_to(lines).data(), input, output.number(),
                            [&](const serve::Request& request) {
                                ran.request = request;
                                auto answer = response;
                                answer.send_body = request.method != "HEAD";
                                return answer;
                            }));
    ran.output.resize(static_cast<std::size_t>(::lseek(output.number(), 0, SEEK_CUR)));
    REQUIRE(::pread(output.number(), ran.output.data(), ran.output.size(), 0) ==
            static_cast<ssize_t>(ran.output.size()));
    return ran;
}

std::string cgi_output(const Lines& lines, const serve::Response& response) {
    return run_cgi(lines, response, -1).output;
}

}  // namespace

TEST_CASE("The path is the decoded REQUEST_URI, and routes lie below the path of base_url") {
    CHECK(path_of("/rss?class=Gene") == "/rss");
    CHECK(path_of("/rss") == "/rss");
    CHECK(path_of("/r%73s?x=%zz") == "/rss");
    CHECK(path_of("http://example.org/rss?x") == "/rss");
    CHECK(path_of("http://example.org") == "/");
    CHECK(serve::path_below("/changes/rss", "/changes") == "/rss");
    CHECK(serve::path_below("/a/b/rss", "/a/b") == "/rss");
    CHECK(serve::path_below("/changes", "/changes") == "/");
    CHECK(serve::path_below("/changesrss", "/changes").empty());
    CHECK(serve::path_below("/rss", "/changes").empty());
    CHECK(path_of("rss").empty());
    CHECK(path_of("/a+b") == "/a+b");
    // The old site's links are known at the root of the host as well.
    CHECK(serve::path_below("/db/rss", "/changes") == "/db/rss");
    CHECK(serve::path_below("/changes/db/rss", "/changes") == "/db/rss");
}

TEST_CASE("An undecodable path is an error") {
    CHECK(path_of("/rss%") == "fault 400");
    CHECK(path_of("/rss%zz") == "fault 400");
    CHECK(path_of("/rss%00") == "fault 400");
    CHECK(path_of("/rss%ff") == "fault 400");
    CHECK(path_of("/" + std::string(2048, 'x')) == "fault 414");
    CHECK(path_of("/rss?" + std::string(100000, 'x')) == "/rss");
}

TEST_CASE("Method, query, address and the fields that routes need are read") {
    const auto request = request_of(
        {"REQUEST_METHOD=HEAD", "QUERY_STRING=a=b=c", "REMOTE_ADDR=192.0.2.7",
         "REQUEST_URI=/rss?a=b=c", "HTTP_ACCEPT=text/html", "HTTP_ACCEPT_ENCODING=gzip",
         "HTTP_IF_NONE_MATCH=\"x\"", "HTTP_IF_MODIFIED_SINCE=never", "HTTP_COOKIE=secret",
         "HTTP_AUTHORIZATION=Bearer t", "HTTP_HOST=x.org:8080", "HTTP_PROXY=http://evil",
         "NONSENSE", "=", "SERVER_NAME=x"},
        Protocol::fastcgi);
    CHECK(request.method == "HEAD");
    CHECK(request.query == "a=b=c");
    CHECK(request.client_address == "192.0.2.7");
    CHECK(request.field("accept") == "text/html");
    CHECK(request.field("accept-encoding") == "gzip");
    CHECK(request.field("if-none-match") == "\"x\"");
    CHECK(request.field("if-modified-since") == "never");
    CHECK(request.field("authorization") == "Bearer t");
    CHECK(request.field("host") == "x.org:8080");
    CHECK(request.fields.size() == 6);
}

TEST_CASE("A field above 8 KB is an error where a route reads it, and ignored elsewhere") {
    const std::string large(8193, 'x');
    CHECK(request_of({"REQUEST_URI=/rss", "HTTP_IF_NONE_MATCH=" + large}, Protocol::fastcgi)
              .error->status == 400);
    CHECK_FALSE(
        request_of({"REQUEST_URI=/rss", "HTTP_COOKIE=" + large}, Protocol::fastcgi).error);
}

TEST_CASE("Without REQUEST_URI the path is made of SCRIPT_NAME and PATH_INFO") {
    CHECK(request_of({"SCRIPT_NAME=/rss"}, Protocol::fastcgi).path == "/rss");
    CHECK(request_of({"SCRIPT_NAME=/x", "PATH_INFO=/rss"}, Protocol::fastcgi).path == "/x/rss");
    CHECK(request_of({"QUERY_STRING=a"}, Protocol::fastcgi).error->status == 500);
}

TEST_CASE("The path of a base_url has no slash at its end") {
    CHECK(serve::base_path_of("https://example.org").empty());
    CHECK(serve::base_path_of("https://example.org/").empty());
    CHECK(serve::base_path_of("https://example.org/changes") == "/changes");
    CHECK(serve::base_path_of("http://example.org:8080/a/b/") == "/a/b");
    CHECK(serve::base_path_of("http://example.org/%C3%A9") == "/\xC3\xA9");
}

TEST_CASE("In CGI the script answers for the page of its name") {
    CHECK(request_of({"SCRIPT_NAME=/cgi-bin/rss", "REQUEST_URI=/cgi-bin/rss?a"}, Protocol::cgi)
              .path == "/rss");
    CHECK(request_of({"SCRIPT_NAME=/rss"}, Protocol::cgi).path == "/rss");
    CHECK(request_of({"SCRIPT_NAME=/db/rss"}, Protocol::cgi).path == "/rss");
    CHECK(request_of({"SCRIPT_NAME=/cgi-bin/rss", "PATH_INFO=/more"}, Protocol::cgi).path ==
          "/rss/more");
}

TEST_CASE("CGI is recognised by GATEWAY_INTERFACE without a listening socket as input") {
    const std::array<const char*, 3> cgi = {"PATH=/bin", "GATEWAY_INTERFACE=CGI/1.1", nullptr};
    const std::array<const char*, 2> shell = {"PATH=/bin", nullptr};
    CHECK(serve::started_as_cgi(cgi.data()));
    CHECK_FALSE(serve::started_as_cgi(shell.data()));

    const auto listener = serve::listen_on("127.0.0.1:0");
    REQUIRE(listener);
    const base::Descriptor before(::dup(STDIN_FILENO));
    REQUIRE(::dup2(listener->number(), STDIN_FILENO) == STDIN_FILENO);
    const bool under_fcgid = serve::started_as_cgi(cgi.data());
    auto inherited = serve::listen_on("-");
    ::dup2(before.number(), STDIN_FILENO);
    CHECK_FALSE(under_fcgid);
    REQUIRE(inherited);
    CHECK(inherited->origin() == serve::Listener::Origin::inherited);
}

TEST_CASE("A descriptor 0 that is not a listening socket cannot be inherited") {
    const auto none = serve::listen_on("-");
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == base::ErrorKind::unavailable);
}

TEST_CASE("A CGI answer is head and body, and for HEAD only the head") {
    serve::Response response;
    response.status = 404;
    response.fields = {{"Content-Type", "text/plain"}};
    response.body = std::make_shared<const std::string>(300'000, 'x');
    const std::string head =
        "Status: 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 300000\r\n\r\n";
    CHECK(cgi_output({"SCRIPT_NAME=/rss"}, response) == head + *response.body);
    CHECK(cgi_output({"SCRIPT_NAME=/rss", "REQUEST_METHOD=HEAD"}, response) == head);
    response.status = 304;
    CHECK(cgi_output({"SCRIPT_NAME=/rss", "REQUEST_METHOD=HEAD"}, response) ==
          "Status: 304 Not Modified\r\nContent-Type: text/plain\r\n\r\n");
}

TEST_CASE("A CGI program reads the body of POST, with a limit") {
    const auto asked = [](const Lines& variables, std::string_view body) {
        return run_cgi(variables, {}, file_of(body).number()).request;
    };
    CHECK(asked({"REQUEST_METHOD=POST", "CONTENT_LENGTH=3"}, "a=b").body == "a=b");
    CHECK(asked({"REQUEST_METHOD=GET", "CONTENT_LENGTH=3"}, "a=b").body.empty());
    const auto status_of = [](const serve::Request& request) {
        return request.body_error ? request.body_error->status : 0;
    };
    CHECK(status_of(asked({"REQUEST_METHOD=POST"}, "")) == 411);
    CHECK(status_of(asked({"REQUEST_METHOD=POST", "CONTENT_LENGTH=x"}, "")) == 411);
    CHECK(status_of(asked({"REQUEST_METHOD=POST", "CONTENT_LENGTH=4"}, "a=b")) == 400);
    CHECK(status_of(asked({"REQUEST_METHOD=POST", "CONTENT_LENGTH=131073"},
                          std::string(131'073, 'x'))) == 413);
}
