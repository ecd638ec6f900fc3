// SPDX-License-Identifier: MIT
#include "harvest/hub_links.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "feed/reference.hpp"

namespace harvest {

namespace {

// Reads the links of a field one after the other, and skips what is none.
class LinkFieldReader {
   public:
    explicit LinkFieldReader(std::string_view text) : left_(text) {}

    struct Link {
        std::string_view target;
        std::string relations;  // separated by blanks
        bool is_about_us = true;
    };
    // Returns false at the end.
    [[nodiscard]] bool read(Link& link) {
        link = {};
        const auto begin = left_.find('<');
        const auto end = left_.find('>', std::min(begin, left_.size()));
        if (end == std::string_view::npos) return false;
        link.target = left_.substr(begin + 1, end - begin - 1);
        left_.remove_prefix(end + 1);
        bool has_relations = false;
        while (take(';')) {
            const auto name = take_until(";,=");
            const auto value = take('=') ? take_value() : std::string();
            if (base::equal_ignoring_case(name, "anchor")) link.is_about_us = false;
            if (!base::equal_ignoring_case(name, "rel") || has_relations) continue;
            link.relations = value;
            has_relations = true;
        }
        return true;
    }

   private:
    [[nodiscard]] bool take(char c) {
        left_ = base::trim(left_);
        if (!left_.starts_with(c)) return false;
        left_.remove_prefix(1);
        return true;
    }
    std::string_view take_until(std::string_view ends) {
        const auto size = std::min(left_.find_first_of(ends), left_.size());
        const auto text = base::trim(left_.substr(0, size));
        left_.remove_prefix(size);
        return text;
    }
    std::string take_value() {
        if (!take('"')) return std::string(take_until(";,"));
        std::string value;
        while (!left_.empty() && left_.front() != '"') {
            if (left_.front() == '\\' && left_.size() > 1) left_.remove_prefix(1);
            value += left_.front();
            left_.remove_prefix(1);
        }
        left_.remove_prefix(std::min<std::size_t>(1, left_.size()));
        return value;
    }

    std::string_view left_;
};

bool has_relation(std::string_view relations, std::string_view name) {
    const auto parts = base::split(relations, ' ');
    return std::ranges::any_of(
        parts, [&](auto part) { return base::equal_ignoring_case(base::trim(part), name); });
}

// Keeps the first link of each kind.
void read_link(const LinkFieldReader::Link& link, const std::string& url, HubLinks& links) {
    if (!link.is_about_us) return;
    if (links.hub_url.empty() && has_relation(link.relations, "hub"))
        links.hub_url = feed::resolve_reference(url, link.target);
    if (links.topic.empty() && has_relation(link.relations, "self"))
        links.topic = feed::resolve_reference(url, link.target);
}

HubLinks links_in(std::span<const net::Field> fields, const std::string& url) {
    HubLinks links;
    for (const auto& field : fields) {
        if (!base::equal_ignoring_case(field.name, "Link")) continue;
        LinkFieldReader reader(field.value);
        for (LinkFieldReader::Link link; reader.read(link);) read_link(link, url, links);
    }
    return links;
}

}  // namespace

HubLinks hub_links_of(std::span<const net::Field> fields, const feed::Feed& feed,
                      const std::string& url) {
    auto links = links_in(fields, url);
    if (links.hub_url.empty()) links.hub_url = feed.hub_url;
    if (links.topic.empty()) links.topic = feed.self_url;
    return links;
}

}  // namespace harvest
