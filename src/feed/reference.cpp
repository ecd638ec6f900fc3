// SPDX-License-Identifier: MIT
#include "feed/reference.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <libxml/uri.h>
#include <memory>
#include <unicode/uidna.h>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace feed {
namespace {

constexpr std::size_t longest_url = 2048;  // bytes of a URL

struct FreeText {
    void operator()(xmlChar* text) const { xmlFree(text); }
};

// Returns the reference with %XX for characters that URLs must not have, and "/" for "\", as browsers read it. Removes
// line ends and tabs.
std::string without_foreign_bytes(std::string_view reference) {
    std::string url;
    url.reserve(reference.size());
    for (std::size_t at = 0; at < reference.size(); ++at) {
        const char c = reference[at];
        const auto hex = [&](std::size_t place) {
            return place < reference.size() &&
                   std::string_view("0123456789abcdefABCDEF").find(reference[place]) !=
                       std::string_view::npos;
        };
        if (c == '\n' || c == '\r' || c == '\t') continue;
        if (c == '\\')
            url += '/';
        else if (c == '%' && !(hex(at + 1) && hex(at + 2)))
            url += "%25";
        else if (!base::is_printable(c) ||
                 std::string_view(" \"<>^`{|}[]").find(c) != std::string_view::npos)
            base::append_percent_encoded(url, {&c, 1});
        else
            url += c;
    }
    return url;
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Returns a host in ASCII (IDNA, UTS 46), with its port; empty: it has none.
std::string ascii_host(std::string_view host) {
    const auto written = host.substr(0, host.rfind(':'));
    const auto name = base::percent_decode(written, base::Plus::literal);
    if (!name || is_ascii(*name)) return std::string(host);
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UIDNA, void (*)(UIDNA*)> idna(
        uidna_openUTS46(UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_USE_STD3_RULES, &status),
        &uidna_close);
    std::array<char, 256> room{};
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    const auto size =
        uidna_nameToASCII_UTF8(idna.get(), name->data(), static_cast<int32_t>(name->size()),
                               room.data(), room.size(), &info, &status);
    if (U_FAILURE(status) || info.errors != 0) return {};
    return std::string(room.data(), static_cast<std::size_t>(size))
        .append(host.substr(written.size()));
}

// Returns the URL with its scheme and host in lower case and a path; empty: it is not an http or https URL with a host.
std::string web_url(std::string url) {
    const auto colon = url.find("://");
    if (colon == std::string::npos) return {};
    const auto scheme = base::fold_ascii(std::string_view(url).substr(0, colon));
    if (scheme != "http" && scheme != "https") return {};
    const auto host = colon + 3;
    auto end = std::min(url.find_first_of("/?#", host), url.size());
    const auto ascii = ascii_host(std::string_view(url).substr(host, end - host));
    url.replace(host, end - host, ascii);
    end = host + ascii.size();
    if (end == host || url[host] == ':') return {};
    url.replace(0, end, base::fold_ascii(std::string_view(url).substr(0, end)));
    if (end == url.size() || url[end] != '/') url.insert(end, "/");
    return url.size() > longest_url ? std::string() : url;
}

bool has_scheme(std::string_view reference) {
    const auto end = reference.find_first_of(":/?#");
    return end != std::string_view::npos && reference[end] == ':';
}

}  // namespace

std::string resolve_reference(const std::string& base, std::string_view reference) {
    const auto trimmed = base::trim(reference);
    if (trimmed.size() > longest_url) return {};
    const auto url = without_foreign_bytes(trimmed);
    if (has_scheme(url)) return web_url(url);
    if (base.empty()) return {};
    const std::unique_ptr<xmlChar, FreeText> built{
        xmlBuildURI(reinterpret_cast<const xmlChar*>(url.c_str()),
                    reinterpret_cast<const xmlChar*>(base.c_str()))};
    if (!built) return {};
    // libxml2 decodes what was encoded in the host of the base.
    return web_url(without_foreign_bytes(reinterpret_cast<const char*>(built.get())));
}

std::string name_of_target(const std::string& url) {
    const auto path = std::string_view(url).substr(0, url.find_first_of("?#"));
    const auto end = path.find_last_not_of('/') + 1;
    const auto part =
        path.substr(path.rfind('/', end - 1) + 1, end - path.rfind('/', end - 1) - 1);
    return base::legal_text(
        base::percent_decode(part, base::Plus::literal).value_or(std::string(part)));
}

}  // namespace feed
