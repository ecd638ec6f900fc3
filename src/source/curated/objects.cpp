// SPDX-License-Identifier: MIT
#include "source/curated/objects.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace source::curated {
namespace {

using tree::Kind;
using tree::Models;
using Wrong = Objects::Wrong;

// Kernel classes, which no models file describes.
constexpr std::array<std::string_view, 9> array_classes = {
    "LongText",    "DNA",          "Peptide",  "KeySet",    "TableResult",
    "BaseQuality", "BasePosition", "BaseCall", "MatchTable"};
constexpr std::array<std::string_view, 2> unjudged_classes = {"UserSession", "Text"};
constexpr std::array<std::string_view, 7> protected_classes = {
    "Tag", "Model", "Class", "System", "Session", "Comment", "Global"};

template <std::size_t N>
std::string_view found_in(const std::array<std::string_view, N>& names, std::string_view word) {
    const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
        return base::equal_ignoring_case(name, word);
    });
    return found == names.end() ? std::string_view() : *found;
}

std::string named(std::string_view class_name, const std::string& name) {
    return std::string(class_name) + " \"" + base::legal_text(name.substr(0, 60)) + '"';
}

}  // namespace

bool is_protected_class(std::string_view name) {
    return !found_in(protected_classes, name).empty();
}

tl::expected<ClassInfo, std::string> find_class(const Models& models, const std::string& word) {
    const auto refused = [&](const char* why) {
        return tl::unexpected('"' + base::legal_text(word.substr(0, 60)) + "\" " + why);
    };
    if (is_protected_class(word)) return refused("is a class of AceDB's own");
    if (const auto name = found_in(array_classes, word); !name.empty())
        return ClassInfo{std::string(name), form_of(name), Models::unknown};
    if (const auto place = models.of_class(word); place != Models::unknown)
        return ClassInfo{std::string(models.spelling_of_class(word)), form_of(word), place};
    if (const auto name = found_in(unjudged_classes, word); !name.empty())
        return ClassInfo{std::string(name), Form::tree, Models::unknown};
    if (models.class_count() > 0) return refused("is no class of the models");
    if (word.empty()) return refused("is no class");
    return ClassInfo{base::legal_text(word), form_of(word), Models::unknown};
}

Objects::Objects(const Models& models, base::Date today)
    : models_(models), lines_(models, texts_, keys_, today) {}

Objects::Place Objects::open(const ClassInfo& of, const std::string& name, std::uint64_t line,
                             std::size_t file) {
    const auto key = keys_.resolved(keys_.add(of.name, name));
    const auto [known, is_new] = places_.try_emplace(key, objects_.size());
    if (is_new) objects_.push_back({key, tree_.begin(of.place), 0, of.form, line, file, false});
    return known->second;
}

void Objects::change(Place object, const std::vector<Step>& steps, Number stamp) {
    auto& made = objects_[object];
    if (stamp != 0) made.stamp = stamp;
    for (const auto& step : steps) do_step(step, made.root);
}

void Objects::do_step(const Step& step, Number root) {
    switch (step.what) {
        case Step::What::begin: at_ = home_ = root; break;
        case Step::What::add: at_ = tree_.add(at_, step.cell, step.siblings); break;
        case Step::What::go_home: at_ = home_; break;
        case Step::What::stay: home_ = at_; break;
        case Step::What::stamp: tree_.set_stamp(at_, step.cell.text); break;
        case Step::What::replace: tree_.replace(at_, step.cell); break;
        case Step::What::prune: tree_.prune(at_); break;
    }
}

void Objects::set_text(Place object, std::string_view text) {
    const auto root = objects_[object].root;
    tree_.clear(root);
    tree_.add(root, {Kind::text, texts_.add_long(text), Models::unknown}, Siblings::many);
}

void Objects::set_members(Place object, const std::vector<Number>& keys) {
    const auto root = objects_[object].root;
    tree_.clear(root);
    for (const auto key : keys)
        tree_.add(root, {Kind::member, key, Models::unknown}, Siblings::many);
}

Wrong Objects::erase(const ClassInfo& of, const std::string& name) {
    const auto key = keys_.find(of.name, name);
    if (key == 0) return "there is no " + named(of.name, name) + " to delete";
    if (keys_.is_alias(key))
        keys_.drop_alias(key);
    else
        forget(key);
    return std::nullopt;
}

void Objects::forget(Number key) {
    const auto place = places_.find(key);
    if (place == places_.end()) return;
    auto& object = objects_[place->second];
    tree_.clear(object.root);
    object.is_gone = true;
    places_.erase(place);
}

Wrong Objects::rename(const ClassInfo& of, const std::string& name, const std::string& new_name,
                      Names::OldName old_name) {
    const auto key = keys_.find(of.name, name);
    if (key == 0) return "there is no " + named(of.name, name) + " to rename";
    if (trimmed_name(new_name).empty()) return "no new name for " + named(of.name, name);
    if (keys_.is_alias(key)) return std::nullopt;  // it was renamed before
    const auto known = keys_.find(of.name, new_name);
    const bool is_free = known == 0 && old_name == Names::OldName::forget;
    if (known == key || is_free) {
        keys_.rename(key, new_name);
        return std::nullopt;
    }
    const auto target = keys_.resolved(keys_.add(of.name, new_name));
    if (target == key) return named(of.name, name) + " would become an alias of itself";
    if (auto wrong = join(key, target)) return wrong;
    keys_.make_alias(key, target, old_name);
    return std::nullopt;
}

Wrong Objects::join(Number key, Number target) {
    const auto from = places_.find(key);
    if (from == places_.end()) return std::nullopt;
    auto& object = objects_[from->second];
    const auto into = places_.find(target);
    if (into == places_.end()) {
        object.key = target;
        places_.emplace(target, from->second);
        places_.erase(key);
        return std::nullopt;
    }
    auto& other = objects_[into->second];
    const bool are_both_full = !tree_.is_empty(object.root) && !tree_.is_empty(other.root);
    if (object.form != Form::tree && are_both_full)
        return "two objects of class " + keys_.class_of(key) + " can't become one";
    other.root = tree_.fuse(object.root, other.root, models_);
    object.root = tree_.begin(Models::unknown);
    object.is_gone = true;
    places_.erase(from);
    return std::nullopt;
}

std::size_t Objects::bytes_held() const {
    return texts_.bytes_held() + keys_.bytes_held() + tree_.bytes_held() +
           objects_.size() * (sizeof(Object) + 32);
}

tree::Cell Objects::cell_of(const Content& cell) const {
    if (cell.kind != Kind::reference && cell.kind != Kind::member)
        return {cell.kind, texts_.at(cell.text), {}};
    const auto key = keys_.resolved(cell.text);
    return {cell.kind, keys_.name_of(key), keys_.class_of(key)};
}

import::FileObject Objects::written(const Object& object) const {
    import::FileObject out;
    out.object.id = {keys_.class_of(object.key), keys_.name_of(object.key)};
    out.object.stamp = texts_.at(object.stamp);
    out.object.nodes = tree_.nodes_below(object.root, texts_,
                                         [this](const auto& cell) { return cell_of(cell); });
    tree::merge_duplicates(out.object.nodes);
    out.line = object.line;
    out.file = object.file;
    return out;
}

void Objects::each(const std::function<void(import::FileObject)>& visit) const {
    for (const auto& object : objects_)
        if (!object.is_gone) visit(written(object));
}

}  // namespace source::curated
