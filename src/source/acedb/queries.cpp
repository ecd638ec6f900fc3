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

Result<std::vector<ClassCount>> ask_classes(Database& database, const std::string& identity) {
    auto classes = database.with_session(identity, [](Session& session) {
        return session.ask("classes", {.most_bytes = largest_class_list}).and_then(parse_classes);
    });
    if (!classes) return base::fail_at(database.name() + ": classes", classes.error());
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
    using Names = Result<std::vector<ObjectName>>;
    auto names = database.with_session(identity, [&](Session& session) -> Names {
        const auto found = session.ask(find_all_command(announced.class_name), {.gently = true});
        if (!found) return tl::unexpected(found.error());
        const auto count = parse_found(*found);
        if (!count) return tl::unexpected(count.error());
        const auto active = parse_active(*found);
        if (!active) return tl::unexpected(active.error());
        if (*count == 0) return too_few(announced.objects, "found", 0);
        auto listed = session.ask(list_command, {.most_bytes = largest_list, .gently = true})
                          .and_then(parse_list);
        // Found counts more where old names lead to an object that is listed by its current one.
        if (listed && listed->size() < *active) return too_few(*active, "sent", listed->size());
        return listed;
    });
    if (!names)
        return base::fail_at(database.name() + ": names of " + announced.class_name,
                             names.error());
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

bool is_listed(const ClassCount& one) {
    return one.objects > 0 && is_tracked_class(one.class_name);
}

class ObjectLister {
   public:
    //   announced  objects of all classes: those that are listed may be fewer
    ObjectLister(Database& database, const std::string& identity, IndexWriter& writer,
                 std::uint64_t announced)
        : database_(database), identity_(identity), writer_(writer),
          stride_(std::max<std::uint64_t>(announced * 2 / (3 * StampSample::fewest), 1)) {}

    Result<void> add_class(const ClassCount& one) {
        if (!is_listed(one)) return {};
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
        if (number_ < StampSample::fewest) listing_.sample.clear();
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
        if (entry.offset % stride_ == 0) listing_.sample.push_back(name);
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
    std::uint64_t stride_;  // every stride_th object is in the sample
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
    auto text = database.with_session(identity, [&](Session& session) -> Result<std::string> {
        const auto reply =
            session.ask(model_command(name), {.most_bytes = largest_model, .gently = true});
        if (!reply) return reply;
        return std::string(model_text(*reply));
    });
    // Array classes have no model.
    if (!text && text.error().kind == ErrorKind::refused && database.status())
        return std::string();
    if (!text) return base::fail_at("model of " + name, text.error());
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

// Asks one session for one object. Absent means that the database itself says so; conflict, that it
// answered with something else than this object.
class ObjectQuery {
   public:
    ObjectQuery(Session& session, const tree::ObjectName& name, const ReplyOptions& options)
        : session_(session), name_(name), options_(options) {}

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
        const auto reply = session_.ask(find_command(name_), {});
        if (!reply) return tl::unexpected(reply.error());
        const auto found = if_whole(parse_found(*reply), *reply);
        if (!found) return tl::unexpected(found.error());
        if (*found == 0) return lost();
        if (*found == 1 && !is_pattern(name_.name)) return std::string(show_command);
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
    const ReplyOptions& options_;
};

}  // namespace

Result<Listing> list_objects(Database& database, const std::string& identity,
                             IndexWriter& writer) {
    const auto classes = ask_classes(database, identity);
    if (!classes) return tl::unexpected(classes.error());
    std::uint64_t announced = 0;
    for (const auto& one : *classes) announced += is_listed(one) ? one.objects : 0;
    ObjectLister lister(database, identity, writer, announced);
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
    const auto ask = [&] {
        return database.with_session(identity, [&](Session& session) {
            return ObjectQuery(session, name, options).bytes();
        });
    };
    auto bytes = ask();
    // Another object on one session may be the answer to another question.
    if (!bytes && bytes.error().kind == ErrorKind::conflict) bytes = ask();
    if (bytes) return bytes;
    auto error = bytes.error();
    // An object that is listed but not shown is not absent: it may have a history.
    if (error.kind == ErrorKind::absent || error.kind == ErrorKind::conflict)
        error.kind = ErrorKind::malformed;
    return base::fail_at(database.name() + ": " + text_of(name), error);
}

}  // namespace source::acedb
