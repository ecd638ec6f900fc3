// SPDX-License-Identifier: MIT
#include "source/curated/objects.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace source::curated {
namespace {

using tree::CellKind;
using tree::Models;

std::string named(std::string_view class_name, const std::string& name) {
    return std::string(class_name) + " \"" + base::legal_text(base::cut_at(name, 60)) + '"';
}

}  // namespace

bool is_protected_class(std::string_view name) {
    const auto* own = find_ace_class(name);
    return own != nullptr && own->writing == AceClass::Writing::never;
}

tl::expected<ClassInfo, std::string> find_class(const Models& models, const std::string& word) {
    const auto rejected = [&](const char* why) {
        return tl::unexpected('"' + base::legal_text(base::cut_at(word, 60)) + "\" " + why);
    };
    if (is_protected_class(word)) return rejected("is one of AceDB's own classes");
    const auto* own = find_ace_class(word);
    const bool needs_no_models =
        own != nullptr && own->writing == AceClass::Writing::without_models;
    // No models file describes array classes.
    const auto place =
        needs_no_models && own->form != Form::tree ? Models::unknown : models.of_class(word);
    if (place != Models::unknown)
        return ClassInfo{std::string(models.spelling_of_class(word)), form_of(word), place};
    if (needs_no_models) return ClassInfo{std::string(own->name), own->form, Models::unknown};
    if (models.class_count() > 0) return rejected("is not a class of the models");
    if (word.empty()) return rejected("is not a class");
    return ClassInfo{base::legal_text(word), form_of(word), Models::unknown};
}

Objects::Objects(const Models& models, base::Date today)
    : models_(models), line_parser_(models, texts_, names_, today) {}

Objects::Handle Objects::open(const ClassInfo& of, const std::string& name, std::uint64_t line,
                              std::size_t file) {
    const auto key = names_.resolved(names_.add(of.name, name));
    const auto [known, is_new] = handles_.try_emplace(key, objects_.size());
    if (is_new) objects_.push_back({key, forest_.begin(of.place), 0, of.form, line, file, false});
    return known->second;
}

void Objects::change(Handle object, const std::vector<Command>& commands, Id stamp) {
    auto& made = objects_[object];
    if (stamp != 0) made.stamp = stamp;
    for (const auto& command : commands) run(command, made.root);
}

void Objects::run(const Command& command, Id root) {
    switch (command.action) {
        case Command::Action::begin: at_ = home_ = root; break;
        case Command::Action::add:
            at_ = forest_.add(at_, command.content, command.siblings);
            break;
        case Command::Action::go_home: at_ = home_; break;
        case Command::Action::set_home: home_ = at_; break;
        case Command::Action::stamp: forest_.set_stamp(at_, command.content.text); break;
        case Command::Action::replace: forest_.replace(at_, command.content); break;
        case Command::Action::prune: forest_.prune(at_); break;
    }
}

void Objects::set_text(Handle object, std::string_view text) {
    const auto root = objects_[object].root;
    forest_.clear(root);
    forest_.add(root, {CellKind::text, texts_.add_long(text), Models::unknown}, Siblings::many);
}

void Objects::set_members(Handle object, const std::vector<Id>& keys) {
    const auto root = objects_[object].root;
    forest_.clear(root);
    for (const auto key : keys)
        forest_.add(root, {CellKind::member, key, Models::unknown}, Siblings::many);
}

Rejected Objects::erase(const ClassInfo& of, const std::string& name) {
    const auto key = names_.find(of.name, name);
    if (key == 0) return "there is no " + named(of.name, name) + " to delete";
    if (names_.is_alias(key))
        names_.drop_alias(key);
    else
        erase(key);
    return std::nullopt;
}

void Objects::erase(Id key) {
    const auto place = handles_.find(key);
    if (place == handles_.end()) return;
    auto& object = objects_[place->second];
    forest_.clear(object.root);
    object.is_gone = true;
    handles_.erase(place);
}

Rejected Objects::rename(const ClassInfo& of, const std::string& name,
                         const std::string& new_name, Names::OldName old_name) {
    const auto key = names_.find(of.name, name);
    if (key == 0) return "there is no " + named(of.name, name) + " to rename";
    if (trimmed_name(new_name).empty()) return "no new name for " + named(of.name, name);
    if (names_.is_alias(key)) return std::nullopt;  // it is renamed already
    const auto known = names_.find(of.name, new_name);
    const bool is_free = known == 0 && old_name == Names::OldName::drop;
    if (known == key || is_free) {
        names_.rename(key, new_name);
        return std::nullopt;
    }
    const auto target = names_.resolved(names_.add(of.name, new_name));
    if (target == key) return named(of.name, name) + " would become an alias of itself";
    if (auto rejected = join(key, target)) return rejected;
    names_.make_alias(key, target, old_name);
    return std::nullopt;
}

Rejected Objects::join(Id key, Id target) {
    const auto from = handles_.find(key);
    if (from == handles_.end()) return std::nullopt;
    auto& object = objects_[from->second];
    const auto into = handles_.find(target);
    if (into == handles_.end()) {
        object.key = target;
        handles_.emplace(target, from->second);
        handles_.erase(key);
        return std::nullopt;
    }
    auto& other = objects_[into->second];
    const bool are_both_full = !forest_.is_empty(object.root) && !forest_.is_empty(other.root);
    if (object.form != Form::tree && are_both_full)
        return "two objects of class " + names_.class_of(key) + " can't be merged";
    other.root = forest_.merge(object.root, other.root, models_);
    object.root = forest_.begin(Models::unknown);
    object.is_gone = true;
    handles_.erase(from);
    return std::nullopt;
}

std::size_t Objects::bytes_held() const {
    return texts_.bytes_held() + names_.bytes_held() + forest_.bytes_held() +
           objects_.size() * (sizeof(Object) + 32);
}

tree::Cell Objects::cell_of(const Content& cell) const {
    if (cell.kind != CellKind::reference && cell.kind != CellKind::member)
        return {cell.kind, texts_.at(cell.text), {}};
    const auto key = names_.resolved(cell.text);
    return {cell.kind, names_.name_of(key), names_.class_of(key)};
}

Record Objects::record_of(const Object& object) const {
    Record out;
    out.object.id = {names_.class_of(object.key), names_.name_of(object.key)};
    out.object.stamp = texts_.at(object.stamp);
    out.object.nodes = forest_.nodes_below(object.root, texts_,
                                           [this](const auto& cell) { return cell_of(cell); });
    tree::merge_duplicates(out.object.nodes);
    out.line = object.line;
    out.file = object.file;
    return out;
}

void Objects::each(const std::function<void(Record)>& visit) const {
    for (const auto& object : objects_)
        if (!object.is_gone) visit(record_of(object));
}

}  // namespace source::curated
