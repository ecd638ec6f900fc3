// harvest_bench -- one harvester over an SQLite store and a server on this machine: feeds of 18 KB that are new, and in
// which an entry is new and another edited; feeds that have not changed; the memory for all of them; parsing alone; and
// what readers wait for of a feed with 100,000 entries that mention one object.
//   harvest_bench [FEEDS [UNCHANGED]]   default 5000 and 100000; status 1 when a goal of docs/performance.md is missed
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "base/compress.hpp"
#include "feed/read_feed.hpp"
#include "harvest/harvester.hpp"
#include "harvest/versions.hpp"
#include "loopback.hpp"
#include "store/sqlite.hpp"
#include "store/store.hpp"
#include "tables/mentions.hpp"
#include "tables/trees.hpp"

namespace {

using namespace std::chrono_literals;
using namespace bench;

// The feed of a version: the window moves on by an entry, and one of its entries is edited.
std::string feed_of(int version) {
    constexpr int entries = 20, paragraphs = 5;
    std::string feed =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\" "
        "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>News of the lab</title>"
        "<link>http://lab.example/</link><description>What happens</description>\n";
    for (int number = version + entries; number > version; --number) {
        const auto text = std::to_string(number);
        const bool is_edited = number == version + entries / 2;
        feed += "<item><guid isPermaLink=\"false\">entry-" + text +
                "</guid><link>http://lab.example/news/" + text +
                "?from=feed&amp;x=1</link><title>" +
                (is_edited ? "Edited in version " + std::to_string(version) : "What is new") +
                " about unc-" + text + "</title><dc:creator>Ann Author</dc:creator>" +
                "<category>worms</category><category>genetics</category>"
                "<pubDate>Tue, 01 Apr 2008 12:00:" +
                (number % 60 < 10 ? "0" : "") + std::to_string(number % 60) +
                " GMT</pubDate><description>";
        for (int i = 0; i < paragraphs; ++i)
            feed += "&lt;p&gt;Paragraph " + std::to_string(i) + " with a &lt;a href=\"/gene/" +
                    text + "\"&gt;link&lt;/a&gt; and &lt;b&gt;bold&lt;/b&gt; words.&lt;/p&gt;\n";
        feed += "</description></item>\n";
    }
    return feed + "</channel></rss>\n";
}

// What the server serves, in memory that both processes share.
std::atomic<int>& served_version() {
    static auto* const version =
        new (::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<int>(1);
    return *version;
}

std::string entity_tag_of(int version) { return "\"version " + std::to_string(version) + "\""; }

// Answers requests that come in one piece.
[[noreturn]] void serve(int listener) {
    const int epoll = ::epoll_create1(0);
    const auto add = [&](int socket) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = socket;
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
    };
    std::map<int, std::string> answers;
    const auto answer_of = [&](int version) -> const std::string& {
        auto& answer = answers[version];
        if (!answer.empty()) return answer;
        const auto body = feed_of(version);
        answer = "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nETag: " +
                 entity_tag_of(version) + "\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\n\r\n" + body;
        return answer;
    };
    add(listener);
    std::array<epoll_event, 256> events;
    std::array<char, 65536> bytes;
    for (;;) {
        const int count = ::epoll_wait(epoll, events.data(), events.size(), -1);
        for (int at = 0; at < count; ++at) {
            const int socket = events[static_cast<std::size_t>(at)].data.fd;
            if (socket == listener) {
                for (int peer;
                     (peer = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;)
                    add(peer);
                continue;
            }
            const auto read = ::recv(socket, bytes.data(), bytes.size(), 0);
            if (read <= 0) {
                ::close(socket);
                continue;
            }
            const int version = served_version();
            const std::string_view request(bytes.data(), static_cast<std::size_t>(read));
            const bool is_known =
                request.find("If-None-Match: " + entity_tag_of(version)) != std::string::npos;
            const std::string answer =
                is_known ? "HTTP/1.1 304 Not Modified\r\n\r\n" : answer_of(version);
            const auto sent = ::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
            require(sent == static_cast<ssize_t>(answer.size()), "send");
        }
    }
}

// An empty store in a folder of its own.
class Store {
   public:
    Store() {
        require(::mkdtemp(folder_.data()) != nullptr, "mkdtemp");
        const auto path = std::filesystem::path(folder_) / "history.db";
        const auto connect = [path] {
            return store::open_sqlite(path, store::IfMissing::create);
        };
        require(store::initialise(*connect()).has_value(), "initialise");
        pool_ = std::make_unique<store::Pool>(connect, 4, store::RetryPolicy(),
                                              store::Writers::one_at_a_time);
    }
    ~Store() { std::filesystem::remove_all(folder_); }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

   protected:
    template <class F>
    void write(F fn) {
        store::perform(*pool_, store::Access::write, [&](store::Transaction& transaction) {
            fn(transaction, store::now(transaction));
        });
    }
    [[nodiscard]] store::Pool& pool() { return *pool_; }

   private:
    std::string folder_ = "/var/tmp/varve-harvest.XXXXXX";
    std::unique_ptr<store::Pool> pool_;
};

// A store with feeds, each on a server of its own address, and a harvester.
class Bench : Store {
   public:
    Bench(std::uint16_t port, int feeds) : feeds_(feeds) {
        write([&](store::Transaction& transaction, base::Seconds now) {
            for (int i = 0; i < feeds; ++i)
                require(harvest::add_feed(transaction, {.url = url_of(i, port)}, now).has_value(),
                        "add_feed");
        });
        harvest::HarvestOptions options;
        options.guard = net::AddressGuard(*net::parse_allow_list("127.0.0.0/8"));
        harvester_ = std::make_unique<harvest::Harvester>(
            std::move(harvest::Harvester::make(pool(), options).value()));
    }

    // Makes the harvester believe that it has all of a version.
    void know(int version) {
        write([&](store::Transaction& transaction, base::Seconds now) {
            transaction.execute("UPDATE feeds SET http_etag = ?, last_full_fetch = ?",
                                {store::Value{store::Blob{entity_tag_of(version)}},
                                 store::Value{base::format_rfc3339(now)}});
        });
    }
    void kick() {
        write([&](store::Transaction& transaction, base::Seconds now) {
            harvest::kick(transaction, "", now);
        });
    }
    // Fetches all feeds, and returns how many a second.
    double run(const char* what, double goal) {
        const auto before = fetched();
        const auto start = Clock::now();
        const auto used = processor_seconds();
        auto look_at = start;
        for (;;) {
            harvester_->step(100ms);
            if (Clock::now() < look_at) continue;
            if (fetched() >= before + feeds_) break;
            look_at = Clock::now() + 20ms;
        }
        const auto rate = feeds_ / seconds_since(start);
        std::printf("%s: %.0f feeds/s, %.0f us of processor time each (goal %.0f/s)\n", what,
                    rate, (processor_seconds() - used) / feeds_ * 1e6, goal);
        return rate;
    }
    // "added 100000, ok 5000"
    void print_outcomes() {
        std::string text;
        for (const auto& [name, count] : outcomes())
            text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
        std::printf("outcomes: %s\n", text.c_str());
    }

   private:
    static std::string url_of(int feed, std::uint16_t port) {
        constexpr int in_a_row = 250;
        return "http://127." + std::to_string(feed / (in_a_row * in_a_row) + 1) + "." +
               std::to_string(feed / in_a_row % in_a_row + 1) + "." +
               std::to_string(feed % in_a_row + 1) + ":" + std::to_string(port) + "/feed";
    }
    // "count ok 07" → 5000: what the harvester has noted. harvest_numbers() would look at all feeds besides.
    std::map<std::string, std::int64_t> outcomes() {
        return store::perform(pool(), store::Access::read, [](store::Transaction& transaction) {
            std::map<std::string, std::int64_t> notes;
            for (const auto& row :
                 transaction.query("SELECT name, number FROM harvest_notes WHERE name LIKE ?",
                                   {store::Value{std::string("count %")}}))
                notes[row.text(0).substr(6, row.text(0).rfind(' ') - 6)] = row.integer(1);
            return notes;
        });
    }
    std::int64_t fetched() {
        std::int64_t sum = 0;
        for (const auto& [name, count] : outcomes())
            if (name != "added" && name != "edited") sum += count;
        return sum;
    }

    const int feeds_;
    std::unique_ptr<harvest::Harvester> harvester_;
};

// A feed whose entries came a second after each other. All of them mention one object, and a page of them another one.
class LongFeed : Store {
   public:
    static constexpr int entries = 100'000;

    LongFeed() {
        write([&](store::Transaction& transaction, base::Seconds now) {
            feed_ = harvest::add_feed(transaction, {.url = "http://lab.example/"}, now)->id;
            transaction.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
                " INSERT INTO entries (id, feed, guid, guid_digest, seen_digest, link, title,"
                " first_seen, last_seen, tree, content) SELECT i, ?, i, i, '', "
                "'http://lab.example/'"
                " || i, 'What is new', strftime('%Y-%m-%dT%H:%M:%SZ', 1200000000 + i, "
                "'unixepoch'),"
                " '2008-01-10', ?, ? FROM n",
                {store::Value{std::int64_t{entries}}, store::Value{feed_},
                 store::Value{store::Blob{tables::packed_tree({})}},
                 store::Value{store::Blob{base::compress("<p>Text</p>")}}});
            for (const auto& [name, most] : {std::pair{"all", entries}, {"page", page}})
                transaction.execute(
                    "INSERT INTO mentions (class, name, first_seen, entry, mentioned_at)"
                    " SELECT 'Gene', ?, first_seen, id, first_seen FROM entries WHERE id <= ?",
                    {store::Value{std::string(name)}, store::Value{std::int64_t{most}}});
        });
    }

    // Compares a page behind most entries with the newest one, and the mentions of an object of all entries with those of a
    // page of entries.
    bool read() {
        const harvest::VersionPosition before{base::Seconds(1'200'001'000s), 1000, 0};
        const auto versions = [this](const std::optional<harvest::VersionPosition>& behind) {
            return [this, behind](store::Transaction& transaction) {
                return harvest::load_versions(transaction, feed_, behind, page).versions.size();
            };
        };
        const auto mentions = [](const char* name) {
            return [name](store::Transaction& transaction) {
                const tree::ObjectName object{"Gene", name};
                return tables::load_mentions(transaction, std::span(&object, 1), page).size();
            };
        };
        const bool is_good = compare("versions behind 99,000 entries, and the newest",
                                     versions(before), versions(std::nullopt));
        return compare("mentions of an object of 100,000 entries, and of one of 20",
                       mentions("all"), mentions("page")) &&
               is_good;
    }

   private:
    static constexpr int page = 20;

    // Returns the median in ms.
    template <class Read>
    double time_of(Read read) {
        std::vector<double> times;
        for (int i = 0; i < 101; ++i) {
            const auto start = Clock::now();
            require(store::perform(pool(), store::Access::read, read) == page, "a page");
            times.push_back(seconds_since(start) * 1000);
        }
        std::ranges::nth_element(times, times.begin() + 50);
        return times[50];
    }
    template <class Read, class Other>
    bool compare(const char* what, Read read, Other other) {
        constexpr double goal = 3;
        const auto time = time_of(read), usual = time_of(other);
        std::printf("20 %s: %.2f ms, %.2f ms (goal %.0f times)\n", what, time, usual, goal);
        return time <= goal * usual;
    }

    std::int64_t feed_ = 0;
};

bool parse() {
    constexpr int rounds = 2000;
    constexpr double goal = 50;
    const auto feed = feed_of(1);
    const auto used = processor_seconds();
    std::size_t entries = 0;
    for (int i = 0; i < rounds; ++i)
        entries += feed::read_feed(feed, "application/rss+xml", "http://lab.example/feed")
                       .value()
                       .entries.size();
    const auto rate =
        static_cast<double>(feed.size()) * rounds / 1e6 / (processor_seconds() - used);
    std::printf("parsing a feed of %zu bytes with %zu entries: %.0f MB/s of processor time (goal "
                "%.0f)\n",
                feed.size(), entries / rounds, rate, goal);
    return rate >= goal;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr double changed_goal = 1000, unchanged_goal = 3000, memory_goal = 300;
    const int feeds = argc > 1 ? std::atoi(argv[1]) : 5'000;
    const int unchanged = argc > 2 ? std::atoi(argv[2]) : 100'000;
    allow_all_descriptors();
    served_version() = 1;
    std::uint16_t port = 0;
    const int listener = listen_anywhere(port);
    const auto server = serve_beside(listener, serve);
    bool is_good = parse();
    {
        Bench some(port, feeds);
        some.run("new feeds with 20 entries", 0);
        served_version() = 2;
        some.kick();
        is_good &= some.run("feeds with an entry that is new and one that was edited",
                            changed_goal) >= changed_goal;
        some.print_outcomes();
    }
    {
        Bench all(port, unchanged);
        all.know(2);
        is_good &= all.run("feeds that have not changed (304)", unchanged_goal) >= unchanged_goal;
        all.print_outcomes();
    }
    const auto memory = static_cast<double>(memory_kb("VmHWM:")) / 1024;
    std::printf("most memory with %d feeds: %.0f MB (goal %.0f)\n", unchanged, memory,
                memory_goal);
    is_good &= memory <= memory_goal;
    end_server(server);
    is_good &= LongFeed().read();
    return is_good ? 0 : 1;
}
