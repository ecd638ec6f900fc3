// source/curated/reader.hpp -- curators' .ace files, read as AceDB's own parser reads them: its
// rules for lines, words and commands, and what it makes of values. All files of a build are
// loaded one after the other into one set of objects, which is held in memory.
//
// The models decide what a word is, and how tags and classes are spelled. Names ignore case and
// keep their first spelling. Where the models say UNIQUE, a new value replaces the old one. A
// line without -O keeps the stamps that are there. -R and -A rename in all references.
//
// Left out, since no file says it: reverse links (XREF), objects that are only mentioned,
// UserSession objects, stamps of the loading session, the time of `now`, subclasses, and options
// (wspec/options.wrm). Source: AceDB 4.9.62 as observed (docs/sources.md, "Curators' files").
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/date.hpp"
#include "base/result.hpp"
#include "source/curated/objects.hpp"
#include "tree/model.hpp"

namespace source::curated {

struct ReaderSettings {
    const tree::Models* models = nullptr;  // without models, tags stay as they are spelled
    base::Date today{};                    // the value of `today` and `now`: the release's date
    // Returns the bytes of a file that is included with @NAME. NAME contains no `/` and does not
    // begin with `.`.
    //   error  absent, unavailable, too_large
    std::function<base::Result<std::string>(const std::string& name)> included;
    // Roughly what all objects may take in memory; also the limit of one line, and of all that
    // one file includes.
    std::size_t most_bytes = std::size_t{2} << 30;
};

// A paragraph or line that AceDB would reject. The rest is loaded, as its `pparse` does.
struct Rejection {
    std::string place;  // file:line
    std::string reason;
};

struct ReaderState;  // reader.cpp

class Reader {
   public:
    explicit Reader(ReaderSettings settings);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Loads one file after the previous ones.
    //   error  too_large (most_bytes, includes nested deeper than 16); unavailable and absent of
    //          an included file, with the place that names it; refused, where a file outside of
    //          the folder is included
    [[nodiscard]] base::Result<void> load(const std::string& file_name, std::string_view bytes);

    // What AceDB would have rejected, in the order of the files; the first 1,000.
    [[nodiscard]] const std::vector<Rejection>& rejections() const;
    [[nodiscard]] std::uint64_t rejection_count() const;
    // Names of files that were included, each once.
    [[nodiscard]] const std::vector<std::string>& included() const;

    // Visits the objects that headers name, in the order of their first headers, each with the
    // place of that header; that of an included file is where it is included from. Call once.
    void take(const std::function<void(Record)>& visit);

   private:
    std::unique_ptr<ReaderState> state_;
};

}  // namespace source::curated
