// SPDX-License-Identifier: MIT
#include "app/logs.hpp"

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

}  // namespace app
