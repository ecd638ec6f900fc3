// SPDX-License-Identifier: MIT
#include "source/acedb/listing.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/ace_object.hpp"
#include "source/acedb/command.hpp"
#include "source/acedb/object.hpp"
#include "source/index_format.hpp"
#include "source/indexed_source.hpp"

namespace source::acedb {
namespace {

using base::Kind;
using base::Result;
using tree::ObjectName;

// The names of one class: ten million of a hundred bytes.
constexpr std::size_t largest_list = std::size_t{1} << 30;
constexpr std::size_t largest_class_list = std::size_t{1} << 20;

// As in a dump's index, every object of fewer than twice as many is looked at.
constexpr std::size_t most_sampled = 2 * StampSample::fewest - 1;

Result<std::vector<ClassCount>> ask_classes(Database& database, const std::string& identity) {
    std::vector<ClassCount> classes;
    const auto done = database.with_session(identity, [&](Session& session) -> Result<void> {
        const auto reply = session.ask("classes", {.most_bytes = largest_class_list});
        if (!reply) return tl::unexpected(reply.error());
        auto parsed = parse_classes(*reply);
        if (!parsed) return tl::unexpected(parsed.error());
        classes = std::move(*parsed);
        return {};
    });
    if (!done) return base::fail_at(database.name() + ": classes", done.error());
    return classes;
}

// What is missing in a list would be taken for gone.
tl::unexpected<base::Error> too_few(const std::string& what, std::uint64_t told) {
    return base::fail(Kind::unavailable,
                      what + " where the database tells of " + std::to_string(told) + " objects");
}

Result<std::vector<ObjectName>> ask_names(Database& database, const std::string& identity,
                                          const ClassCount& told) {
    std::vector<ObjectName> names;
    const auto done = database.with_session(identity, [&](Session& session) -> Result<void> {
        names.clear();
        const auto found = session.ask(find_all_command(told.class_name), {.gently = true});
        if (!found) return tl::unexpected(found.error());
        const auto count = parse_found(*found);
        if (!count) return tl::unexpected(count.error());
        const auto active = parse_active(*found);
        if (!active) return tl::unexpected(active.error());
        if (*count == 0) return too_few("0 found", told.objects);
        const auto list = session.ask(list_command, {.most_bytes = largest_list, .gently = true});
        if (!list) return tl::unexpected(list.error());
        auto parsed = parse_list(*list);
        if (!parsed) return tl::unexpected(parsed.error());
        // Found tells more where old names lead to an object that is there by its own.
        if (parsed->size() < *active)
            return too_few(std::to_string(parsed->size()) + " listed", *active);
        names = std::move(*parsed);
        return {};
    });
    if (!done)
        return base::fail_at(database.name() + ": names of " + told.class_name, done.error());
    return names;
}

// A subclass lists objects of its class, which has listed them; an alias lists the object again.
void keep_own(std::vector<ObjectName>& names, std::string_view class_name) {
    std::erase_if(names, [&](const ObjectName& name) {
        return !base::equal_ignoring_case(name.class_name, class_name);
    });
    for (auto& name : names) {
        if (base::is_legal_text(name.name)) continue;
        name.name = base::legal_text(name.name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

// What `find` leaves in a server for its own use.
bool is_answer_of_the_session(const ObjectName& name) {
    return base::equal_ignoring_case(name.class_name, "KeySet") &&
           base::equal_ignoring_case(name.name, "Answer_1");
}

// The objects whose look-up keys are the lowest: a sample as good as shuffled, which takes no
// second look at the names.
class Sample {
   public:
    void consider(std::uint64_t key, const ObjectName& name) {
        ++considered_;
        if (chosen_.size() == most_sampled && key >= chosen_.front().key) return;
        chosen_.push_back({key, name});
        std::push_heap(chosen_.begin(), chosen_.end());
        if (chosen_.size() <= most_sampled) return;
        std::pop_heap(chosen_.begin(), chosen_.end());
        chosen_.pop_back();
    }

    [[nodiscard]] std::vector<ObjectName> take() {
        std::sort_heap(chosen_.begin(), chosen_.end());
        if (considered_ > most_sampled) chosen_.resize(StampSample::fewest);
        std::vector<ObjectName> names;
        if (considered_ >= StampSample::fewest)
            for (auto& one : chosen_) names.push_back(std::move(one.name));
        return names;
    }

   private:
    struct Chosen {
        std::uint64_t key;
        ObjectName name;
        bool operator<(const Chosen& other) const { return key < other.key; }
    };
    std::vector<Chosen> chosen_;  // a heap, the highest key first
    std::size_t considered_ = 0;
};

class Listing {
   public:
    Listing(const BuildSettings& settings, const std::string& identity, IndexWriter& writer)
        : settings_(settings), identity_(identity), writer_(writer) {}

    Result<void> add_class(const ClassCount& one) {
        if (one.objects == 0 || is_kernel_class(one.class_name)) return {};
        auto names = ask_names(*settings_.database, identity_, one);
        if (!names) return tl::unexpected(names.error());
        keep_own(*names, one.class_name);
        if (names->empty()) return {};
        listing_.classes.push_back(names->front().class_name);
        for (const auto& name : *names)
            if (const auto done = add(name); !done) return done;
        return {};
    }

    Listed take() {
        listing_.sample = sample_.take();
        return std::move(listing_);
    }

   private:
    Result<void> add(const ObjectName& name) {
        if (is_answer_of_the_session(name)) return {};
        if (name.class_name.size() > tree::longest_class || name.name.empty() ||
            name.name.size() > tree::longest_name) {
            ++listing_.untracked;
            return {};
        }
        Entry entry;
        entry.digest = digest_of(name);
        entry.offset = number_++;
        entry.name = name.name;
        sample_.consider(index_format::key_of(name.class_name, name.name, folded_), name);
        if (const auto done = writer_.add(entry, name.class_name); !done)
            return tl::unexpected(done.error());
        return {};
    }

    // What the object holds isn't known here: of another build, it differs.
    XXH128_hash_t digest_of(const ObjectName& name) {
        text_ = identity_;
        for (const auto& part : {name.class_name, name.name}) (text_ += '\0') += part;
        return XXH3_128bits(text_.data(), text_.size());
    }

    const BuildSettings& settings_;
    const std::string& identity_;
    IndexWriter& writer_;
    Listed listing_;
    Sample sample_;
    std::uint64_t number_ = 0;
    std::string folded_, text_;
};

}  // namespace

bool is_kernel_class(std::string_view class_name) {
    constexpr auto kernel = std::to_array<std::string_view>(
        {"System", "Global", "Session", "Voc", "Bat", "Display", "Tag", "Class", "Model",
         "MainClasses", "Comment", "UserSession", "Text", "Query", "Constraint", "Jade", "View"});
    return std::any_of(kernel.begin(), kernel.end(), [&](std::string_view one) {
        return base::equal_ignoring_case(one, class_name);
    });
}

Result<Listed> list_objects(const BuildSettings& settings, const std::string& identity,
                            IndexWriter& writer) {
    const auto classes = ask_classes(*settings.database, identity);
    if (!classes) return tl::unexpected(classes.error());
    Listing listing(settings, identity, writer);
    for (const auto& one : *classes)
        if (const auto done = listing.add_class(one); !done) return tl::unexpected(done.error());
    return listing.take();
}

Result<std::vector<std::string>> sample_stamps(const BuildSettings& settings,
                                               const std::string& identity,
                                               const std::vector<ObjectName>& sample) {
    StampSample stamps;
    const ReplyOptions taking{.most_bytes = settings.max_object_mb << 20, .gently = true};
    for (const auto& name : sample) {
        const auto bytes = ask_object(*settings.database, identity, name, taking);
        const bool can_pass = !bytes && (bytes.error().kind == Kind::too_large ||
                                         bytes.error().kind == Kind::malformed);
        if (!bytes && !can_pass) return tl::unexpected(bytes.error());
        const auto views = bytes ? stamps_of(*bytes) : Parsed<std::vector<std::string_view>>();
        // One that can't be read counts as one without stamps; whoever asks for it is told.
        stamps.add(views ? std::vector<std::string>(views->begin(), views->end())
                         : std::vector<std::string>());
    }
    return stamps.loading_stamps();
}

}  // namespace source::acedb
