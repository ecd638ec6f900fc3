// Feeds of any bytes: what is read is legal text with ids of its own, and what is shown of it is well-formed.
// The first line is the Content-Type, what follows is the document.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <set>
#include <string>

#include "feed/feed.hpp"
#include "feed/read_feed.hpp"
#include "feed/safe_html.hpp"
#include "fuzz/fuzz.hpp"

namespace {

const std::string document_url = "https://a.example/dir/feed?x=1";
constexpr feed::ReadLimits limits{.most_entries = 50, .most_text = 1000, .most_depth = 40};

void require_url(std::string_view url) {
    require_text(url);
    require(url.empty() || url.starts_with("http://") || url.starts_with("https://"));
    require(url.size() <= 2048 && url.find_first_of(" \r\n<>\"") == std::string_view::npos);
}

void check_time(const std::optional<base::Seconds>& time) {
    if (time) require(base::parse_rfc3339(base::format_rfc3339(*time)) == time);
}

std::string_view view_of(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

// No script, no handler of an event, no URL with another scheme.
void check_elements(const xmlNode* node) {
    for (; node != nullptr; node = node->next) {
        if (node->type != XML_ELEMENT_NODE) continue;
        for (const auto* name : {"script", "style", "iframe", "object", "embed", "form", "svg"})
            require(view_of(node->name) != name);
        for (const auto* attribute = node->properties; attribute != nullptr;
             attribute = attribute->next) {
            const auto name = view_of(attribute->name);
            require(!name.starts_with("on") && name != "style" && name != "class" &&
                    name != "id");
            if (name != "href" && name != "src") continue;
            require(attribute->children != nullptr);
            const auto value = view_of(attribute->children->content);
            require(value.starts_with("http://") || value.starts_with("https://") ||
                    (name == "href" && value.starts_with("mailto:")));
        }
        check_elements(node->children);
    }
}

void check_html(const feed::Entry& entry) {
    constexpr std::size_t most = 500;
    const auto html = feed::safe_html(entry.content, entry.content_base, most);
    require_text(html);
    require(html.size() <= most);
    const auto document = "<x>" + html + "</x>";
    auto* const read =
        xmlReadMemory(document.data(), static_cast<int>(document.size()), nullptr, nullptr,
                      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
    require(read != nullptr);
    check_elements(xmlDocGetRootElement(read));
    xmlFreeDoc(read);
    require_text(feed::plain_text(entry.content, most));
    require_text(feed::plain_line(entry.content, most));
}

void check_entry(const feed::Entry& entry) {
    require(!entry.id.empty() && entry.digest.size() == 32);
    for (const auto* text : {&entry.id, &entry.guid, &entry.title, &entry.content})
        require_text(*text);
    for (const auto& category : entry.categories) require_text(category);
    for (const auto& author : entry.authors) {
        require(!author.name.empty() || !author.mail.empty() || !author.url.empty());
        require_text(author.name + author.mail);
        require_url(author.url);
    }
    require_url(entry.link);
    require_url(entry.content_base);
    check_time(entry.published);
    check_time(entry.updated);
    require_texts(feed::tree_of(entry, feed::plain_text(entry.content)));
    check_html(entry);
}

}  // namespace

void fuzz(std::string_view bytes) {
    const auto line = std::min(bytes.find('\n'), bytes.size());
    const auto type = bytes.substr(0, line);
    const auto body = bytes.substr(std::min(line + 1, bytes.size()));
    const auto read = feed::read_feed(body, type, document_url, limits);
    if (!read) {
        require(!read.error().text.empty());
        require_text(read.error().text);
        return;
    }
    require(feed::read_feed(body, type, document_url, limits) == read);
    for (const auto* text : {&read->title, &read->description, &read->language})
        require_text(*text);
    for (const auto* url : {&read->home_url, &read->prev_archive_url}) require_url(*url);
    require(read->entries.size() <= limits.most_entries);
    std::set<std::string> ids;
    for (const auto& entry : read->entries) {
        require(ids.insert(entry.id).second);
        check_entry(entry);
    }
    auto again = read->entries;
    feed::identify(again);
    require(again == read->entries);
}
