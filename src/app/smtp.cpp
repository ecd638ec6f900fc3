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

// Returns "550 no such user", or what libcurl says where the server is not the one who refuses.
std::string text_of(CURLcode code, std::string_view reply, const char* error) {
    if (reply.starts_with('4') || reply.starts_with('5'))
        return "the mail server says: " + on_one_line(reply);
    const auto text = on_one_line(*error != '\0' ? error : curl_easy_strerror(code));
    if (code != CURLE_USE_SSL_FAILED) return text;
    return text + " (mails are sent over TLS alone; without --send, the mail is printed for "
                  "sendmail -t)";
}

}  // namespace

Result<void> send_mail(const MailConfig& config, const std::string& password,
                       const std::string& from, const std::vector<std::string>& to,
                       const std::string& mail) {
    const auto bytes = render::with_crlf(mail);
    Dialogue dialogue{bytes, {}};
    std::array<char, CURL_ERROR_SIZE> error{};
    net::CurlList recipients;
    for (const auto& address : to) recipients.append("<" + address + ">");
    const auto handle = net::make_curl();
    const auto set = [&](CURLoption option, auto value) {
        net::set_option(handle.get(), option, value);
    };
    set(CURLOPT_URL, config.server.c_str());
    set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    set(CURLOPT_PROXY, "");  // whatever the environment says
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, 30L);
    set(CURLOPT_SERVER_RESPONSE_TIMEOUT, 60L);
    set(CURLOPT_TIMEOUT, 600L);
    if (const auto file = net::certificate_file(); !file.empty())
        set(CURLOPT_CAINFO, file.c_str());
    set(CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_ALL));
    if (!config.user.empty()) {
        set(CURLOPT_USERNAME, config.user.c_str());
        set(CURLOPT_PASSWORD, password.c_str());
    }
    set(CURLOPT_MAIL_FROM, ("<" + from + ">").c_str());
    set(CURLOPT_MAIL_RCPT, recipients.get());
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_READFUNCTION, &read_mail);
    set(CURLOPT_READDATA, &dialogue);
    set(CURLOPT_HEADERFUNCTION, &note_reply);
    set(CURLOPT_HEADERDATA, &dialogue);
    set(CURLOPT_ERRORBUFFER, error.data());
    const auto code = curl_easy_perform(handle.get());
    if (code == CURLE_OK) return {};
    return base::fail(is_final(code, dialogue.reply) ? ErrorKind::refused
                                                     : ErrorKind::unavailable,
                      text_of(code, dialogue.reply, error.data()));
}

}  // namespace app
