// Atom 1.0 (RFC 4287), with RFC 5005.
// SPDX-License-Identifier: MIT
#include <map>
#include <set>
#include <stdexcept>

#include "base/text.hpp"
#include "support/feed_rules.hpp"
#include "support/xml_rules.hpp"

namespace support {
namespace {

using Strings = std::vector<std::string>;

// AvoidNamespacePrefix: Atom itself has none.
const std::map<std::string, std::string> atom_namespaces = {
    {"", "http://www.w3.org/2005/Atom"}, {"fh", "http://purl.org/syndication/history/1.0"}};

const std::map<std::string, std::set<std::string>> atom_attributes = {
    {"feed", {"lang"}},
    {"link", {"rel", "type", "href"}},
    {"content", {"type"}},
    {"category", {"term"}}};

const std::set<std::string> feed_elements = {"title",      "subtitle", "id",        "updated",
                                             "author",     "link",     "generator", "fh:complete",
                                             "fh:archive", "entry"};
const std::set<std::string> entry_elements = {
    "title", "link", "id", "published", "updated", "author", "content", "category", "summary"};

class AtomChecker {
   public:
    AtomChecker(std::string_view bytes, std::string_view url, base::Seconds now)
        : rules_(bytes, url, now) {}

    Strings check() && {
        if (const auto document = rules_.document())
            check_feed(xmlDocGetRootElement(document.get()));
        return std::move(rules_).take();
    }

   private:
    void check_feed(const xmlNode* feed) {
        if (name_of(feed) != "feed" || feed->ns == nullptr)
            return rules_.find("InvalidNamespace", name_of(feed), "");
        rules_.every_element(feed, atom_namespaces, atom_attributes);
        const std::string language = [feed] {
            auto* text = xmlNodeGetLang(feed);
            std::string found = text == nullptr ? "" : reinterpret_cast<const char*>(text);
            xmlFree(text);
            return found;
        }();
        rules_.language("xml:lang", language);
        std::map<std::string, int> count;
        for (const auto* child : children_of(feed)) {
            const auto name = name_of(child);
            if (is_xhtml(child)) {
                if (name != "div" || ++count[name] > 1)
                    rules_.find("MisplacedXHTMLContent", "feed", name);
                continue;
            }
            check_count("feed", feed_elements, name, ++count[name]);
            if (name != "entry" && count["entry"] > 0)
                rules_.find("MisplacedMetadata", "feed", name);
            if (name == "entry")
                check_entry(child);
            else
                check_common(name, child);
            if (name == "link") check_feed_link(child);
        }
        for (const auto* name : {"title", "id", "updated", "author"})
            if (count[name] != 1) rules_.find("MissingElement", "feed", name);
        if (href_of(feed, "link", "self").empty()) rules_.find("MissingSelf", "feed", "");
        if (count["fh:complete"] > 0 && count["fh:archive"] > 0)
            rules_.find("RFC5005", "feed", "complete and archive");
    }

    void check_count(const std::string& parent, const std::set<std::string>& known,
                     const std::string& name, int count) {
        const bool once =
            name != "entry" && name != "link" && name != "author" && name != "category";
        if (!known.contains(name)) rules_.find("UndefinedElement", parent, name);
        if (count > 1 && once) rules_.find("DuplicateElement", parent, name);
    }

    void check_common(const std::string& name, const xmlNode* node) {
        const auto text = text_of(node);
        if (name == "category") rules_.not_blank(name, attribute_of(node, "term"));
        if (matches(name, "title|subtitle|generator|summary")) {
            rules_.not_blank(name, text);
            rules_.no_html(name, node, text);
        }
        if (name == "id") rules_.id(name, text);
        if (name == "updated" || name == "published") date(name, text);
        if (name == "author") check_author(node);
        if (name == "link") {
            rules_.full_link("link", attribute_of(node, "href"));
            if (!text.empty()) rules_.find("AtomLinkNotEmpty", "link", text);
        }
    }

    // DuplicateAtomLink: type and relation together.
    void check_feed_link(const xmlNode* link) {
        const auto rel = attribute_of(link, "rel"), type = attribute_of(link, "type");
        if (!links_.insert(type + " " + rel).second)
            rules_.find("DuplicateAtomLink", "link", rel);
        if (!matches(rel, "alternate|self|hub|current|prev-archive|next-archive|next"))
            rules_.find("UnregisteredAtomLinkRel", "link", rel);
        const auto* wanted = rel == "alternate" ? "text/html"
                             : rel == "hub"     ? ""
                                                : "application/atom+xml";
        if (type != wanted) rules_.find("SelfNotAtom", "link", type);
        if (rel == "self") rules_.self("link", attribute_of(link, "href"));
    }

    void check_author(const xmlNode* author) {
        std::map<std::string, int> count;
        for (const auto* child : children_of(author)) {
            const auto name = name_of(child), text = text_of(child);
            if (name != "name" && name != "uri") rules_.find("UndefinedElement", "author", name);
            if (++count[name] > 1) rules_.find("DuplicateElement", "author", name);
            if (name == "name") rules_.not_blank(name, text);
            if (name == "name") rules_.no_html(name, child, text);
            if (name == "uri") rules_.full_link(name, text);
        }
        if (count["name"] == 0) rules_.find("MissingElement", "author", "name");
    }

    void check_entry(const xmlNode* entry) {
        std::map<std::string, int> count;
        for (const auto* child : children_of(entry)) {
            const auto name = name_of(child);
            check_count("entry", entry_elements, name, ++count[name]);
            check_common(name, child);
            if (name == "content") check_content(child, child_text(entry, "id"));
            if (name == "link" && attribute_of(child, "rel") != "alternate")
                rules_.find("FeedHistoryRelInEntry", "link", attribute_of(child, "rel"));
            if (name == "updated" && !times_.insert(text_of(child)).second)
                rules_.find("DuplicateUpdated", "entry", text_of(child));
        }
        for (const auto* name : {"title", "id", "updated", "published", "link", "content"})
            if (count[name] != 1) rules_.find("MissingElement", "entry", name);
    }

    void check_content(const xmlNode* content, const std::string& id) {
        rules_.not_blank("content", text_of(content));
        if (attribute_of(content, "type") == "xhtml") return check_xhtml_content(content);
        if (attribute_of(content, "type") != "html")
            rules_.find("InvalidMIMEType", "content", attribute_of(content, "type"));
        rules_.html(text_of(content), id);
    }

    void check_xhtml_content(const xmlNode* content) {
        const auto children = children_of(content);
        if (children.size() != 1 || !is_xhtml(children.front()) ||
            name_of(children.front()) != "div")
            rules_.find("MissingXhtmlDiv", "content", "");
    }

    void date(const std::string& where, const std::string& text) {
        if (!matches(text, "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{9})?Z"))
            return rules_.find("InvalidRFC3339Date", where, text);
        const auto time = base::parse_rfc3339(text.substr(0, 19));
        if (!time) return rules_.find("InvalidRFC3339Date", where, text);
        rules_.plausible(where, *time);
    }

    XmlRules rules_;
    std::set<std::string> links_, times_;
};

std::string names_in(const xmlNode* entry) {
    std::vector<std::string> names;
    for (const auto* author : children_named(entry, "author"))
        names.push_back(child_text(author, "name"));
    return base::join(names, ", ");
}

}  // namespace

Strings findings_in_atom(std::string_view bytes, std::string_view url, base::Seconds now) {
    return AtomChecker(bytes, url, now).check();
}

ReadFeed read_atom(std::string_view bytes) {
    const auto document = parse_xml(bytes);
    const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
    if (root == nullptr || name_of(root) != "feed")
        throw std::runtime_error("no Atom: " + std::string(bytes.substr(0, 200)));
    ReadFeed feed{.title = child_text(root, "title"),
                  .link = href_of(root, "link", "alternate"),
                  .description = child_text(root, "subtitle"),
                  .self = href_of(root, "link", "self"),
                  .updated = child_text(root, "updated"),
                  .items = {},
                  .complete = child_named(root, "fh:complete") != nullptr,
                  .archive = child_named(root, "fh:archive") != nullptr,
                  .current = href_of(root, "link", "current"),
                  .older = href_of(root, "link", "prev-archive"),
                  .newer = href_of(root, "link", "next-archive")};
    if (feed.older.empty()) feed.older = href_of(root, "link", "next");
    for (const auto* entry : children_named(root, "entry"))
        feed.items.push_back({child_text(entry, "title"), href_of(entry, "link", "alternate"),
                              child_text(entry, "content"), names_in(entry),
                              child_text(entry, "id"),
                              child_text(entry, "updated").substr(0, 10)});
    return feed;
}

}  // namespace support
