// source/ace_card.hpp -- the lines of curators' .ace files as AceDB's reader puts them together,
// and the words it cuts them into.
// Source: AceDB 4.9.62. A line is cut at `//`, inside quotes too; `\` LF goes on without the
// blanks of the next line; `\n` is a newline; `\c` is kept for the words; a TAB goes to the next
// multiple of 8 columns; bytes that are no printable ASCII are dropped, CR among them; `@NAME`
// goes on in another file, whose end ends a line; a NUL byte ends a file.
// One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace source::curated {

// Inside a LongText only LF and `\` are special, and `\c` stays two characters.
enum class LineRules { ace, long_text };

class LineReader {
   public:
    using Include = std::function<base::Result<std::string>(const std::string& name)>;

    // `bytes` outlive the reader.
    //   most  bytes of a line, and of all included files together
    LineReader(std::string_view name, std::string_view bytes, const Include& include,
               std::size_t most);

    // The next line; false at the end.
    //   error  too_large: a line or the included files above `most`, files included deeper than
    //          16; refused: @NAME that leads out of the folder; what `include` says, with the
    //          place
    [[nodiscard]] base::Result<bool> next(LineRules rules = LineRules::ace);
    // next() gives the same line once more.
    void back() { is_returned_ = true; }

    // Of the last line; until next().
    [[nodiscard]] std::string_view text() const { return text_; }
    // "file:line" of where it begins, and that line in the file that is not included.
    [[nodiscard]] std::string place() const;
    [[nodiscard]] std::uint64_t line() const { return frames_.front().card_line; }

    // Names that were included, each once.
    [[nodiscard]] const std::set<std::string>& included() const { return included_; }

   private:
    struct Frame {
        const std::string* name;
        std::string owned;  // the bytes of an included file
        std::string_view outside;
        std::size_t at = 0;
        std::uint64_t line = 1;       // of the byte at `at`
        std::uint64_t card_line = 1;  // where the last line that was begun here begins
        bool is_ended = false;
        [[nodiscard]] std::string_view bytes() const { return outside.empty() ? owned : outside; }
    };
    enum class End { line, file };

    [[nodiscard]] base::Result<void> assemble(LineRules rules);
    void take(Frame& frame, char c, LineRules rules);
    void take_escape(Frame& frame);
    static void skip_comment(Frame& frame);
    // False: the line is none that includes a file.
    [[nodiscard]] base::Result<bool> open_included();
    [[nodiscard]] base::Result<void> push(const std::string& name);
    [[nodiscard]] tl::unexpected<base::Error> too_large(const std::string& what) const;

    const Include& include_;
    std::size_t most_;
    std::size_t included_bytes_ = 0;
    std::vector<Frame> frames_;
    std::set<std::string> names_;
    std::set<std::string> included_;
    const std::string* card_file_ = nullptr;
    std::uint64_t card_line_ = 0;
    std::string text_;
    bool is_returned_ = false;
};

struct Word {
    std::string text;  // any bytes
    bool is_quoted = false;
};

// The words of a line, from left to right.
class WordReader {
   public:
    explicit WordReader(std::string_view card) : card_(card) { skip_blanks(); }

    // `"…"`, where the closing quote may be missing, or a run of printable characters.
    //   returns  nullopt at the end; a word in quotes may be empty
    [[nodiscard]] std::optional<Word> next();
    // Passes over `c`, where it stands next.
    bool step(char c);
    // Up to a character of `cutset`, which is passed over; nullopt when that is nothing.
    [[nodiscard]] std::optional<std::string> cut(std::string_view cutset);

   private:
    void skip_blanks();
    [[nodiscard]] bool is_at_end() const { return at_ == card_.size(); }
    [[nodiscard]] std::string quoted();
    [[nodiscard]] std::string bare();

    std::string_view card_;
    std::size_t at_ = 0;
};

}  // namespace source::curated
