// SPDX-License-Identifier: MIT
#include "hub/protocol.hpp"

#include <array>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdexcept>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace hub {

namespace {

// Appends parameters to a URL and to its target alike.
class ParameterWriter {
   public:
    explicit ParameterWriter(const net::Url& url)
        : url_(url), separator_(url.text.find('?') == std::string::npos ? '?' : '&') {
        // "http://a.example/x?" has a query already, which is empty.
        if (url_.text.ends_with('?') || url_.text.ends_with('&')) separator_ = '\0';
    }
    ParameterWriter& add(std::string_view name, std::string_view value) {
        std::string parameter;
        if (separator_ != '\0') parameter += separator_;
        parameter += name;
        parameter += '=';
        base::append_percent_encoded(parameter, value);
        url_.text += parameter;
        url_.target += parameter;
        separator_ = '&';
        return *this;
    }
    [[nodiscard]] net::Url url() { return std::move(url_); }

   private:
    net::Url url_;
    char separator_;
};

}  // namespace

std::string new_challenge() {
    std::array<unsigned char, 32> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw std::runtime_error("OpenSSL has no random bytes");
    return base::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

net::Url verification_url(const net::Url& callback, const Verification& verification) {
    return ParameterWriter(callback)
        .add("hub.mode", name_of(verification.mode))
        .add("hub.topic", verification.topic_url)
        .add("hub.challenge", verification.challenge)
        .add("hub.lease_seconds", std::to_string(verification.lease.count()))
        .url();
}

net::Url denial_url(const net::Url& callback, std::string_view topic_url,
                    std::string_view reason) {
    return ParameterWriter(callback)
        .add("hub.mode", "denied")
        .add("hub.topic", topic_url)
        .add("hub.reason", reason)
        .url();
}

std::string link_field(std::string_view hub_url, std::string_view topic_url) {
    std::string field = "<";
    field.append(hub_url).append(">; rel=\"hub\", <").append(topic_url).append(">; rel=\"self\"");
    return field;
}

std::string signature_field(SignatureMethod method, std::string_view secret,
                            std::string_view body) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    const auto* digest = method == SignatureMethod::sha1 ? EVP_sha1() : EVP_sha256();
    if (HMAC(digest, secret.data(), static_cast<int>(secret.size()),
             reinterpret_cast<const unsigned char*>(body.data()), body.size(), bytes.data(),
             &size) == nullptr)
        throw std::runtime_error("OpenSSL computes no signature");
    return std::string(name_of(method)) + '=' +
           base::to_hex({reinterpret_cast<const char*>(bytes.data()), size});
}

}  // namespace hub
