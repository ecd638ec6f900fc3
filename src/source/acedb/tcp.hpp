// source/tcp.hpp -- a TCP connection, made within a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "source/file.hpp"

namespace source::acedb {

// Connected, non-blocking, without delay of small messages. Each of the host's addresses is
// tried in turn, within `patience` for all of them; looking up the name comes before, and takes
// what the system's resolver allows.
//   error  unavailable: no such host, nobody listens, silence
[[nodiscard]] base::Result<File> connect_to(const std::string& host, std::uint16_t port,
                                            std::chrono::milliseconds patience);

}  // namespace source::acedb
