// SPDX-License-Identifier: MIT
#include "query/pasted_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "base/words.hpp"
#include "query/search.hpp"

namespace query {
namespace {

constexpr std::size_t rows_of_sample = 20;             // of a table
constexpr std::size_t longest_name_with_blanks = 100;  // bytes; a longer line is several names

std::string_view without_quotes(std::string_view cell) {
    cell = base::trim(cell);
    const bool is_quoted =
        cell.size() >= 2 && cell.starts_with('"') && cell.find('"', 1) == cell.size() - 1;
    return is_quoted ? base::trim(cell.substr(1, cell.size() - 2)) : cell;
}

// Looks names up, each once.
class Meanings {
   public:
    Meanings(const ReadContext& context, std::string class_name,
             std::size_t lookups = most_build_lookups)
        : context_(context), class_name_(std::move(class_name)), classes_(known_classes(context)),
          lookups_left_(lookups) {
        if (auto spelling = spelled(class_name_); !spelling.empty()) class_name_ = spelling;
    }

    // Returns what a text means as a whole, at most most_meanings objects and one more.
    const std::vector<Named>& of(std::string_view text) {
        if (const auto known = known_.find(text); known != known_.end()) return known->second;
        ++count_;
        return known_.emplace(text, look_up(text)).first->second;
    }

    // Returns the class as it is spelled; empty: there is none.
    [[nodiscard]] std::string spelled(std::string_view class_name) const {
        const auto found = std::ranges::find_if(classes_, [&](const auto& each) {
            return base::equal_ignoring_case(each, class_name);
        });
        return found == classes_.end() ? std::string() : *found;
    }

    // The name with the class that was chosen for it, as a question on a page repeats it.
    [[nodiscard]] std::string asked_again(std::string_view text) const {
        return class_name_.empty() || class_of(text, ':') ? std::string(text)
                                                          : class_name_ + ":" + std::string(text);
    }

    // False for a text that is one too many.
    [[nodiscard]] bool may_look_up(std::string_view text) const {
        return count_ < most_pasted_names || known_.contains(text);
    }

    // True when names may be in the build where they were not looked for.
    [[nodiscard]] bool is_exhausted() const {
        return context_.builds.build != nullptr && lookups_left_ == 0;
    }

   private:
    struct InClass {
        std::string class_name;
        std::string_view name;
    };
    // Divides "CLASS:NAME" or "CLASS NAME" where the class is known.
    [[nodiscard]] std::optional<InClass> class_of(std::string_view text, char separator) const {
        const auto at = text.find(separator);
        if (at == std::string_view::npos) return std::nullopt;
        auto class_name = spelled(base::trim(text.substr(0, at)));
        const auto name = base::trim(text.substr(at + 1));
        if (class_name.empty() || name.empty()) return std::nullopt;
        return InClass{std::move(class_name), name};
    }

    std::vector<Named> look_up(std::string_view text) {
        auto found = look_up_as_spelled(text);
        if (!found.empty()) return found;
        for (const auto& spelling : base::tidied(text))
            if (found = look_up_as_spelled(spelling); !found.empty()) break;
        return found;
    }

    std::vector<Named> look_up_as_spelled(std::string_view text) {
        for (const char separator : {':', ' '})
            if (const auto in_class = class_of(text, separator))
                if (auto found = named(in_class->class_name, in_class->name); !found.empty())
                    return found;
        return named(class_name_, text);
    }

    // Returns the objects of this name or, where there is none in the class, of this label.
    std::vector<Named> named(const std::string& class_name, std::string_view name) {
        if (name.empty() || name.size() > tree::longest_name) return {};
        const std::vector<std::string> one{class_name};
        const auto& classes = class_name.empty() ? classes_ : one;
        auto found = exactly_named(context_, classes, name, most_meanings + 1, lookups_left_);
        if (found.size() <= 1) return found;
        // Helper objects are what others are called by.
        const auto is_helper = [this](const Named& each) {
            return context_.settings.ranking.is_helper(each.object.class_name);
        };
        if (!std::ranges::all_of(found, is_helper)) std::erase_if(found, is_helper);
        return found;
    }

    const ReadContext& context_;
    std::string class_name_;
    std::vector<std::string> classes_;
    std::map<std::string, std::vector<Named>, std::less<>> known_;
    std::size_t count_ = 0, lookups_left_;
};

class Reader {
   public:
    explicit Reader(Meanings& meanings) : meanings_(meanings) {}

    void take_lines(const std::vector<PastedLine>& lines) {
        const auto columns = columns_of_table(lines);
        for (const auto& line : lines) {
            if (columns.empty() && !take_whole(base::join(line, " ")))
                for (const auto& cell : line) take(cell, ",; ");
            for (const auto column : columns) take(line[column], ",; ");
        }
    }

    PastedObjects found;

   private:
    // Takes a text that means something as a whole.
    bool take_whole(std::string_view text) {
        if (!meanings_.may_look_up(text)) return false;
        const auto& objects = meanings_.of(text);
        if (objects.size() == 1 && seen_.insert(objects.front().object).second)
            found.objects.push_back(objects.front().object);
        if (objects.size() > 1) ask(text, objects);
        return !objects.empty();
    }

    // Takes a text, or what is left of it when it is divided at these separators, the first one
    // first. Commas and semicolons count alike.
    void take(std::string_view text, std::string_view separators) {
        text = without_quotes(text);
        if (text.empty()) return;
        if (!meanings_.may_look_up(text)) {
            ++found.left_out;
            return;
        }
        if (take_whole(text)) return;
        const auto has = [&](std::string_view any_of) {
            return text.find_first_of(any_of) != std::string_view::npos;
        };
        const bool at_commas = separators.size() > 1 && has(",;");
        const bool at_blanks = !at_commas && !separators.empty() && has(" ");
        if (!at_commas && !at_blanks) return ask(text, {});
        // Words that mean nothing are one name that nobody has: "Harris et al. 2000".
        const bool may_be_one = text.size() <= longest_name_with_blanks;
        if (at_blanks && may_be_one && !any_means_something(text)) return ask(text, {});
        const std::string_view dividers = at_commas ? ",;" : " ";
        // "Gene unc-26 daf-16": the class holds for all of them.
        const auto class_name = at_commas ? std::string() : first_class(text);
        bool is_first = true;
        while (!text.empty()) {
            const auto end = std::min(text.find_first_of(dividers), text.size());
            const auto part = base::trim(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            const bool is_class = std::exchange(is_first, false) && !class_name.empty();
            if (part.empty() || is_class) continue;
            if (class_name.empty())
                take(part, at_commas ? " " : "");
            else
                take(class_name + ":" + std::string(part), "");
        }
    }

    std::string first_class(std::string_view text) const {
        return meanings_.spelled(text.substr(0, text.find(' ')));
    }

    bool means_something(std::string_view text) {
        return meanings_.may_look_up(text) && !meanings_.of(text).empty();
    }

    bool any_means_something(std::string_view text) {
        const auto class_name = first_class(text);
        for (const auto word : base::split(text, ' ')) {
            if (word.empty()) continue;
            if (means_something(word)) return true;
            if (!class_name.empty() && means_something(class_name + ":" + std::string(word)))
                return true;
        }
        return false;
    }

    void ask(std::string_view text, const std::vector<Named>& objects) {
        auto again = meanings_.asked_again(text);
        if (objects.empty() && meanings_.is_exhausted() && !asked_.contains(again)) {
            ++found.left_out;
            return;
        }
        if (asked_.insert(again).second) found.unclear.push_back({std::move(again), objects});
    }

    // Returns the columns with names; none when the lines are no table, or have a class and a name.
    std::vector<std::size_t> columns_of_table(const std::vector<PastedLine>& lines) {
        const auto width = lines.empty() ? 0 : lines.front().size();
        const bool is_table =
            lines.size() > 1 && width > 1 &&
            std::ranges::all_of(lines, [&](const auto& line) { return line.size() == width; });
        if (!is_table) return {};
        const auto rows = std::min(lines.size(), rows_of_sample);
        std::vector<std::size_t> columns;
        for (std::size_t column = 0; column < width; ++column) {
            std::size_t meaning = 0, classes = 0;
            for (std::size_t row = 0; row < rows; ++row) {
                const auto& cell = lines[row][column];
                if (!meanings_.spelled(cell).empty())
                    ++classes;
                else if (means_something(cell))
                    ++meaning;
            }
            if (column == 0 && width == 2 && 2 * classes > rows) return {};
            if (2 * meaning >= rows) columns.push_back(column);
        }
        return columns;
    }

    Meanings& meanings_;
    std::set<ObjectName> seen_;
    std::set<std::string> asked_;
};

}  // namespace

std::vector<PastedLine> pasted_lines(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    std::vector<PastedLine> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        const auto line = base::trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with('#') || line.starts_with("//")) continue;
        PastedLine cells;
        for (const auto cell : base::split(line, '\t'))
            if (const auto content = without_quotes(cell); !content.empty())
                cells.emplace_back(content);
        if (!cells.empty()) lines.push_back(std::move(cells));
    }
    return lines;
}

PastedObjects objects_of_pasted(const ReadContext& context, const std::vector<PastedLine>& lines,
                                const std::string& class_name, std::size_t most_lookups) {
    Meanings meanings(context, class_name, most_lookups);
    Reader reader(meanings);
    reader.take_lines(lines);
    return std::move(reader.found);
}

std::vector<PastedName> meanings_of(const ReadContext& context,
                                    const std::vector<std::string>& names) {
    if (names.empty()) return {};  // without a look at the classes
    Meanings meanings(context, "");
    std::vector<PastedName> meant;
    for (const auto& name : names) meant.push_back({name, meanings.of(name)});
    return meant;
}

}  // namespace query
