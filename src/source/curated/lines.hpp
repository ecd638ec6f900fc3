// source/curated/lines.hpp -- the logical lines of curators' .ace files, put together as AceDB's
// reader does, and their words.
// Source: AceDB 4.9.62. `//` cuts a line, inside quotes too; `\` LF continues it without the
// blanks of the next line; `\n` is a newline; `\c` is kept for the words; a TAB goes to the next
// multiple of 8 columns; bytes other than printable ASCII are dropped, CR among them; `@NAME`
// continues in another file, whose end ends a line. A NUL byte, which ends a file there, is an error here.
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

// In a LongText only LF and `\` are special, and `\c` stays two characters.
enum class LineRules { ace, long_text };

class LineReader {
   public:
    using Include = std::function<base::Result<std::string>(const std::string& name)>;

    // `bytes` and `include` outlive the reader.
    //   most  bytes of a line, and of all included files together
    LineReader(std::string_view name, std::string_view bytes, const Include& include,
               std::size_t most);

    // Goes to the next line. Returns false at the end.
    //   error  too_large: a line or the included files above `most`, files included deeper than
    //          16; malformed: a NUL byte; refused: @NAME leads out of the folder; the errors of
    //          `include`, with the place
    [[nodiscard]] base::Result<bool> next(LineRules rules = LineRules::ace);
    // Makes next() return the same line once more.
    void back() { is_returned_ = true; }

    // The current line, until next().
    [[nodiscard]] std::string_view text() const { return text_; }
    // "file:line" of where it begins, and that line in the outermost file.
    [[nodiscard]] std::string place() const;
    [[nodiscard]] std::uint64_t line() const { return frames_.front().line_begin; }

    // The names of included files, each once.
    [[nodiscard]] const std::set<std::string>& included() const { return included_; }

   private:
    // A file that is being read; those further in are included by it.
    struct Frame {
        const std::string* name;
        std::string owned;         // the bytes of an included file
        std::string_view outside;  // the bytes of the outermost one
        std::size_t at = 0;
        std::uint64_t line = 1;        // of the byte at `at`
        std::uint64_t line_begin = 1;  // where the last logical line that began here begins
        bool is_ended = false;
        [[nodiscard]] std::string_view bytes() const { return outside.empty() ? owned : outside; }
    };

    [[nodiscard]] base::Result<void> assemble(LineRules rules);
    void append(Frame& frame, char c, LineRules rules);
    void append_escape(Frame& frame);
    static void skip_comment(Frame& frame);
    // Returns false when the line does not include a file.
    [[nodiscard]] base::Result<bool> open_included();
    [[nodiscard]] base::Result<void> push(const std::string& name);
    [[nodiscard]] tl::unexpected<base::Error> too_large(const std::string& what) const;

    const Include& include_;
    std::size_t most_;
    std::size_t included_bytes_ = 0;
    std::vector<Frame> frames_;
    std::set<std::string> names_;
    std::set<std::string> included_;
    const std::string* line_file_ = nullptr;  // where the current line begins
    std::uint64_t line_number_ = 0;
    std::string text_;
    bool is_returned_ = false;
};

struct Word {
    std::string text;  // any bytes
    bool is_quoted = false;
};
// True for the characters of a word without quotes: printable ASCII but no blank.
[[nodiscard]] constexpr bool is_graphic(char c) { return c > 0x20 && c < 0x7F; }
// Returns a word in quotes for a message: its first 60 bytes, as legal text.
[[nodiscard]] std::string shown(std::string_view word);

// The words of a line, from left to right.
class WordReader {
   public:
    explicit WordReader(std::string_view line) : line_(line) { skip_blanks(); }

    // Returns the next word: `"…"`, whose closing quote may be missing, or a run of printable
    // characters; nullopt at the end. A word in quotes may be empty.
    [[nodiscard]] std::optional<Word> next();
    // Skips `c` if it is next.
    bool skip(char c);
    // Returns what precedes a character of `separators`, which is skipped; nullopt for nothing.
    [[nodiscard]] std::optional<std::string> cut(std::string_view separators);

   private:
    void skip_blanks();
    [[nodiscard]] bool is_at_end() const { return at_ == line_.size(); }
    [[nodiscard]] std::string quoted();
    [[nodiscard]] std::string bare();

    std::string_view line_;
    std::size_t at_ = 0;
};

}  // namespace source::curated
