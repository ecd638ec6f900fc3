// RSS 2.0.
// SPDX-License-Identifier: MIT
#include "support/feed_rules.hpp"

#include <map>
#include <set>
#include <stdexcept>

#include "base/text.hpp"
#include "support/xml_rules.hpp"

namespace support {
namespace {

using Strings = std::vector<std::string>;

// ReservedPrefix, NonstdPrefix, UnknownNamespace: prefix and namespace belong together.
const std::map<std::string, std::string> rss_namespaces = {
    {"atom", "http://www.w3.org/2005/Atom"},
    {"dc", "http://purl.org/dc/elements/1.1/"},
    {"fh", "http://purl.org/syndication/history/1.0"},
    {"sy", "http://purl.org/rss/1.0/modules/syndication/"}};

// UndefinedElement: the elements of a channel and of an item.
const std::set<std::string> channel_elements = {
    "title",       "link",       "description", "language",        "managingEditor",
    "webMaster",   "generator",  "docs",        "lastBuildDate",   "ttl",
    "fh:complete", "fh:archive", "atom:link",   "sy:updatePeriod", "sy:updateFrequency",
    "item"};
const std::set<std::string> item_elements = {"title", "link",    "description", "dc:creator",
                                             "guid",  "pubDate", "category"};

// UnexpectedAttribute: element -> its attributes.
const std::map<std::string, std::set<std::string>> rss_attributes = {
    {"rss", {"version"}}, {"atom:link", {"href", "rel", "type"}}, {"guid", {"isPermaLink"}}};

class RssChecker {
   public:
    RssChecker(std::string_view bytes, std::string_view url, base::Seconds now)
        : rules_(bytes, url, now) {}

    Strings check() && {
        if (const auto document = rules_.document())
            check_root(xmlDocGetRootElement(document.get()));
        return std::move(rules_).take();
    }

   private:
    void check_root(const xmlNode* root) {
        if (name_of(root) != "rss" || attribute_of(root, "version") != "2.0")
            rules_.find("InvalidRSSVersion", name_of(root), attribute_of(root, "version"));
        rules_.every_element(root, rss_namespaces, rss_attributes);
        const auto* channel = child_named(root, "channel");
        if (channel == nullptr || children_of(root).size() != 1)
            rules_.find("UndefinedElement", "rss", "one channel is wanted");
        else
            check_channel(channel);
    }

    void check_channel(const xmlNode* channel) {
        std::map<std::string, int> count;
        for (const auto* child : children_of(channel)) {
            const auto name = name_of(child);
            const bool once = name != "item" && name != "atom:link";
            if (is_xhtml(child) && name != "div")
                rules_.find("MisplacedXHTMLContent", "channel", name);
            if (!is_xhtml(child) && !channel_elements.contains(name))
                rules_.find("UndefinedElement", "channel", name);
            if (++count[name] > 1 && once) rules_.find("DuplicateElement", "channel", name);
            if (name != "item" && count["item"] > 0)
                rules_.find("MisplacedItem", "channel", name);
            if (name == "item")
                check_item(child);
            else
                check_channel_element(name, child);
        }
        for (const auto& [name, rule] :
             std::map<std::string, std::string>{{"title", "MissingTitle"},
                                                {"link", "MissingLink"},
                                                {"description", "MissingDescription"},
                                                {"language", "MissingDCLanguage"}})
            if (count[name] == 0) rules_.find(rule, "channel", "");
        if (href_of(channel, "atom:link", "self").empty())
            rules_.find("MissingAtomSelfLink", "channel", "");
        if (count["fh:complete"] > 0 && count["fh:archive"] > 0)
            rules_.find("RFC5005", "channel", "complete and archive");
    }

    void check_channel_element(const std::string& name, const xmlNode* node) {
        const auto text = text_of(node);
        if (name == "title") rules_.not_blank(name, text);
        if (name == "title" || name == "description") rules_.no_html(name, node, text);
        if (name == "link" || name == "docs") rules_.full_link(name, text);
        if (name == "language") rules_.language(name, text);
        if (name == "managingEditor" || name == "webMaster") contact(name, node, text);
        if (name == "lastBuildDate") date(name, text);
        if (name == "ttl" || name == "sy:updateFrequency") positive(name, text);
        if (name == "sy:updatePeriod" && !matches(text, "hourly|daily|weekly|monthly|yearly"))
            rules_.find("InvalidUpdatePeriod", name, text);
        if (name == "atom:link") link(node, text);
    }

    void check_item(const xmlNode* item) {
        std::map<std::string, int> count;
        for (const auto* child : children_of(item)) {
            const auto name = name_of(child), text = text_of(child);
            if (is_xhtml(child) && name != "body")
                rules_.find("MisplacedXHTMLContent", "item", name);
            if (!is_xhtml(child) && !item_elements.contains(name))
                rules_.find("UndefinedElement", "item", name);
            if (++count[name] > 1 && name != "category")
                rules_.find("DuplicateElement", "item", name);
            if (matches(name, "title|description|guid|category")) rules_.not_blank(name, text);
            if (name == "title") rules_.no_html(name, child, text);
            if (name == "link") rules_.full_link(name, text);
            if (name == "guid") guid(child, text);
            if (name == "pubDate") date(name, text);
            if (name == "description") rules_.html(text, child_text(item, "guid"));
        }
        // The validator does not require them, but readers do: every item has all of them.
        for (const auto* name : {"title", "link", "description", "guid", "pubDate"})
            if (count[name] == 0) rules_.find("ItemMustContainTitleOrDescription", "item", name);
    }

    void guid(const xmlNode* node, const std::string& text) {
        if (attribute_of(node, "isPermaLink") != "false")
            rules_.find("InvalidHttpGUID", "guid", text);
        rules_.id("guid", text);
    }

    void date(const std::string& where, const std::string& text) {
        const auto time = base::parse_http_date(text);  // checks the day of the week? below
        if (!matches(text,
                     "(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|"
                     "Sep|Oct|Nov|Dec) \\d{4} \\d\\d:\\d\\d:\\d\\d GMT") ||
            !time)
            return rules_.find("InvalidRFC2822Date", where, text);
        if (base::format_http_date(*time) != text) rules_.find("IncorrectDOW", where, text);
        rules_.plausible(where, *time);
    }

    void positive(const std::string& where, const std::string& text) {
        if (!matches(text, "[1-9][0-9]{0,8}")) rules_.find("InvalidPositiveInteger", where, text);
    }

    void contact(const std::string& where, const xmlNode* node, const std::string& text) {
        if (!text.ends_with(')')) return rules_.find("MissingRealName", where, text);
        if (!matches(text, "[A-Za-z0-9_+.'-]+@([A-Za-z0-9-]+\\.)+[A-Za-z0-9][A-Za-z0-9-]* "
                           "\\([^()\\\\]+\\)"))
            rules_.find("InvalidContact", where, text);
        rules_.no_html(where, node, text);
    }

    void link(const xmlNode* node, const std::string& text) {
        const auto href = attribute_of(node, "href"), rel = attribute_of(node, "rel");
        if (!text.empty()) rules_.find("AtomLinkNotEmpty", "atom:link", text);
        if (!matches(rel, "self|hub|current|prev-archive|next-archive|next"))
            rules_.find("UnregisteredAtomLinkRel", "atom:link", rel);
        if (!rels_.insert(rel).second) rules_.find("DuplicateAtomLink", "atom:link", rel);
        if (attribute_of(node, "type") != (rel == "hub" ? "" : "application/rss+xml"))
            rules_.find("SelfNotAtom", "atom:link", attribute_of(node, "type"));
        rules_.full_link("atom:link", href);  // RelativeSelf
        if (rel == "self") rules_.self("atom:link", href);
    }

    XmlRules rules_;
    std::set<std::string> rels_;
};

std::string day_of(const std::string& date) {
    const auto time = base::parse_http_date(date);
    return time ? base::format_rfc3339(*time).substr(0, 10) : date;
}

}  // namespace

Strings findings_in_rss(std::string_view bytes, std::string_view url, base::Seconds now) {
    return RssChecker(bytes, url, now).check();
}

ReadFeed read_rss(std::string_view bytes) {
    const auto document = parse_xml(bytes);
    const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
    const auto* channel = root == nullptr ? nullptr : child_named(root, "channel");
    if (channel == nullptr)
        throw std::runtime_error("no RSS: " + std::string(bytes.substr(0, 200)));
    ReadFeed feed{.title = child_text(channel, "title"),
                  .link = child_text(channel, "link"),
                  .description = child_text(channel, "description"),
                  .self = href_of(channel, "atom:link", "self"),
                  .updated = child_text(channel, "lastBuildDate"),
                  .items = {},
                  .complete = child_named(channel, "fh:complete") != nullptr,
                  .archive = child_named(channel, "fh:archive") != nullptr,
                  .current = href_of(channel, "atom:link", "current"),
                  .older = href_of(channel, "atom:link", "prev-archive"),
                  .newer = href_of(channel, "atom:link", "next-archive")};
    if (feed.older.empty()) feed.older = href_of(channel, "atom:link", "next");
    for (const auto* item : children_named(channel, "item"))
        feed.items.push_back({child_text(item, "title"), child_text(item, "link"),
                              child_text(item, "description"), child_text(item, "dc:creator"),
                              child_text(item, "guid"), day_of(child_text(item, "pubDate"))});
    return feed;
}

}  // namespace support
