// SPDX-License-Identifier: MIT
#include "source/acedb/tace_session.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "source/acedb/child.hpp"
#include "source/acedb/command.hpp"
#include "source/acedb/reply.hpp"

namespace source::acedb {
namespace {

using base::Kind;
using namespace std::chrono_literals;

constexpr std::string_view prompt = "acedb> ";

// A prompt at a line's start behind something else than the line that ends each reply is text of
// an object when more comes: so long is waited for it.
constexpr auto quiet = 200ms;

// More than any banner has.
constexpr std::size_t most_banner = 1 << 20;

enum class Ended { no, perhaps, yes };

// A banner may end in anything.
enum class Printed { banner, reply };

// Whether `output` ends in a prompt, from what stands before it.
Ended look_for_prompt(std::string_view output, Printed what) {
    if (!output.ends_with(prompt)) return Ended::no;
    output.remove_suffix(prompt.size());
    if (is_whole(output)) return Ended::yes;
    if (!output.empty() && !output.ends_with('\n')) return Ended::no;
    return what == Printed::banner ? Ended::yes : Ended::perhaps;
}

// What a program said last tells why it ended.
std::string last_words(std::string_view printed) {
    printed = base::trim(printed);
    return words_of(printed.substr(printed.rfind('\n') + 1));  // npos + 1 is 0
}

// tace has no other sign than its words that it does not take a command.
bool is_refusal(const std::string& words) {
    return words.starts_with("Sorry, ") ||
           (words.starts_with("Keyword ") && words.ends_with(" does not match"));
}

class TaceSession final : public Session {
   public:
    TaceSession(std::string name, std::chrono::seconds timeout, std::unique_ptr<Child> child)
        : name_(std::move(name)), timeout_(timeout), child_(std::move(child)) {}
    ~TaceSession() override {
        if (!is_open()) return;
        // The end of its input says the same, to one that does not read this.
        const auto asked = child_->write("quit\n", Clock::now());
        static_cast<void>(asked);
    }

    base::Result<std::string> ask(std::string_view command, const ReplyOptions& taking) override;
    base::Result<void> read_banner();
    bool is_open() const override { return child_ != nullptr; }
    bool is_silent() const override { return is_silent_; }

   private:
    // What is printed up to the next prompt.
    base::Result<std::string> read(Printed what, std::size_t most);
    base::Result<void> send(std::string_view command);

    // Ends the child: what it prints next would be taken for another answer.
    tl::unexpected<base::Error> lost(Kind kind, const std::string& what);
    tl::unexpected<base::Error> ended(std::string_view printed);
    tl::unexpected<base::Error> silent(Printed what, std::string_view printed);

    std::string name_;  // of program and database, for messages
    std::chrono::seconds timeout_;
    std::unique_ptr<Child> child_;
    bool is_silent_ = false;
};

tl::unexpected<base::Error> TaceSession::lost(Kind kind, const std::string& what) {
    child_.reset();
    return base::fail(kind, name_ + ": " + what);
}

tl::unexpected<base::Error> TaceSession::ended(std::string_view printed) {
    auto words = last_words(child_->errors());
    if (words.empty()) words = last_words(printed);
    return lost(Kind::unavailable,
                "the program has ended" + (words.empty() ? words : ": " + words));
}

tl::unexpected<base::Error> TaceSession::silent(Printed what, std::string_view printed) {
    is_silent_ = true;
    const auto words = what == Printed::banner ? last_words(printed) : "";
    return lost(Kind::unavailable, "no prompt within " + std::to_string(timeout_.count()) + " s" +
                                       (words.empty() ? words : ": " + words));
}

base::Result<std::string> TaceSession::read(Printed what, std::size_t most) {
    const auto deadline = Clock::now() + timeout_;
    std::string printed;
    auto end = Ended::no;
    while (end != Ended::yes) {
        const bool may_be_whole = end == Ended::perhaps;
        const auto until = may_be_whole ? std::min(deadline, Clock::now() + quiet) : deadline;
        const auto more = child_->read(printed, until);
        if (!more) return ended(printed);
        if (!*more && !may_be_whole) return silent(what, printed);
        if (printed.size() > most && printed.size() - most > prompt.size())
            return lost(Kind::too_large, "a reply above " + std::to_string(most) + " bytes");
        end = *more ? look_for_prompt(printed, what) : Ended::yes;
    }
    printed.resize(printed.size() - prompt.size());
    return printed;
}

base::Result<void> TaceSession::read_banner() {
    const auto banner = read(Printed::banner, most_banner);
    if (!banner) return tl::unexpected(banner.error());
    return {};
}

base::Result<void> TaceSession::send(std::string_view command) {
    std::string line(command);
    line += '\n';
    const auto sent = child_->write(line, Clock::now() + timeout_);
    if (!sent) return ended("");
    is_silent_ = !*sent;
    if (is_silent_) return lost(Kind::unavailable, "the program does not read its commands");
    return {};
}

base::Result<std::string> TaceSession::ask(std::string_view command, const ReplyOptions& taking) {
    if (!is_open()) return base::fail(Kind::unavailable, name_ + ": the program has ended");
    if (!is_command(command))
        return base::fail(Kind::malformed, name_ + ": no command of printable ASCII");
    if (child_->has_printed()) {
        std::string printed;
        if (!child_->read(printed, Clock::now())) return ended(printed);
        return lost(Kind::unavailable, "it printed what nobody asked for: " + words_of(printed));
    }
    if (auto sent = send(command); !sent) return tl::unexpected(sent.error());
    // Gently is for servers of others: this child works for us alone.
    auto reply = read(Printed::reply, taking.most_bytes);
    if (!reply) return reply;
    if (const auto words = words_of(*reply); is_refusal(words))
        return base::fail(Kind::refused, name_ + ": the program refuses: " + words);
    return reply;
}

// A folder that looks like an option is none.
std::string as_argument(const std::string& folder) {
    return folder.starts_with('-') ? "./" + folder : folder;
}

}  // namespace

base::Result<SessionPtr> open_tace_session(const TaceSettings& command) {
    const auto name = command.program + ' ' + command.folder;
    auto child = Child::start(command.program, {as_argument(command.folder)});
    if (!child) return base::fail_at(name + ": can't be run", child.error());
    auto session = std::make_unique<TaceSession>(name, command.timeout, std::move(*child));
    if (auto ready = session->read_banner(); !ready) return tl::unexpected(ready.error());
    return session;
}

}  // namespace source::acedb
