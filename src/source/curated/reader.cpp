// SPDX-License-Identifier: MIT
#include "source/curated/reader.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "source/ace_text.hpp"
#include "source/curated/lines.hpp"

namespace source::curated {
namespace {

constexpr std::size_t most_rejections = 1000;

const tree::Models& models_of(const ReaderSettings& settings) {
    static const tree::Models none;
    return settings.models != nullptr ? *settings.models : none;
}

// Blanks alone are not a name.
bool is_name(const std::optional<Word>& word) {
    return word && word->text.find_first_not_of(" \t\n\v\f\r") != std::string::npos;
}

bool is_command(std::string_view word) { return word == "-D" || word == "-R" || word == "-A"; }

std::string bad_letter(char c, const char* in) {
    return (is_graphic(c) ? std::string("'") + c + "'" : std::string("a character")) +
           " that is not a letter of " + in;
}

// The body of an array class: LongText, DNA, Peptide, KeySet and others.
struct ArrayBody {
    std::string text;         // of all but key sets
    bool has_text = false;    // true of a LongText of one empty line, false of one without lines
    std::vector<Id> members;  // names
    std::string rejected;     // why AceDB would reject it; empty: it would not
};

// In FASTA the header is `>name`, the next one ends the body, and lines with `;` are comments.
enum class Fasta { no, yes };

// Reads the lines after the header, up to the blank line or terminator that ends them, or up to a
// line that is wrong.
// Source: AceDB 4.9.62. DNA is in lower case, `u` becomes `t`, gaps (`-`, `x`) become `-`;
// blanks, digits and `*` are dropped. A Peptide is in upper case and loses the `*` at its end.
class ArrayReader {
   public:
    ArrayReader(LineReader& lines, const tree::Models& models, Names& names, std::size_t most)
        : lines_(lines), models_(models), names_(names), most_(most) {}

    //   error  those of LineReader; too_large
    base::Result<ArrayBody> read(const ClassInfo& of, Fasta fasta) {
        is_dna_ = of.name == "DNA";
        is_fasta_ = fasta == Fasta::yes;
        const auto rules = of.form == Form::long_text ? LineRules::long_text : LineRules::ace;
        for (is_first_ = true;; is_first_ = false) {
            const auto is_there = lines_.next(rules);
            if (!is_there) return tl::unexpected(is_there.error());
            const bool continues = *is_there && read_line(of.form);
            if (!continues && of.form == Form::long_text && !*is_there)
                body_.rejected = "a LongText without ***LongTextEnd***";
            if (!continues || !body_.rejected.empty()) return finished(of.form);
            if (body_.text.size() > most_)
                return base::fail(base::ErrorKind::too_large,
                                  lines_.place() + ": a text is too long");
        }
    }

   private:
    // Returns false when the array ends before or with this line.
    bool read_line(Form form) {
        switch (form) {
            case Form::long_text: return read_text();
            case Form::key_set: return read_member();
            case Form::lines: return read_text_line();
            case Form::sequence: return is_dna_ ? read_bases() : read_residues();
            case Form::tree: break;
        }
        assert(form != Form::tree);
        return false;
    }

    bool read_text() {
        if (lines_.text() == long_text_end) return false;
        append_line(lines_.text());
        return true;
    }

    bool read_text_line() {
        if (!WordReader(lines_.text()).next()) return false;
        append_line(lines_.text());
        return true;
    }

    void append_line(std::string_view line) {
        if (!is_first_) body_.text += '\n';
        body_.text += line;
        body_.has_text = true;
    }

    bool read_bases() {
        const auto line = lines_.text();
        const auto first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos) return false;
        if (is_fasta_ && line[first] == '>') {
            lines_.back();
            return false;
        }
        if (is_fasta_ && line[first] == ';') return true;
        for (const char c : line) add_base(c);
        return true;
    }

    void add_base(char c) {
        constexpr std::string_view bases = "abcdghkmnrstvwy";
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (bases.find(lower) != std::string_view::npos)
            body_.text += lower;
        else if (lower == 'u')
            body_.text += 't';
        else if (lower == '-' || lower == 'x')
            body_.text += '-';
        else if (c != '*' && c != '\n' && c != '\t' && c != ' ' && !base::is_digit(c))
            body_.rejected = bad_letter(c, "DNA");
    }

    bool read_residues() {
        WordReader words(lines_.text());
        auto word = words.next();
        if (!word) return false;
        for (; word; word = words.next())
            for (const char c : word->text) add_residue(c);
        return true;
    }

    void add_residue(char c) {
        if ((c >= 'A' && c <= 'Z' && c != 'J' && c != 'O') || c == '*' || c == '.')
            body_.text += c;
        else if (c != ' ' && !base::is_digit(c))
            body_.rejected = bad_letter(c, "a Peptide");
    }

    bool read_member() {
        WordReader words(lines_.text());
        const auto class_word = words.cut(":-/\" ");
        if (!class_word) return false;
        const auto of = find_class(models_, *class_word);
        if (!of && is_protected_class(*class_word)) return true;
        if (!of) {
            body_.rejected = of.error();
            return true;
        }
        words.skip(':');
        const auto name = words.next();
        if (!name || trimmed_name(name->text).empty())
            body_.rejected = "a member without a name";
        else
            body_.members.push_back(names_.add(of->name, name->text));
        return true;
    }

    ArrayBody finished(Form form) {
        const bool is_peptide = form == Form::sequence && !is_dna_;
        if (is_peptide && body_.text.ends_with('*')) body_.text.pop_back();
        if (form == Form::sequence) body_.has_text = !body_.text.empty();
        return std::move(body_);
    }

    LineReader& lines_;
    const tree::Models& models_;
    Names& names_;
    std::size_t most_;
    bool is_dna_ = false, is_fasta_ = false, is_first_ = true;
    ArrayBody body_;
};

}  // namespace

struct ReaderState {
    explicit ReaderState(ReaderSettings given)
        : settings(std::move(given)), models(models_of(settings)),
          objects(models, settings.today) {}

    void reject(std::string place, std::string reason) {
        ++rejection_count;
        if (rejections.size() < most_rejections)
            rejections.push_back({std::move(place), std::move(reason)});
    }

    ReaderSettings settings;
    const tree::Models& models;
    Objects objects;
    std::vector<Rejection> rejections;
    std::uint64_t rejection_count = 0;
    std::vector<std::string> included;
    std::size_t files = 0;  // loaded so far
};

namespace {

// Loads one file, paragraph by paragraph.
class FileLoader {
   public:
    FileLoader(ReaderState& state, const std::string& name, std::string_view bytes)
        : state_(state), lines_(name, bytes, state.settings.included, state.settings.most_bytes) {
    }

    base::Result<void> load() {
        for (;;) {
            const auto is_there = lines_.next();
            if (!is_there) return tl::unexpected(is_there.error());
            if (!*is_there) return {};
            WordReader words(lines_.text());
            const auto word = words.next();
            if (!word) continue;
            named_.clear();
            auto done = word->text.starts_with('!') ? skip_paragraph()
                        : is_command(word->text)    ? run_command(word->text, words)
                                                    : read_object(*word, words);
            if (!done) return done;
        }
    }

    [[nodiscard]] const std::set<std::string>& included() const { return lines_.included(); }

   private:
    // Skips a paragraph that begins with `!`.
    base::Result<void> skip_paragraph() {
        for (;;) {
            const auto is_there = lines_.next();
            if (!is_there) return tl::unexpected(is_there.error());
            if (!*is_there || !WordReader(lines_.text()).next()) return {};
        }
    }

    // Rejects the rest of a paragraph, up to a command, which needs no blank line before it.
    base::Result<void> reject(std::string reason) {
        state_.reject(lines_.place(),
                      named_.empty() ? std::move(reason) : named_ + ": " + reason);
        for (;;) {
            const auto is_there = lines_.next();
            if (!is_there) return tl::unexpected(is_there.error());
            const auto word = *is_there ? WordReader(lines_.text()).next() : std::nullopt;
            if (!word) return {};
            if (!is_command(word->text)) continue;
            lines_.back();
            return {};
        }
    }

    base::Result<void> run_command(const std::string& command, WordReader& words) {
        const auto class_word = words.next();
        if (!class_word) return reject("no class after " + command);
        const auto of = find_class(state_.models, class_word->text);
        if (!of) return reject(of.error());
        words.skip(':');
        const auto name = words.next();
        if (!is_name(name)) return reject("an object without a name");
        auto rejected = command == "-D" ? state_.objects.erase(*of, name->text)
                                        : rename(command, *of, name->text, words);
        return rejected ? reject(std::move(*rejected)) : check_size();
    }

    Rejected rename(const std::string& command, const ClassInfo& of, const std::string& name,
                    WordReader& words) {
        const auto new_name = words.next();
        if (!new_name) return "no new name after " + command;
        using enum Names::OldName;
        return state_.objects.rename(of, name, new_name->text, command == "-A" ? keep : drop);
    }

    base::Result<void> read_object(const Word& word, WordReader& words) {
        const bool is_fasta = word.text.starts_with('>');
        const auto of = find_class(state_.models, is_fasta ? "DNA" : word.text);
        if (!of) return reject(of.error());
        std::optional<Word> name;
        if (is_fasta && word.text.size() > 1) {
            name = Word{word.text.substr(1), false};
        } else {
            if (!is_fasta) words.skip(':');
            name = words.next();
        }
        if (!is_name(name)) return reject("an object without a name");
        named_ = of->name + " " + shown(name->text);
        const auto object = state_.objects.open(*of, name->text, lines_.line(), state_.files);
        Id stamp = 0;
        if (const auto option = words.next(); option && option->text == "-O") {
            const auto text = words.next();
            if (!text) return reject("no stamp after -O");
            stamp = state_.objects.texts().add(trimmed_name(text->text));
        }
        if (of->form == Form::tree) return read_lines(object, of->place, stamp);
        return read_array(object, *of, is_fasta ? Fasta::yes : Fasta::no);
    }

    // Parses the whole paragraph before it changes anything.
    base::Result<void> read_lines(Objects::Handle object, tree::Models::Position place,
                                  Id stamp) {
        std::vector<Command> commands;
        for (;;) {
            const auto is_there = lines_.next();
            if (!is_there) return tl::unexpected(is_there.error());
            const WordReader words(lines_.text());
            const auto first = *is_there ? WordReader(words).next() : std::nullopt;
            if (!first) break;
            if (first->text.starts_with('!')) continue;
            if (auto rejected = state_.objects.line_parser().parse(words, place, commands))
                return reject(std::move(*rejected));
            if (auto ok = check_size(commands.size() * sizeof(Command)); !ok) return ok;
        }
        state_.objects.change(object, commands, stamp);
        return check_size();
    }

    base::Result<void> read_array(Objects::Handle object, const ClassInfo& of, Fasta fasta) {
        ArrayReader reader(lines_, state_.models, state_.objects.names(),
                           state_.settings.most_bytes);
        const auto body = reader.read(of, fasta);
        if (!body) return tl::unexpected(body.error());
        if (!body->rejected.empty()) return reject(body->rejected);
        if (of.form == Form::key_set)
            state_.objects.set_members(object, body->members);
        else if (body->has_text)
            state_.objects.set_text(object, body->text);
        else
            state_.objects.set_empty(object);
        return check_size();
    }

    base::Result<void> check_size(std::size_t more = 0) {
        const auto most = state_.settings.most_bytes;
        if (state_.objects.bytes_held() + more <= most) return {};
        return base::fail(base::ErrorKind::too_large,
                          lines_.place() +
                              ": the objects of all curators' files take more than " +
                              std::to_string(most) + " bytes of memory");
    }

    ReaderState& state_;
    LineReader lines_;
    std::string named_;  // the object that is read, for rejections
};

}  // namespace

Reader::Reader(ReaderSettings settings)
    : state_(std::make_unique<ReaderState>(std::move(settings))) {}

Reader::~Reader() = default;

base::Result<void> Reader::load(const std::string& file_name, std::string_view bytes) {
    FileLoader loader(*state_, file_name, bytes);
    auto done = loader.load();
    ++state_->files;
    auto& included = state_->included;
    for (const auto& name : loader.included())
        if (std::find(included.begin(), included.end(), name) == included.end())
            included.push_back(name);
    return done;
}

const std::vector<Rejection>& Reader::rejections() const { return state_->rejections; }
std::uint64_t Reader::rejection_count() const { return state_->rejection_count; }
const std::vector<std::string>& Reader::included() const { return state_->included; }

void Reader::take(const std::function<void(Record)>& visit) { state_->objects.each(visit); }

}  // namespace source::curated
