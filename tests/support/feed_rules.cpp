// SPDX-License-Identifier: MIT
#include "support/feed_rules.hpp"

#include <algorithm>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <stdexcept>
#include <utf8.h>

#include "base/text.hpp"
#include "support/html_rules.hpp"

namespace support {
namespace {

using Strings = std::vector<std::string>;
using Document = std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)>;

Document parse(std::string_view bytes) {
    return {xmlReadMemory(bytes.data(), static_cast<int>(bytes.size()), nullptr, nullptr,
                          XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING),
            xmlFreeDoc};
}

std::string owned(xmlChar* text) {
    const std::unique_ptr<xmlChar, void (*)(void*)> kept(text, [](void* p) { xmlFree(p); });
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}
std::string text_of(const xmlNode* node) { return owned(xmlNodeGetContent(node)); }
std::string attribute_of(const xmlNode* node, const char* name) {
    return owned(xmlGetNoNsProp(node, reinterpret_cast<const xmlChar*>(name)));
}
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
const xmlNode* child_named(const xmlNode* node, std::string_view name) {
    for (const auto* child : children_of(node))
        if (name_of(child) == name) return child;
    return nullptr;
}

// ReservedPrefix, NonstdPrefix, UnknownNamespace: prefix and namespace go together.
const std::map<std::string, std::string> namespaces = {
    {"atom", "http://www.w3.org/2005/Atom"},
    {"dc", "http://purl.org/dc/elements/1.1/"},
    {"fh", "http://purl.org/syndication/history/1.0"},
    {"sy", "http://purl.org/rss/1.0/modules/syndication/"}};

// UndefinedElement: what may stand in a channel and in an item.
const std::set<std::string> channel_elements = {"title",
                                                "link",
                                                "description",
                                                "language",
                                                "managingEditor",
                                                "webMaster",
                                                "lastBuildDate",
                                                "generator",
                                                "docs",
                                                "ttl",
                                                "sy:updatePeriod",
                                                "sy:updateFrequency",
                                                "atom:link",
                                                "fh:complete",
                                                "item"};
const std::set<std::string> item_elements = {"title",      "link", "description",
                                             "dc:creator", "guid", "pubDate"};

// UnexpectedAttribute: element -> its attributes.
const std::map<std::string, std::set<std::string>> attributes = {
    {"rss", {"version"}}, {"atom:link", {"href", "rel", "type"}}, {"guid", {"isPermaLink"}}};

bool matches(const std::string& text, const char* pattern) {
    return std::regex_match(text, std::regex(pattern));
}

class RssChecker {
   public:
    RssChecker(std::string_view bytes, std::string_view url, base::Seconds now)
        : bytes_(bytes), url_(url), now_(now) {}

    Strings check() {
        if (bytes_.size() > 5'000'000) find("ValidatorLimit", "", std::to_string(bytes_.size()));
        if (!utf8::is_valid(bytes_.begin(), bytes_.end())) find("NotUTF8", "", "");
        if (!bytes_.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"))
            find("MissingEncoding", "", std::string(bytes_.substr(0, 60)));
        const auto document = parse(bytes_);
        const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
        if (root == nullptr) {
            find("SAXError", "", "not well-formed");
            return findings_;
        }
        if (document->intSubset != nullptr) find("InvalidDoctype", "", "");
        if (name_of(root) != "rss" || attribute_of(root, "version") != "2.0")
            find("InvalidRSSVersion", name_of(root), attribute_of(root, "version"));
        every_element(root);
        const auto* channel = child_named(root, "channel");
        if (channel == nullptr || children_of(root).size() != 1)
            find("UndefinedElement", "rss", "one channel is wanted");
        else
            check_channel(channel);
        return findings_;
    }

   private:
    void find(const std::string& rule, const std::string& where, const std::string& what) {
        findings_.push_back(rule + ": " + where + ": " + what.substr(0, 200));
    }

    void every_element(const xmlNode* node) {
        for (const auto* ns = node->nsDef; ns != nullptr; ns = ns->next) {
            const std::string prefix =
                ns->prefix == nullptr ? "" : reinterpret_cast<const char*>(ns->prefix);
            const auto known = namespaces.find(prefix);
            if (known == namespaces.end() ||
                known->second != reinterpret_cast<const char*>(ns->href))
                find("UnknownNamespace", name_of(node), prefix);
        }
        const auto known = attributes.find(name_of(node));
        for (const auto* a = node->properties; a != nullptr; a = a->next) {
            const std::string name = reinterpret_cast<const char*>(a->name);
            if (known == attributes.end() || !known->second.contains(name))
                find("UnexpectedAttribute", name_of(node), name);
            bad_characters(name, attribute_of(node, name.c_str()));
        }
        const auto children = children_of(node);
        for (const auto* child : children) every_element(child);
        if (children.empty()) return bad_characters(name_of(node), text_of(node));
        for (const auto* child = node->children; child != nullptr; child = child->next)
            if (child->type != XML_ELEMENT_NODE && !base::trim(text_of(child)).empty())
                find("UnexpectedText", name_of(node), text_of(child));
    }

    // U+FFFD and what windows-1252 has in the place of C1.
    void bad_characters(const std::string& where, const std::string& text) {
        for (auto at = text.begin(); at != text.end();) {
            const auto c = utf8::unchecked::next(at);
            if (c == 0xFFFD || (c >= 0x80 && c <= 0x9F))
                return find("BadCharacters", where, text);
        }
    }

    void check_channel(const xmlNode* channel) {
        std::map<std::string, int> count;
        for (const auto* child : children_of(channel)) {
            const auto name = name_of(child);
            if (!channel_elements.contains(name)) find("UndefinedElement", "channel", name);
            if (name != "item" && ++count[name] > 1) find("DuplicateElement", "channel", name);
            if (name != "item" && count["item"] > 0) find("MisplacedItem", "channel", name);
            if (name == "item")
                ++count[name], check_item(child);
            else
                check_channel_element(name, child);
        }
        if (count["title"] == 0) find("MissingTitle", "channel", "");
        if (count["link"] == 0) find("MissingLink", "channel", "");
        if (count["description"] == 0) find("MissingDescription", "channel", "");
        if (count["language"] == 0) find("MissingDCLanguage", "channel", "");
        if (count["atom:link"] == 0) find("MissingAtomSelfLink", "channel", "");
    }

    void check_channel_element(const std::string& name, const xmlNode* node) {
        const auto text = text_of(node);
        if (name == "title") not_blank(name, text);
        if (name == "title" || name == "description") no_html(name, node, text);
        if (name == "link" || name == "docs") full_link(name, text);
        if (name == "language" && !matches(text, "[a-z]{2}(-[A-Za-z]{2,8})?"))
            find("InvalidLanguage", name, text);
        if (name == "managingEditor" || name == "webMaster") contact(name, node, text);
        if (name == "lastBuildDate") date(name, text);
        if (name == "ttl" || name == "sy:updateFrequency") positive(name, text);
        if (name == "sy:updatePeriod" && !matches(text, "hourly|daily|weekly|monthly|yearly"))
            find("InvalidUpdatePeriod", name, text);
        if (name == "atom:link") self_link(node, text);
    }

    void check_item(const xmlNode* item) {
        std::map<std::string, int> count;
        for (const auto* child : children_of(item)) {
            const auto name = name_of(child), text = text_of(child);
            if (!item_elements.contains(name)) find("UndefinedElement", "item", name);
            if (++count[name] > 1) find("DuplicateElement", "item", name);
            if (name == "title" || name == "description" || name == "guid") not_blank(name, text);
            if (name == "title") no_html(name, child, text);
            if (name == "link") full_link(name, text);
            if (name == "guid") guid(child, text);
            if (name == "pubDate") date(name, text);
            if (name == "description")
                for (const auto& finding : findings_in_html(text)) findings_.push_back(finding);
        }
        // Not wanted by the validator, but by readers: every item has them all.
        for (const auto* name : {"title", "link", "description", "guid", "pubDate"})
            if (count[name] == 0) find("ItemMustContainTitleOrDescription", "item", name);
    }

    void not_blank(const std::string& where, const std::string& text) {
        if (base::trim(text).empty()) find("NotBlank", where, "");
    }

    // ContainsHTML: end tags and references that are seen after parsing. CharacterData: "<a" or
    // "&#x" that the document does not write as &#x3C; or &#x26;.
    void no_html(const std::string& where, const xmlNode* node, const std::string& text) {
        if (std::regex_search(text, std::regex("</\\w+>"))) find("ContainsHTML", where, text);
        if (!std::regex_search(text, std::regex("&#?\\w|<[/a-zA-Z]"))) return;
        if (line_of(node).find("&#x") == std::string_view::npos)
            find("CharacterData", where, text);
    }

    std::string_view line_of(const xmlNode* node) {
        const auto lines = base::split(bytes_, '\n');
        const auto number = static_cast<std::size_t>(xmlGetLineNo(node));
        return number == 0 || number > lines.size() ? std::string_view() : lines[number - 1];
    }

    void full_link(const std::string& where, const std::string& text) {
        if (!matches(text, "[a-zA-Z][0-9a-zA-Z+.-]*:(//)?[0-9a-zA-Z;/?:@&=+$._!~*'()%,#-]+"))
            find("InvalidFullLink", where, text);
        if (!matches(text, "https?://[^/].*")) find("InvalidLink", where, text);
    }

    void guid(const xmlNode* node, const std::string& text) {
        if (attribute_of(node, "isPermaLink") != "false") find("InvalidHttpGUID", "guid", text);
        if (text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos)
            find("NotSufficientlyUnique", "guid", text);
        if (!matches(text, "tag:([a-z0-9._-]+@)?[a-z0-9.-]+,\\d{4}(-\\d{2}(-\\d{2})?)?:"
                           "[0-9a-zA-Z;/?:@&=+$._!~*'()%,-]*"))
            find("InvalidTAG", "guid", text);
        if (!guids_.insert(text).second) find("DuplicateValue", "guid", text);
    }

    void date(const std::string& where, const std::string& text) {
        const auto time = base::parse_http_date(text);  // checks the day of the week? below
        if (!matches(text,
                     "(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|"
                     "Sep|Oct|Nov|Dec) \\d{4} \\d\\d:\\d\\d:\\d\\d GMT") ||
            !time)
            return find("InvalidRFC2822Date", where, text);
        if (base::format_http_date(*time) != text) find("IncorrectDOW", where, text);
        if (*time > now_ || *time < base::Date{std::chrono::year{1990} / 1 / 1})
            find("ImplausibleDate", where, text);
    }

    void positive(const std::string& where, const std::string& text) {
        if (!matches(text, "[1-9][0-9]{0,8}")) find("InvalidPositiveInteger", where, text);
    }

    void contact(const std::string& where, const xmlNode* node, const std::string& text) {
        if (!text.ends_with(')')) return find("MissingRealName", where, text);
        if (!matches(text, "[A-Za-z0-9_+.'-]+@([A-Za-z0-9-]+\\.)+[A-Za-z0-9][A-Za-z0-9-]* "
                           "\\([^()\\\\]+\\)"))
            find("InvalidContact", where, text);
        no_html(where, node, text);
    }

    void self_link(const xmlNode* node, const std::string& text) {
        const auto href = attribute_of(node, "href");
        if (!text.empty()) find("AtomLinkNotEmpty", "atom:link", text);
        if (attribute_of(node, "rel") != "self") find("MissingAtomSelfLink", "atom:link", "");
        if (attribute_of(node, "type") != "application/rss+xml")
            find("SelfNotAtom", "atom:link", attribute_of(node, "type"));
        full_link("atom:link", href);  // RelativeSelf
        if (!url_.empty() && href != url_) find("SelfDoesntMatchLocation", "atom:link", href);
    }

    std::string_view bytes_, url_;
    base::Seconds now_;
    std::set<std::string> guids_;
    Strings findings_;
};

std::string child_text(const xmlNode* node, std::string_view name) {
    const auto* child = child_named(node, name);
    return child == nullptr ? "" : text_of(child);
}

}  // namespace

Strings findings_in_rss(std::string_view bytes, std::string_view url, base::Seconds now) {
    return RssChecker(bytes, url, now).check();
}

ReadFeed read_rss(std::string_view bytes) {
    const auto document = parse(bytes);
    const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
    const auto* channel = root == nullptr ? nullptr : child_named(root, "channel");
    if (channel == nullptr)
        throw std::runtime_error("no RSS: " + std::string(bytes.substr(0, 200)));
    ReadFeed feed{child_text(channel, "title"),
                  child_text(channel, "link"),
                  child_text(channel, "description"),
                  "",
                  child_text(channel, "lastBuildDate"),
                  {},
                  child_named(channel, "fh:complete") != nullptr};
    if (const auto* self = child_named(channel, "atom:link"))
        feed.self = attribute_of(self, "href");
    for (const auto* item : children_of(channel))
        if (name_of(item) == "item")
            feed.items.push_back({child_text(item, "title"), child_text(item, "link"),
                                  child_text(item, "description"), child_text(item, "dc:creator"),
                                  child_text(item, "guid"), child_text(item, "pubDate")});
    return feed;
}

}  // namespace support
