// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "app/smtp.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "app/print.hpp"
#include "base/text.hpp"
#include "net/curl.hpp"
#include "render/mail.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;

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

// Keeps the lines of the last reply, except the reply to QUIT.
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
    Sending(const MailConfig& config, const std::string& password)
        : config_(config), password_(password) {}

    Result<void> send(const std::string& from, const std::vector<std::string>& to,
                      const std::string& mail) {
        const auto bytes = render::with_crlf(mail);
        dialogue_.rest = bytes;
        set_up(from, to);
        const auto code = curl_easy_perform(handle_.get());
        if (code == CURLE_OK) return {};
        return base::fail(is_final(code, dialogue_.reply) ? ErrorKind::refused
                                                          : ErrorKind::unavailable,
                          text_of(code));
    }

   private:
    template <class Value>
    void set(CURLoption option, Value value) {
        net::set_option(handle_.get(), option, value);
    }

    void set_up(const std::string& from, const std::vector<std::string>& to) {
        set(CURLOPT_URL, config_.server.c_str());
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
        set(CURLOPT_PROXY, "");  // whatever the environment says
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_CONNECTTIMEOUT, 30L);
        set(CURLOPT_SERVER_RESPONSE_TIMEOUT, 60L);
        set(CURLOPT_TIMEOUT, 600L);
        if (const auto file = net::certificate_file(); !file.empty())
            set(CURLOPT_CAINFO, file.c_str());
        set(CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_ALL));
        if (!config_.user.empty()) {
            set(CURLOPT_USERNAME, config_.user.c_str());
            set(CURLOPT_PASSWORD, password_.c_str());
        }
        set(CURLOPT_MAIL_FROM, ("<" + from + ">").c_str());
        for (const auto& address : to) recipients_.append("<" + address + ">");
        set(CURLOPT_MAIL_RCPT, recipients_.get());
        set(CURLOPT_UPLOAD, 1L);
        set(CURLOPT_READFUNCTION, &read_mail);
        set(CURLOPT_READDATA, &dialogue_);
        set(CURLOPT_HEADERFUNCTION, &note_reply);
        set(CURLOPT_HEADERDATA, &dialogue_);
        set(CURLOPT_ERRORBUFFER, error_.data());
    }

    // "550 no such user", or what libcurl says where the server is not the one who refuses.
    std::string text_of(CURLcode code) const {
        const bool is_refusal =
            dialogue_.reply.starts_with('4') || dialogue_.reply.starts_with('5');
        if (is_refusal) return "the mail server says: " + on_one_line(dialogue_.reply);
        const auto text =
            on_one_line(error_.front() != '\0' ? error_.data() : curl_easy_strerror(code));
        return code == CURLE_USE_SSL_FAILED
                   ? text + " (mails are sent over TLS alone; without --send, the mail is "
                            "printed for sendmail -t)"
                   : text;
    }

    const MailConfig& config_;
    const std::string& password_;
    Dialogue dialogue_;
    std::array<char, CURL_ERROR_SIZE> error_{};
    net::CurlHandle handle_ = net::make_curl();
    net::CurlList recipients_;
};

}  // namespace

Result<void> send_mail(const MailConfig& config, const std::string& password,
                       const std::string& from, const std::vector<std::string>& to,
                       const std::string& mail) {
    return Sending(config, password).send(from, to, mail);
}

}  // namespace app
