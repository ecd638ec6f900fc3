// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "app/commands.hpp"
#include "app/print.hpp"
#include "base/text.hpp"
#include "query/tree_at.hpp"
#include "render/change_json.hpp"
#include "source/dump.hpp"

namespace app {
namespace {

using base::Result;
using query::PastTree;
using tree::ObjectName;

// One side of the comparison, and the models it knows.
struct Side {
    PastTree tree;
    source::Build build;  // nullptr: from the store
};

Result<Side> from_build(source::Build build, const ObjectName& asked) {
    const auto spelling = build->find(asked);
    if (!spelling) return tl::unexpected(spelling.error());
    if (!*spelling) return Side{{build->release(), false, {}}, std::move(build)};
    auto object = build->load(**spelling);
    if (!object) return tl::unexpected(object.error());
    return Side{{build->release(), true, std::move(object->nodes)}, std::move(build)};
}

Result<Side> from_folder(const std::filesystem::path& folder, const ObjectName& asked,
                         const std::filesystem::path& index) {
    source::DumpSettings settings;
    settings.folder = folder;
    settings.index_dir = index;
    auto build = source::open_dump(settings);
    if (!build) return tl::unexpected(build.error());
    return from_build(std::move(*build), asked);
}

// From the store, after the object was brought up to date with the current build.
Result<Side> from_release(Rooms& rooms, const std::string& version, const ObjectName& asked) {
    rooms.current->look();
    const auto answer = rooms.ledger->history_of(asked, {});
    if (!answer) return tl::unexpected(answer.error());
    auto tree = query::tree_at(rooms.ledger->read_context(), answer->history.object, version);
    if (!tree) return tl::unexpected(tree.error());
    return Side{std::move(*tree), rooms.current->build()};
}

bool is_folder(const std::string& word) {
    std::error_code error;  // what can't be looked at is no folder
    return std::filesystem::is_directory(word, error);
}

class Sides {
   public:
    Sides(std::filesystem::path config_file, ObjectName asked)
        : config_file_(std::move(config_file)), asked_(std::move(asked)) {}
    ~Sides() {
        std::error_code error;  // a folder left behind in /tmp is no reason to fail
        if (!scratch_.empty()) std::filesystem::remove_all(scratch_, error);
    }
    Sides(const Sides&) = delete;
    Sides& operator=(const Sides&) = delete;

    Result<Side> side(const std::string& word) {
        if (is_folder(word)) {
            if (const auto made = make_scratch(); !made) return tl::unexpected(made.error());
            return from_folder(word, asked_, scratch_ / std::to_string(folders_++));
        }
        if (!rooms_) {
            auto config = load_config(config_file_);
            if (!config) return tl::unexpected(config.error());
            auto rooms = open_rooms(std::move(*config));
            if (!rooms) return tl::unexpected(rooms.error());
            rooms_ = std::move(*rooms);
        }
        return from_release(*rooms_, word, asked_);
    }

    // What is no change on the site. Two folders have no configuration: all that differs is told.
    [[nodiscard]] compare::Ignored ignored() const {
        return rooms_ ? rooms_->config.history.ignored : compare::Ignored();
    }

   private:
    // Folders are indexed for this one look: their own index folders stay as they are.
    Result<void> make_scratch() {
        if (!scratch_.empty()) return {};
        std::string name =
            (std::filesystem::temp_directory_path() / "varve-diff-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            return base::fail(base::Kind::unavailable, "cannot create a folder like " + name);
        scratch_ = name;
        return {};
    }

    std::filesystem::path config_file_;
    ObjectName asked_;
    std::optional<Rooms> rooms_;
    std::filesystem::path scratch_;
    int folders_ = 0;
};

query::Difference difference_of(ObjectName asked, const Side& from, const Side& to,
                                std::vector<compare::Change> changes) {
    query::Difference difference;
    difference.object = std::move(asked);
    difference.from = from.tree.release;
    difference.to = to.tree.release;
    difference.was_there = from.tree.there;
    difference.is_there = to.tree.there;
    difference.changes = std::move(changes);
    return difference;
}

constexpr int trouble = 2;

int compare_sides(const std::filesystem::path& config_file, const DiffWords& words) {
    const ObjectName asked{words.object.class_name, words.object.name};
    Sides sides(config_file, asked);
    const auto from = sides.side(words.from);
    if (!from) return complain(from.error().text, trouble);
    const auto to = sides.side(words.to);
    if (!to) return complain(to.error().text, trouble);
    const tree::Models none;
    const auto& models = to->build     ? to->build->models()
                         : from->build ? from->build->models()
                                       : none;
    const auto changes =
        query::changes_between(from->tree, to->tree, asked, models, sides.ignored());
    if (!changes) return complain(changes.error().text, trouble);
    // Whoever runs a command may read the store: no user is hidden from him.
    fmt::print("{}", words.format == "json"
                         ? render::difference_json(difference_of(asked, *from, *to, *changes), {})
                         : changes_text(*changes));
    const bool same = changes->empty() && from->tree.there == to->tree.there;
    return same ? 0 : 1;
}

}  // namespace

int diff(const std::filesystem::path& config_file, const DiffWords& words) {
    try {
        return compare_sides(config_file, words);
    } catch (const std::exception& error) {
        return complain(error.what(), trouble);
    }
}

namespace {

// An unknown class and an unknown object of a known one are two mistakes.
std::string what_lacks(const Side& side, const ObjectName& asked) {
    const auto& version = side.tree.release.version;
    // A release that is recorded may have had other classes.
    const bool is_of_the_build = side.build && side.build->release().version == version;
    const auto counts =
        is_of_the_build ? side.build->class_counts() : std::vector<source::ClassCount>();
    const bool has_class = std::ranges::any_of(counts, [&](const auto& count) {
        return base::equal_ignoring_case(count.class_name, asked.class_name);
    });
    if (!has_class && !counts.empty())
        return "there is no class " + asked.class_name + " in " + version;
    return asked.class_name + " " + asked.name + " is not in " + version;
}

}  // namespace

int show(const Config& config, const ObjectWords& object, const std::string& release) {
    const ObjectName asked{object.class_name, object.name};
    Result<Side> side = base::fail(base::Kind::absent, "");
    if (release.empty()) {
        // A look at what there is; whether it is served is another matter.
        auto build = build_opener(config).open(history::Wholeness::not_required);
        if (!build) return complain(build.error().text, failed);
        side = from_build(std::move(*build), asked);
    } else {
        auto rooms = open_rooms(config);
        if (!rooms) return complain(rooms.error().text, status_of(rooms.error()));
        side = from_release(*rooms, release, asked);
    }
    if (!side) return complain(side.error().text, failed);
    if (!side->tree.there) return complain(what_lacks(*side, asked), failed);
    fmt::print("{} {}  [{}]\n{}", on_one_line(asked.class_name), on_one_line(asked.name),
               side->tree.release.version, tree_text(side->tree.nodes));
    return ok;
}

}  // namespace app
