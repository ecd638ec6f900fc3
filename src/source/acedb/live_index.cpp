// SPDX-License-Identifier: MIT
#include "source/acedb/live_index.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "source/acedb/listing.hpp"
#include "source/acedb/models.hpp"
#include "source/dump/dump_index.hpp"
#include "source/kept_aside.hpp"

namespace source::acedb {
namespace {

namespace fs = std::filesystem;
using base::Kind;
using base::Result;

constexpr std::string_view digest_begin = "server:";
constexpr std::size_t largest_models = std::size_t{64} << 20;

std::string models_path(const std::string& index_dir, const std::string& version) {
    return index_dir + "/" + version + ".models";
}

// Facts::folder of a running database: what it is, and which models go with the index.
std::string place_of(const Database& database, const Status& status, const std::string& models) {
    return database.name() + '\n' + status.identity + '\n' + base::md5_hex(models);
}

class LiveIndexing {
   public:
    LiveIndexing(const BuildSettings& settings, const Status& status,
                 const base::Release& release)
        : settings_(settings), status_(status), release_(release),
          path_(dump::index_path(settings.index_dir, release.version)) {}

    // Nothing, when there is no index that fits.
    [[nodiscard]] std::optional<LiveIndex> find() const {
        auto index = Index::open(path_);
        const auto text = read_file(AT_FDCWD, models_file(), largest_models);
        if (!index || !text || !fits(index->facts(), *text)) return std::nullopt;
        return LiveIndex{std::move(*index), tree::Models::parse(*text)};
    }

    [[nodiscard]] Result<void> make() const {
        base::log::info("making the index", {{"database", settings_.database->name()}});
        const KeptAside kept(settings_.index_dir, release_.version);
        auto writer = IndexWriter::create(path_);
        if (!writer) return tl::unexpected(writer.error());
        auto listing = list_objects(settings_, status_.identity, *writer);
        if (!listing) return tl::unexpected(listing.error());
        const auto models = ask_models(*settings_.database, status_.identity, listing->classes);
        if (!models) return tl::unexpected(models.error());
        Facts facts;
        facts.release = release_;
        facts.folder = place_of(*settings_.database, status_, *models);
        facts.digest = digest_begin;
        facts.untracked = listing->untracked;
        auto stamps = sample_stamps(settings_, status_.identity, listing->sample);
        if (!stamps) return tl::unexpected(stamps.error());
        facts.loading_stamps = std::move(*stamps);
        if (const auto is = is_unchanged(); !is) return is;
        if (const auto done = put_in_place(std::move(*writer), std::move(facts), kept); !done)
            return done;
        return write_models(*models);
    }

   private:
    [[nodiscard]] bool fits(const Facts& facts, const std::string& models) const {
        return facts.release == release_ &&
               facts.folder == place_of(*settings_.database, status_, models) &&
               facts.digest.starts_with(digest_begin) && facts.loading_stamps;
    }

    [[nodiscard]] std::string models_file() const {
        return models_path(settings_.index_dir, release_.version);
    }

    [[nodiscard]] Result<void> write_models(const std::string& text) const {
        auto file = NewFile::create(models_file());
        if (!file) return tl::unexpected(file.error());
        if (const auto done = file->write(text); !done) return tl::unexpected(done.error());
        if (const auto done = file->put_in_place(); !done) return tl::unexpected(done.error());
        return {};
    }

    // Names of before and names of after in one list would be those of no build.
    [[nodiscard]] Result<void> is_unchanged() const {
        const auto now = settings_.database->status();
        if (!now) return tl::unexpected(now.error());
        if (now->identity == status_.identity) return {};
        return base::fail(Kind::unavailable, settings_.database->name() +
                                                 " changed while its index was made; try again");
    }

    [[nodiscard]] Result<void> put_in_place(IndexWriter writer, Facts facts,
                                            const KeptAside& kept) const {
        if (facts.untracked > 0)
            base::log::warning(
                "names too long to be tracked",
                {{"build", release_.version}, {"objects", std::to_string(facts.untracked)}});
        const auto twins = writer.finish(std::move(facts));
        if (!twins) return tl::unexpected(twins.error());
        if (*twins)
            return base::fail(Kind::malformed,
                              settings_.database->name() + " lists " + (*twins)->name + " twice");
        if (const auto made = Index::read_facts(path_)) kept.drop_if(made->digest);
        return {};
    }

    const BuildSettings& settings_;
    const Status& status_;
    const base::Release& release_;
    std::string path_;
};

}  // namespace

Result<LiveIndex> open_live_index(const BuildSettings& settings, const Status& status,
                                  const base::Release& release) {
    std::error_code error;
    fs::create_directories(settings.index_dir, error);
    if (error) return fail_errno("making " + settings.index_dir, error.value());
    const LiveIndexing indexing(settings, status, release);
    if (auto found = indexing.find()) return std::move(*found);

    const auto lock_path = settings.index_dir + "/" + release.version + ".lock";
    const File lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock.is_open()) return fail_errno("writing " + lock_path, errno);
    while (::flock(lock.descriptor(), LOCK_EX) != 0 && errno == EINTR) {
    }
    // Another process may have made it meanwhile.
    if (auto found = indexing.find()) return std::move(*found);
    if (const auto made = indexing.make(); !made) return tl::unexpected(made.error());
    if (auto found = indexing.find()) return std::move(*found);
    return base::fail(Kind::unavailable, "the index of " + settings.database->name() +
                                             " was made and is gone again; try again");
}

}  // namespace source::acedb
