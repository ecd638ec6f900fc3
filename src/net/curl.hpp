// net/curl.hpp -- what owns the handles and lists of libcurl.
// SPDX-License-Identifier: MIT
#pragma once

#include <curl/curl.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace net {

struct EndCurl {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
using CurlHandle = std::unique_ptr<CURL, EndCurl>;

//   throws  std::bad_alloc
[[nodiscard]] inline CurlHandle make_curl() {
    CurlHandle handle(curl_easy_init());
    if (!handle) throw std::bad_alloc();
    return handle;
}

//   value   as libcurl wants it for this option
//   throws  std::bad_alloc; std::logic_error: libcurl does not know the option, or the value
template <class Value>
void set_option(CURL* handle, CURLoption option, Value value) {
    const auto code = curl_easy_setopt(handle, option, value);
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (code != CURLE_OK)
        throw std::logic_error("option " + std::to_string(option) +
                               " of libcurl: " + curl_easy_strerror(code));
}

// A list of texts, as libcurl takes it.
class CurlList {
   public:
    // Throws std::bad_alloc.
    void append(const std::string& text) {
        auto* longer = curl_slist_append(list_.get(), text.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        (void)list_.release();  // it is part of the longer list
        list_.reset(longer);
    }
    [[nodiscard]] curl_slist* get() const { return list_.get(); }

   private:
    std::unique_ptr<curl_slist, EndCurl> list_;
};

// Returns the file of certificates that SSL_CERT_FILE names, as other programs that use OpenSSL read it: for
// a server whose certificate is the institute's own. Empty: those of the system.
[[nodiscard]] std::string certificate_file();

}  // namespace net
