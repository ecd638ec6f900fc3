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

    //   only  this class; empty: all
    Result<void> walk(const std::string& only) {
        const auto is_wanted = [&](const Listed& listed) {
            return only.empty() || listed.class_name == only;
        };
        Result<void> done;
        source::each_object(build_, [&](const Listed& listed) {
            if (is_wanted(listed)) done = count_present(listed.id(), listed.digest);
            return done.has_value();
        });
        if (!done || previous_ == nullptr) return done;
        return source::each_unknown_to(*previous_, build_, [&](const Listed& listed) {
            if (is_wanted(listed)) ++classes_[std::string(listed.class_name)].gone;
            return true;
        });
    }

    Result<void> look_up(const Objects& objects) {
        for (const auto& object : objects) {
            const auto now = build_.digest_of(object);
            if (!now) return tl::unexpected(now.error());
            const auto done = *now ? count_present(object, **now) : count_absent(object);
            if (!done) return done;
        }
        return {};
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
    // An object of the build.
    Result<void> count_present(const ObjectName& object, const Digest& now) {
        std::optional<Digest> before;
        if (previous_ != nullptr) {
            const auto found = previous_->digest_of(object);
            if (!found) return tl::unexpected(found.error());
            before = *found;
        }
        auto& of_class = classes_[object.class_name];
        if (!before)
            ++of_class.created;
        else if (!digests_tell_)
            ++of_class.unknown;
        else
            ++(*before == now ? of_class.same : of_class.differ);
        return {};
    }

    // An object of a list that the build does not have so spelled.
    Result<void> count_absent(const ObjectName& object) {
        if (previous_ == nullptr) return {};
        const auto now = build_.find(object);
        const auto before = previous_->find(object);
        if (!now) return tl::unexpected(now.error());
        if (!before) return tl::unexpected(before.error());
        if (!*now && *before) ++classes_[object.class_name].gone;
        return {};
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
