// A build in memory: a source::Source for the tests of the rooms that read builds.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "source/source.hpp"
#include "support/trees.hpp"
#include "tree/json.hpp"
#include "tree/outline.hpp"

namespace support {

class SmallBuild : public source::Source {
   public:
    SmallBuild(std::string version, std::string day)
        : release_{std::move(version), *base::parse_date(day)}, digest_(digest_now()) {}

    SmallBuild& with(const std::string& class_name, const std::string& name, Nodes nodes) {
        const auto hash_of = [&](const Nodes& tree) {
            return std::hash<std::string>()(class_name + name + tree::signature_of(tree));
        };
        const auto [object, is_new] = objects_.try_emplace({class_name, name});
        // A sum does not depend on the order in which objects come.
        if (!is_new) sum_ -= hash_of(object->second);
        sum_ += hash_of(nodes);
        digest_ = digest_now();
        object->second = std::move(nodes);
        return *this;
    }
    SmallBuild& with_models(std::string_view text) {
        models_ = tree::Models::parse(text);
        return *this;
    }
    // Gives it a digest like that of a running database, which does not depend on the content.
    // Call it after with().
    SmallBuild& of_server() {
        digest_ = "server:" + digest_;
        return *this;
    }
    SmallBuild& of_kind(std::string kind) {
        kind_ = std::move(kind);
        return *this;
    }
    // As an operator does with a class (needs: nothing of it is in this build).
    SmallBuild& skipping(std::string class_name) {
        skipped_.insert(std::move(class_name));
        return *this;
    }
    // Gives it the digest of another build, as when one build has two versions. Call it last.
    SmallBuild& with_digest_of(const SmallBuild& other) {
        digest_ = other.digest_;
        return *this;
    }
    // Makes every later load fail.
    void break_with(base::Error error) { error_ = std::move(error); }
    void break_one_with(const tree::ObjectName& name, base::Error error) {
        broken_.emplace(name, std::move(error));
    }
    // As if a part of it could not be read, in which any object may be.
    void break_unknown() { has_unknown_ = true; }
    [[nodiscard]] base::Result<void> confirm_absent() const override {
        if (has_unknown_)
            return base::fail(base::ErrorKind::malformed, "any object may be there");
        return {};
    }
    // Makes confirm() fail, as when a database changed during a load.
    void deny_with(base::Error error) { denial_ = std::move(error); }
    [[nodiscard]] base::Result<void> confirm() const override {
        if (denial_) return tl::unexpected(*denial_);
        return {};
    }
    [[nodiscard]] bool loads_at_once() const override { return !digest_.starts_with("server:"); }
    [[nodiscard]] int loads() const { return loads_; }

    [[nodiscard]] const base::Release& release() const override { return release_; }
    [[nodiscard]] const std::string& digest() const override { return digest_; }
    [[nodiscard]] base::Result<std::optional<tree::ObjectName>> find(
        const tree::ObjectName& asked) const override {
        if (objects_.contains(asked)) return asked;
        std::optional<tree::ObjectName> found;
        for (const auto& [id, nodes] : objects_) {
            if (!base::equal_ignoring_case(id.class_name, asked.class_name) ||
                !base::equal_ignoring_case(id.name, asked.name))
                continue;
            if (found) return std::nullopt;
            found = id;
        }
        return found;
    }
    [[nodiscard]] base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        ++loads_;
        if (error_) return tl::unexpected(*error_);
        if (const auto broken = broken_.find(name); broken != broken_.end())
            return tl::unexpected(broken->second);
        const auto found = objects_.find(name);
        if (found == objects_.end()) return base::fail(base::ErrorKind::absent, name.name);
        return tree::Object{name, {}, found->second};
    }
    [[nodiscard]] base::Result<bool> is_loading_stamp(std::string_view) const override {
        return false;
    }
    [[nodiscard]] base::Result<std::optional<source::Digest>> digest_of(
        const tree::ObjectName& name) const override {
        const auto found = objects_.find(name);
        if (found == objects_.end()) return std::nullopt;
        return digest_in(found->second);
    }
    [[nodiscard]] std::vector<source::ClassCount> class_counts() const override {
        std::map<std::string, std::uint64_t> counts;
        for (const auto& [id, nodes] : objects_) ++counts[id.class_name];
        std::vector<source::ClassCount> list;
        for (const auto& [name, count] : counts) list.push_back({name, count});
        return list;
    }
    [[nodiscard]] bool skips(std::string_view class_name) const override {
        return !tree::can_be_tracked(class_name) || skipped_.contains(std::string(class_name));
    }
    [[nodiscard]] std::string kind() const override { return kind_; }
    [[nodiscard]] source::Parts parts(std::uint64_t objects) const override {
        source::Parts parts{digest_, {0}};
        std::uint64_t at = 0;
        std::string last;  // the key before
        for (const auto& [id, nodes] : objects_) {
            const auto key = base::fold_ascii(id.name);
            if (at - parts.places.back() >= objects && key != last) parts.places.push_back(at);
            last = key;
            ++at;
        }
        parts.places.push_back(at);
        return parts;
    }
    void each(std::uint64_t from, std::uint64_t to,
              const std::function<bool(const source::Listed&)>& visit) const override {
        std::uint64_t at = 0;
        for (const auto& [id, nodes] : objects_) {
            const bool is_asked_for = at >= from && at < to;
            ++at;
            if (is_asked_for && !visit({id.class_name, id.name, digest_in(nodes), nodes.size()}))
                return;
        }
    }
    [[nodiscard]] const tree::Models& models() const override { return models_; }

   private:
    struct InOrderOfIndex {
        bool operator()(const tree::ObjectName& a, const tree::ObjectName& b) const {
            const auto key = [](const tree::ObjectName& name) {
                return std::tuple(base::fold_ascii(name.name), name.name, name.class_name);
            };
            return key(a) < key(b);
        }
    };

    // Returns a digest of everything, timestamps included, like that of the bytes of a dump. That of a
    // running database is another one in each build.
    [[nodiscard]] source::Digest digest_in(const Nodes& nodes) const {
        std::string json = loads_at_once() ? "" : digest_;
        tree::append_json(json, nodes);
        return {std::hash<std::string>()(json), json.size()};
    }

    // The timestamps of a rebuilt database differ, whatever its objects hold.
    [[nodiscard]] std::string digest_now() const {
        return base::md5_hex(release_.version + std::to_string(sum_));
    }

    base::Release release_;
    std::size_t sum_ = 0;  // of a hash of each object
    std::string digest_;
    std::map<tree::ObjectName, Nodes, InOrderOfIndex> objects_;
    std::set<std::string> skipped_;
    std::string kind_ = "memory";
    tree::Models models_;
    std::optional<base::Error> error_, denial_;
    bool has_unknown_ = false;
    std::map<tree::ObjectName, base::Error> broken_;
    mutable std::atomic<int> loads_{0};
};

// Returns the names of all objects of a build.
inline std::vector<tree::ObjectName> names_in(const source::Source& build) {
    std::vector<tree::ObjectName> names;
    source::each_object(build, [&](const source::Listed& listed) {
        names.push_back(listed.id());
        return true;
    });
    return names;
}

}  // namespace support
