// SPDX-License-Identifier: MIT
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <span>
#include <system_error>

#include "app/command_line.hpp"
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
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return {};
    return unavailable("cannot write the export", errno);
}

Result<archive::RowCounts> export_to_stdout(store::Connection& connection) {
    // A reader that went away is an error of the write, not the end of the program.
    std::signal(SIGPIPE, SIG_IGN);
    auto counts = archive::export_store(connection, write_to_stdout);
    if (counts && std::fflush(stdout) != 0) return unavailable("cannot write the export", errno);
    return counts;
}

// Returns whether an export may replace a file: there is none, it is empty, or an earlier export. It could be the store, or
// the configuration.
bool may_be_replaced(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    std::string begin(archive::archive_begins.size(), '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return file.gcount() == 0 || begin == archive::archive_begins;
}

// The file is there when it is whole: a backup of yesterday stays until then.
Result<archive::RowCounts> export_to_file(store::Connection& connection, const std::string& name,
                                          bool is_private) {
    std::error_code none;
    if (std::filesystem::exists(name, none) && !std::filesystem::is_regular_file(name, none))
        return base::fail(base::ErrorKind::unavailable,
                          name + " is not a regular file, so an export cannot replace it");
    if (!may_be_replaced(name))
        return base::fail(base::ErrorKind::refused,
                          name + " is there, and no export: delete it, or name another file");
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
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        is_standard(name) ? stdin : std::fopen(name.c_str(), "rbe"), &std::fclose);
    if (!file) return unavailable(name, errno);
    const auto read = [&](std::span<char> into) -> Result<std::size_t> {
        const auto got = std::fread(into.data(), 1, into.size(), file.get());
        if (std::ferror(file.get()) != 0) return unavailable("cannot read the export", errno);
        return got;
    };
    return archive::import_store(pool, read, leftovers, tables::fault_of);
}

// Says "exported in 12.3 s; rows of objects: 1000000, history: 1200000, …"; tables without rows are left out.
int report(std::string_view done, const Result<archive::RowCounts>& counts,
           steady_clock::time_point began) {
    if (!counts) return complain(counts.error());
    const std::chrono::duration<double> seconds = steady_clock::now() - began;
    std::string tables;
    for (const auto& [table, rows] : *counts)
        if (rows > 0)
            tables += fmt::format("{}{}: {}", tables.empty() ? "; rows of " : ", ", table, rows);
    tell(fmt::format("{} in {:.1f} s{}\n", done, seconds.count(), tables));
    return ok;
}

//   file  empty or "-": standard output, standard input
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

}  // namespace

void add_archive(Line& line) {
    auto& output = line.make<std::string>();
    auto* out =
        line.program.add_subcommand("export", "Write the whole store as JSON Lines, as a backup");
    out->add_option("file", output, "Output file; default, or -: standard output");
    out->callback(line.configured(export_store, output));
    auto& input = line.make<std::string>();
    auto& again = line.make<bool>();
    auto* in = line.program.add_subcommand("import", "Fill a new store from an export");
    in->add_option("file", input, "Input file; default, or -: standard input");
    in->add_flag("--again", again, "First delete what an interrupted import left behind");
    in->callback(line.configured([&](const Config& config) {
        return import_store(config, input,
                            again ? archive::Leftovers::clear : archive::Leftovers::refuse);
    }));
}

}  // namespace app
