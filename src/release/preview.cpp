// SPDX-License-Identifier: MIT
#include "release/preview.hpp"

#include <map>
#include <optional>

namespace release {
namespace {

using base::Result;
using source::Digest;
using source::Listed;

bool is_of_server(const source::Source& build) {
    return build.digest().starts_with(base::server_digest);
}

class Preview {
   public:
    Preview(const source::Source& build, const source::Source* previous)
        : build_(build), previous_(previous),
          digests_tell_(!is_of_server(build) && previous != nullptr && !is_of_server(*previous)) {
    }

    Result<bool> walk(const std::string& only) {
        if (auto done = walk(build_, only, &Preview::count_present);
            !done || previous_ == nullptr)
            return done;
        return walk(*previous_, only, &Preview::count_gone);
    }

    Result<bool> look_up(const Objects& objects) {
        for (const auto& object : objects) {
            const auto now = build_.digest_of(object);
            if (!now) return tl::unexpected(now.error());
            const auto done = *now        ? count_present(object, **now)
                              : previous_ ? count_gone(object, {})
                                          : Result<bool>(true);
            if (!done) return done;
        }
        return true;
    }

    std::vector<ClassPreview> take() {
        std::vector<ClassPreview> list;
        for (auto& [name, one] : classes_) {
            one.class_name = name;
            list.push_back(std::move(one));
        }
        return list;
    }

   private:
    using Step = Result<bool> (Preview::*)(const ObjectName&, const Digest&);

    Result<bool> walk(const source::Source& list, const std::string& only, Step step) {
        std::optional<base::Error> error;
        source::each_object(list, [&](const Listed& listed) {
            if (!only.empty() && listed.class_name != only) return true;
            const auto done = (this->*step)(listed.id(), listed.digest);
            if (!done) error = done.error();
            return done.has_value();
        });
        if (error) return tl::unexpected(*error);
        return true;
    }

    // An object of the build.
    Result<bool> count_present(const ObjectName& object, const Digest& now) {
        auto& of_class = classes_[object.class_name];
        if (previous_ == nullptr) return ++of_class.created, true;
        const auto before = previous_->digest_of(object);
        if (!before) return tl::unexpected(before.error());
        if (!*before)
            ++of_class.created;
        else if (!digests_tell_)
            ++of_class.unknown;
        else
            ++(**before == now ? of_class.same : of_class.differ);
        return true;
    }

    // An object of the release before, or of a list.
    Result<bool> count_gone(const ObjectName& object, const Digest&) {
        const auto now = build_.find(object);
        const auto before = previous_->find(object);
        if (!now) return tl::unexpected(now.error());
        if (!before) return tl::unexpected(before.error());
        if (!*now && *before) ++classes_[object.class_name].gone;
        return true;
    }

    const source::Source& build_;
    const source::Source* previous_;
    bool digests_tell_;  // whether an object changed
    std::map<std::string, ClassPreview> classes_;
};

}  // namespace

Result<std::vector<ClassPreview>> preview(const source::Source& build,
                                          const source::Source* previous, const Selection& what) {
    Preview counted(build, previous);
    const auto* objects = std::get_if<Objects>(&what);
    const auto* of_class = std::get_if<OfClass>(&what);
    const auto done =
        objects != nullptr
            ? counted.look_up(*objects)
            : counted.walk(of_class == nullptr ? std::string() : of_class->class_name);
    if (!done) return tl::unexpected(done.error());
    return counted.take();
}

}  // namespace release
