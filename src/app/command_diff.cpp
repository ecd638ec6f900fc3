// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <span>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/config_file.hpp"
#include "app/print.hpp"
#include "app/sources.hpp"
#include "app/stop_signals.hpp"
#include "app/suggestion.hpp"
#include "base/in_order.hpp"
#include "query/search.hpp"
#include "query/tree_at.hpp"
#include "render/json.hpp"
#include "source/files_build.hpp"

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
    source::FilesSettings settings;
    settings.folder = folder;
    settings.index_dir = index;
    settings.threads = base::processors();
    auto build = source::open_files(settings);
    if (!build) return tl::unexpected(build.error());
    return from_build(std::move(*build), asked);
}

// Returns the error of an object that was not found, which is that of its class where the build has
// no such class; any other error as it is.
tl::unexpected<base::Error> mistake_in(base::Error error, const source::Build& build,
                                       const ObjectName& asked) {
    if (error.kind == base::ErrorKind::absent && build)
        if (auto why = complaint_of_class(*build, asked.class_name); !why.empty())
            error.text = std::move(why);
    return tl::unexpected(std::move(error));
}

// Returns the only object that people call what was asked for, and says so on stderr; what was asked for
// if there is none.
//   error  absent: there are several, which the text lists
Result<ObjectName> object_called(const Services& services, const ObjectName& asked) {
    constexpr std::size_t most_listed = 20;
    const auto named = [](const ObjectName& object) {
        return on_one_line(object.class_name) + " " + on_one_line(object.name);
    };
    const auto found =
        query::objects_called(services.history->read_context(), asked, most_listed + 1);
    auto text = "there is no " + named(asked);
    if (found.empty()) return asked;
    if (found.size() == 1) {
        const auto& only = found.front().object;
        complain(text + "; " + named(only) + " has that common name", ok);
        return only;
    }
    const bool is_cut = found.size() > most_listed;
    text += is_cut ? "; more than 20 objects have that common name:"
                   : "; " + std::to_string(found.size()) + " objects have that common name:";
    for (const auto& [object, vanished] :
         std::span(found).first(std::min(found.size(), most_listed)))
        text += "\n  " + named(object) + (vanished ? " (not in the current release)" : "");
    return base::fail(base::ErrorKind::absent, std::move(text));
}

// Does the same where no object has this very name.
Result<ObjectName> object_meant(Services& services, const ObjectName& asked) {
    look_at_build(*services.current);
    const auto answer = services.history->history_of(asked, {});
    if (answer || answer.error().kind != base::ErrorKind::absent) return asked;
    return object_called(services, asked);
}

// From the store, after the object was brought up to date with the current build.
Result<Side> from_release(Services& services, const std::string& version,
                          const ObjectName& asked) {
    look_at_build(*services.current);
    const auto answer = services.history->history_of(asked, {});
    if (!answer) return mistake_in(answer.error(), services.current->build(), asked);
    auto tree = query::tree_at(services.history->read_context(), answer->history.object, version);
    if (!tree) return tl::unexpected(tree.error());
    return Side{std::move(*tree), services.current->build()};
}

bool is_folder(const std::string& word) {
    std::error_code error;  // a path that cannot be looked at is not a folder
    return std::filesystem::is_directory(word, error);
}

// A folder for the indexes of folders, which are made for this one look: their own stay as they are.
// Safe from any thread.
class Scratch {
   public:
    Scratch() = default;
    ~Scratch() { remove(); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    Result<std::filesystem::path> folder() {
        const std::lock_guard lock(mutex_);
        if (!folder_.empty()) return folder_;
        std::string name =
            (std::filesystem::temp_directory_path() / "varve-diff-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            return base::fail(base::ErrorKind::unavailable,
                              "cannot create a folder like " + name);
        return folder_ = name;
    }

    void remove() {
        const std::lock_guard lock(mutex_);
        if (folder_.empty()) return;
        std::error_code error;  // a folder left behind in /tmp is no reason to fail
        // Another thread may still be writing, and once the folder is gone it can't any more.
        for (int tries = 0; tries < 100 && std::filesystem::exists(folder_, error); ++tries)
            std::filesystem::remove_all(folder_, error);
    }

   private:
    std::mutex mutex_;
    std::filesystem::path folder_;
};

class Sides {
   public:
    Sides(std::filesystem::path config_file, ObjectName asked, Scratch& scratch)
        : config_file_(std::move(config_file)), asked_(std::move(asked)), scratch_(scratch) {}

    Result<Side> side(const std::string& word) {
        if (is_folder(word)) {
            const auto scratch = scratch_.folder();
            if (!scratch) return tl::unexpected(scratch.error());
            return from_folder(word, asked_, *scratch / std::to_string(folders_++));
        }
        if (!base::is_version(word))
            return base::fail(base::ErrorKind::absent,
                              word + " is neither a folder nor the version of a release");
        if (const auto opened = open(); !opened) return tl::unexpected(opened.error());
        return from_release(*services_, word, asked_);
    }

    // Replaces a label by the object's name. Labels are known only to a site, so one side must be a
    // release.
    Result<void> find_object(std::initializer_list<std::string_view> words) {
        const bool has_release = std::ranges::any_of(words, [](std::string_view word) {
            return !is_folder(std::string(word)) && base::is_version(word);
        });
        if (!has_release) return {};
        if (const auto opened = open(); !opened) return tl::unexpected(opened.error());
        auto meant = object_meant(*services_, asked_);
        if (!meant) return tl::unexpected(meant.error());
        asked_ = std::move(*meant);
        return {};
    }

    [[nodiscard]] const ObjectName& asked() const { return asked_; }

    // Returns the places whose changes the site does not report. Two folders have no configuration:
    // then every difference counts.
    [[nodiscard]] compare::Ignored ignored() const {
        return services_ ? services_->config.history.ignored : compare::Ignored();
    }

   private:
    Result<void> open() {
        if (services_) return {};
        auto config = load_config(config_file_);
        if (!config) return tl::unexpected(config.error());
        auto services = open_services(std::move(*config));
        if (!services) return tl::unexpected(services.error());
        services_ = std::move(*services);
        return {};
    }

    std::filesystem::path config_file_;
    ObjectName asked_;
    std::optional<Services> services_;
    Scratch& scratch_;
    int folders_ = 0;
};

constexpr int trouble = 2;

int compare_sides(const std::filesystem::path& config_file, const DiffOptions& options) {
    Scratch scratch;
    const OnSignal on_signal([&] { scratch.remove(); });
    Sides sides(config_file, options.object, scratch);
    if (const auto found = sides.find_object({options.from, options.to}); !found)
        return complain(found.error().text, trouble);
    const ObjectName& asked = sides.asked();
    const auto from = sides.side(options.from);
    if (!from) return complain(from.error().text, trouble);
    const auto to = sides.side(options.to);
    if (!to) return complain(to.error().text, trouble);
    const tree::Models none;
    const auto& models = to->build     ? to->build->models()
                         : from->build ? from->build->models()
                                       : none;
    const auto found =
        query::difference_between(from->tree, to->tree, asked, models, sides.ignored());
    if (!found)
        return complain(
            mistake_in(found.error(), to->build ? to->build : from->build, asked).value().text,
            trouble);
    // Whoever runs a command may read the store: no user is hidden from him.
    const bool has_colour = wants_colour(options.colour, ::isatty(STDOUT_FILENO) == 1,
                                         std::getenv("NO_COLOR"), std::getenv("TERM"));
    fmt::print("{}",
               options.format == "json"
                   ? render::difference_json(*found, {})
                   : changes_text(found->changes, has_colour ? Colour::ansi : Colour::none));
    const bool same = found->changes.empty() && from->tree.there == to->tree.there;
    return same ? 0 : 1;
}

}  // namespace

int diff(const std::filesystem::path& config_file, const DiffOptions& options) {
    try {
        return compare_sides(config_file, options);
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
    auto complaint =
        is_of_the_build ? complaint_of_class(*side.build, asked.class_name) : std::string();
    return complaint.empty() ? asked.class_name + " " + asked.name + " is not in " + version
                             : complaint;
}

}  // namespace

int show(const Config& config, const tree::ObjectName& object, const std::string& release) {
    ObjectName asked = object;
    Result<Side> side = base::fail(base::ErrorKind::absent, "");
    if (release.empty()) {
        // A look at what there is; whether it is served is another matter.
        auto build = build_opener(config).open(history::Wholeness::not_required);
        if (!build) return complain(build.error().text, failed);
        side = from_build(*build, asked);
        if (side && !side->tree.there) {
            // What objects are called is in the store, which this needs for nothing else.
            auto services = open_services(config);
            if (services) {
                auto meant = object_meant(*services, asked);
                if (!meant) return complain(meant.error().text, failed);
                asked = std::move(*meant);
                side = from_build(std::move(*build), asked);
            }
        }
    } else {
        auto services = open_services(config);
        if (!services) return complain(services.error().text, status_of(services.error()));
        auto meant = object_meant(*services, asked);
        if (!meant) return complain(meant.error().text, failed);
        asked = std::move(*meant);
        side = from_release(*services, release, asked);
    }
    if (!side) return complain(side.error().text, failed);
    if (!side->tree.there) return complain(what_lacks(*side, asked), failed);
    fmt::print("{} {}  [{}]\n{}", on_one_line(asked.class_name), on_one_line(asked.name),
               side->tree.release.version, tree_text(side->tree.nodes));
    return ok;
}

}  // namespace app
