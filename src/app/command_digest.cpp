// SPDX-License-Identifier: MIT
// Before any header with the namespace compare, which would hide a function of fmt.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "app/command_line.hpp"
#include "app/config_file.hpp"
#include "app/config_keys.hpp"
#include "app/print.hpp"
#include "app/selection.hpp"
#include "app/smtp.hpp"
#include "base/text.hpp"
#include "query/histories.hpp"
#include "query/search.hpp"
#include "render/digest.hpp"
#include "render/display_text.hpp"
#include "render/feed.hpp"
#include "serve/parameters.hpp"

namespace app {
namespace {

using base::ErrorKind;
using base::Result;
using Objects = std::vector<tree::ObjectName>;

constexpr std::size_t rows_at_once = 500;
constexpr std::size_t most_items = 300;     // more don't fit into a mail
constexpr std::size_t longest_url = 2'000;  // of the page of a list

Result<Objects> objects_listed(const std::string& list) {
    Objects objects;
    for (const auto& word : words_of(list, ',')) {
        auto object = object_of(word);
        if (!object) return tl::unexpected(object.error());
        objects.push_back(std::move(*object));
    }
    return objects;
}

// Treats the text as a file if such a file or link exists, or if it has no colon.
bool names_file(const std::string& watch) {
    std::error_code unknown;
    return watch.find(':') == std::string::npos ||
           std::filesystem::symlink_status(watch, unknown).type() !=
               std::filesystem::file_type::not_found;
}

// What a digest needs of the rows of history, collected page by page.
class Collection {
   public:
    Collection(Services& services, std::string since)
        : services_(services), site_(services.config.site), since_(std::move(since)) {}

    // Adds what became of an object, which is named in any spelling or as people call it.
    //   error  refused, unavailable
    Result<void> add(const tree::ObjectName& asked) {
        const query::PageRequest request{rows_at_once, since_};
        auto answer = services_.history->history_of(asked, request);
        if (!answer && answer.error().kind == ErrorKind::absent) {
            const auto called = object_called(asked);
            if (!called) return {};
            answer = services_.history->history_of(*called, request);
        }
        if (!answer && answer.error().kind != ErrorKind::malformed &&
            answer.error().kind != ErrorKind::too_large)
            return tl::unexpected(answer.error());
        digest_.is_incomplete = digest_.is_incomplete || !answer || !answer->up_to_date;
        if (!answer) {
            leave_out(asked.class_name + " " + asked.name + " cannot be read; it is");
            return {};
        }
        const auto& history = answer->history;
        // An object that is asked for twice, by its name and by what people call it, counts once.
        const auto at =
            std::ranges::lower_bound(list_.objects, history.object, {}, &query::Named::object);
        if (at != list_.objects.end() && at->object == history.object) return {};
        list_.objects.insert(at, {history.object, history.label});
        total_ += history.recorded - history.rows.size();
        take(history);
        return {};
    }

    Result<void> add_class(const std::string& class_name) {
        digest_.class_name = class_name;
        const auto reads = services_.history->read_context();
        auto page = query::class_history(reads, class_name, {most_items, since_});
        if (!page) return tl::unexpected(page.error());
        take(*page);
        const auto recorded = page->recorded;
        if (recorded == page->rows.size()) return {};
        std::set<std::pair<tree::ObjectName, base::Release>> taken;
        for (const auto& row : page->rows) taken.emplace(row.object, row.release);
        // Behind them there may be some that did not only change as others did.
        query::PageRequest request{rows_at_once, since_};
        request.filter.mass = false;
        auto own = query::class_history(reads, class_name, request);
        if (!own) return tl::unexpected(own.error());
        std::erase_if(own->rows,
                      [&](const auto& row) { return taken.contains({row.object, row.release}); });
        take(*own);
        digest_.counts_all = total_ >= recorded;
        total_ = std::max(total_, recorded);
        return {};
    }

    [[nodiscard]] std::size_t known() const { return list_.objects.size(); }

    render::Digest finish() && {
        const auto subject = digest_.class_name.empty()
                                 ? render::subject_of(list_, site_)
                                 : render::subject_of_class(digest_.class_name, site_);
        const bool has_page = list_.objects.size() <= ::serve::most_objects &&
                              subject.page_url.size() <= longest_url;
        digest_.id = subject.id;
        digest_.page_url = has_page ? subject.page_url : std::string();
        digest_.since = since_;
        digest_.objects = list_.objects.size();
        for (const auto& [object, newest] : newest_) {
            ++digest_.outcomes[render::outcome_of(newest.kind)];
            digest_.counted_releases.insert(newest.release);
        }
        digest_.left_out = total_ - digest_.items.size();
        return std::move(digest_);
    }

   private:
    static void leave_out(const std::string& why) {
        complain(why + " left out of the digest", ok);
    }

    // Returns the only object that people call so. Reports unknown and ambiguous names.
    std::optional<tree::ObjectName> object_called(const tree::ObjectName& name) {
        constexpr std::size_t most_named = 5;
        const auto found =
            query::objects_called(services_.history->read_context(), name, most_named);
        if (found.size() == 1) return found.front().object;
        const auto said = on_one_line(name.class_name + " " + name.name);
        digest_.unknown.push_back(said);
        std::vector<std::string> choices;
        for (const auto& each : found) choices.push_back(each.object.name);
        leave_out(found.empty() ? "there is no " + said + "; it is"
                                : "several objects are called " + said + ", such as " +
                                      base::join(choices, ", ") + "; they are");
        return std::nullopt;
    }

    // Keeps what a mail can hold of the rows: the first items, of which those that only follow others
    // go before any other does, and of the rest only what counts.
    void take(const query::HistoryPage& page) {
        total_ += page.rows.size();
        for (const auto& row : page.rows) {
            digest_.releases.insert(row.release);
            const auto known = newest_.find(row.object);
            if (known == newest_.end() || known->second.release < row.release)
                newest_[row.object] = {row.release, row.kind};
            digest_.items.push_back(render::digest_item_of(row, page, site_));
        }
        auto& items = digest_.items;
        if (items.size() > most_items) {
            std::ranges::sort(items, [](const auto& a, const auto& b) {
                return a.only_follows != b.only_follows ? b.only_follows
                                                        : render::comes_first(a, b);
            });
            items.resize(most_items);
        }
        std::ranges::sort(items, render::comes_first);
    }

    struct Newest {
        base::Release release;
        tables::RowKind kind{};
    };
    Services& services_;
    const render::Site& site_;
    const std::string since_;
    query::WatchList list_;  // its objects alone
    std::map<tree::ObjectName, Newest> newest_;
    std::size_t total_ = 0;  // rows
    render::Digest digest_;
};

struct DigestOptions {
    std::string watch;       // a file with objects, or "Gene:unc-26,Paper:X"
    std::string class_name;  // a whole class, in place of `watch`
    std::string since;       // a version
    std::vector<std::string> to;
    bool send = false;  // to [mail] smtp rather than to standard output
};

// What the options say, read and checked before the store is opened.
struct Order {
    Objects objects;
    render::Mailbox from;
    std::vector<render::Mailbox> to;
};

Result<Order> order_of(const Config& config, const DigestOptions& options) {
    if (options.watch.empty() == options.class_name.empty())
        return wrong("choose the objects with exactly one of --watch FILE, --watch LIST and "
                     "--class C");
    if (const auto version = version_of(options.since); !version)
        return base::fail_at("--since", version.error());
    Order order;
    for (const auto& each : options.to) {
        auto mailbox = mailbox_of(each);
        if (!mailbox) return base::fail_at("--to", mailbox.error());
        const auto is_same = [&](const auto& to) { return to.address == mailbox->address; };
        if (std::ranges::none_of(order.to, is_same)) order.to.push_back(std::move(*mailbox));
    }
    if (options.send && (order.to.empty() || config.mail.server.empty()))
        return wrong(order.to.empty() ? "--send requires --to ADDRESS"
                                      : "--send requires the mail server in [mail] smtp");
    auto from = config.mail.from ? Result<render::Mailbox>(*config.mail.from)
                                 : mailbox_of(config.site.contact);
    if (!from)
        return wrong(
            "a mail needs a sender: set [mail] from, or set [site] contact to a mail address");
    order.from = std::move(*from);
    if (options.watch.empty()) return order;
    auto objects =
        names_file(options.watch) ? objects_in(options.watch) : objects_listed(options.watch);
    if (!objects) return base::fail_at("--watch", objects.error());
    if (objects->empty()) return wrong("--watch: " + options.watch + " has no objects");
    order.objects = std::move(*objects);
    return order;
}

Result<render::Digest> collect(Services& services, const Order& order,
                               const DigestOptions& options) {
    Collection collection(services, options.since);
    if (options.class_name.empty()) {
        for (const auto& object : order.objects)
            if (const auto added = collection.add(object); !added)
                return tl::unexpected(added.error());
        if (collection.known() == 0)
            return base::fail(ErrorKind::absent, "none of the objects is known");
        return std::move(collection).finish();
    }
    const auto name = class_named(options.class_name, *services.pool, *services.current->build());
    if (!name) return tl::unexpected(name.error());
    if (const auto added = collection.add_class(*name); !added)
        return tl::unexpected(added.error());
    return std::move(collection).finish();
}

int send(const Config& config, const render::Mail& mail, const std::string& bytes) {
    const auto password = read_password(config.mail.password_file);
    if (!password) return complain("[mail] password_file: " + password.error().text, wrong_use);
    std::vector<std::string> addresses;
    for (const auto& to : mail.to) addresses.push_back(to.address);
    const auto sent = send_mail(config.mail, *password, mail.from.address, addresses, bytes);
    if (sent) return ok;
    const bool is_temporary = sent.error().kind == ErrorKind::unavailable;
    return complain("the mail was not sent: " + sent.error().text +
                        (is_temporary ? ". Run the same command again later" : ""),
                    failed);
}

int finish(const Config& config, const Order& order, const DigestOptions& options,
           const render::Digest& digest) {
    const auto unread =
        digest.is_incomplete
            ? complain("some objects could not be read; the log names them", unreadable)
        : digest.unknown.empty() ? ok
                                 : unreadable;
    if (digest.items.empty()) {
        complain("nothing changed since " + options.since + ", so there is no mail", ok);
        return unread;
    }
    const render::Mail mail{base::system_clock_now(),
                            order.from,
                            order.to,
                            render::subject_of(digest),
                            render::message_id_of(digest, config.site),
                            render::html_of(digest, config.site, *config.templates)};
    const auto bytes = render::bytes_of(mail);
    if (!options.send) {
        print_bytes(bytes);
        return unread;
    }
    const auto status = send(config, mail, bytes);
    return status == ok ? unread : status;
}

// Prints or sends a mail of what changed since a release. Does neither where nothing changed.
int digest(Services& services, const DigestOptions& options) {
    const auto order = order_of(services.config, options);
    if (!order) return complain(order.error().text, wrong_use);
    look_at_build(*services.current);
    if (!services.current->build()) return complain(services.current->why(), failed);
    const auto digest = collect(services, *order, options);
    if (!digest) {
        // An unknown name in a list has the same exit status as an object that cannot be read.
        const bool has_names = !options.watch.empty() && digest.error().kind == ErrorKind::absent;
        return complain(digest.error().text, has_names ? unreadable : status_of(digest.error()));
    }
    return finish(services.config, *order, options, *digest);
}

}  // namespace

void add_digest(Line& line) {
    auto& options = line.make<DigestOptions>();
    auto* command = line.program.add_subcommand(
        "digest", "Print or send a mail of what changed in objects since a release");
    command->add_option("--watch", options.watch,
                        "The objects: a file with lines of class, TAB, name, or a list such as "
                        "Gene:unc-26,Paper:WBPaper00031000");
    command->add_option("--class", options.class_name, "All objects of a class");
    command->add_option("--since", options.since, "Only what later releases changed, e.g. WS187")
        ->required();
    command
        ->add_option("--to", options.to,
                     "Recipient: name@example.org, or \"Name <name@example.org>\"; can "
                     "be repeated")
        ->allow_extra_args(false);
    command->add_flag("--send", options.send,
                      "Send the mail by the server in [mail] smtp; default: print it");
    command->callback(line.configured(digest, options));
}

}  // namespace app
