// SPDX-License-Identifier: MIT
#include <array>
#include <ctime>

#include "support/ace_commands.hpp"

namespace support {
namespace {

// As recorded from 4.9.62 (tests/data/wire/status_reply.txt), without its statistics.
constexpr std::string_view status_text = R"( // ************************************************
 // AceDB status at <now>
 // 
 // - Code
 //             Program: saceserver
 //             Version: ACEDB 4.9.62
 //               Build: Nov 20 2026 19:09:52
 // - Database
 //               Title: <undefined>
 //                Name: <name>
 //             Release: 4_0
 //           Directory: /data/acedb/<name>
 //             Session: 5
 //                User: getLoginFailed
 //           Last Save: <last save>
 //        Write Access: No
 //      Global Address: 6014
 // - Disk blocks
 //                Used: 5065,  Available: 2871
 //       This Session -  allocated: 0,  freed: 0
 // 
 // ************************************************

)";

std::string now() {
    const auto seconds = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d_%H:%M:%S", &parts);
    return text.data();
}

}  // namespace

AceReply answer_status(AceAsked& asked) {
    std::string text(status_text);
    const auto put = [&](const std::string& place, const std::string& value) {
        for (auto at = text.find(place); at != std::string::npos; at = text.find(place))
            text.replace(at, place.size(), value);
    };
    put("<now>", now());
    put("<name>", asked.settings.name);
    put("<last save>", asked.settings.last_save);
    return {{text + active_objects(asked)}, false, false};
}

}  // namespace support
