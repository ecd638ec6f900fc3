// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/cgi.hpp"
#include "serve/listener.hpp"
#include "support/catch.hpp"

using serve::Protocol;

namespace {

using Lines = std::vector<std::string>;

serve::Request request_of(const Lines& lines, std::string_view base_path, Protocol via) {
    std::vector<const char*> pointers;
    for (const auto& line : lines) pointers.push_back(line.c_str());
    pointers.push_back(nullptr);
    return serve::request_of(pointers.data(), base_path, via);
}

std::string path_of(const std::string& uri, std::string_view base_path = "") {
    const auto request = request_of({"REQUEST_URI=" + uri}, base_path, Protocol::fastcgi);
    return request.error ? "fault " + std::to_string(request.error->status) : request.path;
}

// Returns what a CGI program with these variables writes.
std::string cgi_output(const Lines& lines, const serve::Response& response) {
    std::vector<const char*> pointers;
    for (const auto& line : lines) pointers.push_back(line.c_str());
    pointers.push_back(nullptr);
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    const base::Descriptor read_end(pipe[0]);
    std::string written;
    bool whole = false;
    {
        // A pipe holds less than a page, so it is read while it is written.
        std::jthread reader([&] {
            std::array<char, 4096> part;
            for (ssize_t size; (size = ::read(read_end.number(), part.data(), part.size())) > 0;)
                written.append(part.data(), static_cast<std::size_t>(size));
        });
        const base::Descriptor write_end(pipe[1]);
        whole = serve::answer_cgi(pointers.data(), {.input = -1, .output = write_end.number()},
                                  [&](const serve::Request& request) {
                                      auto answer = response;
                                      answer.send_body = request.method != "HEAD";
                                      return answer;
                                  });
    }
    CHECK(whole);
    return written;
}

}  // namespace

TEST_CASE("The path is the decoded REQUEST_URI below that of base_url") {
    CHECK(path_of("/rss?class=Gene") == "/rss");
    CHECK(path_of("/rss") == "/rss");
    CHECK(path_of("/r%73s?x=%zz") == "/rss");
    CHECK(path_of("http://example.org/rss?x") == "/rss");
    CHECK(path_of("http://example.org") == "/");
    CHECK(path_of("/changes/rss", "/changes") == "/rss");
    CHECK(path_of("/a/b/rss", "/a/b") == "/rss");
    CHECK(path_of("/changes", "/changes") == "/");
    CHECK(path_of("/changesrss", "/changes").empty());
    CHECK(path_of("/rss", "/changes").empty());
    CHECK(path_of("rss").empty());
    CHECK(path_of("/a+b") == "/a+b");
}

TEST_CASE(
    "The old site's links are known at the root of the host, whatever the path of base_url") {
    CHECK(path_of("/db/rss?name=x;class=y", "/changes") == "/db/rss");
    CHECK(path_of("/changes/db/rss", "/changes") == "/db/rss");
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
    const auto request = request_of({"REQUEST_METHOD=HEAD", "QUERY_STRING=a=b=c",
                                     "REMOTE_ADDR=192.0.2.7", "REQUEST_URI=/rss?a=b=c",
                                     "HTTP_ACCEPT=text/html", "HTTP_ACCEPT_ENCODING=gzip",
                                     "HTTP_IF_NONE_MATCH=\"x\"", "HTTP_IF_MODIFIED_SINCE=never",
                                     "HTTP_COOKIE=secret", "HTTP_AUTHORIZATION=Bearer t",
                                     "HTTP_PROXY=http://evil", "NONSENSE", "=", "SERVER_NAME=x"},
                                    "", Protocol::fastcgi);
    CHECK(request.method == "HEAD");
    CHECK(request.query == "a=b=c");
    CHECK(request.client_address == "192.0.2.7");
    CHECK(request.field("accept") == "text/html");
    CHECK(request.field("accept-encoding") == "gzip");
    CHECK(request.field("if-none-match") == "\"x\"");
    CHECK(request.field("if-modified-since") == "never");
    CHECK(request.field("authorization") == "Bearer t");
    CHECK(request.fields.size() == 5);
}

TEST_CASE("A field above 8 KB is an error where a route reads it, and ignored elsewhere") {
    const std::string large(8193, 'x');
    CHECK(request_of({"HTTP_IF_NONE_MATCH=" + large}, "", Protocol::fastcgi).error->status ==
          400);
    CHECK_FALSE(
        request_of({"REQUEST_URI=/rss", "HTTP_COOKIE=" + large}, "", Protocol::fastcgi).error);
}

TEST_CASE("Without REQUEST_URI the path is made of SCRIPT_NAME and PATH_INFO") {
    CHECK(request_of({"SCRIPT_NAME=/rss"}, "", Protocol::fastcgi).path == "/rss");
    CHECK(request_of({"SCRIPT_NAME=/x", "PATH_INFO=/rss"}, "/x", Protocol::fastcgi).path ==
          "/rss");
}

TEST_CASE("The path of a base_url has no slash at its end") {
    CHECK(serve::base_path_of("https://example.org").empty());
    CHECK(serve::base_path_of("https://example.org/").empty());
    CHECK(serve::base_path_of("https://example.org/changes") == "/changes");
    CHECK(serve::base_path_of("http://example.org:8080/a/b/") == "/a/b");
    CHECK(serve::base_path_of("http://example.org/%C3%A9") == "/\xC3\xA9");
}

TEST_CASE("In CGI the script answers for the page of its name") {
    CHECK(
        request_of({"SCRIPT_NAME=/cgi-bin/rss", "REQUEST_URI=/cgi-bin/rss?a"}, "", Protocol::cgi)
            .path == "/rss");
    CHECK(request_of({"SCRIPT_NAME=/rss"}, "", Protocol::cgi).path == "/rss");
    CHECK(request_of({"SCRIPT_NAME=/db/rss"}, "", Protocol::cgi).path == "/rss");
    CHECK(request_of({"SCRIPT_NAME=/cgi-bin/rss", "PATH_INFO=/more"}, "", Protocol::cgi).path ==
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
    response.body = nullptr;
    CHECK(cgi_output({"SCRIPT_NAME=/rss"}, response) ==
          "Status: 304 Not Modified\r\nContent-Type: text/plain\r\n\r\n");
}

TEST_CASE("A CGI program reads the body of POST, with a limit and a deadline") {
    const auto answer_to = [](std::vector<const char*> variables, const std::string& input,
                              bool ends) {
        std::array<int, 2> pipe{}, output{};
        REQUIRE(::pipe(pipe.data()) == 0);
        REQUIRE(::pipe(output.data()) == 0);
        // Longer inputs than a pipe holds come from another thread.
        std::thread writer([&] {
            std::string_view rest = input;
            while (!rest.empty()) {
                const auto count = ::write(pipe[1], rest.data(), rest.size());
                if (count <= 0) break;
                rest.remove_prefix(static_cast<std::size_t>(count));
            }
            if (ends) ::close(pipe[1]);
        });
        variables.push_back(nullptr);
        serve::Request seen;
        CHECK(serve::answer_cgi(
            variables.data(), {pipe[0], output[1], std::chrono::milliseconds(ends ? 60'000 : 20)},
            [&](const serve::Request& request) {
                seen = request;
                return serve::Response{};
            }));
        writer.join();
        if (!ends) ::close(pipe[1]);
        for (const int each : {pipe[0], output[0], output[1]}) ::close(each);
        return seen;
    };
    CHECK(answer_to({"REQUEST_METHOD=POST", "CONTENT_LENGTH=3"}, "a=b", true).body == "a=b");
    CHECK(answer_to({"REQUEST_METHOD=GET", "CONTENT_LENGTH=3"}, "a=b", true).body.empty());
    const auto status_of = [](const serve::Request& request) {
        return request.body_error ? request.body_error->status : 0;
    };
    CHECK(status_of(answer_to({"REQUEST_METHOD=POST"}, "", true)) == 411);
    CHECK(status_of(answer_to({"REQUEST_METHOD=POST", "CONTENT_LENGTH=x"}, "", true)) == 411);
    CHECK(status_of(answer_to({"REQUEST_METHOD=POST", "CONTENT_LENGTH=4"}, "a=b", true)) == 400);
    CHECK(status_of(answer_to({"REQUEST_METHOD=POST", "CONTENT_LENGTH=4"}, "a=b", false)) == 408);
    CHECK(status_of(answer_to({"REQUEST_METHOD=POST", "CONTENT_LENGTH=131073"},
                              std::string(131'073, 'x'), true)) == 413);
}
