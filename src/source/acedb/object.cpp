// SPDX-License-Identifier: MIT
#include "source/acedb/object.hpp"

#include <algorithm>

#include "source/ace_text.hpp"
#include "source/acedb/command.hpp"
#include "source/acedb/reply.hpp"

namespace source::acedb {
namespace {

using base::Kind;
using base::Result;

// Names that the words of one look-up may match.
constexpr std::size_t most_listed_bytes = std::size_t{64} << 20;

std::string text_of(const tree::ObjectName& id) { return id.class_name + " " + id.name; }

// A reply that is cut says nothing of the object: another time it may be whole. A whole one that
// can't be read is the same each time.
template <class T>
Result<T> if_whole(Result<T> parsed, std::string_view reply) {
    if (parsed || is_whole(reply)) return parsed;
    return base::fail(Kind::unavailable, parsed.error().text);
}

tl::unexpected<base::Error> lost() {
    return base::fail(Kind::absent, "it is listed in the index, and the database has it no more");
}

// One question and its answers on one session. Its `absent` is the database's own word.
class Question {
   public:
    Question(Session& session, const tree::ObjectName& name, const ReplyOptions& taking)
        : session_(session), name_(name), taking_(taking) {}

    Result<std::string> bytes() {
        const auto command = show_what_is_found();
        if (!command) return tl::unexpected(command.error());
        const auto reply = session_.ask(*command, taking_);
        if (!reply) return tl::unexpected(reply.error());
        const auto shown = if_whole(parse_shown(*reply), *reply);
        if (!shown) return tl::unexpected(shown.error());
        if (shown->empty())
            return base::fail(Kind::malformed,
                              "it is found, and the database shows nothing of it");
        if (shown->size() != 1)
            return base::fail(Kind::unavailable, "answered with " +
                                                     std::to_string(shown->size()) +
                                                     " objects where one was asked for");
        return if_asked_for(shown->front());
    }

   private:
    Result<std::string> show_what_is_found() {
        const auto reply = session_.ask(find_command(name_), {});
        if (!reply) return tl::unexpected(reply.error());
        const auto found = if_whole(parse_found(*reply), *reply);
        if (!found) return tl::unexpected(found.error());
        if (*found == 0) return lost();
        if (*found == 1 && !is_ambiguous(name_)) return std::string(show_command);
        return show_the_one_listed();
    }

    // Several were found: the one of this very name. They may be a whole class.
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

    Result<std::string> if_asked_for(std::string_view bytes) const {
        const auto header = parse_header(bytes);
        if (header && header->id == name_) return std::string(bytes);
        return base::fail(Kind::unavailable,
                          "answered with another object" +
                              (header ? ", " + text_of(header->id) : std::string()));
    }

    Session& session_;
    const tree::ObjectName& name_;
    const ReplyOptions& taking_;
};

}  // namespace

Result<std::string> ask_object(Database& database, const std::string& identity,
                               const tree::ObjectName& name, const ReplyOptions& taking) {
    const auto place = database.name() + ": " + text_of(name);
    Result<std::string> answer;
    const auto done = database.with_session(identity, [&](Session& session) -> Result<void> {
        answer = Question(session, name, taking).bytes();
        if (answer || answer.error().kind == Kind::absent) return {};
        return tl::unexpected(answer.error());
    });
    if (!done) return base::fail_at(place, done.error());
    // Listed and not shown is no word on whether it ever was: whoever asks has its history.
    if (!answer) return base::fail(Kind::malformed, place + ": " + answer.error().text);
    return answer;
}

}  // namespace source::acedb
