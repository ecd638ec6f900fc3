// SPDX-License-Identifier: MIT
#include "serve/negotiation.hpp"

#include <optional>

#include "base/text.hpp"

namespace serve {

namespace {

constexpr int full_weight = 1000;  // q=1 in thousandths

// Returns the weight in thousandths (RFC 9110 section 12.4.2); nullopt for invalid syntax.
std::optional<int> parse_weight(std::string_view text) {
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1'))
        return std::nullopt;
    int weight = text[0] == '1' ? full_weight : 0;
    if (text.size() == 1) return weight;
    if (text[1] != '.') return std::nullopt;
    int place = 100;
    for (const char digit : text.substr(2)) {
        if (digit < '0' || digit > '9') return std::nullopt;
        weight += (digit - '0') * place;
        place /= 10;
    }
    return weight > full_weight ? std::nullopt : std::optional(weight);
}

// Returns the weight among the parameters "a=b;q=0.5" of a list element; 1 for an invalid one.
int weight_in(std::string_view parameters) {
    for (const auto part : base::split(parameters, ';')) {
        const auto parameter = base::trim(part);
        if (parameter.size() < 2 || (parameter[0] != 'q' && parameter[0] != 'Q')) continue;
        if (parameter[1] != '=') continue;
        return parse_weight(parameter.substr(2)).value_or(full_weight);
    }
    return full_weight;
}

// Returns the weight that a list gives to `name` itself; nullopt when it does not contain it.
std::optional<int> weight_of(std::string_view list, std::string_view name) {
    for (const auto element : base::split(list, ',')) {
        const auto [found, parameters] = halves_of(element, ';');
        if (base::equal_ignoring_case(base::trim(found), name)) return weight_in(parameters);
    }
    return std::nullopt;
}

// Removes the first entity tag from a list and returns its opaque part with the quotes. Empty
// when there are no more tags.
std::string_view next_tag(std::string_view& list) {
    const auto open = list.find('"');
    if (open == std::string_view::npos) return {};
    const auto close = list.find('"', open + 1);
    if (close == std::string_view::npos) return {};
    const auto tag = list.substr(open, close - open + 1);
    list.remove_prefix(close + 1);
    return tag;
}

// True when a list contains this tag, by weak comparison. "*" contains none.
bool names_tag(std::string_view list, std::string_view entity_tag) {
    for (auto tag = next_tag(list); !tag.empty(); tag = next_tag(list))
        if (tag == entity_tag) return true;
    return false;
}

// The weight of a media type, and how specific the media range is that gives it: 3 for the type
// itself, 2 for its syntax (application/xml), 1 for "application/*", 0 for "*/*".
struct Preference {
    int weight = 0;
    int specificity = 0;
    auto operator<=>(const Preference&) const = default;
};

// Returns the preference by the most specific media range that matches the type.
Preference preference_of(std::string_view accept, std::string_view media_type) {
    if (const auto own = weight_of(accept, media_type)) return {*own, 3};
    std::optional<int> syntax;
    if (media_type.ends_with("+json")) syntax = weight_of(accept, "application/json");
    if (is_xml(media_type)) syntax = weight_of(accept, "application/xml");
    if (is_xml(media_type) && !syntax) syntax = weight_of(accept, "text/xml");
    if (syntax) return {*syntax, 2};
    const auto kind = std::string(media_type.substr(0, media_type.find('/'))) + "/*";
    if (const auto any_of_kind = weight_of(accept, kind)) return {*any_of_kind, 1};
    return {weight_of(accept, "*/*").value_or(0), 0};
}

}  // namespace

Coding preferred_coding(std::string_view accept_encoding) {
    if (base::trim(accept_encoding).empty()) return Coding::identity;
    const auto any = weight_of(accept_encoding, "*");
    auto gzip = weight_of(accept_encoding, "gzip");
    if (!gzip) gzip = weight_of(accept_encoding, "x-gzip");  // RFC 9110 section 8.4.1.3
    const int gzip_weight = gzip.value_or(any.value_or(0));
    // Identity is acceptable without being listed, but anything that is listed is preferred.
    const int identity_weight = weight_of(accept_encoding, "identity").value_or(0);
    return gzip_weight > 0 && gzip_weight >= identity_weight ? Coding::gzip : Coding::identity;
}

bool is_xml(std::string_view media_type) { return media_type.ends_with("+xml"); }

bool prefers_html(std::string_view accept) {
    const int html = weight_of(accept, "text/html").value_or(0);
    return html > 0 && html >= weight_of(accept, "text/plain").value_or(0);
}

std::size_t preferred_type(std::string_view accept,
                           std::span<const std::string_view> media_types) {
    std::size_t best = 0;
    Preference highest;
    for (std::size_t i = 0; i < media_types.size(); ++i) {
        const auto preference = preference_of(accept, media_types[i]);
        if (preference.weight == 0 || preference <= highest) continue;
        best = i;
        highest = preference;
    }
    return best;
}

bool is_browser(std::string_view accept, std::string_view media_type) {
    return weight_of(accept, "text/html").value_or(0) > 0 &&
           weight_of(accept, media_type).value_or(0) == 0;
}

bool is_not_modified(const Request& request, const Validators& current) {
    if (request.fields.contains("if-none-match")) {
        const auto list = request.field("if-none-match");
        return base::trim(list) == "*" || names_tag(list, current.entity_tag);
    }
    const auto date = base::trim(request.field("if-modified-since"));
    if (date.empty() || current.last_modified == base::Seconds{}) return false;
    const auto since = base::parse_http_date(date);
    return since && current.last_modified == *since;
}

}  // namespace serve
