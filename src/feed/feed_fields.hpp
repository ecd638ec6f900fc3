// feed/feed_fields.hpp -- what the elements of RSS, RDF and Atom mean, and what the readers of all formats make of the
// fields of an entry.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "feed/feed.hpp"
#include "feed/markup.hpp"

namespace feed {

// Returns the bytes that a text means in base64, up to the first '='; nullopt: it has a character that is neither a digit nor a
// blank.
[[nodiscard]] std::optional<std::string> decoded_base64(std::string_view text);
// Returns the author whom a plain text names: "jane@example.org (Jane Doe)", "Jane Doe <jane@example.org>",
// "Jane Doe, jane@example.org", "Jane Doe".
[[nodiscard]] Author author_in(std::string_view text);
void add_author(std::vector<Author>& authors, Author author);
struct Medium {
    std::string url, title;  // absolute http(s); as written, may be empty
};
// Makes lines of a content without markup those of HTML, and adds links to media that a copy of the entry cannot show,
// unless its content has them. The first one is the link of an entry without a link.
void finish_content(Entry& entry, const std::vector<Medium>& media);
// Adds a category unless it is there, or there are 50.
void add_category(std::vector<std::string>& categories, std::string category);

// The vocabularies whose elements are read. `core` is RSS, RDF and Atom themselves, and elements without a namespace.
enum class Vocabulary : unsigned char {
    core,
    dublin_core,
    content,
    syndication,
    itunes,
    media,
    xhtml,
    other
};

// What the walk over a document does with an element.
enum class Kind : unsigned char {
    unknown,
    root,
    entry,
    text,     // may have markup
    field,    // of the feed or an entry
    hint,     // of the feed alone
    author,   // has fields of its own
    group,    // one medium in several forms
    ignored,  // with all that it contains: image, textInput, source, cloud, …
};

struct Element;
struct FeedFields;
struct Meaning {
    Vocabulary vocabulary = Vocabulary::other;
    std::string_view names = {};  // in lower case, with a blank between them
    Kind kind = Kind::unknown;
    void (*take)(FeedFields& fields, const Element& element) = nullptr;
};
inline constexpr Meaning no_meaning;
// Returns what an element means, whose name may have capital letters.
[[nodiscard]] const Meaning& meaning_of(Vocabulary vocabulary, std::string_view name);

struct Element {
    Tag tag = {};
    const Meaning* meaning = &no_meaning;
    Kind within = Kind::unknown;  // the innermost author or group around it
    std::string base = {};        // URL that relative ones are meant against
    std::string text = {};
    bool has_markup = false;  // in its text, which is HTML

    // Returns the value of an attribute in lower case, without blanks around it.
    [[nodiscard]] std::string keyword(std::string_view attribute) const;
    // Returns the media type without parameters; "xhtml" if the text has markup.
    [[nodiscard]] std::string type() const;
};

// The fields of a feed as they come, in any order. Of several values for one field, that of the format itself counts more
// than that of a module, and of equal ones the first.
struct FeedFields {
    // The feed itself or an entry, and how good the values are that it has: 0 is none.
    struct Part {
        Entry entry = {};
        int guid = 0, title = 0, link = 0, published = 0, content = 0;
        std::string permalink = {};
        std::vector<Medium> media = {};
        bool has_medium_of_group = false;
    };

    Feed feed = {};
    Part channel = {}, entry = {};
    bool is_in_entry = false;  // what is taken is a field of the last entry
    Author author = {};        // the open one
    std::optional<std::chrono::minutes> period = {};
    int frequency = 1;

    [[nodiscard]] Part& part() { return is_in_entry ? entry : channel; }
    // Begins an entry unless there are enough: then is_in_entry is false.
    void begin_entry(const Element& element, std::size_t most_entries);
    void end_entry();
    // Takes an element that has ended.
    void take(Element& element);
    [[nodiscard]] Feed finish();
};

}  // namespace feed
