// A session to a real server whose replies are altered on their way: faults of a database, whole
// in their frames.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "source/live.hpp"

namespace live {

// What comes of the reply to a command.
using Alter = std::function<std::string(std::string_view command, std::string reply)>;

class AlteredSession final : public source::acedb::Session {
   public:
    AlteredSession(source::acedb::SessionPtr session, Alter alter)
        : session_(std::move(session)), alter_(std::move(alter)) {}
    base::Result<std::string> ask(std::string_view command,
                                  const source::acedb::ReplyOptions& taking) override {
        auto reply = session_->ask(command, taking);
        if (reply) return alter_(command, std::move(*reply));
        return reply;
    }
    bool is_open() const override { return session_->is_open(); }
    bool is_silent() const override { return session_->is_silent(); }

   private:
    source::acedb::SessionPtr session_;
    Alter alter_;
};

// The settings of a build of the site, asked over such sessions.
inline source::acedb::BuildSettings altered(const Site& site, const Alter& alter) {
    source::acedb::DatabaseSettings of_database;
    of_database.open = [to = site.address, alter]() -> base::Result<source::acedb::SessionPtr> {
        auto session = source::acedb::open_socket_session(to);
        if (!session) return session;
        return std::make_unique<AlteredSession>(std::move(*session), alter);
    };
    of_database.name = "here";
    auto settings = site.settings();
    settings.database = std::make_shared<source::acedb::Database>(std::move(of_database));
    return settings;
}

}  // namespace live
