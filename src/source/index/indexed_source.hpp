// source/index/indexed_source.hpp -- the part of a build that is answered from its index alone.
// Derived classes know where the bytes of an object come from.
// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "source/index/index.hpp"
#include "source/source.hpp"

namespace source {

class IndexedSource : public Source {
   public:
    [[nodiscard]] const base::Release& release() const override { return index_.facts().release; }
    [[nodiscard]] const std::string& digest() const override { return index_.facts().digest; }
    [[nodiscard]] base::Result<std::optional<tree::ObjectName>> find(
        const tree::ObjectName& asked) const override;
    [[nodiscard]] base::Result<void> confirm_absent() const override;
    [[nodiscard]] base::Result<bool> is_loading_stamp(std::string_view stamp) const override;
    [[nodiscard]] base::Result<std::optional<Digest>> digest_of(
        const tree::ObjectName& name) const override;
    [[nodiscard]] std::vector<ClassCount> class_counts() const override;
    [[nodiscard]] bool skips(std::string_view class_name) const override;
    [[nodiscard]] std::string kind() const override;
    [[nodiscard]] Parts parts(std::uint64_t objects) const override;
    void each(std::uint64_t from, std::uint64_t to,
              const std::function<bool(const Listed&)>& visit) const override;
    [[nodiscard]] const tree::Models& models() const override { return models_; }

   protected:
    //   skip_classes  that the operator left out, in any case
    IndexedSource(Index index, tree::Models models, std::vector<std::string> skip_classes);

    [[nodiscard]] const Index& index() const { return index_; }

    // Returns the entry of exactly this spelling.
    //   error  absent: "there is no class C in WS188", or "C N is not in WS188"; followed by the
    //          flaw of a build that is not whole
    [[nodiscard]] base::Result<Entry> entry_of(const tree::ObjectName& name) const;

   private:
    [[nodiscard]] bool is_of_acedb() const;
    // An entry of a class that is skipped is no entry.
    [[nodiscard]] std::optional<Entry> if_kept(std::optional<Entry> entry) const;
    [[nodiscard]] bool is_kept(const Entry& entry) const {
        return is_skipped_.empty() || !is_skipped_[entry.class_index];
    }
    [[nodiscard]] Listed listed(const Entry& entry) const;
    // Of the object's bytes, and of what else its content depends on.
    [[nodiscard]] Digest digest_in(const Entry& entry) const;
    [[nodiscard]] static XXH128_hash_t digest_of_text(const std::string& text) {
        return text.empty() ? XXH128_hash_t{} : XXH3_128bits(text.data(), text.size());
    }

    using LoadingStamps = std::set<std::string, std::less<>>;
    [[nodiscard]] base::Result<std::vector<std::string>> sample_loading_stamps() const;

    Index index_;
    tree::Models models_;
    XXH128_hash_t models_digest_;
    std::vector<std::string> skip_classes_;
    std::vector<bool> is_skipped_;                         // of Facts::classes; empty: none is
    mutable std::mutex sampling_;                          // guards the next line
    mutable std::optional<LoadingStamps> loading_stamps_;  // once the build was sampled
};

// Finds the stamps of loading sessions (rule C4): those of a user and a day that together are in
// more than a tenth of the objects of a sample of at least 1,000.
class StampSample {
   public:
    static constexpr std::size_t fewest = 1000;
    // Counts each user and day among the stamps of the object's nodes once.
    void add(const tree::Object& object);
    // Counts an object that can't be read as one without stamps, so that damaged objects don't
    // make the sample too small.
    void add_unreadable() { ++objects_; }
    // Returns one stamp for each user and day: that of midnight. Opaque stamps stand for themselves.
    [[nodiscard]] std::vector<std::string> loading_stamps() const;

   private:
    std::size_t objects_ = 0;
    std::unordered_map<std::string, std::size_t> holders_;  // objects by day_of()
};

}  // namespace source
