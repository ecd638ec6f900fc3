// SPDX-License-Identifier: MIT
#include "source/acedb/build.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "source/ace_object.hpp"
#include "source/acedb/protocol.hpp"
#include "source/acedb/queries.hpp"
#include "source/index/index_folder.hpp"
#include "source/index/indexed_source.hpp"

namespace source::acedb {
namespace {

using base::ErrorKind;
using base::Result;

// ---- The release ----

// Returns the release that the database holds: what the operator says, else what it says itself.
//   error  refused: no version, or no date of it, is known; says what to write where
Result<base::Release> release_of(const BuildSettings& settings, const Status& status) {
    const auto& version = settings.version.empty() ? status.name : settings.version;
    const auto place = settings.database->name() + ": ";
    if (version.empty())
        return base::fail(ErrorKind::refused,
                          place + "the database has no Name; write its release into "
                                  "the configuration: [source] release = WS188");
    if (!base::is_version(version))
        return base::fail(ErrorKind::refused,
                          place +
                              "the database's Name is not a version, up to 32 of letters, digits,"
                              " . _ -; write one into the configuration: [source] release = "
                              "WS188");
    const auto known = settings.known_releases();
    if (!known) return tl::unexpected(known.error());
    const auto it = std::find_if(known->begin(), known->end(),
                                 [&](const auto& one) { return one.version == version; });
    if (it != known->end()) return *it;
    if (settings.date) return base::Release{version, *settings.date};
    return base::fail(ErrorKind::refused,
                      place + "the date of release " + version +
                          " is unknown; add a line (version, TAB, date) to releases.tsv next to "
                          "the configuration file, which a running server reads at once");
}

// ---- The index ----

// Finds or makes the index of a database as it is now.
class DatabaseIndex {
   public:
    DatabaseIndex(const BuildSettings& settings, const Status& status,
                  const base::Release& release)
        : settings_(settings), database_(*settings.database), status_(status), release_(release),
          origin_(database_.name() + '\n' + status.identity),
          name_(name_of_database(release.version, origin_)) {}

    [[nodiscard]] Result<Index> open() const {
        return find_or_make<Index>(
            settings_.index_dir, name_, database_.name(), [this] { return find(); },
            [this] { return make(); });
    }

   private:
    // Returns nullopt when no index of this release and identity is there.
    [[nodiscard]] Result<std::optional<Index>> find() const {
        auto index = Index::open(index_path(settings_.index_dir, name_));
        if (!index || !fits(index->facts())) return std::nullopt;
        return std::optional(std::move(*index));
    }

    [[nodiscard]] bool fits(const Facts& facts) const {
        return facts.release == release_ && facts.origin == origin_ &&
               facts.digest.starts_with(base::server_digest) && facts.loading_stamps;
    }

    [[nodiscard]] Result<void> make() const {
        base::log::info("making the index", {{"database", database_.name()}});
        auto writer = IndexWriter::create(index_path(settings_.index_dir, name_));
        if (!writer) return tl::unexpected(writer.error());
        const auto listing = list_objects(database_, status_.identity, *writer);
        if (!listing) return tl::unexpected(listing.error());
        auto models = ask_models(database_, status_.identity, listing->classes);
        if (!models) return tl::unexpected(models.error());
        auto stamps = sample_stamps(database_, status_.identity, listing->sample,
                                    settings_.max_object_mb << 20);
        if (!stamps) return tl::unexpected(stamps.error());
        Facts facts;
        facts.release = release_;
        facts.origin = origin_;
        facts.models = std::move(*models);
        facts.digest = base::server_digest;
        facts.untracked = listing->untracked;
        facts.loading_stamps = std::move(*stamps);
        if (const auto done = check_unchanged(); !done) return done;
        return finish(*writer, std::move(facts));
    }

    // Names from before and after a change would be those of no build.
    [[nodiscard]] Result<void> check_unchanged() const {
        const auto now = database_.status();
        if (!now) return tl::unexpected(now.error());
        if (now->identity == status_.identity) return {};
        return base::fail(ErrorKind::unavailable,
                          database_.name() + " changed while its index was made; try again");
    }

    [[nodiscard]] Result<void> finish(IndexWriter& writer, Facts facts) const {
        const auto duplicate = writer.finish(std::move(facts));
        if (!duplicate) return tl::unexpected(duplicate.error());
        if (!*duplicate) return {};
        return base::fail(ErrorKind::malformed,
                          database_.name() + " lists " + (*duplicate)->name + " twice");
    }

    const BuildSettings& settings_;
    Database& database_;
    const Status& status_;
    const base::Release& release_;
    std::string origin_;  // Facts::origin
    std::string name_;    // of its index
};

// ---- The build ----

class DatabaseBuild final : public IndexedSource {
   public:
    DatabaseBuild(Index index, tree::Models models, const BuildSettings& settings,
                  std::string identity)
        : IndexedSource(std::move(index), std::move(models), settings.skip_classes),
          database_(settings.database), identity_(std::move(identity)),
          options_{.most_bytes = settings.max_object_mb << 20} {}

    Result<tree::Object> load(const tree::ObjectName& name) const override {
        if (const auto entry = entry_of(name); !entry) return tl::unexpected(entry.error());
        const auto bytes = ask_object(*database_, identity_, name, options_);
        if (!bytes && bytes.error().kind == ErrorKind::too_large)
            return base::fail(ErrorKind::too_large,
                              bytes.error().text + "; max_object_mb = " +
                                  std::to_string(options_.most_bytes >> 20));
        if (!bytes) return tl::unexpected(bytes.error());
        auto object = parse_object(*bytes, models());
        if (object) return std::move(*object);
        return base::fail(object.error().kind, database_->name() + ": " + name.class_name + " " +
                                                   name.name + ": " + object.error().what);
    }

    bool loads_at_once() const override { return false; }

    Result<void> confirm() const override {
        const auto now = database_->status();
        if (!now) return tl::unexpected(now.error());
        if (now->identity == identity_) return {};
        return base::fail(ErrorKind::unavailable,
                          database_->name() +
                              " holds another build now than the one that was indexed");
    }

   private:
    std::shared_ptr<Database> database_;
    std::string identity_;
    ReplyOptions options_;
};

}  // namespace

Result<Build> open_build(const BuildSettings& settings) {
    auto status = settings.database->status();
    if (!status) return tl::unexpected(status.error());
    const auto release = release_of(settings, *status);
    if (!release) return tl::unexpected(release.error());
    auto index = DatabaseIndex(settings, *status, *release).open();
    if (!index) return tl::unexpected(index.error());
    auto models = tree::Models::parse(index->facts().models);
    return Build(std::make_shared<DatabaseBuild>(std::move(*index), std::move(models), settings,
                                                 std::move(status->identity)));
}

Result<base::Release> release_of(const BuildSettings& settings) {
    const auto status = settings.database->status();
    if (!status) return tl::unexpected(status.error());
    return release_of(settings, *status);
}

Result<std::string> identity_of(const BuildSettings& settings) {
    const auto status = settings.database->status();
    if (!status) return tl::unexpected(status.error());
    return settings.database->name() + '\n' + status->identity;
}

}  // namespace source::acedb
