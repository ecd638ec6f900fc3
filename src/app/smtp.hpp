// app/smtp.hpp -- hands a mail to a mail server, over SMTP by libcurl.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "app/config.hpp"
#include "base/result.hpp"

namespace app {

// Sends a mail to all recipients, or to none of them.
//   config  with the address of the server
//   password  of config.user; empty without one
//   mail    lines that end with LF
//   error   refused: the server, or what is wrong with its certificate, will say the same again;
//           unavailable: it may work later. With the server's own words; never with the password
//   blocks  up to 30 s for a connection, 60 s for each answer, 10 minutes in all
[[nodiscard]] base::Result<void> send_mail(const MailConfig& config, const std::string& password,
                                           const std::string& from,
                                           const std::vector<std::string>& to,
                                           const std::string& mail);

}  // namespace app
