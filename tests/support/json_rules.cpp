// JSON Feed 1.1.
// SPDX-License-Identifier: MIT
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/text.hpp"
#include "support/feed_rules.hpp"
#include "support/html_rules.hpp"
#include "support/xml_rules.hpp"

namespace support {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;

// The allowed keys; extensions begin with "_".
const std::set<std::string> feed_keys = {"version",  "title",    "home_page_url", "feed_url",
                                         "next_url", "language", "description",   "authors",
                                         "items",    "hubs"};
const std::set<std::string> item_keys = {
    "id",      "url",    "title", "content_html", "date_published",
    "authors", "_varve", "tags",  "summary"};
const std::set<std::string> varve_keys = {"about", "class", "name",    "release",
                                          "since", "kind",  "changes", "left_out"};
const std::set<std::string> mention_keys = {"about", "class",     "name",       "kind",
                                            "entry", "feed",      "feed_name",  "title",
                                            "link",  "published", "first_seen", "authors"};
const std::set<std::string> source_keys = {"about",       "feed",    "entry",   "revision",
                                           "recorded_at", "changes", "left_out"};

std::string text_at(const json& object, const std::string& key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

class JsonChecker {
   public:
    JsonChecker(std::string_view bytes, std::string_view url, base::Seconds now)
        : bytes_(bytes), rules_(bytes, url, now) {}

    Strings check() && {
        // Parses UTF-8 strictly.
        const auto feed = json::parse(bytes_, nullptr, false);
        if (!feed.is_object())
            rules_.find("NoJSON", "", std::string(bytes_.substr(0, 100)));
        else
            check_feed(feed);
        return std::move(rules_).take();
    }

   private:
    void check_keys(const std::string& where, const json& object,
                    const std::set<std::string>& known) {
        for (const auto& [key, value] : object.items()) {
            if (!known.contains(key)) rules_.find("UnknownKey", where, key);
            if (value.is_null()) rules_.find("Null", where, key);
        }
    }

    void check_feed(const json& feed) {
        check_keys("feed", feed, feed_keys);
        if (text_at(feed, "version") != "https://jsonfeed.org/version/1.1")
            rules_.find("Version", "feed", text_at(feed, "version"));
        rules_.not_blank("title", text_at(feed, "title"));
        for (const auto* key : {"home_page_url", "feed_url"})
            rules_.full_link(key, text_at(feed, key));
        if (feed.contains("next_url")) rules_.full_link("next_url", text_at(feed, "next_url"));
        if (feed.contains("next_url") && text_at(feed, "next_url") == text_at(feed, "feed_url"))
            rules_.find("NextUrl", "feed", "is the feed itself");
        rules_.self("feed_url", text_at(feed, "feed_url"));
        rules_.language("language", text_at(feed, "language"));
        check_authors(feed);
        const auto items = feed.find("items");
        if (items == feed.end() || !items->is_array())
            return rules_.find("Items", "feed", "no array");
        for (const auto& item : *items) check_item(item);
    }

    void check_authors(const json& object) {
        if (!object.contains("authors")) return;
        const auto& authors = object.at("authors");
        if (!authors.is_array() || authors.empty())
            return rules_.find("Authors", "authors", authors.dump());
        for (const auto& author : authors) {
            check_keys("author", author, {"name", "url"});
            rules_.not_blank("author", text_at(author, "name"));
            if (author.contains("url")) rules_.full_link("author", text_at(author, "url"));
        }
    }

    void check_item(const json& item) {
        if (!item.is_object()) return rules_.find("Item", "item", "no object");
        check_keys("item", item, item_keys);
        for (const auto* key : {"id", "url", "title", "content_html", "date_published"})
            rules_.not_blank(key, text_at(item, key));
        rules_.id("id", text_at(item, "id"));
        rules_.full_link("url", text_at(item, "url"));
        rules_.html(text_at(item, "content_html"), text_at(item, "id"));
        const auto time = base::parse_rfc3339(text_at(item, "date_published"));
        if (!time || !text_at(item, "date_published").ends_with('Z'))
            rules_.find("Date", "date_published", text_at(item, "date_published"));
        else
            rules_.plausible("date_published", *time);
        for (const auto& tag : item.value("tags", json::array()))
            rules_.not_blank("tags", tag.is_string() ? tag.get<std::string>() : "");
        if (item.contains("summary")) rules_.not_blank("summary", text_at(item, "summary"));
        check_authors(item);
        // An item of the feed of all releases is no row, and has no data.
        if (item.contains("_varve") ||
            item.value("id", "").find(":/releases/") == std::string::npos)
            check_varve(item.value("_varve", json::object()));
    }

    void check_mention(const json& varve) {
        check_keys("_varve", varve, mention_keys);
        rules_.full_link("about", text_at(varve, "about"));
        for (const auto& key : mention_keys)
            if (key != "published" && !varve.contains(key))
                rules_.find("MissingKey", "_varve", key);
    }

    void check_varve(const json& varve) {
        if (text_at(varve, "kind") == "mention") return check_mention(varve);
        const bool is_of_source = varve.contains("feed");
        check_keys("_varve", varve, is_of_source ? source_keys : varve_keys);
        rules_.full_link("about", text_at(varve, "about"));
        for (const auto* key : is_of_source
                                   ? std::vector{"entry", "revision", "recorded_at"}
                                   : std::vector{"class", "name", "release", "since", "kind"})
            if (!varve.contains(key)) rules_.find("MissingKey", "_varve", key);
        if (!varve.contains("changes") || !varve.at("changes").is_array())
            rules_.find("MissingKey", "_varve", "changes");
    }

    std::string_view bytes_;
    XmlRules rules_;
};

std::string names_in(const json& item) {
    std::vector<std::string> names;
    for (const auto& author : item.value("authors", json::array()))
        names.push_back(text_at(author, "name"));
    return base::join(names, ", ");
}

}  // namespace

Strings findings_in_json(std::string_view bytes, std::string_view url, base::Seconds now) {
    return JsonChecker(bytes, url, now).check();
}

ReadFeed read_json(std::string_view bytes) {
    const auto parsed = json::parse(bytes, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("items"))
        throw std::runtime_error("no JSON Feed: " + std::string(bytes.substr(0, 200)));
    ReadFeed feed;
    feed.title = text_at(parsed, "title");
    feed.link = text_at(parsed, "home_page_url");
    feed.description = text_at(parsed, "description");
    feed.self = text_at(parsed, "feed_url");
    feed.older = text_at(parsed, "next_url");
    for (const auto& item : parsed.at("items"))
        feed.items.push_back({text_at(item, "title"), text_at(item, "url"),
                              text_at(item, "content_html"), names_in(item), text_at(item, "id"),
                              text_at(item, "date_published").substr(0, 10)});
    return feed;
}

}  // namespace support
