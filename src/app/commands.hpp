// app/commands.hpp -- what each command does. Results go to stdout, progress and errors to
// stderr; each returns the program's exit status (0 ok, 1 failed, 2 wrong use or configuration, 3 the
// job finished, but some objects could not be read).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config.hpp"
#include "app/services.hpp"
#include "archive/archive.hpp"
#include "base/result.hpp"
#include "release/forget.hpp"
#include "tree/object.hpp"

namespace app {

inline constexpr int ok = 0, failed = 1, wrong_use = 2, unreadable = 3;

// Prints "varve: TEXT" on stderr and returns `status`.
int complain(std::string_view text, int status);

// Returns the exit status for an error.
[[nodiscard]] int status_of(const base::Error& error);

int init(const Config& config);
//   http  the address to answer HTTP at; empty: FastCGI, or the request of a CGI program
int serve(const Config& config, const std::string& http);
// Answers one request, of a web server that started the program as CGI program; also when the
// configuration cannot be used.
int serve_cgi(const std::filesystem::path& config_file);

// Prints what the site answers at an address, as a client gets it that follows redirections, and like a request
// brings the object up to date first.
//   address       below base_url, "/rss?class=Gene&name=unc-26", or a whole URL
//   with_headers  prints the status and the fields too, of a redirection as well
int get(Services& services, const std::string& address, bool with_headers);

// Which feed: exactly one of an object, a class, a release and a watch list.
struct FeedOptions {
    tree::ObjectName object;
    std::string class_name, release;
    std::vector<std::string> objects;  // of a watch list: "Gene:WBGene00006763"
    std::string mass;                  // no: without items of mass changes alone; empty: with
    std::string format;                // one of render::formats()
};
int feed(Services& services, const FeedOptions& options);

struct DigestOptions {
    std::string watch;       // a file with objects, or "Gene:unc-26,Paper:X"
    std::string class_name;  // a whole class, in place of `watch`
    std::string since;       // a version
    std::vector<std::string> to;
    bool send = false;  // to [mail] smtp rather than to standard output
};
// Prints or sends a mail of what changed since a release. Does neither where nothing changed.
int digest(Services& services, const DigestOptions& options);

struct DiffOptions {
    tree::ObjectName object;
    std::string from, to;  // releases
    std::string format = "text";
    std::string colour = "auto";  // always, never; auto: on a terminal that shows colours
};
// Like diff(1): 0 same, 1 different, 2 trouble.
int diff(Services& services, const DiffOptions& options);

//   release  empty: from the current build, without the store; nothing is recorded then
int show(const Config& config, const tree::ObjectName& object, const std::string& release);

int check(const std::filesystem::path& config_file);
int accept(Services& services, const std::string& release, const std::filesystem::path& build);

//   file  empty or "-": standard output, standard input
int export_store(const Config& config, const std::string& file);
int import_store(const Config& config, const std::string& file, archive::Leftovers leftovers);

struct PrewarmOptions {
    std::string build;  // folder; empty: the current build
    std::size_t popular = 0;
    std::string class_name, list;
    std::string replace;  // version of a release that was published again; empty: none
    bool all = false, json = false, dry_run = false;
    std::size_t jobs = 1;
    std::size_t part_objects =
        0;  // 0: the usual number; for tests, so that few objects make many parts
};
int prewarm(const Config& config, const PrewarmOptions& options);
// Prints what would be recorded or refused, and writes nothing.
int dry_run(const Services& services, const PrewarmOptions& options);

int releases(Services& services, bool json);

// Whether the operator must type yes before anything is deleted. Without a terminal, that fails.
enum class Asking { on_terminal, not_needed };
int forget(Services& services, const release::Forgettable& what, Asking asking);

// Prints the new token on stdout. It is never shown again.
int add_token(Services& services, const std::string& name);
int revoke_token(Services& services, const std::string& name);
int list_tokens(Services& services, bool json);

// The watch lists that are kept under a short address.
int list_watch_lists(Services& services, bool json);
struct WatchListOptions {
    std::string id;  // of the one to delete; empty: unused_days says which
    std::optional<std::uint16_t> unused_days;  // lists unused for this many days
};
int delete_watch_lists(Services& services, const WatchListOptions& options);

// Runs a hub until a signal stops it.
int run_hub(const Config& config);
int hub_status(Services& services, bool json);
// Prints the subscriptions whose callback or topic contains `text`, without their secrets.
int list_subscriptions(Services& services, const std::string& text, bool json);

// How long a harvester runs: until a signal, or until all that is due has been fetched.
enum class Rounds : unsigned char { endless, one };
int run_harvester(const Config& config, Rounds rounds);
struct SourceFeedOptions {
    std::string url, name;
    std::string archive;  // URL of a page of it, or of the index of a mailing list; empty: none
    std::int64_t max_kb = 0;  // 0: as configured
};
int add_source_feed(Services& services, const SourceFeedOptions& options);
//   which  the id of a source feed, its URL, or what only one URL, name or title contains
int remove_source_feed(Services& services, const std::string& which);
int enable_source_feed(Services& services, const std::string& which, bool enabled);
// Makes source feeds due now.
//   which  the URL of one, or a base URL; empty: all
int kick_source_feeds(Services& services, const std::string& which);
// Prints how harvesting goes, or what is known of the source feeds that `which` names.
int harvest_status(Services& services, const std::string& which, bool json);
//   file  of OPML; "-": standard input
int import_feeds(Services& services, const std::string& file);
// Prints all source feeds as OPML.
int export_feeds(Services& services);

// Runs the command of the command line, --help and --version included, and flushes stdout.
//   returns  the program's exit status
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace app
