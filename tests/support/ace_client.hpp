// support/ace_client.hpp -- one client of the test server: log-in, commands, slices, faults.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/ace_commands.hpp"
#include "support/ace_frames.hpp"
#include "support/ace_server.hpp"

namespace support {

// When a planned fault applies.
enum class AceMoment : unsigned char { hello, behind_login, show, other_answer };

// What all clients share.
struct AceShared {
    std::mutex mutex;
    std::shared_ptr<const AceContents> contents;
    AceServerSettings settings;
    AceFault fault = AceFault::none;
    int times = 0;
    std::size_t logins = 0;
    std::uint32_t numbers = 0;
    std::vector<std::string> commands;

    // Returns the planned fault if it applies at this moment, and counts it.
    [[nodiscard]] AceFault fault_at(AceMoment moment);
};

class AceClient {
   public:
    // It sees the contents of this moment.
    AceClient(PeerConnection& connection, AceShared& shared);

    // Serves until the client goes, is or the server is to end.
    void serve();

   private:
    [[nodiscard]] bool log_in();
    [[nodiscard]] bool is_welcome(const std::string& body, const std::string& nonce) const;
    // Returns false when the conversation is over.
    [[nodiscard]] bool answer(const AceRequest& request);
    [[nodiscard]] bool run(const AceRequest& request);
    [[nodiscard]] bool next_slice(const AceRequest& request);
    [[nodiscard]] bool strike(AceFault fault, const AceRequest& request);
    [[nodiscard]] std::string right_answer(const AceRequest& request);
    [[nodiscard]] bool break_frame(AceFault fault, const AceRequest& request);
    [[nodiscard]] bool show_another(const AceRequest& request);

    bool send(const AceRequest& request, const std::string& type, const std::string& body);
    bool kill(const AceRequest& request, const std::string& words, std::uint32_t number);
    [[nodiscard]] AceFrame frame_of(const AceRequest& request, const std::string& type,
                                    const std::string& body) const;
    [[nodiscard]] ByteOrder order_of(const AceRequest& request) const;
    [[nodiscard]] std::uint32_t most_bytes(const AceRequest& request) const;
    // Ignores the client until it goes.
    bool wait_for_end();

    PeerConnection& connection_;
    AceShared& shared_;
    std::uint32_t number_;
    std::shared_ptr<const AceContents> contents_;
    AceServerSettings settings_;
    std::vector<std::size_t> active_;
    std::vector<std::string> pending_;  // pieces that `encore` fetches
    AceFault endless_ = AceFault::none;
};

}  // namespace support
