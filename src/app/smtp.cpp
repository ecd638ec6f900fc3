// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "app/smtp.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <curl/curl.h>
#include <dlfcn.h>
#include <memory>
#include <string_view>

#include "app/print.hpp"
#include "base/text.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;

// The functions of libcurl that are used here.
struct Curl {
    decltype(&::curl_easy_init) init = nullptr;
    decltype(&::curl_easy_setopt) set = nullptr;
    decltype(&::curl_easy_perform) perform = nullptr;
    decltype(&::curl_easy_strerror) text_of = nullptr;
    decltype(&::curl_easy_cleanup) cleanup = nullptr;
    decltype(&::curl_slist_append) append = nullptr;
    decltype(&::curl_slist_free_all) free_all = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

// The library stays loaded.
Result<Curl> load_curl() {
    constexpr auto name = "libcurl.so.4";
    auto* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    Curl curl;
    const bool is_whole = library != nullptr && find(library, "curl_easy_init", curl.init) &&
                          find(library, "curl_easy_setopt", curl.set) &&
                          find(library, "curl_easy_perform", curl.perform) &&
                          find(library, "curl_easy_strerror", curl.text_of) &&
                          find(library, "curl_easy_cleanup", curl.cleanup) &&
                          find(library, "curl_slist_append", curl.append) &&
                          find(library, "curl_slist_free_all", curl.free_all);
    if (is_whole) return curl;
    const char* why = ::dlerror();
    return base::fail(ErrorKind::refused, "cannot load libcurl; install the package libcurl4: " +
                                              std::string(why == nullptr ? name : why));
}

// What is sent, and the last reply of the server.
struct Dialogue {
    std::string_view rest;  // of the mail
    std::string reply;
};

std::size_t read_mail(char* buffer, std::size_t size, std::size_t count, void* dialogue) {
    auto& rest = static_cast<Dialogue*>(dialogue)->rest;
    const auto taken = std::min(size * count, rest.size());
    std::memcpy(buffer, rest.data(), taken);
    rest.remove_prefix(taken);
    return taken;
}

// Keeps the lines of one reply; that to QUIT says nothing of the mail.
std::size_t note_reply(char* bytes, std::size_t size, std::size_t count, void* dialogue) {
    constexpr std::size_t code = 3, longest_reply = 1000;
    auto& reply = static_cast<Dialogue*>(dialogue)->reply;
    const std::string_view line = base::trim({bytes, size * count});
    if (line.starts_with("221")) return size * count;
    if (reply.substr(0, code) != line.substr(0, code)) reply.clear();
    if (reply.size() + line.size() < longest_reply) {
        if (!reply.empty()) reply += ' ';
        reply += reply.empty() ? line : base::trim(line.substr(std::min(line.size(), code + 1)));
    }
    return size * count;
}

std::string with_crlf(std::string_view mail) {
    std::string bytes;
    bytes.reserve(mail.size() + mail.size() / 40);
    for (const char c : mail) {
        if (c == '\n') bytes += '\r';
        bytes += c;
    }
    return bytes;
}

// True if another attempt would end in the same way.
bool is_final(CURLcode code, std::string_view reply) {
    if (reply.starts_with('4')) return false;
    if (reply.starts_with('5')) return true;
    constexpr std::array final_codes = {
        CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED,       CURLE_LOGIN_DENIED,
        CURLE_SSL_CACERT_BADFILE,       CURLE_UNSUPPORTED_PROTOCOL, CURLE_SSL_CONNECT_ERROR};
    return std::ranges::find(final_codes, code) != final_codes.end();
}

class Sending {
   public:
    Sending(const Curl& curl, const MailConfig& config, const std::string& password)
        : curl_(curl), config_(config), password_(password), handle_(curl.init(), curl.cleanup),
          recipients_(nullptr, curl.free_all) {}

    Result<void> send(const std::string& from, const std::vector<std::string>& to,
                      const std::string& mail) {
        const auto bytes = with_crlf(mail);
        dialogue_.rest = bytes;
        if (!handle_ || !set_up(from, to))
            return base::fail(ErrorKind::refused, "libcurl is too old, or out of memory");
        const auto code = curl_.perform(handle_.get());
        if (code == CURLE_OK) return {};
        return base::fail(is_final(code, dialogue_.reply) ? ErrorKind::refused
                                                          : ErrorKind::unavailable,
                          text_of(code));
    }

   private:
    template <class Value>
    void set(CURLoption option, Value value) {
        all_set_ = curl_.set(handle_.get(), option, value) == CURLE_OK && all_set_;
    }

    bool set_up(const std::string& from, const std::vector<std::string>& to) {
        set(CURLOPT_URL, config_.server.c_str());
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
        set(CURLOPT_PROXY, "");  // whatever the environment says
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_CONNECTTIMEOUT, 30L);
        set(CURLOPT_SERVER_RESPONSE_TIMEOUT, 60L);
        set(CURLOPT_TIMEOUT, 600L);
        set_security();
        if (!config_.user.empty()) {
            set(CURLOPT_USERNAME, config_.user.c_str());
            set(CURLOPT_PASSWORD, password_.c_str());
        }
        set(CURLOPT_MAIL_FROM, ("<" + from + ">").c_str());
        for (const auto& address : to) {
            auto* longer = curl_.append(recipients_.get(), ("<" + address + ">").c_str());
            if (longer == nullptr) return false;
            (void)recipients_.release();  // it is part of the longer list
            recipients_.reset(longer);
        }
        set(CURLOPT_MAIL_RCPT, recipients_.get());
        set(CURLOPT_UPLOAD, 1L);
        set(CURLOPT_READFUNCTION, &read_mail);
        set(CURLOPT_READDATA, &dialogue_);
        set(CURLOPT_HEADERFUNCTION, &note_reply);
        set(CURLOPT_HEADERDATA, &dialogue_);
        set(CURLOPT_ERRORBUFFER, error_.data());
        return all_set_;
    }

    void set_security() {
        // As other programs that use OpenSSL, for a server whose certificate is the institute's own.
        if (const char* file = std::getenv("SSL_CERT_FILE"); file != nullptr && *file != '\0')
            set(CURLOPT_CAINFO, file);
        switch (config_.tls) {
            case Tls::required: return set(CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_ALL));
            case Tls::opportunistic:
                // Who could forge a certificate could as well remove STARTTLS.
                set(CURLOPT_SSL_VERIFYPEER, 0L);
                set(CURLOPT_SSL_VERIFYHOST, 0L);
                return set(CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_TRY));
            case Tls::none: return set(CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_NONE));
        }
    }

    // "550 no such user", or what libcurl says where the server is not the one who refuses.
    std::string text_of(CURLcode code) const {
        const bool is_refusal =
            dialogue_.reply.starts_with('4') || dialogue_.reply.starts_with('5');
        if (is_refusal) return "the mail server says: " + on_one_line(dialogue_.reply);
        return on_one_line(error_.front() != '\0' ? error_.data() : curl_.text_of(code));
    }

    const Curl& curl_;
    const MailConfig& config_;
    const std::string& password_;
    Dialogue dialogue_;
    std::array<char, CURL_ERROR_SIZE> error_{};
    std::unique_ptr<CURL, decltype(Curl::cleanup)> handle_;
    std::unique_ptr<curl_slist, decltype(Curl::free_all)> recipients_;
    bool all_set_ = true;
};

}  // namespace

Result<void> send_mail(const MailConfig& config, const std::string& password,
                       const std::string& from, const std::vector<std::string>& to,
                       const std::string& mail) {
    const auto curl = load_curl();
    if (!curl) return tl::unexpected(curl.error());
    return Sending(*curl, config, password).send(from, to, mail);
}

}  // namespace app
