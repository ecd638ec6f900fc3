// SPDX-License-Identifier: MIT
#include "base/json.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "base/utf8.hpp"
#include "support/catch.hpp"

namespace {

std::string as_json(std::string_view text) {
    std::string json;
    base::append_json_string(json, text);
    return json;
}

void write_sample(base::JsonWriter& json) {
    json.begin_object().field("class", "Gene").field("rows", 3).field("done", true);
    json.key("none").null().key("empty").begin_array().end_array();
    json.key("also empty").begin_object().end_object();
    json.key("nodes").begin_array().value(std::string("a")).begin_object();
    json.field("n", -7).end_object().raw("12").end_array().field("last", std::int64_t{9});
    json.end_object();
}

}  // namespace

TEST_CASE("JSON is written without white space") {
    std::string text;
    base::JsonWriter json(text);
    write_sample(json);
    CHECK(text == R"({"class":"Gene","rows":3,"done":true,"none":null,"empty":[],)"
                  R"("also empty":{},"nodes":["a",{"n":-7},12],"last":9})");
}

TEST_CASE("Indented JSON looks as nlohmann writes it") {
    std::string text;
    base::JsonWriter json(text, 2);
    write_sample(json);
    CHECK(text == nlohmann::ordered_json::parse(text).dump(2));
}

TEST_CASE("Consecutive documents have no comma between them") {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().field("a", 1).end_object();
    text += '\n';
    json.begin_array().value(2).end_array();
    CHECK(text == "{\"a\":1}\n[2]");
}

TEST_CASE("Strings are escaped where JSON requires it or a terminal obeys, and nowhere else") {
    CHECK(as_json("") == "\"\"");
    CHECK(as_json("a\"b\\c/d\n\t\r\x01\x1f\x7f") ==
          "\"a\\\"b\\\\c/d\\n\\t\\r\\u0001\\u001f\x7f\"");
    CHECK(as_json("Zo\xc3\xab <&>") == "\"Zo\xc3\xab <&>\"");
    CHECK(as_json(std::string("a\0b", 3)) == "\"a\\u0000b\"");
    CHECK(as_json("\u0080[\u009b31m\u009f") == "\"\\u0080[\\u009b31m\\u009f\"");
    CHECK(as_json("a\u202a\u202eb\u2066\u2069") == "\"a\\u202a\\u202eb\\u2066\\u2069\"");
    CHECK(as_json("\u00a0\u2029\u202f\u2065\u206a\u0142") ==
          "\"\u00a0\u2029\u202f\u2065\u206a\u0142\"");
}

TEST_CASE("Any bytes give valid JSON, and text is the same after reading it") {
    CHECK(as_json("caf\xe9") == "\"caf\xc3\xa9\"");
    CHECK(rc::check([](const std::string& bytes) {
        const auto read = nlohmann::json::parse(as_json(bytes)).get<std::string>();
        if (base::is_legal_text(bytes)) RC_ASSERT(read == bytes);
    }));
}

TEST_CASE("Fractions are written with as few digits as possible") {
    const auto written = [](double number) {
        std::string text;
        base::JsonWriter(text).value(number);
        return text;
    };
    for (const double number : {0.0, 1.0, -2.5, 0.1, 1e-7, 123456.789, 1e100})
        CHECK(written(number) == nlohmann::json(number).dump());
    CHECK(written(std::numeric_limits<double>::infinity()) == "null");
}
