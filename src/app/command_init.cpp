// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "app/command_line.hpp"
#include "app/print.hpp"
#include "app/sources.hpp"
#include "base/text.hpp"
#include "store/store.hpp"

namespace app {
namespace {

int init(const Config& config) {
    if (config.store.engine == store::Engine::sqlite) {
        const auto folder = config.store.path.parent_path();
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error)
            return complain("cannot create " + folder.string() + ": " + error.message(), failed);
    }
    const auto if_missing =
        config.site.is_private ? store::IfMissing::create_private : store::IfMissing::create;
    const auto pool = open_pool(config, if_missing, Waiting::command);
    const auto connection = pool->lease();
    const auto done = store::initialise(*connection);
    if (!done) return complain(done.error());
    if (const auto missing = store::missing_parts(*connection); !missing.empty())
        return complain(
            "the store lacks " + base::join(missing, ", ") + ": restore the last backup", failed);
    fmt::print("{} (schema {})\n", *done ? "created the store" : "the store is up to date",
               store::schema_number);
    return ok;
}

int accept(Services& services, const std::string& release, const std::filesystem::path& build) {
    const auto source = with_folder(services.config, build);
    const auto purpose = build.empty() ? history::Purpose::serving : history::Purpose::checking;
    history::CurrentBuild current(build_opener(source), *services.pool, purpose);
    current.look();
    const auto candidate = current.candidate().build;
    if (!candidate) return complain(current.why(), failed);
    if (candidate->release().version != release)
        return complain(name_of(source.source) + " is " + candidate->release().version +
                            ", not " + release,
                        wrong_use);
    if (current.why().empty()) {
        fmt::print("nothing of {} is refused, so there is nothing to accept\n", release);
        return ok;
    }
    store::perform(*services.pool, store::Access::write, tables::accept_build, release,
                   candidate->digest(), base::system_clock_now());
    current.look();
    if (const auto why = current.why(); !why.empty()) return complain(why, failed);
    fmt::print("{} is accepted{}\n", release,
               build.empty() ? "; a running server serves it within a second" : "");
    return ok;
}

}  // namespace

void add_init(Line& line) {
    line.program.add_subcommand("init", "Create the store")->callback(line.configured(init));
    auto& release = line.make<std::string>();
    auto& build = line.make<std::string>();
    auto* accepting = line.program.add_subcommand("accept", "Accept a build that was refused");
    accepting->add_option("release", release, "Its version, e.g. WS189")->required();
    accepting->add_option("--build", build, about_build);
    accepting->callback(line.configured(accept, release, build));
}

}  // namespace app
