// What `varve check` looks at, line by line.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <limits>
#include <span>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "app/command_line.hpp"
#include "app/config_file.hpp"
#include "app/print.hpp"
#include "app/proposed_lines.hpp"
#include "app/services.hpp"
#include "app/sources.hpp"
#include "app/unknown_paths.hpp"
#include "base/text.hpp"
#include "harvest/feeds.hpp"
#include "history/build_view.hpp"
#include "render/display_text.hpp"
#include "serve/access_control.hpp"
#include "serve/server.hpp"
#include "store/dialect.hpp"
#include "tables/objects.hpp"
#include "tables/releases.hpp"
#include "tables/watch_lists.hpp"

namespace app {
namespace {

namespace fs = std::filesystem;

// Prints a line for each check, and remembers whether one failed. Texts may be foreign.
class Checklist {
   public:
    void fine(std::string_view what, std::string_view text) { print("ok       ", what, text); }
    // This works, but is probably not what the operator intended.
    void doubtful(std::string_view what, std::string_view text) {
        print("warning  ", what, text);
    }
    void wrong(std::string_view what, std::string_view text, std::string_view remedy) {
        print("wrong    ", what, text);
        if (!remedy.empty()) fmt::print("         {}\n", remedy);
        all_fine_ = false;
    }
    [[nodiscard]] bool all_fine() const { return all_fine_; }

   private:
    static void print(std::string_view verdict, std::string_view what, std::string_view text) {
        fmt::print("{}{}: {}\n", verdict, on_one_line(what), on_one_line(text));
    }

    bool all_fine_ = true;
};

// Returns which of the files every user of this host can read, as words for a shell.
std::string readable_by_all(const std::vector<fs::path>& files) {
    std::string readable;
    for (const auto& file : files) {
        struct stat status{};
        if (file.empty() || ::stat(file.c_str(), &status) != 0) continue;
        if ((status.st_mode & S_IROTH) != 0) readable += ' ' + shell_word(file.string());
    }
    return readable;
}

// Warns when other users can read the passwords, and with them the databases.
void check_passwords(Checklist& list, const Config& config) {
    const auto files = readable_by_all(
        {config.store_password_file, config.source.password_file, config.mail.password_file});
    if (!files.empty())
        list.doubtful("password",
                      "every user of this host can read" + files + "; run: chmod o-r" + files);
}

// Warns when users without a token can read what the site shows only to those with one.
void check_privacy(Checklist& list, const Config& config) {
    if (!config.site.is_private) return;
    const auto folder = readable_by_all({config.source.index});
    if (!folder.empty())
        list.doubtful("index", "the site is private, and every user of this host can read the "
                               "files in" +
                                   folder + "; run: chmod o-rwx" + folder);
    if (config.store.engine != store::Engine::sqlite) return;
    std::vector<fs::path> files;
    for (const auto* beside : {"", "-wal", "-shm"})
        files.emplace_back(config.store.path.string() + beside);
    const auto readable = readable_by_all(files);
    if (!readable.empty())
        list.doubtful("store", "the site is private, and every user of this host can read" +
                                   readable + "; run: chmod o-r" + readable);
}

std::string words_for(const source::acedb::Status& status) {
    if (status.name.empty()) return "the database in " + status.directory + " has no name";
    return "database " + status.name + " in " + status.directory;
}

bool check_database(Checklist& list, const Config& config) {
    const auto database = database_of(config.source);
    if (!database) return true;
    const auto what = name_of(config.source.kind);
    const auto status = database->status();
    if (!status) {
        list.wrong(what, status.error().text,
                   status.error().kind == base::ErrorKind::refused
                       ? "see [source] user and password_file, and the database's "
                         "wspec/serverpasswd.wrm and wspec/serverconfig.wrm"
                       : "check that saceserver is running there, and check [source] host and "
                         "port");
        return false;
    }
    list.fine(what, fmt::format("{} accepts user {}: {}", database->name(),
                                config.source.server.user, words_for(*status)));
    return true;
}

void describe(Checklist& list, const source::Source& build, std::string_view judged) {
    std::uint64_t objects = 0;
    const auto counts = build.class_counts();
    for (const auto& count : counts) objects += count.objects;
    list.fine("build", fmt::format("{} of {}, {} in {}{}", build.release().version,
                                   base::format_date(build.release().released_on),
                                   render::counted(objects, "object", "objects"),
                                   render::counted(counts.size(), "class", "classes"), judged));
    for (const auto& remark : build.remarks()) list.doubtful("build", remark);
}

// "wormpub (912), loader (3)"
std::string most_frequent(const std::vector<std::pair<std::string, std::size_t>>& users) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(users.size(), most); ++i)
        text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", users[i].first, users[i].second);
    return text;
}

// Warns before timestamps of loading, which rule C4 has not recognised, are recorded as changes.
void check_first_sight(Checklist& list, const Services& services, const history::Builds& builds) {
    constexpr std::size_t fewest = 10;  // of fewer, a tenth is a single object
    const auto what = "first sight";
    const base::Clock clock = base::system_clock_now;
    history::LabelCache labels;
    const history::Context context{*services.pool, services.config.history, clock, labels};
    const auto sample =
        history::sample_first_sight({context, *builds.build, builds.previous.get()});
    if (!sample) return list.wrong(what, sample.error().text, "");
    const auto& [objects, reported, users] = *sample;
    if (objects < fewest || reported * 10 <= objects) return;
    list.doubtful(
        what,
        fmt::format(
            "in {} of {} sampled objects that are not recorded yet, timestamps later than {}"
            " would be reported as changes; most of them are by {}. Before anything is"
            " recorded, name the users that load the database, rather than curate it, in"
            " [history] build_users, or set first_seen_since to a later day",
            reported, objects, base::format_date(services.config.history.first_seen_since),
            most_frequent(users)));
}

// Warns of classes and paths in the configuration that the build does not have.
void check_paths(Checklist& list, const Config& config, const source::Source& build) {
    const auto unknown = unknown_paths(build, config);
    if (!unknown) return list.wrong("paths", unknown.error().text, "");
    for (const auto& [place, remark] : *unknown) list.doubtful(place, remark);
}

// Warns when readers see of the current release only what was asked for.
void check_job(Checklist& list, store::Pool& pool, const std::string& version) {
    const bool is_compared =
        store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
            return tables::load_releases(transaction).is_compared(version);
        });
    if (!is_compared)
        list.doubtful("release", version + " is not compared yet, and not in the feed of all "
                                           "releases; run: varve prewarm --all");
}

void check_build(Checklist& list, const Config& config, bool store_is_fine) {
    const auto what = "build";
    if (!store_is_fine) {
        const auto build = build_opener(config).open(history::Wholeness::required);
        if (!build) return list.wrong(what, build.error().text, "");
        describe(list, **build, " (not checked, because the store is not available)");
        return check_paths(list, config, **build);
    }
    const auto services = open_services(config);
    if (!services) {
        list.wrong(what, services.error().text, "");
        return;
    }
    history::CurrentBuild current(build_opener(services->config), *services->pool,
                                  history::Purpose::checking);
    current.look();
    if (const auto why = current.why(); !why.empty())
        return list.wrong(
            what, why, "until this is fixed, a running server keeps serving the earlier build");
    describe(list, *current.build(), "");
    check_job(list, *services->pool, current.build()->release().version);
    check_paths(list, services->config, *current.build());
    check_first_sight(list, *services, current.builds());
}

std::string name_of(const store::Url& url) {
    return url.engine == store::Engine::sqlite ? "SQLite file " + url.path.string()
                                               : "MySQL database " + url.database;
}

std::string_view remedy_for(store::Engine engine, const store::FailureKind& kind) {
    if (engine == store::Engine::mysql)
        return kind.needs_operator ? "check the rights of its user, and that its disk has room"
                                   : "check that its server runs and accepts this user";
    if (!kind.needs_operator) return "close the program that uses the file, and try again";
    if (!kind.lost_connection)
        return "check [store] url, this user's right to write to file and folder, and disk space";
    return "check [store] url, the disk, and disk space; if the file is damaged, stop the "
           "server, "
           "keep the file aside and restore the last backup";
}

bool check_store(Checklist& list, const Config& config) {
    const auto what = "store";
    if (config.store.engine == store::Engine::sqlite && !fs::exists(config.store.path)) {
        list.wrong(what, name_of(config.store) + " does not exist", "create it with: varve init");
        return false;
    }
    try {
        const auto pool = open_pool(config, store::IfMissing::fail);
        const auto connection = pool->lease();
        if (const auto fits = store::check_schema(*connection); !fits) {
            list.wrong(what, fits.error().text, "");
            return false;
        }
        if (const auto missing = store::missing_parts(*connection); !missing.empty()) {
            list.wrong(what, name_of(config.store) + " lacks " + base::join(missing, ", "),
                       "restore the last backup");
            return false;
        }
        store::check_writable(*connection);
        list.fine(what, name_of(config.store));
        return true;
    } catch (const store::Failure& failure) {
        list.wrong(what, name_of(config.store) + ": " + failure.what(),
                   remedy_for(config.store.engine, failure.kind()));
        return false;
    }
}

// Names rows that feeds leave out because they cannot be read. Reads the newest rows only, since a
// store may have millions.
void check_history(Checklist& list, store::Pool& pool) {
    constexpr std::size_t most_rows = 100'000, rows_at_once = 1'000, most_named = 10;
    const auto what = "history";
    const auto name_row = [&](const tables::UnreadableRow& row) {
        list.wrong(what,
                   fmt::format("{} {} in {} cannot be read: {}", row.object.class_name,
                               row.object.name, row.version, row.reason),
                   "feeds and pages leave it out; restore the row from a backup");
    };
    std::size_t rows = 0, unreadable = 0;
    auto before = std::numeric_limits<std::int64_t>::max();
    while (rows < most_rows) {
        const auto checked =
            store::perform(pool, store::Access::read, tables::check_rows, before, rows_at_once);
        if (checked.rows == 0) break;
        rows += checked.rows;
        before = checked.last;
        for (const auto& row : checked.unreadable)
            if (unreadable++ < most_named) name_row(row);
    }
    if (unreadable > most_named)
        list.wrong(what, fmt::format("{} of the newest {} rows cannot be read", unreadable, rows),
                   "");
}

// Names what keeps builds from being accepted: a damaged counter, and a release that is not forgotten to the end.
void check_numbers(Checklist& list, store::Pool& pool) {
    if (const auto fault = store::perform(pool, store::Access::read, tables::counter_fault);
        !fault.empty())
        list.wrong("builds", fault, "restore the last backup");
    const auto release = store::perform(pool, store::Access::read, tables::forgetting);
    if (!release.empty())
        list.doubtful("forget", release +
                                    " is being forgotten, and no release can be recorded "
                                    "until that has ended; if nothing does so now, run: "
                                    "varve forget release " +
                                    release + " --with-later");
}

// Names objects that requests would not find, or compare with nothing. Reads the newest ones only.
void check_objects(Checklist& list, store::Pool& pool) {
    constexpr std::size_t most_objects = 100'000, objects_at_once = 1'000, most_named = 10;
    const auto what = "objects";
    const auto highest = store::perform(pool, store::Access::read, tables::highest_oid);
    if (highest == std::numeric_limits<std::int64_t>::max())
        list.wrong(what,
                   fmt::format("the table objects has a row numbered {}, and no number is left "
                               "for a further object",
                               highest),
                   "restore the last backup");
    std::size_t objects = 0, damaged = 0;
    for (auto from = highest; objects < most_objects;) {
        const auto checked = store::perform(pool, store::Access::read, tables::check_objects,
                                            from, objects_at_once);
        if (checked.objects == 0) break;
        objects += checked.objects;
        from = checked.last - 1;
        for (const auto& [object, reason] : checked.damaged)
            if (damaged++ < most_named)
                list.wrong(what, fmt::format("{} {} {}", object.class_name, object.name, reason),
                           "restore the row from a backup");
    }
    if (damaged > most_named)
        list.wrong(what, fmt::format("{} faults in the newest {} objects", damaged, objects), "");
}

bool is_writable(const fs::path& folder) { return ::access(folder.c_str(), W_OK | X_OK) == 0; }

// Checks a folder without creating it: a check changes nothing.
enum class IfMissing { made_later, wrong };
void check_folder(Checklist& list, std::string_view what, const fs::path& folder,
                  IfMissing if_missing) {
    auto nearest = folder;
    if (if_missing == IfMissing::made_later)
        while (!nearest.empty() && nearest != nearest.root_path() && !fs::exists(nearest))
            nearest = nearest.parent_path();
    if (is_writable(nearest))
        list.fine(what, folder.string());
    else
        list.wrong(what, folder.string() + " does not exist or cannot be written",
                   "create the folder, and give it to the user that runs varve");
}

void check_listen(Checklist& list, const std::string& listen) {
    constexpr std::string_view what = "listen", unix_prefix = "unix:";
    if (const auto possible = serve::check_address(listen); !possible)
        return list.wrong(what, possible.error().text, "correct [serve] listen");
    if (listen.starts_with(unix_prefix))
        check_folder(list, what, fs::path(listen.substr(unix_prefix.size())).parent_path(),
                     IfMissing::wrong);
}

void check_watch_lists(Checklist& list, store::Pool& pool) {
    const auto checked = store::perform(pool, store::Access::read, tables::check_watch_lists);
    for (const auto& id : checked.damaged)
        list.wrong("watch list " + id, "does not hold the objects that its id was made of",
                   "delete its row of the table watch_lists, or restore a backup");
    if (checked.damaged.empty() && checked.lists > 0)
        list.fine("watch lists", fmt::format("{} under short addresses",
                                             render::with_separators(checked.lists)));
}

void check_source_feeds(Checklist& list, store::Pool& pool) {
    constexpr std::string_view what = "source feeds";
    const auto [numbers, now] =
        store::perform(pool, store::Access::read, [](store::Transaction& transaction) {
            const auto time = store::now(transaction);
            return std::pair(harvest::harvest_numbers(transaction, time), time);
        });
    if (numbers.feeds == 0) return;
    if (const auto fault = harvest::fault_of(numbers, now); !fault.empty())
        return list.wrong(what, fault,
                          "see the log of the harvester, or start one: varve harvest");
    list.fine(what, fmt::format("{}, of these {} disabled and {} failing", numbers.feeds,
                                numbers.disabled, numbers.failing));
}

// Warns of an authority that is somebody else's domain, such as that of varve.conf.example.
void check_authority(Checklist& list, const render::Site& site) {
    auto domain = base::fold_ascii(site.authority.substr(0, site.authority.find(',')));
    domain.erase(0, domain.rfind('@') + 1);  // it may be a mail address
    const auto begin = site.base_url.find("://") + 3;
    const auto host = base::fold_ascii(
        site.base_url.substr(begin, site.base_url.find_first_of(":/", begin) - begin));
    if (host == domain || host.ends_with("." + domain) || domain.ends_with("." + host)) return;
    list.doubtful("authority", "base_url is not on " + domain +
                                   ", and it never changes again: is the domain yours?");
}

void check_tokens(Checklist& list, store::Pool& pool) {
    const auto count = serve::list_tokens(pool).size();
    if (count > 0)
        list.fine("tokens", fmt::format("{} can read the private site", count));
    else
        list.doubtful("tokens", "the site is private, and nobody can read it yet: varve token "
                                "add NAME");
}

int check(const fs::path& config_file) {
    Checklist list;
    const auto config = load_config(config_file);
    if (!config) {
        list.wrong("configuration", config.error().text, "varve.conf.example shows every key");
        return wrong_use;
    }
    list.fine("configuration", config_file.string());
    check_authority(list, config->site);
    list.fine("templates", config->template_folder.empty() ? "the built-in ones"
                                                           : config->template_folder.string());
    const bool store_is_fine = check_store(list, *config);
    check_privacy(list, *config);
    check_passwords(list, *config);
    if (store_is_fine) {
        const auto pool = open_pool(*config, store::IfMissing::fail);
        check_history(list, *pool);
        check_numbers(list, *pool);
        check_objects(list, *pool);
        check_watch_lists(list, *pool);
        check_source_feeds(list, *pool);
        if (config->site.is_private) check_tokens(list, *pool);
    }
    check_folder(list, "index", config->source.index, IfMissing::made_later);
    // A build of a database that cannot be reached is not checked.
    if (check_database(list, *config)) check_build(list, *config, store_is_fine);
    check_listen(list, config->serve.listen);
    return list.all_fine() ? ok : failed;
}

// Prints lines for the configuration, from what changed between the current build and the one in a folder.
int propose_lines(const Config& config, const fs::path& folder) {
    const auto open = [](const Config& of) {
        return build_opener(of).open(history::Wholeness::required);
    };
    auto after = open(config), before = open(with_folder(config, folder));
    if (!after) return complain(after.error().text, failed);
    if (!before) return complain(before.error().text, failed);
    if ((*after)->digest() == (*before)->digest())
        return complain(folder.string() +
                            " holds the same as the current build; name an older one",
                        wrong_use);
    if ((*after)->release() < (*before)->release()) std::swap(*after, *before);
    release::MassChangeSettings mass_change;
    if (config.mass_change > 0) mass_change.percent = config.mass_change;
    const auto proposals = release::propose(**before, **after, config.history, mass_change);
    if (!proposals) return complain(proposals.error().text, failed);
    print_bytes(proposed_lines(*proposals, config, (*before)->release(), (*after)->release()));
    return ok;
}

}  // namespace

void add_check(Line& line) {
    auto* command = line.program.add_subcommand(
        "check", "Check configuration, templates, store, build, socket and tokens");
    auto& against = line.make<std::string>();
    command->add_option(
        "--against", against,
        "Propose lines of [names], [important], [minor] and [ignore] instead, from what "
        "changed between the build in this folder and the current one");
    command->callback([&] {
        line.run = [&] {
            if (against.empty()) return check(line.config);
            return with_config(line.config, [&](const Config& config) {
                return propose_lines(config, against);
            });
        };
    });
}

}  // namespace app
