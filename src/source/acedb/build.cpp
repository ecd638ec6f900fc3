// SPDX-License-Identifier: MIT
#include "source/acedb/build.hpp"

#include "source/ace_object.hpp"
#include "source/acedb/live_index.hpp"
#include "source/acedb/object.hpp"
#include "source/acedb/release.hpp"
#include "source/indexed_source.hpp"

namespace source::acedb {
namespace {

using base::Kind;
using base::Result;

class DatabaseBuild final : public IndexedSource {
   public:
    DatabaseBuild(LiveIndex live, const BuildSettings& settings, std::string identity)
        : IndexedSource(std::move(live.index), std::move(live.models)),
          database_(settings.database), identity_(std::move(identity)),
          taking_{.most_bytes = settings.max_object_mb << 20} {}

    Result<tree::Object> load(const tree::ObjectName& name) const override {
        if (const auto entry = entry_of(name); !entry) return tl::unexpected(entry.error());
        const auto bytes = ask(name);
        if (!bytes) return tl::unexpected(bytes.error());
        auto object = parse_object(*bytes, models());
        if (object) return std::move(*object);
        return base::fail(object.error().kind, database_->name() + ": " + name.class_name + " " +
                                                   name.name + ": " + object.error().what);
    }

    Result<void> confirm() const override {
        const auto now = database_->status();
        if (!now) return tl::unexpected(now.error());
        if (now->identity == identity_) return {};
        return base::fail(Kind::unavailable, database_->name() +
                                                 " holds another build now than " +
                                                 "the one that was indexed");
    }

   protected:
    Result<std::optional<Stamps>> stamps_of(const Entry& entry) const override {
        const auto bytes = ask(index().name_of(entry));
        if (!bytes && bytes.error().kind == Kind::unavailable)
            return tl::unexpected(bytes.error());
        if (!bytes) return std::nullopt;
        const auto stamps = source::stamps_of(*bytes);
        if (!stamps) return std::nullopt;
        return Stamps(stamps->begin(), stamps->end());
    }

   private:
    [[nodiscard]] Result<std::string> ask(const tree::ObjectName& name) const {
        auto bytes = ask_object(*database_, identity_, name, taking_);
        if (!bytes && bytes.error().kind == Kind::too_large)
            return base::fail(Kind::too_large, bytes.error().text + "; max_object_mb = " +
                                                   std::to_string(taking_.most_bytes >> 20));
        return bytes;
    }

    std::shared_ptr<Database> database_;
    std::string identity_;
    ReplyOptions taking_;
};

}  // namespace

Result<Build> open_build(const BuildSettings& settings) {
    auto status = settings.database->status();
    if (!status) return tl::unexpected(status.error());
    const auto release = live_release(settings, *status);
    if (!release) return tl::unexpected(release.error());
    auto live = open_live_index(settings, *status, *release);
    if (!live) return tl::unexpected(live.error());
    return Build(
        std::make_shared<DatabaseBuild>(std::move(*live), settings, std::move(status->identity)));
}

Result<std::string> identity_of(const BuildSettings& settings) {
    const auto status = settings.database->status();
    if (!status) return tl::unexpected(status.error());
    return settings.database->name() + '\n' + status->identity;
}

}  // namespace source::acedb
