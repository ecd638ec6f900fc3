// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "app/check_source.hpp"
#include "app/commands.hpp"
#include "app/tokens.hpp"

namespace app {
namespace {

namespace fs = std::filesystem;

std::string name_of(const store::Url& url) {
    return url.engine == store::Engine::sqlite ? "SQLite file " + url.path.string()
                                               : "MySQL database " + url.database;
}

bool check_store(Checklist& list, const Config& config) {
    const auto what = "store";
    if (config.store.engine == store::Engine::sqlite && !fs::exists(config.store.path)) {
        list.wrong(what, name_of(config.store) + " is not there", "make it with: varve init");
        return false;
    }
    try {
        const auto pool = open_pool(config, store::IfMissing::fail);
        const auto connection = pool->lease();
        if (const auto fits = store::check_schema(*connection); !fits) {
            list.wrong(what, fits.error().text, "");
            return false;
        }
        // Read-only stores answer, but record nothing.
        connection->begin(store::Access::write);
        connection->execute("UPDATE meta SET value = value WHERE name = 'generation'");
        connection->rollback();
        list.fine(what, name_of(config.store));
        return true;
    } catch (const store::Failure& failure) {
        const bool lasting = failure.kind().needs_operator;
        list.wrong(what, name_of(config.store) + ": " + failure.what(),
                   lasting ? "make it writable for this user, or free disk space"
                           : "see that its server runs and lets this user in");
        return false;
    }
}

bool is_writable(const fs::path& folder) { return ::access(folder.c_str(), W_OK | X_OK) == 0; }

// Looked at, not made: a check changes nothing.
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
        list.wrong(what, folder.string() + " is not there, or can't be written",
                   "make the folder, and give it to the user that runs varve");
}

void check_listen(Checklist& list, const std::string& listen) {
    constexpr std::size_t longest = 107;  // sockaddr_un, without its NUL
    if (!listen.starts_with("unix:")) return;
    const fs::path path(listen.substr(5));
    if (path.string().size() > longest)
        list.wrong("listen", path.string() + " is longer than a socket's 107 bytes", "");
    else
        check_folder(list, "listen", path.parent_path(), IfMissing::wrong);
}

// A file that lines are appended to: there already, or to be made.
void check_log(Checklist& list, std::string_view what, const fs::path& file) {
    if (file.empty()) return;
    std::error_code unknown;
    if (!fs::exists(file, unknown))
        check_folder(list, what, file.parent_path(), IfMissing::wrong);
    else if (::access(file.c_str(), W_OK) == 0 && !fs::is_directory(file, unknown))
        list.fine(what, file.string());
    else
        list.wrong(what, file.string() + " can't be written",
                   "give the file to the user that runs varve");
}

void check_tokens(Checklist& list, const Config& config, bool store_is_fine) {
    if (!config.site.is_private || !store_is_fine) return;
    const auto count = list_tokens(*open_pool(config, store::IfMissing::fail)).size();
    if (count > 0)
        list.fine("tokens", fmt::format("{} may read the private site", count));
    else
        list.doubtful("tokens", "the site is private, and nobody may read it yet: varve token "
                                "add NAME");
}

}  // namespace

int check(const fs::path& config_file) {
    Checklist list;
    const auto config = load_config(config_file);
    if (!config) {
        list.wrong("configuration", config.error().text, "varve.conf.example shows every key");
        return wrong_use;
    }
    list.fine("configuration", config_file.string());
    list.fine("templates", config->template_folder.empty() ? "the built-in ones"
                                                           : config->template_folder.string());
    const bool store_is_fine = check_store(list, *config);
    check_folder(list, "index", config->source.index, IfMissing::made_later);
    check_source(list, *config, store_is_fine);
    check_listen(list, config->serve.listen);
    check_log(list, "log", config->log.file);
    check_log(list, "access log", config->log.access);
    check_tokens(list, *config, store_is_fine);
    return list.all_fine() ? ok : failed;
}

}  // namespace app
