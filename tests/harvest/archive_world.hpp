// A store with a feed, a server with pages that a test sets, and a worker that walks archives. Nothing sleeps: clocks move
// with its steps.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "harvest/entries.hpp"
#include "harvest/feeds.hpp"
#include "harvest/versions.hpp"
#include "harvest/workers.hpp"
#include "harvest_store.hpp"
#include "support/http_peer.hpp"
#include "support/repeat_until.hpp"

namespace support {

struct SitePage {
    std::string body;
    std::string status = "200 OK";
    std::string fields = {};
};

// Answers with the page of a path, else with 404.
class PageServer {
   public:
    [[nodiscard]] std::string url(const std::string& path) const { return peer_.url(path); }
    void set(const std::string& path, SitePage page) {
        const std::scoped_lock lock(mutex_);
        pages_[path] = std::move(page);
    }
    // Returns the requests since the last call, and their paths.
    [[nodiscard]] std::vector<std::string> take_requests() { return peer_.take_requests(); }
    [[nodiscard]] std::vector<std::string> take_paths() {
        std::vector<std::string> paths;
        for (const auto& request : take_requests()) paths.push_back(target_in(request));
        return paths;
    }

   private:
    std::string answer_to(const std::string& request) const {
        const std::scoped_lock lock(mutex_);
        const auto found = pages_.find(target_in(request));
        if (found == pages_.end()) return empty_answer("404 Not Found");
        return answer_of(found->second.body, found->second.fields, found->second.status);
    }

    mutable std::mutex mutex_;
    std::map<std::string, SitePage> pages_;
    HttpPeer peer_{[this](const std::string& request) { return answer_to(request); }};  // last
};

// An entry of a feed document, published on this day of February 2008.
inline std::string archived_entry(const std::string& guid, int day,
                                  const std::string& text = "x") {
    return "<entry><id>" + guid + "</id><title>" + guid + "</title><published>2008-02-" +
           (day < 10 ? "0" : "") + std::to_string(day) + "T00:00:00Z</published><content>" +
           text + "</content></entry>";
}
inline std::string archive_document(const std::string& entries,
                                    const std::string& previous = "") {
    return "<feed xmlns='http://www.w3.org/2005/Atom'><title>Worms</title>" +
           (previous.empty() ? "" : "<link rel='prev-archive' href='" + previous + "'/>") +
           entries + "</feed>";
}

inline std::string list_index(const std::vector<std::string>& months) {
    std::string page = "<html><title>The worm Archives</title>";
    for (const auto& month : months) page += "<a href=\"" + month + "\">[ Text ]</a>\n";
    return page;
}
inline std::string list_message(const std::string& id, const std::string& date) {
    return "From jo at x.org  Fri Feb  1 09:15:20 2008\nFrom: jo at x.org (Jo)\nDate: " + date +
           "\nSubject: " + id + "\nMessage-ID: <" + id + ">\n\nHello\n\n";
}

struct ArchiveWorld : HarvestStore {
    using HarvestStore::HarvestStore;

    harvest::HarvestOptions test_options() {
        harvest::HarvestOptions made;
        made.guard = net::AddressGuard(net::parse_allow_list("127.0.0.0/8").value());
        made.user_agent = "Varve/1.0 (+https://x.org/changes)";
        made.clock = [this](store::Transaction&) { return now; };
        made.steady = [this] { return tick; };
        return made;
    }

    // A feed that nobody fetches.
    std::int64_t add_feed(const std::string& url = "https://a.example/feed") { return add(url); }
    void start(std::int64_t feed, const std::string& url) {
        REQUIRE(call(harvest::start_archive, feed, url, now));
    }
    // Walks an archive of the first feed as far as it goes now.
    void walk(const std::string& path) {
        start(1, server.url(path));
        run();
    }
    harvest::Archive archive(std::int64_t feed = 1) {
        auto archive = call(harvest::load_archive, feed);
        REQUIRE(archive);
        return *archive;
    }
    // "state: status"
    std::string state(std::int64_t feed = 1) {
        const auto now_is = archive(feed);
        return std::string(harvest::name_of(now_is.state)) + ": " + now_is.status;
    }
    // Guids of the feed's entries as its readers see them: what came last is first.
    std::vector<std::string> guids(std::int64_t feed = 1) {
        const std::optional<harvest::VersionPosition> newest;
        std::vector<std::string> found;
        for (const auto& version : call(harvest::load_versions, feed, newest, 1000).versions)
            if (version.revision == version.entry.revision) found.push_back(version.entry.guid);
        return found;
    }
    std::string known_urls() { return value("SELECT COUNT(*) FROM known_urls"); }
    std::string claims() {
        return value(
            "SELECT (SELECT COUNT(*) FROM base_urls WHERE claim <> 0) + (SELECT COUNT(*) "
            "FROM archives WHERE claim <> 0)");
    }

    void pass(std::chrono::seconds time) {
        now += time;
        tick += time;
    }
    // One look at what is due, with its answers; a second passes.
    void step(harvest::ArchiveWalker& worker) {
        getter.follow();
        worker.work();
        getter.receive(getter.is_waiting() ? long_enough : std::chrono::milliseconds(0));
        worker.write_results();
        pass(std::chrono::seconds(1));
    }
    // Goes on until nothing is open and nothing is due soon.
    void run(harvest::ArchiveWalker& worker) {
        for (int i = 0; i < 500; ++i) {
            step(worker);
            const bool is_due = call(harvest::is_any_due, harvest::archive_queue,
                                     now + harvest::page_spacing, now);
            if (worker.open() == 0 && !is_due) return;
        }
        FAIL("the worker does not come to rest");
    }
    void run() { run(walker); }

    PageServer server;
    std::chrono::steady_clock::time_point tick{};
    harvest::HarvestOptions options = test_options();
    harvest::HarvestContext context{{pool, options.clock, options.steady}, options};
    harvest::Getter getter{context, net::Client::make(options.guard).value()};
    harvest::ArchiveWalker walker{context, getter};
};

}  // namespace support
