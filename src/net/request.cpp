// SPDX-License-Identifier: MIT
#include "net/request.hpp"

#include "base/text.hpp"

namespace net {

std::optional<std::string_view> find_field(const std::vector<Field>& fields,
                                           std::string_view name) {
    for (const auto& field : fields)
        if (base::equal_ignoring_case(field.name, name)) return field.value;
    return std::nullopt;
}

std::string_view name_of(FailureKind kind) {
    switch (kind) {
        case FailureKind::refused: return "refused";
        case FailureKind::look_up: return "look-up";
        case FailureKind::connect: return "connect";
        case FailureKind::timeout: return "timeout";
        case FailureKind::too_large: return "too large";
        case FailureKind::tls: return "TLS";
        case FailureKind::protocol: return "protocol";
    }
    return "";
}

}  // namespace net
