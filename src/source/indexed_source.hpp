// source/indexed_source.hpp -- what every build with an index answers from the index alone;
// where the bytes of an object come from is left to those who derive from it.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "source/index.hpp"
#include "source/source.hpp"

namespace source {

class IndexedSource : public Source {
   public:
    [[nodiscard]] const base::Release& release() const override { return index_.facts().release; }
    [[nodiscard]] const std::string& digest() const override { return index_.facts().digest; }
    [[nodiscard]] base::Result<std::optional<tree::ObjectName>> find(
        const tree::ObjectName& asked) const override;
    [[nodiscard]] base::Result<bool> is_loading_stamp(std::string_view stamp) const override;
    [[nodiscard]] base::Result<std::optional<Digest>> digest_of(
        const tree::ObjectName& name) const override;
    [[nodiscard]] std::vector<ClassCount> class_counts() const override;
    [[nodiscard]] Parts parts(std::uint64_t objects) const override;
    void each(std::uint64_t from, std::uint64_t to,
              const std::function<bool(const Listed&)>& visit) const override;
    [[nodiscard]] const tree::Models& models() const override { return models_; }

   protected:
    IndexedSource(Index index, tree::Models models)
        : index_(std::move(index)), models_(std::move(models)) {}

    [[nodiscard]] const Index& index() const { return index_; }

    // The entry of exactly this spelling.
    //   error  absent: "there is no class C in WS188", or "C N is not in WS188"; and the flaw of a
    //          build that is not whole
    [[nodiscard]] base::Result<Entry> entry_of(const tree::ObjectName& name) const;

    // The distinct stamps of an object, for the sample of rule C4; nullopt: it can't be read
    // (which whoever asks for it is told), and counts as one without stamps. Not called where
    // Facts::loading_stamps are known.
    //   error  unavailable
    using Stamps = std::vector<std::string>;
    [[nodiscard]] virtual base::Result<std::optional<Stamps>> stamps_of(
        const Entry& entry) const = 0;

   private:
    using LoadingStamps = std::set<std::string, std::less<>>;
    [[nodiscard]] base::Result<void> learn_stamps() const;
    [[nodiscard]] base::Result<Stamps> sample_stamps() const;

    Index index_;
    tree::Models models_;
    mutable std::mutex sampling_;
    mutable std::unique_ptr<const LoadingStamps> loading_stamps_;
    mutable std::atomic<const LoadingStamps*> known_stamps_ =
        nullptr;  // nullptr: not yet sampled
};

// Rule C4 over a sample: stamps that stand in more than a tenth of its objects. Feed it the
// stamps of each object; nothing comes of fewer than 1,000.
class StampSample {
   public:
    static constexpr std::size_t fewest = 1000;
    void add(const std::vector<std::string>& stamps_of_one);
    [[nodiscard]] std::vector<std::string> loading_stamps() const;

   private:
    std::size_t objects_ = 0;
    std::unordered_map<std::string, std::size_t> holders_;
};

}  // namespace source
