// What programs are told: /openapi.json, and errors as JSON.
// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>
#include <regex>

#include "serve/world.hpp"

using namespace world;

namespace {

using Json = nlohmann::json;

// Returns whether a value of this parameter is refused, and the answer says so. Some addresses have a page, and a feed
// where a format is asked for.
bool is_refused(World& world, const std::string& path, const std::string& name,
                const std::string& value) {
    const auto names_it = [&](const std::string& query) {
        const auto response = world.open(path + "?" + query);
        return response.status == 400 && says(response, "\n\n" + name + "=");
    };
    const auto query = name + "=" + value;
    return names_it(query) || (name != "format" && names_it(query + "&format=atom"));
}

// Checks that the values that a schema allows are those that the site takes.
void check_schema(World& world, const std::string& path, const std::string& name,
                  const Json& schema) {
    CAPTURE(path, name, schema);
    const auto refused = [&](const std::string& value) {
        return is_refused(world, path, name, value);
    };
    if (schema.contains("pattern")) {
        const std::regex pattern(schema["pattern"].get<std::string>());
        for (const std::string value : {"x", "WS187", "_1", ".a", "-a", "a%20b", "a:b", ":b",
                                        "a:", "added", "added,removed", "added,", "1-2-3", "1-2",
                                        "abcdefghijklmnop", "ABCDEFGHIJKLMNOP"}) {
            CAPTURE(value);
            CHECK(refused(value) != std::regex_match(value, pattern));
        }
        if (schema["pattern"] == "^[a-z2-7]{16}$") return;
    } else if (schema.contains("maximum")) {
        const auto least = schema["minimum"].get<std::uint64_t>();
        const auto most = schema["maximum"].get<std::uint64_t>();
        const auto step = schema.value("multipleOf", 1U);
        CHECK_FALSE(refused(std::to_string(least)));
        CHECK_FALSE(refused(std::to_string(most)));
        CHECK(refused(std::to_string(most + step)));
        if (least > 0) CHECK(refused(std::to_string(least - 1)));
        if (step > 1) CHECK(refused(std::to_string(least + 1)));
    } else if (schema.contains("enum")) {
        for (const auto& word : schema["enum"]) CHECK_FALSE(refused(word.get<std::string>()));
        CHECK(refused("something-else"));
    } else if (schema.contains("maxLength")) {
        const auto most = schema["maxLength"].get<std::size_t>();
        CHECK_FALSE(refused(std::string(most, 'x')));
        CHECK(refused(std::string(most + 1, 'x')));
    }
}

}  // namespace

TEST_CASE("/openapi.json has the addresses, and the bounds that queries are held to") {
    World world;
    world.release_up_to(2);
    const auto saved = world.post("/watch", "object=Gene:WBGene00006763&keep=1");
    const auto kept = std::string(saved.field("Location")).substr(site_path.size());
    const auto response = world.open("/openapi.json");
    CHECK(response.status == 200);
    CHECK(response.field("Content-Type") == "application/json");
    const auto document = Json::parse(*response.body);
    CHECK(document["openapi"] == "3.1.0");
    CHECK(document["servers"][0]["url"] == site_top);
    std::size_t checked = 0;
    for (const auto& [path, item] : document["paths"].items()) {
        auto here = path;
        if (const auto at = here.find("{version}"); at != std::string::npos)
            here.replace(at, 9, "WS2");
        if (here == "/watch/{id}") here = kept;
        CAPTURE(here);
        CHECK(world.open(here).status != 404);
        const auto& get = item["get"];
        CHECK(get["responses"].contains("default"));
        CHECK_FALSE(get["responses"]["200"]["content"].empty());
        for (const auto& parameter : get["parameters"]) {
            if (parameter["in"] == "path") continue;
            CHECK_FALSE(parameter["description"].get<std::string>().empty());
            const auto& schema = parameter["schema"];
            check_schema(world, here, parameter["name"],
                         schema.contains("items") ? schema["items"] : schema);
            ++checked;
        }
    }
    CHECK(checked > 50);
    const auto& of_release = document["paths"]["/release/{version}"]["get"]["responses"];
    for (const std::string type : {"text/html", "application/rss+xml", "application/feed+json"})
        CHECK(of_release["200"]["content"].contains(type));
    const auto& of_history = document["paths"]["/history"]["get"]["parameters"];
    CHECK(of_history[0]["name"] == "class");
    CHECK(of_history[0]["required"] == true);
}

TEST_CASE("An error is JSON for who asks for JSON, by the address or by Accept") {
    World world;
    world.release_up_to(1);
    const auto path = "/history?class=Gene&name=nobody";
    for (const auto& [url, accept] :
         {std::pair(std::string(path) + "&format=json", std::string("text/html")),
          {path, "application/json"},
          {"/rss?class=Gene&name=nobody", "application/feed+json, */*;q=0.1"}}) {
        const auto response = world.open(url, {{"accept", accept}});
        CAPTURE(url, accept);
        CHECK(response.status == 404);
        CHECK(response.field("Content-Type") == "application/json");
        const auto error = Json::parse(*response.body);
        CHECK(error["status"] == 404);
        CHECK(error["reason"] == "Not Found");
        CHECK(error["error"].get<std::string>().starts_with("There is no Gene nobody"));
        CHECK_FALSE(error.contains("choices"));
    }
    for (const std::string accept :
         {"", "*/*", "text/html", "text/plain, application/json;q=0.5"}) {
        const auto response = world.open(path, {{"accept", accept}});
        CHECK(response.field("Content-Type").starts_with("text/"));
    }
    const auto refused = world.open("/rss?class=Gene&name=x&n=0&format=json");
    CHECK(Json::parse(*refused.body)["error"] == "n= must be a number from 1 to 1000.");
}
