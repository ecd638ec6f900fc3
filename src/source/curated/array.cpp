// SPDX-License-Identifier: MIT
#include "source/curated/array.hpp"

#include <cassert>
#include <optional>

namespace source::curated {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string bad_letter(char c, const char* in) {
    const bool is_shown = c > 0x20 && c < 0x7F;
    return (is_shown ? std::string("'") + c + "'" : std::string("a character")) +
           " that is no letter of " + in;
}

class ArrayReader {
   public:
    ArrayReader(LineReader& cards, const tree::Models& models, Names& keys, std::size_t most)
        : cards_(cards), models_(models), keys_(keys), most_(most) {}

    base::Result<ArrayBody> read(Form form, bool is_dna, Fasta fasta) {
        is_fasta_ = fasta == Fasta::yes;
        const auto rules = form == Form::long_text ? LineRules::long_text : LineRules::ace;
        for (is_first_ = true;; is_first_ = false) {
            const auto is_there = cards_.next(rules);
            if (!is_there) return tl::unexpected(is_there.error());
            const bool goes_on = *is_there && take(form, is_dna);
            if (!goes_on && form == Form::long_text && !*is_there)
                array_.wrong = "a LongText without ***LongTextEnd***";
            if (!goes_on || !array_.wrong.empty()) return finished(form, is_dna);
            if (array_.text.size() > most_)
                return base::fail(base::Kind::too_large,
                                  cards_.place() + ": a text longer than what may be held");
        }
    }

   private:
    // False: the array ends in front of this line, or with it.
    bool take(Form form, bool is_dna) {
        switch (form) {
            case Form::long_text: return take_text();
            case Form::key_set: return take_member();
            case Form::lines: return take_line();
            case Form::sequence: return is_dna ? take_bases() : take_residues();
            case Form::tree: break;
        }
        assert(form != Form::tree);
        return false;
    }

    bool take_text() {
        if (cards_.text() == long_text_end) return false;
        append_line(cards_.text());
        return true;
    }

    bool take_line() {
        if (!WordReader(cards_.text()).next()) return false;
        append_line(cards_.text());
        return true;
    }

    void append_line(std::string_view line) {
        if (!is_first_) array_.text += '\n';
        array_.text += line;
        array_.has_text = true;
    }

    bool take_bases() {
        const auto line = cards_.text();
        const auto first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos) return false;
        if (is_fasta_ && line[first] == '>') {
            cards_.back();
            return false;
        }
        if (is_fasta_ && line[first] == ';') return true;
        for (const char c : line) take_base(c);
        return true;
    }

    void take_base(char c) {
        constexpr std::string_view bases = "abcdghkmnrstvwy";
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (bases.find(lower) != std::string_view::npos)
            array_.text += lower;
        else if (lower == 'u')
            array_.text += 't';
        else if (lower == '-' || lower == 'x')
            array_.text += '-';
        else if (c != '*' && c != '\n' && c != '\t' && c != ' ' && !is_digit(c))
            array_.wrong = bad_letter(c, "DNA");
    }

    bool take_residues() {
        WordReader words(cards_.text());
        auto word = words.next();
        if (!word) return false;
        for (; word; word = words.next())
            for (const char c : word->text) take_residue(c);
        return true;
    }

    void take_residue(char c) {
        if ((c >= 'A' && c <= 'Z' && c != 'J' && c != 'O') || c == '*' || c == '.')
            array_.text += c;
        else if (c != ' ' && !is_digit(c))
            array_.wrong = bad_letter(c, "a Peptide");
    }

    bool take_member() {
        WordReader words(cards_.text());
        const auto name_of_class = words.cut(":-/\" ");
        if (!name_of_class) return false;
        const auto of = find_class(models_, *name_of_class);
        if (!of && is_protected_class(*name_of_class)) return true;
        if (!of) {
            array_.wrong = of.error();
            return true;
        }
        words.step(':');
        const auto name = words.next();
        if (!name || trimmed_name(name->text).empty())
            array_.wrong = "a member without a name";
        else
            array_.members.push_back(keys_.add(of->name, name->text));
        return true;
    }

    ArrayBody finished(Form form, bool is_dna) {
        const bool is_peptide = form == Form::sequence && !is_dna;
        if (is_peptide && array_.text.ends_with('*')) array_.text.pop_back();
        if (form == Form::sequence) array_.has_text = !array_.text.empty();
        return std::move(array_);
    }

    LineReader& cards_;
    const tree::Models& models_;
    Names& keys_;
    std::size_t most_;
    bool is_fasta_ = false;
    bool is_first_ = true;
    ArrayBody array_;
};

}  // namespace

base::Result<ArrayBody> read_array(LineReader& cards, const ClassInfo& of, Fasta fasta,
                                   const tree::Models& models, Names& keys, std::size_t most) {
    return ArrayReader(cards, models, keys, most).read(of.form, of.name == "DNA", fasta);
}

}  // namespace source::curated
