// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include "app/selection.hpp"

#include <algorithm>

#include "app/config_file.hpp"
#include "app/suggestion.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "hub/subscriptions.hpp"
#include "tables/objects.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;

// Returns objects that are subscribed to, which get their feeds sent anyway, and then the most requested
// ones.
release::Objects popular_objects(store::Transaction& transaction, std::size_t most) {
    auto objects = hub::subscribed_objects(transaction, most, store::now(transaction));
    for (auto& object : tables::most_requested_objects(transaction, most)) {
        if (objects.size() == most) break;
        if (std::ranges::find(objects, object) == objects.end())
            objects.push_back(std::move(object));
    }
    return objects;
}

}  // namespace

Result<std::string> class_named(const std::string& class_name, store::Pool& pool,
                                const source::Source& build) {
    for (const auto& count : build.class_counts())
        if (base::equal_ignoring_case(count.class_name, class_name)) return count.class_name;
    if (store::perform(pool, store::Access::read, tables::has_objects_of, class_name))
        return class_name;
    return base::fail(ErrorKind::refused, complaint_of_class(build, class_name));
}

Result<release::Objects> objects_in(const std::string& path) {
    const auto text = read_file(path);
    if (!text) return base::fail(ErrorKind::refused, text.error().text);
    release::Objects objects;
    std::size_t number = 0;
    for (auto line : base::split(*text, '\n')) {
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.front() == '#') continue;
        const auto parts = base::split(line, '\t');
        if (parts.size() != 2 || parts[0].empty() || parts[1].empty())
            return base::fail(ErrorKind::refused, path + ":" + std::to_string(number) +
                                                      ": a line must be class, TAB, name");
        objects.push_back({base::legal_text(parts[0]), base::legal_text(parts[1])});
    }
    std::ranges::sort(objects);
    const auto twice = std::ranges::unique(objects);
    objects.erase(twice.begin(), twice.end());
    return objects;
}

Result<release::Selection> selection_of(const PrewarmOptions& options, store::Pool& pool,
                                        const source::Source& build) {
    if (options.all || !options.replace.empty()) return release::Selection(release::Everything{});
    if (!options.class_name.empty())
        return class_named(options.class_name, pool, build).map([](std::string name) {
            return release::Selection(release::OfClass{std::move(name)});
        });
    if (options.list.empty())
        return store::perform(pool, store::Access::read, [&](store::Transaction& transaction) {
            return release::Selection(popular_objects(transaction, options.popular));
        });
    auto objects = objects_in(options.list);
    if (!objects) return tl::unexpected(objects.error());
    return release::Selection(std::move(*objects));
}

}  // namespace app
