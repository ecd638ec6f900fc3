// SPDX-License-Identifier: MIT
#include "support/feed_rules.hpp"

#include <algorithm>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <utf8.h>

#include "base/text.hpp"
#include "support/html_rules.hpp"

namespace support {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;

// What a value is.
enum class Kind { any, text, plain, link, http_date, date, language, id, html, contact, number };
constexpr int many = 1 << 20;
struct Rule {
    Kind kind = Kind::any;
    int least = 0, most = 1;
    std::string_view attributes = {};  // of an element, with a blank before each
};
// The rules of the elements in an element, or of the members of an object.
using Rules = std::map<std::string, Rule>;

const Rules rss_channel{{"title", {Kind::plain, 1}},
                        {"link", {Kind::link, 1}},
                        {"description", {Kind::plain, 1}},
                        {"language", {Kind::language, 1}},
                        {"managingEditor", {Kind::contact}},
                        {"webMaster", {Kind::contact}},
                        {"generator", {}},
                        {"docs", {Kind::link}},
                        {"lastBuildDate", {Kind::http_date}},
                        {"ttl", {Kind::number}},
                        {"sy:updatePeriod", {}},
                        {"sy:updateFrequency", {Kind::number}},
                        {"fh:complete", {}},
                        {"fh:archive", {}},
                        {"atom:link", {Kind::any, 1, many, " href rel type"}},
                        {"item", {Kind::any, 0, many}}};
// The validator does not require all of these, but readers do.
const Rules rss_item{{"title", {Kind::plain, 1}},
                     {"link", {Kind::link, 1}},
                     {"description", {Kind::html, 1}},
                     {"dc:creator", {}},
                     {"guid", {Kind::id, 1, 1, " isPermaLink"}},
                     {"pubDate", {Kind::http_date, 1}},
                     {"category", {Kind::text, 0, many}}};
const Rules atom_feed{
    {"title", {Kind::plain, 1}},  {"subtitle", {Kind::plain}},
    {"id", {Kind::id, 1}},        {"updated", {Kind::date, 1}},
    {"author", {Kind::any, 1}},   {"link", {Kind::any, 1, many, " href rel type"}},
    {"generator", {Kind::plain}}, {"fh:complete", {}},
    {"fh:archive", {}},           {"entry", {Kind::any, 0, many}}};
const Rules atom_entry{{"title", {Kind::plain, 1}},
                       {"link", {Kind::any, 1, 1, " href rel type"}},
                       {"id", {Kind::id, 1}},
                       {"published", {Kind::date, 1}},
                       {"updated", {Kind::date, 1}},
                       {"author", {Kind::any, 0, many}},
                       {"content", {Kind::html, 1, 1, " type"}},
                       {"category", {Kind::any, 0, many, " term"}},
                       {"summary", {Kind::plain}}};
const Rules atom_author{{"name", {Kind::plain, 1}}, {"uri", {Kind::link}}};

const Rules json_feed{{"version", {Kind::text, 1}},
                      {"title", {Kind::text, 1}},
                      {"home_page_url", {Kind::link, 1}},
                      {"feed_url", {Kind::link, 1}},
                      {"next_url", {Kind::link}},
                      {"language", {Kind::language, 1}},
                      {"description", {}},
                      {"authors", {}},
                      {"items", {Kind::any, 1}},
                      {"hubs", {}}};
const Rules json_item{{"id", {Kind::id, 1}},
                      {"url", {Kind::link, 1}},
                      {"title", {Kind::text, 1}},
                      {"content_html", {Kind::html, 1}},
                      {"date_published", {Kind::date, 1}},
                      {"authors", {}},
                      {"_varve", {}},
                      {"tags", {}},
                      {"summary", {Kind::text}}};
const Rules json_author{{"name", {Kind::text, 1}}, {"url", {Kind::link}}};
// Of _varve, which has all of these members and may have one more.
Rules data_rules(std::string_view members, const std::string& optional) {
    Rules rules{{"about", {Kind::link, 1}}, {optional, {}}};
    for (const auto name : base::split(members, ' ')) rules.emplace(name, Rule{Kind::any, 1});
    return rules;
}
const auto json_row = data_rules("class name release since kind changes", "left_out");
const auto json_source = data_rules("feed entry revision recorded_at changes", "left_out");
const auto json_mention =
    data_rules("class name kind entry feed feed_name title link first_seen authors", "published");

const std::map<Kind, const char*> patterns{
    {Kind::link, "https?://[0-9a-zA-Z;?:@&=+$._!~*'()%,#-][0-9a-zA-Z;/?:@&=+$._!~*'()%,#-]*"},
    {Kind::id, "tag:([a-z0-9._-]+@)?[a-z0-9.-]+,\\d{4}(-\\d{2}(-\\d{2})?)?:"
               "[0-9a-zA-Z;/?:@&=+$._!~*'()%,-]*"},
    {Kind::language, "[a-z]{2}(-[A-Za-z]{2,8})?"},
    {Kind::contact, "[A-Za-z0-9_+.'-]+@([A-Za-z0-9-]+\\.)+[A-Za-z0-9-]+ \\([^()\\\\]+\\)"},
    {Kind::number, "[1-9][0-9]{0,8}"}};

bool matches(const std::string& text, const char* pattern) {
    return std::regex_match(text, std::regex(pattern));
}

// ---- Elements of XML ----

using XmlDocument = std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)>;

std::string owned(xmlChar* text) {
    const std::unique_ptr<xmlChar, void (*)(void*)> kept(text, [](void* p) { xmlFree(p); });
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

// Returns null when the bytes are not well-formed.
XmlDocument parse_xml(std::string_view bytes) {
    return {xmlReadMemory(bytes.data(), static_cast<int>(bytes.size()), nullptr, nullptr,
                          XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING),
            xmlFreeDoc};
}

std::string text_of(const xmlNode* node) { return owned(xmlNodeGetContent(node)); }

std::string attribute_of(const xmlNode* node, const char* name) {
    return owned(xmlGetNoNsProp(node, reinterpret_cast<const xmlChar*>(name)));
}

// Returns the name with its prefix.
std::string name_of(const xmlNode* node) {
    const std::string local = reinterpret_cast<const char*>(node->name);
    if (node->ns == nullptr || node->ns->prefix == nullptr) return local;
    return reinterpret_cast<const char*>(node->ns->prefix) + (":" + local);
}

std::vector<const xmlNode*> children_of(const xmlNode* node) {
    std::vector<const xmlNode*> children;
    for (const auto* child = node->children; child != nullptr; child = child->next)
        if (child->type == XML_ELEMENT_NODE) children.push_back(child);
    return children;
}

std::vector<const xmlNode*> children_named(const xmlNode* node, std::string_view name) {
    auto children = children_of(node);
    std::erase_if(children, [name](const auto* child) { return name_of(child) != name; });
    return children;
}

const xmlNode* child_named(const xmlNode* node, std::string_view name) {
    const auto children = children_named(node, name);
    return children.empty() ? nullptr : children.front();
}

// Collects the findings in one document.
class Checker {
   public:
    Checker(std::string_view bytes, std::string_view url, base::Seconds now)
        : bytes_(bytes), url_(url), now_(now) {}

    Strings check_rss() && {
        const auto document = read_xml_document();
        const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
        if (root == nullptr) return std::move(findings_);
        const auto* channel = child_named(root, "channel");
        if (attribute_of(root, "version") != "2.0" || channel == nullptr)
            find("InvalidRSSVersion", name_of(root), attribute_of(root, "version"));
        else
            check_feed(channel, rss_channel, "item", rss_item);
        return std::move(findings_);
    }
    Strings check_atom() && {
        const auto document = read_xml_document();
        const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
        if (root == nullptr) return std::move(findings_);
        if (name_of(root) != "feed" || root->ns == nullptr)
            find("InvalidNamespace", name_of(root), "");
        else
            check_feed(root, atom_feed, "entry", atom_entry);
        return std::move(findings_);
    }
    Strings check_json() && {
        const auto feed = json::parse(bytes_, nullptr, false);  // strict UTF-8
        if (!feed.is_object() || !feed.value("items", json()).is_array()) {
            find("NoJSON", "", std::string(bytes_.substr(0, 100)));
            return std::move(findings_);
        }
        check_members("feed", feed, json_feed);
        check_self("feed_url", feed.value("feed_url", ""));
        if (feed.value("next_url", "") == feed.value("feed_url", ""))
            find("NextUrl", "feed", "is the feed itself");
        for (const auto& item : feed.at("items")) check_json_item(item);
        return std::move(findings_);
    }

   private:
    void find(const std::string& rule, const std::string& where, const std::string& what) {
        findings_.push_back(rule + ": " + where + ": " + what.substr(0, 200));
    }

    // ---- Values ----

    void check_value(Kind kind, const std::string& where, const std::string& text) {
        if (kind != Kind::any && base::trim(text).empty()) find("NotBlank", where, "");
        const auto pattern = patterns.find(kind);
        if (pattern != patterns.end() && !matches(text, pattern->second))
            find("InvalidValue", where, text);
        if (kind == Kind::id && !ids_.insert(text).second) find("DuplicateValue", where, text);
        if (kind == Kind::http_date) {
            const auto time = base::parse_http_date(text);
            const bool is_spelled_so = time && base::format_http_date(*time) == text;
            check_date(where, text, is_spelled_so ? time : std::nullopt);
        }
        if (kind == Kind::date) {
            const auto seconds = text.substr(0, 19), rest = text.substr(seconds.size());
            const bool is_utc = matches(rest, "(\\.\\d{9})?Z");
            check_date(where, text, is_utc ? base::parse_rfc3339(seconds) : std::nullopt);
        }
    }

    void check_date(const std::string& where, const std::string& text,
                    std::optional<base::Seconds> time) {
        if (!time) return find("InvalidDate", where, text);
        if (*time > now_ || *time < base::Date{std::chrono::year{1990} / 1 / 1})
            find("ImplausibleDate", where, text);
    }

    // An item of a source feed has HTML of others.
    void check_html(const std::string& text, const std::string& id) {
        const bool is_foreign = id.find(":/feed/") != std::string::npos;
        for (const auto& each :
             is_foreign ? findings_in_foreign_html(text) : findings_in_html(text))
            findings_.push_back(each);
    }

    void check_self(const std::string& where, const std::string& href) {
        if (!url_.empty() && href != url_) find("SelfDoesntMatchLocation", where, href);
    }

    void check_counts(const Rules& rules, const std::string& parent,
                      const std::map<std::string, int>& counts) {
        for (const auto& [name, count] : counts)
            if (const auto rule = rules.find(name); rule == rules.end())
                find("UndefinedElement", parent, name);
            else if (count > rule->second.most)
                find("DuplicateElement", parent, name);
        for (const auto& [name, rule] : rules)
            if (rule.least > 0 && !counts.contains(name)) find("MissingElement", parent, name);
    }

    // ---- XML ----

    XmlDocument read_xml_document() {
        if (bytes_.size() > 5'000'000) find("ValidatorLimit", "", std::to_string(bytes_.size()));
        if (!bytes_.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                "<?xml-stylesheet type=\"text/css\" href=\"http"))
            find("MissingEncoding", "", std::string(bytes_.substr(0, 60)));
        if (!utf8::is_valid(bytes_.begin(), bytes_.end())) find("NotUTF8", "", "");
        // U+FFFD, and what Windows-1252 has in the place of C1.
        const auto is_c1 = [](unsigned char first, unsigned char second) {
            return first == 0xC2 && second >= 0x80 && second <= 0x9F;
        };
        if (bytes_.find("\xEF\xBF\xBD") != bytes_.npos ||
            std::ranges::adjacent_find(bytes_, is_c1) != bytes_.end())
            find("BadCharacters", "", "");
        auto document = parse_xml(bytes_);
        if (!document) find("SAXError", "", "not well-formed");
        if (document && document->intSubset != nullptr) find("InvalidDoctype", "", "");
        return document;
    }

    void check_feed(const xmlNode* feed, const Rules& rules, const std::string& item,
                    const Rules& rules_of_item) {
        check_elements(feed, rules);
        bool is_among_items = false;
        for (const auto* child : children_of(feed)) {
            const auto name = name_of(child);
            if (is_among_items && name != item) find("MisplacedItem", name_of(feed), name);
            is_among_items = name == item;
            if (name == item) check_item(child, rules_of_item);
            if (name == "link" || name == "atom:link") check_feed_link(child);
        }
        if (!links_.contains("self")) find("MissingSelf", "feed", "");
        if (child_named(feed, "fh:complete") != nullptr &&
            child_named(feed, "fh:archive") != nullptr)
            find("RFC5005", "feed", "complete and archive");
    }

    void check_item(const xmlNode* item, const Rules& rules) {
        check_elements(item, rules);
        for (const auto* link : children_named(item, "link"))
            if (attribute_of(link, "rel") != (text_of(link).empty() ? "alternate" : ""))
                find("FeedHistoryRelInEntry", "link", attribute_of(link, "rel"));
        for (const auto* updated : children_named(item, "updated"))
            if (!times_.insert(text_of(updated)).second)
                find("DuplicateUpdated", "entry", text_of(updated));
    }

    // Elements of XHTML are for browsers.
    static bool is_xhtml(const xmlNode* node) {
        return node->ns != nullptr &&
               std::string_view(reinterpret_cast<const char*>(node->ns->href)) ==
                   "http://www.w3.org/1999/xhtml";
    }

    void check_xhtml(const xmlNode* node) {
        const auto name = name_of(node);
        if (!matches(name, "div|body|h1|h2|p|b|ul|li|del|ins|br|code|a|meta"))
            find("NotHtml", "xhtml", name);
        for (const auto* a = node->properties; a != nullptr; a = a->next) {
            const std::string attribute = reinterpret_cast<const char*>(a->name);
            if (!matches(name + " " + attribute, "a href|meta (name|content)"))
                find("UnexpectedAttribute", name, attribute);
        }
        if (name == "a") check_value(Kind::link, "xhtml", attribute_of(node, "href"));
        for (const auto* child : children_of(node)) check_xhtml(child);
    }

    void check_elements(const xmlNode* parent, const Rules& rules) {
        std::map<std::string, int> counts;
        for (const auto* child : children_of(parent)) {
            if (is_xhtml(child)) {
                check_xhtml(child);
                continue;
            }
            const auto name = name_of(child), text = text_of(child);
            ++counts[name];
            if (!rules.contains(name)) continue;
            const auto& rule = rules.at(name);
            for (const auto* a = child->properties; a != nullptr; a = a->next) {
                const std::string attribute = reinterpret_cast<const char*>(a->name);
                if (rule.attributes.find(" " + attribute) == std::string_view::npos)
                    find("UnexpectedAttribute", name, attribute);
            }
            check_value(rule.kind, name, text);
            if (rule.kind == Kind::plain || rule.kind == Kind::contact)
                check_plain(name, child, text);
            if (name == "author") check_elements(child, atom_author);
            if (name == "category" && base::trim(text + attribute_of(child, "term")).empty())
                find("NotBlank", name, "");
            if (rule.kind == Kind::html && attribute_of(child, "type") != "xhtml")
                check_html(text, child_text(parent, name == "content" ? "id" : "guid"));
        }
        check_counts(rules, name_of(parent), counts);
    }

    // ContainsHTML: end tags that are seen after parsing. CharacterData: "<a" or "&#x" that the
    // document does not write as &#x3C; or &#x26;.
    void check_plain(const std::string& where, const xmlNode* node, const std::string& text) {
        if (std::regex_search(text, std::regex("</\\w+>"))) find("ContainsHTML", where, text);
        if (!std::regex_search(text, std::regex("&#?\\w|<[/a-zA-Z]"))) return;
        const auto lines = base::split(bytes_, '\n');
        const auto number = static_cast<std::size_t>(xmlGetLineNo(node));
        if (number == 0 || number > lines.size() ||
            lines[number - 1].find("&#x") == std::string_view::npos)
            find("CharacterData", where, text);
    }

    void check_feed_link(const xmlNode* link) {
        const auto href = attribute_of(link, "href"), rel = attribute_of(link, "rel");
        if (name_of(link) == "link" && href.empty()) return;  // that of RSS
        const std::string own =
            name_of(link) == "link" ? "application/atom+xml" : "application/rss+xml";
        const auto type = rel == "alternate" ? "text/html" : rel == "hub" ? "" : own;
        if (!matches(rel, "self|current|prev-archive|next-archive|next|alternate|hub") ||
            attribute_of(link, "type") != type)
            find("UnregisteredAtomLinkRel", rel, attribute_of(link, "type"));
        if (!links_.insert(rel).second) find("DuplicateAtomLink", "link", rel);
        check_value(Kind::link, "link", href);
        if (rel == "self") check_self("link", href);
    }

    static std::string child_text(const xmlNode* node, std::string_view name) {
        const auto* child = child_named(node, name);
        return child == nullptr ? "" : text_of(child);
    }

    // ---- JSON ----

    void check_members(const std::string& where, const json& object, const Rules& rules) {
        std::map<std::string, int> counts;
        for (const auto& [key, value] : object.items()) {
            counts[key] = 1;
            if (value.is_null()) find("Null", where, key);
            if (rules.contains(key))
                check_value(rules.at(key).kind, key,
                            value.is_string() ? value.get<std::string>() : "");
        }
        check_counts(rules, where, counts);
        for (const auto& author : object.value("authors", json::array()))
            if (where != "_varve") check_members("author", author, json_author);
    }

    void check_json_item(const json& item) {
        if (!item.is_object()) return find("Item", "item", "no object");
        check_members("item", item, json_item);
        const auto id = item.value("id", "");
        check_html(item.value("content_html", ""), id);
        for (const auto& tag : item.value("tags", json::array()))
            check_value(Kind::text, "tags", tag.is_string() ? tag.get<std::string>() : "");
        // An item of the feed of all releases is no row, and has no data.
        if (!item.contains("_varve") && id.find(":/releases/") != std::string::npos) return;
        const auto data = item.value("_varve", json::object());
        const bool is_mention = data.value("kind", "") == "mention";
        check_members("_varve", data,
                      is_mention              ? json_mention
                      : data.contains("feed") ? json_source
                                              : json_row);
    }

    std::string_view bytes_, url_;
    base::Seconds now_;
    std::set<std::string> ids_, links_, times_;
    Strings findings_;
};

// ---- Reading ----

std::string href_of(const xmlNode* feed, std::string_view rel) {
    for (const auto* link : children_of(feed))
        if (name_of(link).ends_with("link") && attribute_of(link, "rel") == rel)
            return attribute_of(link, "href");
    return {};
}

// Returns the text of the first of these children that there is.
std::string text_of_first(const xmlNode* node, std::initializer_list<const char*> names) {
    for (const auto* name : names)
        if (const auto* child = child_named(node, name)) return text_of(child);
    return {};
}

std::string link_of(const xmlNode* node) {
    const auto text = text_of_first(node, {"link"});
    return text.empty() ? href_of(node, "alternate") : text;
}

std::string day_of(const std::string& date) {
    const auto time = base::parse_http_date(date);
    return time ? base::format_rfc3339(*time).substr(0, 10) : date.substr(0, 10);
}

ReadItem item_of(const xmlNode* item) {
    std::vector<std::string> authors;
    for (const auto* author : children_named(item, "author"))
        authors.push_back(text_of_first(author, {"name"}));
    const auto creator = text_of_first(item, {"dc:creator"});
    return {text_of_first(item, {"title"}),
            link_of(item),
            text_of_first(item, {"description", "content"}),
            creator.empty() ? base::join(authors, ", ") : creator,
            text_of_first(item, {"guid", "id"}),
            day_of(text_of_first(item, {"pubDate", "updated"}))};
}

// Reads the channel of RSS, or the feed of Atom.
ReadFeed feed_of(const xmlNode* node) {
    ReadFeed feed{.title = text_of_first(node, {"title"}),
                  .link = link_of(node),
                  .description = text_of_first(node, {"description", "subtitle"}),
                  .self = href_of(node, "self"),
                  .updated = text_of_first(node, {"lastBuildDate", "updated"}),
                  .items = {},
                  .complete = child_named(node, "fh:complete") != nullptr,
                  .archive = child_named(node, "fh:archive") != nullptr,
                  .current = href_of(node, "current"),
                  .older = href_of(node, "prev-archive"),
                  .newer = href_of(node, "next-archive")};
    if (feed.older.empty()) feed.older = href_of(node, "next");
    for (const auto* name : {"item", "entry"})
        for (const auto* item : children_named(node, name)) feed.items.push_back(item_of(item));
    return feed;
}

}  // namespace

Strings findings_in_rss(std::string_view bytes, std::string_view url, base::Seconds now) {
    return Checker(bytes, url, now).check_rss();
}
Strings findings_in_atom(std::string_view bytes, std::string_view url, base::Seconds now) {
    return Checker(bytes, url, now).check_atom();
}
Strings findings_in_json(std::string_view bytes, std::string_view url, base::Seconds now) {
    return Checker(bytes, url, now).check_json();
}

ReadFeed read_rss(std::string_view bytes) {
    const auto document = parse_xml(bytes);
    const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
    const auto* channel = root == nullptr ? nullptr : child_named(root, "channel");
    if (channel == nullptr)
        throw std::runtime_error("no RSS: " + std::string(bytes.substr(0, 200)));
    return feed_of(channel);
}

ReadFeed read_atom(std::string_view bytes) {
    const auto document = parse_xml(bytes);
    const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
    if (root == nullptr || name_of(root) != "feed")
        throw std::runtime_error("no Atom: " + std::string(bytes.substr(0, 200)));
    return feed_of(root);
}

ReadFeed read_json(std::string_view bytes) {
    const auto parsed = json::parse(bytes, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("items"))
        throw std::runtime_error("no JSON Feed: " + std::string(bytes.substr(0, 200)));
    const auto text_at = [](const json& object, const char* key) {
        return object.value(key, std::string());
    };
    ReadFeed feed;
    feed.title = text_at(parsed, "title");
    feed.link = text_at(parsed, "home_page_url");
    feed.description = text_at(parsed, "description");
    feed.self = text_at(parsed, "feed_url");
    feed.older = text_at(parsed, "next_url");
    for (const auto& item : parsed.at("items")) {
        std::vector<std::string> authors;
        for (const auto& author : item.value("authors", json::array()))
            authors.push_back(text_at(author, "name"));
        feed.items.push_back({text_at(item, "title"), text_at(item, "url"),
                              text_at(item, "content_html"), base::join(authors, ", "),
                              text_at(item, "id"),
                              text_at(item, "date_published").substr(0, 10)});
    }
    return feed;
}

}  // namespace support
