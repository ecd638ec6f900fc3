// SPDX-License-Identifier: MIT
#include <array>
#include <ctime>

#include "support/ace_commands.hpp"

namespace support {
namespace {

// As recorded from 4.9.62, except the name, the folder, the session and the last save.
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
 //             Session: <session>
 //                User: getLoginFailed
 //           Last Save: <last save>
 //        Write Access: No
 //      Global Address: 6014
 // - Disk blocks
 //                Used: 5065,  Available: 2871
 //       This Session -  allocated: 0,  freed: 0
 // - Lexiques
 //             classes: 162,  allocated (kb): 434
 //                keys: 6524,  keys in lex2: 2000,  names (kb): 73,  hashing keys: 56576
 // - Hashes
 //                 nii: 11114,  nic: 14035,  nwc: 3414,  nwf: 3658,  nwg: 1033
 // - Indexing
 //             version: 4,  tables: 3310,  kb: 7
 // - Cache 1
 //                Size: 4000
 //     Current Blocks -  used: 2038,  modified: 0,  locked: 0,  free: 1962
 //    Current Objects -  served: 1232,  saved: 0,  read from disk: 1107,  saved to disk: 0
 // - Cache 2
 //               slots: 768,  allocated (kb): 3504
 //    Current content (objs) -  locked: 0,  known: 594,  modified: 0
 //       Object Usage -  served: 1636,  saved: 0,  read from cache1: 391,  saved to cache1: 0
 //    BS memory cells -  used: 32714,  allocated: 63488
 //    BT memory cells -  used: 1674,  allocated: 2048
 // - Arrays (Including the lexiques)
 //                made: 8287,  current: 7759,  allocated (kb): 2266,  used (kb): 1593
 // - Cache statistics: each layer serves the known objects or asks the lower layer
 //              Array -  read from cache1: 841,  saved to cache1: 0
 //             Cache2 -  served: 1636,  saved: 0,  read from cache1: 391,  saved to cache1: 0
 //             Cache1 -  served: 1232,  saved: 0,  read from disk: 1107,  saved to disk: 0
 //        Disk blocks -  served: 2039,  saved: 0
 // - Overall Memory Usage (caches 1 & 2 + arrays + various)
 //          Messalloc -  blocks: 17974,  allocated (kb): 10708
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
        for (auto at = text.find(place); at != std::string::npos; at = text.find(place)) {
            text.replace(at, place.size(), value);
        }
    };
    put("<now>", now());
    put("<name>", asked.settings.name);
    put("<session>", "5");
    put("<last save>", asked.settings.last_save);
    return {{text + active_objects(asked)}, false, false};
}

}  // namespace support
