// source/written_objects.hpp -- the objects that curators' files write: what they hold so far,
// and what becomes of it when a paragraph adds to one, deletes or renames it.
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

#include "source/ace_text.hpp"
#include "source/curated/command.hpp"
#include "source/import/file_object.hpp"

namespace source::curated {

// A class, spelled as the models spell it.
struct ClassInfo {
    std::string name;
    Form form = Form::tree;
    tree::Models::Position place = tree::Models::unknown;  // its lines are not judged
};

// The class of a header, case ignored. Without models any class is one.
//   error  why AceDB would refuse it: the models lack it, or it belongs to AceDB itself
[[nodiscard]] tl::expected<ClassInfo, std::string> find_class(const tree::Models& models,
                                                              const std::string& word);
// Classes that no file may write: AceDB's own.
[[nodiscard]] bool is_protected_class(std::string_view name);

class Objects {
   public:
    using Place = std::size_t;
    // Why AceDB would refuse it; nullopt: it would not.
    using Wrong = std::optional<std::string>;

    Objects(const tree::Models& models, base::Date today);

    // The object of that name, which is made where there is none.
    //   line, file  where its header stands
    Place open(const ClassInfo& of, const std::string& name, std::uint64_t line,
               std::size_t file);
    // Does the steps of a paragraph. `stamp`: that of its header, 0 for none.
    void change(Place object, const std::vector<Step>& steps, Number stamp);
    // The content of an array class, in place of what it held.
    void set_text(Place object, std::string_view text);
    void set_empty(Place object) { tree_.clear(objects_[object].root); }
    void set_members(Place object, const std::vector<Number>& keys);

    [[nodiscard]] Wrong erase(const ClassInfo& of, const std::string& name);
    // The object and every reference to it have the new name; an object that has it already is
    // fused with it, and what that one says of a unique value stands.
    [[nodiscard]] Wrong rename(const ClassInfo& of, const std::string& name,
                               const std::string& new_name, Names::OldName old_name);

    [[nodiscard]] LineParser& lines() { return lines_; }
    [[nodiscard]] Texts& texts() { return texts_; }
    [[nodiscard]] Names& keys() { return keys_; }
    [[nodiscard]] std::size_t bytes_held() const;

    // In the order in which they were made.
    void each(const std::function<void(import::FileObject)>& visit) const;

   private:
    struct Object {
        Number key = 0, root = 0, stamp = 0;
        Form form = Form::tree;
        std::uint64_t line = 0;
        std::size_t file = 0;
        bool is_gone = false;
    };
    void do_step(const Step& step, Number root);
    void forget(Number key);
    Wrong join(Number key, Number target);
    [[nodiscard]] tree::Cell cell_of(const Content& cell) const;
    [[nodiscard]] import::FileObject written(const Object& object) const;

    const tree::Models& models_;
    Texts texts_;
    Names keys_{texts_};
    Forest tree_;
    LineParser lines_;
    std::vector<Object> objects_;
    std::unordered_map<Number, Place> places_;  // by key
    Number at_ = 0, home_ = 0;                  // of the cursor
};

}  // namespace source::curated
