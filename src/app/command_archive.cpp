// SPDX-License-Identifier: MIT
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "archive/archive.hpp"
#include "source/file.hpp"
#include "tables/rows.hpp"

namespace app {
namespace {

using base::Result;
using std::chrono::steady_clock;

auto unavailable(std::string_view place, int code) {
    return base::fail(base::ErrorKind::unavailable,
                      std::string(place) + ": " + std::generic_category().message(code));
}

bool is_standard(const std::string& file) { return file.empty() || file == "-"; }

Result<void> write_to_stdout(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return unavailable("cannot write the export", errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<std::size_t> read_from(int descriptor, std::span<char> into) {
    for (;;) {
        const auto got = ::read(descriptor, into.data(), into.size());
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) return unavailable("cannot read the export", errno);
    }
}

Result<archive::RowCounts> export_to_stdout(store::Connection& connection) {
    // A reader that went away is an error of the write, not the end of the program.
    std::signal(SIGPIPE, SIG_IGN);
    return archive::export_store(connection, write_to_stdout);
}

// The file is there when it is whole: a backup of yesterday stays until then.
Result<archive::RowCounts> export_to_file(store::Connection& connection, const std::string& name,
                                          bool is_private) {
    std::error_code none;
    if (std::filesystem::exists(name, none) && !std::filesystem::is_regular_file(name, none))
        return base::fail(base::ErrorKind::unavailable,
                          name + " is not a regular file, so an export cannot replace it");
    auto file = source::NewFile::create(name, is_private ? 0600 : 0640);
    if (!file) return tl::unexpected(file.error());
    const auto counts =
        archive::export_store(connection, [&](std::string_view bytes) -> Result<void> {
            if (const auto done = file->file().write(bytes); !done)
                return base::fail_at(name, done.error());
            return {};
        });
    if (!counts) return counts;
    if (const auto placed = file->put_in_place(); !placed)
        return base::fail_at(name, placed.error());
    return counts;
}

Result<archive::RowCounts> import_from(store::Pool& pool, const std::string& name,
                                       archive::Leftovers leftovers) {
    const auto read = [](int descriptor) {
        return [descriptor](std::span<char> into) { return read_from(descriptor, into); };
    };
    if (is_standard(name))
        return archive::import_store(pool, read(STDIN_FILENO), leftovers, tables::fault_of);
    const source::File file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return unavailable(name, errno);
    return archive::import_store(pool, read(file.descriptor()), leftovers, tables::fault_of);
}

// "exported in 12.3 s; rows of objects: 1000000, history: 1200000, …"; tables without rows are left out.
void print_summary(std::string_view done, const archive::RowCounts& counts,
                   steady_clock::time_point began) {
    const std::chrono::duration<double> seconds = steady_clock::now() - began;
    std::string tables;
    for (const auto& [table, rows] : counts)
        if (rows > 0)
            tables += fmt::format("{}{}: {}", tables.empty() ? "; rows of " : ", ", table, rows);
    tell(fmt::format("{} in {:.1f} s{}\n", done, seconds.count(), tables));
}

int report(std::string_view done, const Result<archive::RowCounts>& counts,
           steady_clock::time_point began) {
    if (!counts) return complain(counts.error().text, status_of(counts.error()));
    print_summary(done, *counts, began);
    return ok;
}

// Returns the error text for a store that does not exist; empty: it exists.
std::string missing_store(const Config& config) {
    const auto& url = config.store;
    if (url.engine != store::Engine::sqlite || std::filesystem::exists(url.path)) return {};
    return "there is no store at " + url.path.string() + "; run varve init";
}

}  // namespace

int export_store(const Config& config, const std::string& file) {
    if (const auto missing = missing_store(config); !missing.empty())
        return complain(missing, failed);
    const auto began = steady_clock::now();
    const auto pool = open_pool(config, store::IfMissing::fail);
    const auto connection = pool->lease();
    const auto counts = is_standard(file)
                            ? export_to_stdout(*connection)
                            : export_to_file(*connection, file, config.site.is_private);
    return report("exported", counts, began);
}

int import_store(const Config& config, const std::string& file, archive::Leftovers leftovers) {
    if (const auto missing = missing_store(config); !missing.empty())
        return complain(missing, failed);
    const auto began = steady_clock::now();
    const auto pool = open_pool(config, store::IfMissing::fail);
    try {
        return report("imported", import_from(*pool, file, leftovers), began);
    } catch (const store::Failure& failure) {
        return complain(std::string("the store failed: ") + failure.what() +
                            "\nwhen the database is available again: varve import --again FILE",
                        failed);
    }
}

}  // namespace app
