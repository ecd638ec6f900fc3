// app/config.hpp -- the configuration: read once (config_file.hpp), and handed down as the small
// structs that the rooms take. config_keys.cpp has the defaults and the limits.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "harvest/mentions.hpp"
#include "history/context.hpp"
#include "net/address.hpp"
#include "net/url.hpp"
#include "render/mail.hpp"
#include "render/site.hpp"
#include "render/templates.hpp"
#include "source/acedb/session.hpp"
#include "store/store.hpp"

namespace app {

// A source of builds; sources.hpp says what each kind is.
enum class SourceKind : unsigned char { dump, server };
// Returns the word for it in the configuration.
[[nodiscard]] constexpr std::string_view name_of(SourceKind kind) {
    return kind == SourceKind::dump ? "dump" : "server";
}

struct SourceConfig {
    SourceKind kind = SourceKind::dump;
    std::filesystem::path path;   // of the build folder, or the link to it
    bool is_staged = false;       // --build named the folder
    std::filesystem::path index;  // folder of the indexes
    std::size_t max_object_mb = 0;
    std::vector<std::string> skip_classes;  // source::Source::skips()
    std::size_t threads = 1;                // that make an index; open_services() sets it
    // Of a running database.
    std::filesystem::path password_file;  // empty: none
    source::acedb::ServerAddress server;  // the password is read from its file
    std::string release;                  // empty: the database's own Name
    std::optional<base::Date> date;       // of the release; nullopt: releases.tsv has it
    std::chrono::seconds timeout{};       // for each reply
    std::chrono::seconds endurance{0};    // how long a job waits for a database that is gone
};

struct ServeConfig {
    std::string listen;          // the path made absolute
    bool trusted_front = false;  // HttpSettings::trusted_front
    std::size_t threads = 0;
    std::size_t cache_mb = 0;  // 0 keeps no pages
    std::size_t max_items = 0;
    long max_age = 0;                  // seconds
    std::size_t limit_per_minute = 0;  // requests of one client; 0: no limit
    // How long a stop may take: a source that hangs is given up after ten seconds by default,
    // and a slow reader of the answer after five. TimeoutStopSec in systemd/varve.service is longer.
    std::chrono::seconds stop_within{};
};

// How source feeds are fetched.
struct HarvestConfig {
    std::size_t max_kb = 0;    // of a document, decoded
    std::chrono::days keep{};  // entries that mention no object; 0: for ever
};

struct MailConfig {
    std::optional<render::Mailbox> from;
    std::string server;                   // "smtp://host:587", "smtps://host"; empty: none
    std::string user;                     // empty: without a password
    std::filesystem::path password_file;  // read when a mail is sent
};

struct Config {
    std::filesystem::path file;
    render::Site site;
    std::filesystem::path template_folder;  // of the operator's own; empty: none
    // The built-in ones, with those in their place. Always there once it is loaded.
    std::optional<render::Templates> templates;
    SourceConfig source;
    store::Url store;
    std::string store_password;
    std::filesystem::path store_password_file;  // empty: none
    std::chrono::seconds store_give_up{};       // see open_pool()
    history::Settings history;
    unsigned mass_change = 0;  // percent of a class; 0: no such remark
    ServeConfig serve;
    bool hub_enabled = false;
    HarvestConfig harvest;
    std::vector<harvest::MentionRule> mentions;  // each is fine by itself: harvest::check_rule()
    std::vector<net::Allowed>
        net_allow;  // addresses that are not public, and may be asked nevertheless
    MailConfig mail;
    std::string notify_command;  // for sh, called when a release has been recorded; empty: none
    base::log::Level log_level = base::log::Level::info;
};

}  // namespace app
