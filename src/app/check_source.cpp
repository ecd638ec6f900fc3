// SPDX-License-Identifier: MIT
#include "app/check_source.hpp"

#include <sys/stat.h>

#include "app/opener.hpp"
#include "app/print.hpp"
#include "app/rooms.hpp"

namespace app {
namespace {

using base::Kind;

// Who may read the password may read the database.
void check_password_file(Checklist& list, const SourceConfig& config) {
    struct stat status{};
    const auto& file = config.password_file;
    if (file.empty() || ::stat(file.c_str(), &status) != 0) return;
    if ((status.st_mode & S_IROTH) != 0)
        list.doubtful("password", file.string() + " can be read by every user of this host: "
                                                  "chmod o-r");
}

std::string remedy_for(const SourceConfig& config, Kind kind) {
    if (config.kind == SourceKind::tace)
        return "see [source] path and program, and that this user may write in its "
               "database/readlocks";
    if (kind == Kind::refused)
        return "see [source] user and password_file, and the database's "
               "wspec/serverpasswd.wrm and wspec/serverconfig.wrm";
    return "see that saceserver runs there, and [source] host and port";
}

bool check_database(Checklist& list, const Config& config) {
    const auto database = database_of(config.source);
    if (!database) return true;
    const bool is_server = config.source.kind == SourceKind::server;
    const std::string_view what = is_server ? "server" : "tace";
    check_password_file(list, config.source);
    const auto status = database->status();
    if (!status) {
        list.wrong(what, on_one_line(status.error().text),
                   remedy_for(config.source, status.error().kind));
        return false;
    }
    list.fine(what,
              fmt::format("{}{}: {} in {}", database->name(),
                          is_server ? " takes user " + config.source.server.user : "",
                          status->name.empty() ? "no Name" : status->name, status->directory));
    return true;
}

void describe(Checklist& list, const source::Source& build, std::string_view judged) {
    std::uint64_t objects = 0;
    const auto counts = build.class_counts();
    for (const auto& count : counts) objects += count.objects;
    list.fine("build",
              fmt::format("{} of {}, {} objects in {} classes{}", build.release().version,
                          base::format_date(build.release().released_on), objects, counts.size(),
                          judged));
    for (const auto& remark : build.remarks()) list.doubtful("build", on_one_line(remark));
}

void check_build(Checklist& list, const Config& config, bool store_is_fine) {
    const auto what = "build";
    if (!store_is_fine) {
        const auto build = build_opener(config).open(history::Wholeness::required);
        if (build)
            describe(list, **build, " (not judged without the store)");
        else
            list.wrong(what, on_one_line(build.error().text), "");
        return;
    }
    const auto rooms = open_rooms(config);
    if (!rooms) {
        list.wrong(what, rooms.error().text, "");
        return;
    }
    rooms->current->look();
    if (const auto why = rooms->current->why(); !why.empty())
        list.wrong(what, on_one_line(why),
                   "until then a running server goes on with the build before");
    else
        describe(list, *rooms->current->build(), "");
}

}  // namespace

void check_source(Checklist& list, const Config& config, bool store_is_fine) {
    // Without its database a build has nothing more to tell.
    if (check_database(list, config)) check_build(list, config, store_is_fine);
}

}  // namespace app
