// app/checklist.hpp -- what `varve check` says, line by line.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <string_view>

namespace app {

// A line for each thing that has to be right; remembers whether one was not.
class Checklist {
   public:
    void fine(std::string_view what, std::string_view text) {
        fmt::print("ok     {}: {}\n", what, text);
    }
    // It works, and is hardly meant so.
    void doubtful(std::string_view what, std::string_view text) {
        fmt::print("look   {}: {}\n", what, text);
    }
    void wrong(std::string_view what, std::string_view text, std::string_view remedy) {
        fmt::print("wrong  {}: {}\n", what, text);
        if (!remedy.empty()) fmt::print("       {}\n", remedy);
        all_fine_ = false;
    }
    [[nodiscard]] bool all_fine() const { return all_fine_; }

   private:
    bool all_fine_ = true;
};

}  // namespace app
