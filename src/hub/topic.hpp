// hub/topic.hpp -- what can be subscribed to: a feed of ours, in one format.
// Values. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hub {

inline constexpr std::size_t longest_topic = 2048;  // bytes of its URL

struct Topic {
    enum class Subject : unsigned char {
        object,
        watch_list,
        whole_class,
        release,
        all_releases,
        source_feed
    };
    std::string url;  // the canonical self URL, without a token, at most longest_topic bytes
    Subject subject = Subject::object;
    // Of an object both, of a class class_name, of a source feed its id as the name.
    std::string class_name = {}, name = {};
    std::string version = {};  // release: its version; others: empty
    bool operator==(const Topic&) const = default;
};

// What a feed has that `since` had not.
struct FeedNews {
    std::string content_type;  // the very Content-Type of the feed
    std::string body;  // the feed with only what is new; empty if only the position was asked for
    std::string position;  // opaque, at most 128 bytes, never empty
    bool operator==(const FeedNews&) const = default;
};

// Reads the news of a topic, and brings an object up to date first, as a request for its feed does.
//   since    the position that the topic had; empty: only the position of now is wanted, and the body stays
//            empty
//   returns  nullopt: nothing is new
//   error    absent: the feed is gone; others: it can't be read now, and is asked for again
//   threads  called by the one thread of the hub
using ReadNews = std::function<base::Result<std::optional<FeedNews>>(const Topic& topic,
                                                                     std::string_view since)>;

// Returns whether whoever showed this token may still read the feeds of a private site. Asked before each
// verification of a subscription and before each delivery.
//   token_digest  as the subscription was recorded with; empty: without a token
//   error         unavailable: it isn't known now
using MayRead = std::function<base::Result<bool>(std::string_view token_digest)>;

// What the hub knows of the site. Called by the one thread of the hub.
struct Site {
    std::string hub_url;  // as feeds name it
    ReadNews read_news;
    MayRead may_read;
    std::function<std::string()> current_release;  // its version; empty: no build is served now
};

}  // namespace hub
