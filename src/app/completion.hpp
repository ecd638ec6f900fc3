// app/completion.hpp -- scripts with which a shell completes the words of a command line.
// Pure. Safe from any thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// A command, or a part of one ("token add").
struct CommandWords {
    struct Option {
        std::string name;  // "--format"
        std::string about;
        bool has_value = false;
        std::vector<std::string> values;  // empty: any, such as the name of a file
    };
    std::string path;                 // "", "token", "token add"
    std::string about;                // a sentence for people
    std::vector<std::string> parts;   // the last words of those one further: "add", "list"
    std::vector<std::string> values;  // those of its first positional; empty: any
    std::vector<Option> options;
};

inline constexpr std::array<std::string_view, 3> shells{"bash", "fish", "zsh"};

// Returns the script for one of `shells`.
//   commands  the program first, each before its parts
[[nodiscard]] std::string completion_for(std::string_view shell,
                                         const std::vector<CommandWords>& commands);

}  // namespace app
