// source/curated/objects.hpp -- the objects of curators' files: their content so far, and the
// changes by paragraphs that add to an object, delete it or rename it.
// One thread at a time. Source: AceDB 4.9.62.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/ace_classes.hpp"
#include "source/curated/line_parser.hpp"

namespace source::curated {

// A class, spelled as the models spell it.
struct ClassInfo {
    std::string name;
    Form form = Form::tree;
    tree::Models::Position place = tree::Models::unknown;  // unknown: its lines are not judged
};

// An object, and where its first header is.
struct Record {
    tree::Object object;     // duplicates merged
    std::uint64_t line = 0;  // counted from 1
    std::size_t file = 0;    // the number of the file in the order of loading
};

// Returns the class of a header, case ignored. Without models every word is a class.
//   error  why AceDB would reject it: the models lack it, or it belongs to AceDB itself
[[nodiscard]] tl::expected<ClassInfo, std::string> find_class(const tree::Models& models,
                                                              const std::string& word);
// True for AceDB's own classes, which no file may write.
[[nodiscard]] bool is_protected_class(std::string_view name);

class Objects {
   public:
    using Handle = std::size_t;

    Objects(const tree::Models& models, base::Date today);

    // Returns the object of that name, which is added if it is new.
    //   line, file  where its header is
    Handle open(const ClassInfo& of, const std::string& name, std::uint64_t line,
                std::size_t file);
    // Runs the commands of a paragraph. `stamp`: that of its header, 0 for none.
    void change(Handle object, const std::vector<Command>& commands, Id stamp);
    // Replace the content of an object of an array class.
    void set_text(Handle object, std::string_view text);
    void set_empty(Handle object) { forest_.clear(objects_[object].root); }
    void set_members(Handle object, const std::vector<Id>& keys);

    [[nodiscard]] Rejected erase(const ClassInfo& of, const std::string& name);
    // Gives the object and every reference to it the new name. An object that has that name
    // already is merged with it, and its values win where only one is allowed.
    [[nodiscard]] Rejected rename(const ClassInfo& of, const std::string& name,
                                  const std::string& new_name, Names::OldName old_name);

    [[nodiscard]] LineParser& line_parser() { return line_parser_; }
    [[nodiscard]] Texts& texts() { return texts_; }
    [[nodiscard]] Names& names() { return names_; }
    [[nodiscard]] std::size_t bytes_held() const;

    // Visits the objects in the order in which they were added.
    void each(const std::function<void(Record)>& visit) const;

   private:
    struct Object {
        Id key = 0, root = 0, stamp = 0;
        Form form = Form::tree;
        std::uint64_t line = 0;
        std::size_t file = 0;
        bool is_gone = false;
    };
    void run(const Command& command, Id root);
    void erase(Id key);
    Rejected join(Id key, Id target);
    [[nodiscard]] tree::Cell cell_of(const Content& cell) const;
    [[nodiscard]] Record record_of(const Object& object) const;

    const tree::Models& models_;
    Texts texts_;
    Names names_{texts_};
    Forest forest_;
    LineParser line_parser_;
    std::vector<Object> objects_;
    std::unordered_map<Id, Handle> handles_;  // by key
    Id at_ = 0, home_ = 0;                    // of the cursor
};

}  // namespace source::curated
