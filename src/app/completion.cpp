// SPDX-License-Identifier: MIT
#include "app/completion.hpp"

#include "base/text.hpp"

namespace app {
namespace {

using Commands = std::vector<CommandWords>;

std::string quoted(const std::string& text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
    return word + "'";
}

// The words that may come next, if none of them is the value of an option.
std::string next_words(const CommandWords& command) {
    std::vector<std::string> words = command.parts;
    words.insert(words.end(), command.values.begin(), command.values.end());
    for (const auto& option : command.options) words.push_back(option.name);
    return base::join(words, " ");
}

// What a script for a POSIX shell does with a list of words, or where a file may be named.
struct Actions {
    std::string_view before, after;  // of the words
    std::string_view files;
};

// Finds the command so far in `each` word of a loop.
std::string command_pattern(const Commands& commands) {
    std::vector<std::string> patterns;
    for (const auto& command : commands)
        for (const auto& part : command.parts)
            patterns.push_back(quoted(command.path + " " + part));
    return "        case \"$so_far $each\" in\n            (" + base::join(patterns, "|") +
           ") so_far=\"${so_far:+$so_far }$each\" ;;\n        esac\n";
}

std::string choice(const Commands& commands, const Actions& actions) {
    const auto offer = [&](const std::string& words) {
        return std::string(actions.before) + words + std::string(actions.after);
    };
    std::string values, next;
    for (const auto& command : commands) {
        for (const auto& option : command.options)
            if (option.has_value)
                values += "        (" + quoted(command.path + " " + option.name) + ") " +
                          (option.values.empty() ? std::string(actions.files)
                                                 : offer(base::join(option.values, " "))) +
                          " ;;\n";
        next +=
            "            (" + quoted(command.path) + ") " + offer(next_words(command)) + " ;;\n";
    }
    return "    case \"$so_far $last\" in\n" + values + "        (*) case \"$so_far\" in\n" +
           next + "        esac ;;\n    esac\n";
}

std::string for_bash(const Commands& commands) {
    return "# Completion of varve for bash, printed by: varve completion bash\n"
           "_varve() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local so_far= each words=\n"
           "    # Bash splits --format=rss into three words.\n"
           "    [[ $last == = ]] && last=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    [[ $word == = ]] && word=\n"
           "    for each in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n" +
           command_pattern(commands) + "    done\n" +
           choice(commands, {"words='", "'", "words="}) +
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "}\n"
           "complete -o default -F _varve varve\n";
}

std::string for_zsh(const Commands& commands) {
    return "#compdef varve\n"
           "# Completion of varve for zsh, printed by: varve completion zsh\n"
           "_varve() {\n"
           "    local so_far= each last=${words[CURRENT-1]}\n"
           "    for each in \"${(@)words[2,CURRENT-1]}\"; do\n" +
           command_pattern(commands) + "    done\n" +
           choice(commands, {"compadd -- ", " || _files", "_files"}) +
           "}\n"
           "_varve \"$@\"\n";
}

// Returns the condition that the words of a command were written, and none of its parts.
std::string condition_of(const CommandWords& command) {
    std::string condition;
    for (const auto word : base::split(command.path, ' '))
        if (!word.empty())
            condition += (condition.empty() ? "" : "; and ") +
                         ("__fish_seen_subcommand_from " + std::string(word));
    if (condition.empty()) return "__fish_use_subcommand";
    if (!command.parts.empty())
        condition += "; and not __fish_seen_subcommand_from " + base::join(command.parts, " ");
    return condition;
}

// In single quotes fish reads \' as one.
std::string quoted_for_fish(const std::string& text) {
    std::string word = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') word += '\\';
        word += c;
    }
    return word + "'";
}

std::string for_fish(const Commands& commands) {
    std::string script = "# Completion of varve for fish, printed by: varve completion fish\n";
    for (const auto& command : commands) {
        const auto begin = "complete -c varve -n '" + condition_of(command) + "' ";
        for (const auto& part : command.parts)
            for (const auto& each : commands)
                if (each.path == command.path + (command.path.empty() ? "" : " ") + part)
                    script +=
                        begin + "-f -a " + part + " -d " + quoted_for_fish(each.about) + "\n";
        if (!command.values.empty())
            script += begin + "-f -a " + quoted_for_fish(base::join(command.values, " ")) + "\n";
        for (const auto& option : command.options)
            script +=
                begin + "-l " + option.name.substr(2) +
                (!option.has_value       ? ""
                 : option.values.empty() ? " -r"
                                         : " -x -a '" + base::join(option.values, " ") + "'") +
                " -d " + quoted_for_fish(option.about) + "\n";
    }
    return script;
}

}  // namespace

std::string completion_for(std::string_view shell, const Commands& commands) {
    return shell == "bash"  ? for_bash(commands)
           : shell == "zsh" ? for_zsh(commands)
                            : for_fish(commands);
}

}  // namespace app
