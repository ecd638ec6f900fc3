// SPDX-License-Identifier: MIT
#include "app/logs.hpp"

#include "base/log.hpp"
#include "serve/parameters.hpp"

namespace app {

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

std::string access_line(base::Seconds now, const serve::Request& request,
                        const serve::Response& response, std::chrono::microseconds took) {
    const std::size_t bytes = response.body && response.send_body ? response.body->size() : 0;
    return base::log::line_of(base::format_rfc3339(now),
                              {{"client", request.client_address},
                               {"method", request.method},
                               {"path", serve::without_token(request.path)},
                               {"query", serve::without_token(request.query)},
                               {"status", std::to_string(response.status)},
                               {"bytes", std::to_string(bytes)},
                               {"us", std::to_string(took.count())}});
}

}  // namespace app
