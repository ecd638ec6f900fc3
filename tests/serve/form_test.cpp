// Forms as browsers send them, and what strangers send in their place.
// SPDX-License-Identifier: MIT
#include "serve/form.hpp"

#include "support/catch.hpp"

using serve::Form;
using serve::parse_form;

namespace {

const std::string urlencoded = "application/x-www-form-urlencoded";
const std::string multipart = "multipart/form-data; boundary=xYz";

std::string part(const std::string& name, const std::string& value,
                 const std::string& more = "") {
    return "--xYz\r\nContent-Disposition: form-data; name=\"" + name + "\"" + more + "\r\n\r\n" +
           value + "\r\n";
}

int status_of(const std::string& type, const std::string& body) {
    const auto form = parse_form(type, body);
    return form ? 200 : form.error().status;
}

}  // namespace

TEST_CASE("A form has the same fields in both encodings") {
    const Form fields{{{"object", "Gene:a b"}, {"object", "Gene:\xC3\xA9"}, {"names", "x\r\ny"}}};
    CHECK(*parse_form(urlencoded + "; charset=utf-8",
                      "object=Gene:a+b&object=Gene%3A%c3%A9&names=x%0D%0Ay") == fields);
    const auto body = part("object", "Gene:a b") + part("object", "Gene:\xC3\xA9") +
                      part("names", "x\r\ny") + "--xYz--\r\n";
    CHECK(*parse_form(multipart, body) == fields);
    CHECK(*parse_form("Multipart/Form-Data; charset=x; Boundary=\"xYz\"", body) == fields);
    CHECK(fields.value("names") == "x\r\ny");
    CHECK_FALSE(fields.has("keep"));
}

TEST_CASE("A file of a form is its text, without a byte order mark") {
    const auto body = part("file", "\xEF\xBB\xBFunc-26\r\n--xY",
                           "; filename=\"a;name=x.txt\"\r\n"
                           "Content-Type: text/plain") +
                      "--xYz--";
    const auto form = parse_form(multipart, body);
    REQUIRE(form);
    CHECK(form->value("file") == "unc-26\r\n--xY");
    const auto empty = parse_form(multipart, part("file", "", "; filename=\"\"") + "--xYz--");
    REQUIRE(empty);
    CHECK(empty->has("file"));
    CHECK(empty->value("file").empty());
}

TEST_CASE("What is no form, or no text, is refused") {
    CHECK(status_of("", "a=b") == 415);
    CHECK(status_of("text/plain", "a=b") == 415);
    CHECK(status_of("multipart/mixed; boundary=xYz", "--xYz--") == 415);
    CHECK(status_of(urlencoded, "a=%ff") == 400);
    CHECK(status_of(urlencoded, "a=%0") == 400);
    CHECK(status_of(urlencoded, "a=%00") == 400);
    CHECK(status_of("multipart/form-data", part("a", "b") + "--xYz--") == 400);
    CHECK(status_of("multipart/form-data; boundary=" + std::string(71, 'x'), "--") == 400);
    CHECK(status_of(multipart, "") == 400);
    CHECK(status_of(multipart, part("a", "b")) == 400);                        // cut off
    CHECK(status_of(multipart, "--xYz\r\nX: y\r\n\r\nb\r\n--xYz--") == 400);   // no name
    CHECK(status_of(multipart, part("a", "\xFF\xFEu\0") + "--xYz--") == 400);  // UTF-16
    CHECK(status_of(multipart,
                    "--xYz\r\nX: " + std::string(3000, 'y') + "\r\n\r\nb\r\n--xYz--") == 400);
    std::string many;
    for (int i = 0; i < 1001; ++i) many += "a=b&";
    CHECK(status_of(urlencoded, many) == 400);
}
