// SPDX-License-Identifier: MIT
#include "app/logs.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

namespace app {
namespace {

constexpr std::size_t longest_query = 1000;  // bytes

// Finds tokens also in spellings that the server does not accept: TOKEN=…, token%3D…, %26token=…
bool may_hold_token(std::string_view parameter) {
    const auto decoded = base::percent_decode(parameter, base::Plus::is_space);
    const auto text = base::fold_ascii(decoded ? *decoded : std::string(parameter));
    return text == "token" || text.find("token=") != std::string::npos;
}

}  // namespace

using base::Result;
using base::log::Level;

Result<void> open_log(const LogConfig& config, Speaker speaker) {
    const auto least =
        speaker == Speaker::server || config.level != Level::info ? config.level : Level::warning;
    if (!config.file.empty()) return base::log::send_to_file(config.file.string(), least);
    base::log::send_to(2, least);
    return {};
}

Result<void> open_logs(const LogConfig& config, base::LogFile& access) {
    if (!config.file.empty())
        if (const auto can = base::can_append_to(config.file.string()); !can) return can;
    if (config.access.empty())
        access.close();
    else if (const auto opened = access.open(config.access.string()); !opened)
        return opened;
    return open_log(config, Speaker::server);
}

std::string without_token(std::string_view query) {
    std::string kept;
    while (!query.empty()) {
        const auto end = query.find_first_of("&;");
        const auto parameter = query.substr(0, end);
        const auto with_separator =
            query.substr(0, end == std::string_view::npos ? end : end + 1);
        query.remove_prefix(with_separator.size());
        if (!may_hold_token(parameter)) kept += with_separator;
    }
    while (kept.ends_with('&') || kept.ends_with(';')) kept.pop_back();
    if (kept.size() > longest_query) kept.resize(longest_query);
    return kept;
}

std::string access_line(base::Seconds now, const serve::Request& request,
                        const serve::Response& response, std::chrono::microseconds took) {
    const std::size_t bytes = response.body && response.send_body ? response.body->size() : 0;
    return base::log::line_of(base::format_rfc3339(now),
                              {{"client", request.client_address},
                               {"method", request.method},
                               {"path", std::string_view(request.path).substr(0, longest_query)},
                               {"query", without_token(request.query)},
                               {"status", std::to_string(response.status)},
                               {"bytes", std::to_string(bytes)},
                               {"us", std::to_string(took.count())}});
}

}  // namespace app
