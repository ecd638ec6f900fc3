// SPDX-License-Identifier: MIT
#include "hub/subscription_request.hpp"

#include <algorithm>
#include <array>
#include <simdjson.h>
#include <utility>

#include "base/text.hpp"

namespace hub {

namespace {

using base::ErrorKind;
using base::Result;

tl::unexpected<base::Error> wrong(std::string_view parameter, std::string_view what) {
    return base::fail(ErrorKind::malformed,
                      std::string(parameter) + " " + std::string(what) + ".");
}

// The parameters that a request has at most once.
constexpr std::array<std::string_view, 5> single_parameters{
    "hub.mode", "hub.callback", "hub.topic", "hub.lease_seconds", "hub.secret"};

class FormReader {
   public:
    explicit FormReader(std::span<const RequestField> fields) : fields_(fields) {}

    // Returns the first value; empty when there is none.
    [[nodiscard]] std::string_view value(std::string_view name) const {
        const auto found = std::ranges::find(fields_, name, &RequestField::name);
        return found == fields_.end() ? std::string_view() : found->value;
    }
    [[nodiscard]] std::optional<std::string_view> doubled() const {
        for (const auto name : single_parameters)
            if (std::ranges::count(fields_, name, &RequestField::name) > 1) return name;
        return std::nullopt;
    }
    [[nodiscard]] Result<Mode> mode() const {
        const auto text = value("hub.mode");
        if (text == "subscribe") return Mode::subscribe;
        if (text == "unsubscribe") return Mode::unsubscribe;
        if (text == "publish")
            return base::fail(ErrorKind::refused, "hub.mode=publish is not supported: this hub "
                                                  "notices changes to its own site by itself.");
        if (text.empty()) return wrong("hub.mode", "is missing");
        return wrong("hub.mode", "must be subscribe or unsubscribe");
    }
    [[nodiscard]] Result<net::Url> url(std::string_view name) const {
        const auto text = value(name);
        if (text.empty()) return wrong(name, "is missing");
        auto parsed = net::parse_url(text);
        if (!parsed) return wrong(name, parsed.error().text);
        return std::move(*parsed);
    }
    [[nodiscard]] Result<std::chrono::seconds> lease() const {
        constexpr std::string_view name = "hub.lease_seconds";
        const auto text = value(name);
        if (text.empty()) return default_lease;
        const auto is_zero = [](char c) { return c == '0'; };
        if (!std::ranges::all_of(text, base::is_digit) || std::ranges::all_of(text, is_zero))
            return wrong(name, "must be a positive number of seconds");
        // A number with too many digits for an integer is above the longest lease in any case.
        const auto seconds = base::parse_count(text);
        if (!seconds || *seconds > static_cast<std::uint64_t>(longest_lease.count()))
            return longest_lease;
        return std::max(shortest_lease,
                        std::chrono::seconds(static_cast<std::int64_t>(*seconds)));
    }
    [[nodiscard]] Result<std::string> secret() const {
        constexpr std::string_view name = "hub.secret";
        const auto text = value(name);
        if (text.size() > longest_secret)
            return wrong(name,
                         "must not have more than " + std::to_string(longest_secret) + " bytes");
        if (!simdjson::validate_utf8(text.data(), text.size()))
            return wrong(name, "must be UTF-8");
        return std::string(text);
    }

   private:
    std::span<const RequestField> fields_;
};

// Returns an error for a callback whose host is an address that the guard refuses.
Result<void> check_address(const net::Url& callback, const net::AddressGuard& guard) {
    const auto address = net::parse_address(callback.host);
    if (address && guard.refusal(*address, callback.port))
        return wrong("hub.callback", "must not name an address or port that is not public");
    return {};
}

}  // namespace

std::string_view name_of(Mode mode) {
    return mode == Mode::subscribe ? "subscribe" : "unsubscribe";
}

std::string_view name_of(SignatureMethod method) {
    return method == SignatureMethod::sha1 ? "sha1" : "sha256";
}

Mode mode_named(std::string_view name) {
    return name == name_of(Mode::subscribe) ? Mode::subscribe : Mode::unsubscribe;
}

SignatureMethod method_named(std::string_view name) {
    return name == name_of(SignatureMethod::sha1) ? SignatureMethod::sha1
                                                  : SignatureMethod::sha256;
}

Result<SubscriptionRequest> parse_subscription_request(std::span<const RequestField> fields,
                                                       const net::AddressGuard& guard) {
    const FormReader form(fields);
    if (const auto name = form.doubled()) return wrong(*name, "must not be given twice");
    const auto mode = form.mode();
    if (!mode) return tl::unexpected(mode.error());
    auto callback = form.url("hub.callback");
    if (!callback) return tl::unexpected(callback.error());
    if (const auto checked = check_address(*callback, guard); !checked)
        return tl::unexpected(checked.error());
    auto topic = form.url("hub.topic");
    if (!topic) return tl::unexpected(topic.error());
    auto secret = form.secret();
    if (!secret) return tl::unexpected(secret.error());
    SubscriptionRequest request{.mode = *mode,
                                .callback = std::move(*callback),
                                .topic = std::move(*topic),
                                .secret = std::move(*secret)};
    if (!form.value("hub.verify").empty()) request.method = SignatureMethod::sha1;
    if (*mode == Mode::unsubscribe) return request;
    const auto lease = form.lease();
    if (!lease) return tl::unexpected(lease.error());
    request.lease = *lease;
    return request;
}

}  // namespace hub
