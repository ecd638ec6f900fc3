// net/curl_library.hpp -- the functions of libcurl, loaded when they are first needed.
// A web server starts the program for each CGI request, and the 26 libraries that libcurl needs take half
// as long to load again as the program. So libcurl is not linked.
// Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <curl/curl.h>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace net {

// Named as in libcurl, without "curl_".
struct CurlLibrary {
    decltype(&::curl_global_init) global_init = nullptr;
    decltype(&::curl_easy_init) easy_init = nullptr;
    decltype(&::curl_easy_reset) easy_reset = nullptr;
    decltype(&::curl_easy_setopt) easy_setopt = nullptr;
    decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
    decltype(&::curl_easy_perform) easy_perform = nullptr;
    decltype(&::curl_easy_strerror) easy_strerror = nullptr;
    decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
    decltype(&::curl_multi_init) multi_init = nullptr;
    decltype(&::curl_multi_setopt) multi_setopt = nullptr;
    decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
    decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
    decltype(&::curl_multi_assign) multi_assign = nullptr;
    decltype(&::curl_multi_socket_action) multi_socket_action = nullptr;
    decltype(&::curl_multi_info_read) multi_info_read = nullptr;
    decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
    decltype(&::curl_slist_append) slist_append = nullptr;
    decltype(&::curl_slist_free_all) slist_free_all = nullptr;
};

// Loads the library, which stays loaded, and initialises it.
//   error  refused: it is not installed, or too old; says which package to install
//   cost   4 to 6 ms the first time, some microseconds later
[[nodiscard]] base::Result<CurlLibrary> load_curl();

// A list of texts, as libcurl takes it.
class CurlList {
   public:
    explicit CurlList(const CurlLibrary& curl)
        : append_(curl.slist_append), list_(nullptr, curl.slist_free_all) {}
    // Throws std::bad_alloc.
    void append(const std::string& text);
    [[nodiscard]] curl_slist* get() const { return list_.get(); }

   private:
    decltype(CurlLibrary::slist_append) append_;
    std::unique_ptr<curl_slist, decltype(CurlLibrary::slist_free_all)> list_;
};

// Returns the file of certificates that SSL_CERT_FILE names, as other programs that use OpenSSL read it: for
// a server whose certificate is the institute's own. Empty: those of the system.
[[nodiscard]] std::string certificate_file();

}  // namespace net
