// SPDX-License-Identifier: MIT
#include "support/ace_commands.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <strings.h>

namespace support {
namespace {

AceReply whole(std::string text) { return {{std::move(text)}, false, false}; }

bool is_same(std::string_view a, std::string_view b) { return compare_names(a, b) == 0; }

std::string key_of(const std::string& class_name, const std::string& name) {
    return class_name + ":" + name;
}

// Returns every object of a class, or those with a matching name, in the order in which AceDB
// shows them.
std::vector<std::size_t> found(const AceContents& contents, const std::string& class_name,
                               const std::string* pattern) {
    std::vector<std::size_t> result;
    const auto count = contents.objects.size() + contents.kernel.size();
    for (std::size_t i = 0; i < count; ++i) {
        const auto& object = object_at(contents, i);
        if (!matches(object.class_name, class_name)) continue;
        if (!pattern || matches(object.name, *pattern)) result.push_back(i);
    }
    std::stable_sort(result.begin(), result.end(), [&](std::size_t a, std::size_t b) {
        return compare_names(object_at(contents, a).name, object_at(contents, b).name) < 0;
    });
    return result;
}

bool is_named(const AceContents::Object& object, const std::string& name) {
    return ::strcasecmp(object.name.c_str(), name.c_str()) == 0;
}

// AceDB looks for the very name before it takes it for a pattern: `?` finds only the object `?`
// where there is one. It cuts the words of a name twice where a backslash is before a quote or at
// the end: `\` and `\"` both lead to the object `"`.
std::vector<std::size_t> found_by_name(const AceContents& contents, const std::string& class_name,
                                       std::string name) {
    if (name == "\\" || name == "\\\"") name = "\"";
    auto result = found(contents, class_name, &name);
    const auto exact = [&](std::size_t each) {
        return is_named(object_at(contents, each), name);
    };
    if (std::ranges::any_of(result, exact))
        std::erase_if(result, [&](std::size_t each) { return !exact(each); });
    return result;
}

// Returns the object of an old name.
std::vector<std::size_t> found_alias(const AceContents& contents, const std::string& class_name,
                                     const std::string& name) {
    for (const auto& [key, now] : contents.aliases) {
        if (!is_same(key, key_of(class_name, name))) continue;
        auto result = found(contents, class_name, &now);
        for (auto& each : result) each |= found_by_alias;
        return result;
    }
    return {};
}

bool is_class_name(const std::string& word) {
    return !word.empty() && word.find_first_of("*?") == std::string::npos;
}

// More than one word after the class is not a name, as recorded.
AceReply find(AceAsked& asked) {
    const auto& words = asked.words;
    asked.active.clear();
    std::string complaint;
    if (asked.has_parameter) complaint = "// Parameter %0 can not be substituted\n";
    if (!asked.has_parameter && words.size() > 1 && words.size() < 4 && is_class_name(words[1])) {
        const auto* pattern = words.size() == 3 ? &words[2] : nullptr;
        asked.active = pattern ? found_by_name(asked.contents, words[1], *pattern)
                               : found(asked.contents, words[1], nullptr);
        if (asked.active.empty() && pattern) {
            asked.active = found_alias(asked.contents, words[1], *pattern);
        }
    }
    return whole(complaint + "\n// Found " + std::to_string(asked.active.size()) +
                 " objects in this class\n" + active_objects(asked));
}

// It knows only names and patterns as conditions; every class is visible (AcePerl asks so).
AceReply query(AceAsked& asked) {
    const auto& words = asked.words;
    const bool is_find = words.size() > 2 && is_same(words[1], "find") && is_class_name(words[2]);
    const bool is_of_classes = is_find && is_same(words[2], "Class");
    const bool is_simple = is_find && (words.size() < 5 || is_of_classes);
    asked.active.clear();
    if (is_simple && !asked.has_parameter) {
        asked.active = found(asked.contents, words[2],
                             words.size() == 4 && !is_of_classes ? &words[3] : nullptr);
    }
    std::string complaint;
    if (!is_simple) {
        const auto text = asked.command.substr(std::min(asked.command.size(), std::size_t{6}));
        complaint = "// Missing final ) in:\n//  " + std::string(text) + "\n";
    }
    return whole(complaint + "\n// Found " + std::to_string(asked.active.size()) + " objects\n" +
                 active_objects(asked));
}

// Kernel classes first, then those of the dump; empty ones are left out.
AceReply classes(AceAsked& asked) {
    std::ostringstream text;
    text << "These are the known classes and the number of objects in each class\n";
    std::vector<std::string> names = {"Session", "Class", "Model", "Text", "Keyword"};
    names.insert(names.end(), asked.contents.classes.begin(), asked.contents.classes.end());
    for (const auto& name : names) {
        const auto count = found(asked.contents, name, nullptr).size();
        if (count > 0) text << std::setw(35) << name << " " << count << "\n";
    }
    return whole(text.str() + active_objects(asked));
}

// The reply to a model that isn't there was not recorded.
AceReply model(AceAsked& asked) {
    const auto name = asked.words.size() > 1 ? asked.words[1] : std::string();
    for (const auto& [each, text] : asked.contents.models) {
        if (is_same(each, name)) return whole(text + active_objects(asked));
    }
    return whole("// No model of " + name + "\n" + active_objects(asked));
}

std::string newest_or_created(const AceContents::Object& object, const std::string& what) {
    return what == "update_session" ? newest_stamp(object.bytes) : header_stamp(object.bytes);
}

// `select a[, a.create_session][, a.update_session] from a in class X`
struct Selection {
    std::string class_name;
    std::vector<std::string> columns;
};

std::string without(std::string text, char c) {
    std::erase(text, c);
    return text;
}

Selection selection_of(const std::vector<std::string>& words) {
    Selection selection;
    const auto from = std::find(words.begin(), words.end(), "from");
    for (auto word = words.begin(); word != from; ++word) {
        const auto column = without(*word, ',');
        if (column.substr(0, 2) == "a.") selection.columns.push_back(column.substr(2));
    }
    if (words.end() - from == 5 && from[3] == "class") selection.class_name = from[4];
    for (const auto& each : selection.columns) {
        if (each != "create_session" && each != "update_session") selection.class_name.clear();
    }
    return selection;
}

// The class stands before a value only where it differs from that of the row above.
AceReply aql(AceAsked& asked) {
    const auto selection = selection_of(asked.words);
    if (!is_class_name(selection.class_name)) return no_such_keyword(asked, asked.words[0]);
    std::string text = "Format  " + selection.class_name + " ";
    for (std::size_t i = 0; i < selection.columns.size(); ++i) text += " UserSession ";
    text += "\n";
    bool is_first = true;
    for (const auto each : found(asked.contents, selection.class_name, nullptr)) {
        const auto& object = object_at(asked.contents, each);
        text += (is_first ? object.class_name + ":" : "") + ace_quoted(object.name);
        for (const auto& column : selection.columns) {
            text += (is_first ? "\tUserSession:" : "\t") +
                    ace_quoted(newest_or_created(object, column));
        }
        text += "\n";
        is_first = false;
    }
    return whole(text + active_objects(asked));
}

AceReply time_stamps(AceAsked& asked) {
    return whole("// Time-stamps currently ON\n" + active_objects(asked));
}

AceReply quit(AceAsked& /*asked*/) { return {{"// A bientot"}, false, true}; }

using Answer = AceReply (*)(AceAsked&);

const std::map<std::string, Answer>& keywords() {
    static const std::map<std::string, Answer> table = {{"aql", aql},
                                                        {"classes", classes},
                                                        {"find", find},
                                                        {"list", answer_list},
                                                        {"model", model},
                                                        {"query", query},
                                                        {"quit", quit},
                                                        {"show", answer_show},
                                                        {"status", answer_status},
                                                        {"time_stamps", time_stamps}};
    return table;
}

}  // namespace

static std::size_t counted(const std::vector<std::size_t>& active) {
    return static_cast<std::size_t>(std::count_if(
        active.begin(), active.end(), [](std::size_t each) { return each < found_by_alias; }));
}

std::string active_objects(const AceAsked& asked) {
    return "// " + std::to_string(counted(asked.active)) + " Active Objects\n";
}

AceReply no_such_keyword(const AceAsked& asked, const std::string& word) {
    return {{"// Keyword " + word + " does not match\n" + active_objects(asked)}, true, false};
}

AceReply ace_reply(const AceContents& contents, const AceServerSettings& settings,
                   std::vector<std::size_t>& active, std::string_view command) {
    const auto cut = words_of(command);
    AceAsked asked{contents, settings, active, cut.words, cut.has_parameter, command};
    const auto word = cut.words.empty() ? std::string() : cut.words[0];
    for (const auto& [keyword, answer] : keywords()) {
        if (is_same(keyword, word)) return answer(asked);
    }
    return no_such_keyword(asked, word);
}

std::string ace_answer(const AceContents& contents, const AceServerSettings& settings,
                       std::vector<std::size_t>& active, const std::string& command,
                       bool& failed) {
    const auto reply = ace_reply(contents, settings, active, command);
    failed = reply.failed;
    std::string text;
    for (const auto& piece : reply.pieces) text += piece;
    return text;
}

}  // namespace support
