// SPDX-License-Identifier: MIT
#include "source/curated/reader.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "source/curated/array.hpp"
#include "source/curated/objects.hpp"

namespace source::curated {
namespace {

constexpr std::size_t most_complaints = 1000;
constexpr std::size_t longest_shown = 60;

const tree::Models& models_of(const ReaderSettings& settings) {
    static const tree::Models none;
    return settings.models != nullptr ? *settings.models : none;
}

// Blanks alone are no name.
bool is_name(const std::optional<Word>& word) {
    return word && word->text.find_first_not_of(" \t\n\v\f\r") != std::string::npos;
}

bool is_command(std::string_view word) { return word == "-D" || word == "-R" || word == "-A"; }

}  // namespace

struct Reader::State {
    explicit State(ReaderSettings given)
        : settings(std::move(given)), models(models_of(settings)),
          objects(models, settings.today) {}

    void complain(std::string place, std::string what) {
        ++complaint_count;
        if (complaints.size() < most_complaints)
            complaints.push_back({std::move(place), std::move(what)});
    }

    ReaderSettings settings;
    const tree::Models& models;
    Objects objects;
    std::vector<Rejection> complaints;
    std::uint64_t complaint_count = 0;
    std::vector<std::string> included;
    std::size_t files = 0;  // loaded so far
};

namespace {

// Loads one file, paragraph by paragraph. A template since Reader::State is nobody else's.
template <class State>
class Loader {
   public:
    Loader(State& state, const std::string& name, std::string_view bytes)
        : state_(state), cards_(name, bytes, state.settings.included, state.settings.most_bytes) {
    }

    base::Result<void> load() {
        for (;;) {
            const auto is_there = cards_.next();
            if (!is_there) return tl::unexpected(is_there.error());
            if (!*is_there) return {};
            WordReader words(cards_.text());
            const auto word = words.next();
            if (!word) continue;
            named_.clear();
            auto ok = word->text.starts_with('!') ? skip_paragraph()
                      : is_command(word->text)    ? obey(word->text, words)
                                                  : read_object(*word, words);
            if (!ok) return ok;
        }
    }

    [[nodiscard]] const std::set<std::string>& included() const { return cards_.included(); }

   private:
    using Done = base::Result<void>;

    // A paragraph that begins with `!`.
    Done skip_paragraph() {
        for (;;) {
            const auto is_there = cards_.next();
            if (!is_there) return tl::unexpected(is_there.error());
            if (!*is_there || !WordReader(cards_.text()).next()) return {};
        }
    }

    // The rest of a paragraph that is refused, up to a command, which needs no blank line before.
    Done refuse(std::string what) {
        state_.complain(cards_.place(), named_.empty() ? std::move(what) : named_ + ": " + what);
        for (;;) {
            const auto is_there = cards_.next();
            if (!is_there) return tl::unexpected(is_there.error());
            const auto word = *is_there ? WordReader(cards_.text()).next() : std::nullopt;
            if (!word) return {};
            if (!is_command(word->text)) continue;
            cards_.back();
            return {};
        }
    }

    Done obey(const std::string& command, WordReader& words) {
        const auto class_word = words.next();
        if (!class_word) return refuse("no class behind " + command);
        const auto of = find_class(state_.models, class_word->text);
        if (!of) return refuse(of.error());
        words.step(':');
        const auto name = words.next();
        if (!is_name(name)) return refuse("an object without a name");
        auto wrong = command == "-D" ? state_.objects.erase(*of, name->text)
                                     : rename(command, *of, name->text, words);
        return wrong ? refuse(std::move(*wrong)) : check_size();
    }

    Objects::Wrong rename(const std::string& command, const ClassInfo& of,
                          const std::string& name, WordReader& words) {
        const auto new_name = words.next();
        if (!new_name) return "no new name behind " + command;
        using enum Names::OldName;
        return state_.objects.rename(of, name, new_name->text, command == "-A" ? keep : forget);
    }

    Done read_object(const Word& word, WordReader& words) {
        const bool is_fasta = word.text.starts_with('>');
        const auto of = find_class(state_.models, is_fasta ? "DNA" : word.text);
        if (!of) return refuse(of.error());
        std::optional<Word> name;
        if (is_fasta && word.text.size() > 1) {
            name = Word{word.text.substr(1), false};
        } else {
            if (!is_fasta) words.step(':');
            name = words.next();
        }
        if (!is_name(name)) return refuse("an object without a name");
        named_ = of->name + " \"" + base::legal_text(name->text.substr(0, longest_shown)) + '"';
        const auto object = state_.objects.open(*of, name->text, cards_.line(), state_.files);
        Number stamp = 0;
        if (const auto option = words.next(); option && option->text == "-O") {
            const auto text = words.next();
            if (!text) return refuse("no stamp behind -O");
            stamp = state_.objects.texts().add(trimmed_name(text->text));
        }
        if (of->form == Form::tree) return read_lines(object, of->place, stamp);
        return read_array_of(object, *of, is_fasta ? Fasta::yes : Fasta::no);
    }

    // Understood as a whole before anything of it is done.
    Done read_lines(Objects::Place object, tree::Models::Position place, Number stamp) {
        std::vector<Step> steps;
        for (;;) {
            const auto is_there = cards_.next();
            if (!is_there) return tl::unexpected(is_there.error());
            const WordReader words(cards_.text());
            const auto first = *is_there ? WordReader(words).next() : std::nullopt;
            if (!first) break;
            if (first->text.starts_with('!')) continue;
            if (auto wrong = state_.objects.lines().read(words, place, steps))
                return refuse(std::move(*wrong));
            if (auto ok = check_size(steps.size() * sizeof(Step)); !ok) return ok;
        }
        state_.objects.change(object, steps, stamp);
        return check_size();
    }

    Done read_array_of(Objects::Place object, const ClassInfo& of, Fasta fasta) {
        const auto array = read_array(cards_, of, fasta, state_.models, state_.objects.keys(),
                                      state_.settings.most_bytes);
        if (!array) return tl::unexpected(array.error());
        if (!array->wrong.empty()) return refuse(array->wrong);
        if (of.form == Form::key_set)
            state_.objects.set_members(object, array->members);
        else if (array->has_text)
            state_.objects.set_text(object, array->text);
        else
            state_.objects.set_empty(object);
        return check_size();
    }

    Done check_size(std::size_t more = 0) {
        const auto most = state_.settings.most_bytes;
        if (state_.objects.bytes_held() + more <= most) return {};
        return base::fail(base::Kind::too_large,
                          cards_.place() +
                              ": the objects of all hand-written files take more than " +
                              std::to_string(most) + " bytes of memory");
    }

    State& state_;
    LineReader cards_;
    std::string named_;  // the object that is read, for complaints
};

}  // namespace

Reader::Reader(ReaderSettings settings) : state_(std::make_unique<State>(std::move(settings))) {}

Reader::~Reader() = default;

base::Result<void> Reader::load(const std::string& file_name, std::string_view bytes) {
    Loader<State> loader(*state_, file_name, bytes);
    auto ok = loader.load();
    ++state_->files;
    auto& included = state_->included;
    for (const auto& name : loader.included())
        if (std::find(included.begin(), included.end(), name) == included.end())
            included.push_back(name);
    return ok;
}

const std::vector<Rejection>& Reader::complaints() const { return state_->complaints; }
std::uint64_t Reader::complaint_count() const { return state_->complaint_count; }
const std::vector<std::string>& Reader::included() const { return state_->included; }

void Reader::take(const std::function<void(import::FileObject)>& visit) {
    state_->objects.each(visit);
}

}  // namespace source::curated
