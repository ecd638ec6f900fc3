// URLs and allow-lists of any bytes: an accepted URL is read by libcurl as the same scheme, host, port and
// target, and its normalized spelling is its own.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <curl/curl.h>
#include <string>

#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "net/address.hpp"
#include "net/url.hpp"

namespace {

// The parts that libcurl reads with the flags of CURLOPT_PATH_AS_IS.
class CurlUrl {
   public:
    explicit CurlUrl(const std::string& text) {
        require(curl_url_set(url_, CURLUPART_URL, text.c_str(), CURLU_PATH_AS_IS) == CURLUE_OK);
    }
    ~CurlUrl() { curl_url_cleanup(url_); }
    CurlUrl(const CurlUrl&) = delete;
    CurlUrl& operator=(const CurlUrl&) = delete;

    [[nodiscard]] std::string part(CURLUPart which, unsigned flags = 0) const {
        char* text = nullptr;
        if (curl_url_get(url_, which, &text, flags) != CURLUE_OK) return {};
        std::string part = text;
        curl_free(text);
        return part;
    }

   private:
    CURLU* url_ = curl_url();
};

void check_accepted(const net::Url& url) {
    const CurlUrl curl(url.text);
    require(curl.part(CURLUPART_SCHEME) == net::name_of(url.scheme));
    require(base::equal_ignoring_case(curl.part(CURLUPART_HOST), url.host));
    require(curl.part(CURLUPART_PORT, CURLU_DEFAULT_PORT) == std::to_string(url.port));
    require(curl.part(CURLUPART_USER).empty() && curl.part(CURLUPART_FRAGMENT).empty());
    const auto query = curl.part(CURLUPART_QUERY);
    const auto target = curl.part(CURLUPART_PATH) + (query.empty() ? "" : "?" + query);
    require(target == url.target || target + "?" == url.target);

    const auto normal = net::normalized(url);
    require(normal.size() <= url.text.size() + 1);
    if (normal.size() > net::longest_url) return;
    const auto again = net::parse_url(normal);
    require(again.has_value() && net::normalized(*again) == normal);
    require(again->scheme == url.scheme && again->host == url.host && again->port == url.port);
}

}  // namespace

void fuzz(std::string_view text) {
    if (const auto url = net::parse_url(text))
        check_accepted(*url);
    else
        require(std::ranges::all_of(url.error().text, base::is_printable));
    if (const auto list = net::parse_allow_list(text))
        for (const auto& allowed : *list)
            require(net::contains(allowed.prefix, allowed.prefix.address));
}
