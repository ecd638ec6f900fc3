// SPDX-License-Identifier: MIT
#include "source/live_build.hpp"

#include "source/ace_object.hpp"
#include "source/indexed_source.hpp"
#include "source/live_index.hpp"
#include "source/live_object.hpp"
#include "source/live_release.hpp"

namespace source {
namespace {

using base::Kind;
using base::Result;

class LiveBuild final : public IndexedSource {
   public:
    LiveBuild(LiveIndex live, const LiveSettings& settings, std::string identity)
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

    std::shared_ptr<AceDatabase> database_;
    std::string identity_;
    Taking taking_;
};

}  // namespace

Result<Build> open_live(const LiveSettings& settings) {
    auto status = settings.database->status();
    if (!status) return tl::unexpected(status.error());
    const auto release = live_release(settings, *status);
    if (!release) return tl::unexpected(release.error());
    auto live = open_live_index(settings, *status, *release);
    if (!live) return tl::unexpected(live.error());
    return Build(
        std::make_shared<LiveBuild>(std::move(*live), settings, std::move(status->identity)));
}

Result<std::string> live_identity(const LiveSettings& settings) {
    const auto status = settings.database->status();
    if (!status) return tl::unexpected(status.error());
    return settings.database->name() + '\n' + status->identity;
}

}  // namespace source
