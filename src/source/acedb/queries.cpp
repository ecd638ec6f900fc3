// SPDX-License-Identifier: MIT
#include "source/acedb/queries.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "base/text.hpp"
#include "source/ace_object.hpp"
#include "source/acedb/protocol.hpp"
#include "source/index/indexed_source.hpp"

namespace source::acedb {
namespace {

using base::ErrorKind;
using base::Result;
using tree::ObjectName;

// ---- Names ----

// The names of one class: ten million of a hundred bytes.
constexpr std::size_t largest_list = std::size_t{1} << 30;
constexpr std::size_t largest_class_list = std::size_t{1} << 20;

// As with the index of a dump, the sample has all objects if they are fewer than twice as many.
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

// A name that is missing in a list would look like a deleted object.
tl::unexpected<base::Error> too_few(std::uint64_t announced, const std::string& done,
                                    std::uint64_t names) {
    return base::fail(ErrorKind::unavailable, "the database announced " +
                                                  std::to_string(announced) + " names but " +
                                                  done + " " + std::to_string(names));
}

Result<std::vector<ObjectName>> ask_names(Database& database, const std::string& identity,
                                          const ClassCount& announced) {
    std::vector<ObjectName> names;
    const auto done = database.with_session(identity, [&](Session& session) -> Result<void> {
        names.clear();
        const auto found = session.ask(find_all_command(announced.class_name), {.gently = true});
        if (!found) return tl::unexpected(found.error());
        const auto count = parse_found(*found);
        if (!count) return tl::unexpected(count.error());
        const auto active = parse_active(*found);
        if (!active) return tl::unexpected(active.error());
        if (*count == 0) return too_few(announced.objects, "found", 0);
        const auto list = session.ask(list_command, {.most_bytes = largest_list, .gently = true});
        if (!list) return tl::unexpected(list.error());
        auto parsed = parse_list(*list);
        if (!parsed) return tl::unexpected(parsed.error());
        // Found counts more where old names lead to an object that is listed by its current one.
        if (parsed->size() < *active) return too_few(*active, "sent", parsed->size());
        names = std::move(*parsed);
        return {};
    });
    if (!done)
        return base::fail_at(database.name() + ": names of " + announced.class_name,
                             done.error());
    return names;
}

// Drops the names of other classes: a subclass also lists objects of its class, and an alias
// lists its object again.
void keep_own(std::vector<ObjectName>& names, std::string_view class_name) {
    std::erase_if(names, [&](const ObjectName& name) {
        return !base::equal_ignoring_case(name.class_name, class_name);
    });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

// True for the list that `find` leaves in a server.
bool is_answer_of_the_session(const ObjectName& name) {
    return base::equal_ignoring_case(name.class_name, "KeySet") &&
           base::equal_ignoring_case(name.name, "Answer_1");
}

// Chooses the objects with the lowest keys: a sample as good as random, in one pass.
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

class ObjectLister {
   public:
    ObjectLister(Database& database, const std::string& identity, IndexWriter& writer)
        : database_(database), identity_(identity), writer_(writer) {}

    Result<void> add_class(const ClassCount& one) {
        if (one.objects == 0 || !is_tracked_class(one.class_name)) return {};
        auto names = ask_names(database_, identity_, one);
        if (!names) return tl::unexpected(names.error());
        keep_own(*names, one.class_name);
        if (names->empty()) return {};
        listing_.classes.push_back(names->front().class_name);
        for (const auto& name : *names)
            if (const auto done = add(name); !done) return done;
        return {};
    }

    Listing take() {
        listing_.sample = sample_.take();
        return std::move(listing_);
    }

   private:
    Result<void> add(const ObjectName& name) {
        if (is_answer_of_the_session(name)) return {};
        if (!tree::can_be_tracked(name.class_name, name.name)) {
            ++listing_.untracked;
            return {};
        }
        Entry entry;
        entry.digest = digest_of(name);
        entry.offset = number_++;
        entry.name = name.name;
        sample_.consider(entry.digest.low64, name);
        if (const auto done = writer_.add(entry, name.class_name); !done)
            return tl::unexpected(done.error());
        return {};
    }

    // The content is not known here, so that the digest differs from that of any other build.
    XXH128_hash_t digest_of(const ObjectName& name) {
        text_ = identity_;
        for (const auto& part : {name.class_name, name.name}) (text_ += '\0') += part;
        return XXH3_128bits(text_.data(), text_.size());
    }

    Database& database_;
    const std::string& identity_;
    IndexWriter& writer_;
    Listing listing_;
    Sample sample_;
    std::uint64_t number_ = 0;
    std::string text_;
};

// ---- Models ----

// WormBase has some 250.
constexpr std::size_t most_models = 10'000;
constexpr std::size_t largest_model = std::size_t{8} << 20;

bool is_model_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_' || c == '-';
}

Result<std::string> ask_model(Database& database, const std::string& identity,
                              const std::string& name) {
    std::string text;
    const auto done = database.with_session(identity, [&](Session& session) -> Result<void> {
        const auto reply =
            session.ask(model_command(name), {.most_bytes = largest_model, .gently = true});
        if (!reply) return tl::unexpected(reply.error());
        text = model_text(*reply);
        return {};
    });
    // Array classes have no model.
    if (!done && done.error().kind == ErrorKind::refused && database.status())
        return std::string();
    if (!done) return base::fail_at("model of " + name, done.error());
    return text;
}

// ---- One object ----

// Of the list of names that one look-up may match.
constexpr std::size_t most_listed_bytes = std::size_t{64} << 20;

std::string text_of(const tree::ObjectName& id) { return id.class_name + " " + id.name; }

// Makes an error temporary when the reply is cut, since the next one may be whole. A whole reply
// that can't be read would be the same next time.
template <class T>
Result<T> if_whole(Result<T> parsed, std::string_view reply) {
    if (parsed || is_whole(reply)) return parsed;
    return base::fail(ErrorKind::unavailable, parsed.error().text);
}

tl::unexpected<base::Error> lost() {
    return base::fail(ErrorKind::absent, "it is in the index, but not in the database any more");
}

// How the object is looked up.
enum class LookUp {
    by_name,
    by_similar_names,  // find_similar_command(), and then the object of this name in the list
};

// Asks one session for one object. Absent means that the database itself says so; conflict, that it
// answered with something else than this object.
class ObjectQuery {
   public:
    ObjectQuery(Session& session, const tree::ObjectName& name, LookUp look_up,
                const ReplyOptions& options)
        : session_(session), name_(name), look_up_(look_up), options_(options) {}

    Result<std::string> bytes() {
        const auto command = show_what_is_found();
        if (!command) return tl::unexpected(command.error());
        const auto reply = session_.ask(*command, options_);
        if (!reply) return tl::unexpected(reply.error());
        const auto shown = if_whole(parse_shown(*reply), *reply);
        if (!shown) return tl::unexpected(shown.error());
        if (shown->empty())
            return base::fail(ErrorKind::malformed,
                              "the database finds the object but returns no content for it");
        if (shown->size() != 1)
            return base::fail(ErrorKind::conflict, "answered with " +
                                                       std::to_string(shown->size()) +
                                                       " objects where one was asked for");
        return checked(shown->front());
    }

   private:
    Result<std::string> show_what_is_found() {
        const bool by_name = look_up_ == LookUp::by_name;
        const auto reply =
            session_.ask(by_name ? find_command(name_) : find_similar_command(name_), {});
        if (!reply) return tl::unexpected(reply.error());
        const auto found = if_whole(parse_found(*reply), *reply);
        if (!found) return tl::unexpected(found.error());
        if (*found == 0) return lost();
        if (*found == 1 && by_name && !is_ambiguous(name_)) return std::string(show_command);
        return show_the_one_listed();
    }

    // Several were found, maybe a whole class: shows the one of exactly this name.
    Result<std::string> show_the_one_listed() {
        const auto reply =
            session_.ask(list_command, {.most_bytes = most_listed_bytes, .gently = true});
        if (!reply) return tl::unexpected(reply.error());
        const auto names = if_whole(parse_list(*reply), *reply);
        if (!names) return tl::unexpected(names.error());
        const auto it = std::find(names->begin(), names->end(), name_);
        if (it == names->end()) return lost();
        return show_one_command(static_cast<std::size_t>(it - names->begin()));
    }

    Result<std::string> checked(std::string_view bytes) const {
        const auto header = parse_header(bytes);
        if (header && header->id == name_) return std::string(bytes);
        return base::fail(ErrorKind::conflict,
                          "answered with another object" +
                              (header ? ", " + text_of(header->id) : std::string()));
    }

    Session& session_;
    const tree::ObjectName& name_;
    LookUp look_up_;
    const ReplyOptions& options_;
};

// Returns nullopt when the database answers, but not with this object: nothing is found, or another
// object is shown. `why` is the reason then.
//   error  as ask_object
Result<std::optional<std::string>> look_up(Database& database, const std::string& identity,
                                           const ObjectName& name, LookUp look_up,
                                           const ReplyOptions& options, base::Error& why) {
    std::optional<std::string> bytes;
    const auto done = database.with_session(identity, [&](Session& session) -> Result<void> {
        auto answer = ObjectQuery(session, name, look_up, options).bytes();
        if (!answer) return tl::unexpected(answer.error());
        bytes = std::move(*answer);
        return {};
    });
    if (done) return bytes;
    why = done.error();
    const bool is_answer = why.kind == ErrorKind::absent || why.kind == ErrorKind::conflict;
    if (!is_answer) return tl::unexpected(why);
    return std::nullopt;
}

}  // namespace

Result<Listing> list_objects(Database& database, const std::string& identity,
                             IndexWriter& writer) {
    const auto classes = ask_classes(database, identity);
    if (!classes) return tl::unexpected(classes.error());
    ObjectLister lister(database, identity, writer);
    for (const auto& one : *classes)
        if (const auto done = lister.add_class(one); !done) return tl::unexpected(done.error());
    return lister.take();
}

Result<std::vector<std::string>> sample_stamps(Database& database, const std::string& identity,
                                               const std::vector<ObjectName>& sample,
                                               std::size_t largest) {
    StampSample stamps;
    const ReplyOptions options{.most_bytes = largest, .gently = true};
    for (const auto& name : sample) {
        const auto bytes = ask_object(database, identity, name, options);
        const bool is_skipped = !bytes && (bytes.error().kind == ErrorKind::too_large ||
                                           bytes.error().kind == ErrorKind::malformed);
        if (!bytes && !is_skipped) return tl::unexpected(bytes.error());
        const auto object = parse_object(bytes.value_or(""), tree::Models());
        if (object)
            stamps.add(*object);
        else
            stamps.add_unreadable();
    }
    return stamps.loading_stamps();
}

std::vector<std::string> hashes_in(std::string_view model) {
    std::vector<std::string> hashes;
    for (auto line : base::split(model, '\n')) {
        line = line.substr(0, line.find("//"));
        for (auto at = line.find('#'); at != std::string_view::npos;
             at = line.find('#', at + 1)) {
            const auto rest = line.substr(at + 1);
            const auto* const end = std::find_if_not(rest.begin(), rest.end(), is_model_word);
            std::string word(rest.begin(), end);
            if (!word.empty() && std::find(hashes.begin(), hashes.end(), word) == hashes.end())
                hashes.push_back(std::move(word));
        }
    }
    return hashes;
}

Result<std::string> ask_models(Database& database, const std::string& identity,
                               const std::vector<std::string>& classes) {
    std::string all;
    std::set<std::string> asked;  // folded
    std::deque<std::string> left(classes.begin(), classes.end());
    while (!left.empty()) {
        const auto name = std::move(left.front());
        left.pop_front();
        if (name.size() > tree::longest_class || !asked.insert(base::fold_ascii(name)).second)
            continue;
        if (asked.size() > most_models)
            return base::fail(ErrorKind::malformed, database.name() + ": more than " +
                                                        std::to_string(most_models) + " models");
        const auto text = ask_model(database, identity, name);
        if (!text) return tl::unexpected(text.error());
        for (auto& hash : hashes_in(*text)) left.push_back(std::move(hash));
        all += *text;
        if (!all.ends_with('\n')) all += '\n';
    }
    return all;
}

Result<std::string> ask_object(Database& database, const std::string& identity,
                               const tree::ObjectName& name, const ReplyOptions& options) {
    const auto place = database.name() + ": " + text_of(name);
    base::Error why;
    const auto again = is_special(name) ? LookUp::by_similar_names : LookUp::by_name;
    for (const auto how : {LookUp::by_name, again}) {
        auto bytes = look_up(database, identity, name, how, options, why);
        if (!bytes) return base::fail_at(place, bytes.error());
        if (*bytes) return std::move(**bytes);
        // Another object on one session may be the answer to another question.
        if (why.kind == ErrorKind::absent && again == LookUp::by_name) break;
    }
    // An object that is listed but not shown is not absent: it may have a history.
    return base::fail(ErrorKind::malformed, place + ": " + why.text);
}

}  // namespace source::acedb
