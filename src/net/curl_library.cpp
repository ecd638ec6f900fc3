// SPDX-License-Identifier: MIT
#include "net/curl_library.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <new>

namespace net {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

bool find_all(void* library, CurlLibrary& curl) {
    return find(library, "curl_global_init", curl.global_init) &&
           find(library, "curl_easy_init", curl.easy_init) &&
           find(library, "curl_easy_reset", curl.easy_reset) &&
           find(library, "curl_easy_setopt", curl.easy_setopt) &&
           find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
           find(library, "curl_easy_perform", curl.easy_perform) &&
           find(library, "curl_easy_strerror", curl.easy_strerror) &&
           find(library, "curl_easy_cleanup", curl.easy_cleanup) &&
           find(library, "curl_multi_init", curl.multi_init) &&
           find(library, "curl_multi_setopt", curl.multi_setopt) &&
           find(library, "curl_multi_add_handle", curl.multi_add_handle) &&
           find(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
           find(library, "curl_multi_assign", curl.multi_assign) &&
           find(library, "curl_multi_socket_action", curl.multi_socket_action) &&
           find(library, "curl_multi_info_read", curl.multi_info_read) &&
           find(library, "curl_multi_cleanup", curl.multi_cleanup) &&
           find(library, "curl_slist_append", curl.slist_append) &&
           find(library, "curl_slist_free_all", curl.slist_free_all);
}

}  // namespace

base::Result<CurlLibrary> load_curl() {
    constexpr auto name = "libcurl.so.4";
    auto* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    CurlLibrary curl;
    if (library != nullptr && find_all(library, curl)) {
        if (curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) return curl;
        return base::fail(base::ErrorKind::refused, "libcurl cannot be initialised");
    }
    const char* why = ::dlerror();  // NOLINT(concurrency-mt-unsafe)
    return base::fail(base::ErrorKind::refused,
                      "cannot load libcurl; install the package libcurl4: " +
                          std::string(why == nullptr ? name : why));
}

void CurlList::append(const std::string& text) {
    auto* longer = append_(list_.get(), text.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    (void)list_.release();  // it is part of the longer list
    list_.reset(longer);
}

std::string certificate_file() {
    // Nobody changes the environment.
    const char* file = std::getenv("SSL_CERT_FILE");  // NOLINT(concurrency-mt-unsafe)
    return file == nullptr ? "" : file;
}

}  // namespace net
