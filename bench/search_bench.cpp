// search_bench -- how long a search takes: a store of so many objects with labels, questions of
// several kinds in turn, and the median and the 99th percentile of each kind, by the clock and as
// processor time of this process (on SQLite, that is all of the work).
//   use: search_bench URL [OBJECTS]   an empty store, as `varve init` leaves it; 1,000,000 objects.
//                                     0: a store that was filled before
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "query/search.hpp"
#include "store/dialect.hpp"
#include "store/store.hpp"
#include "store/url.hpp"
#include "tables/objects.hpp"

namespace {

using store::Value;

constexpr int asked = 400;  // questions of each kind

// Labels as those of GO terms: common words, some of them in a fifth of all, and many rare ones.
class Labels {
   public:
    std::string word() {
        static const std::vector<std::string> common{
            "protein", "binding",  "regulation",          "activity", "positive", "kinase",
            "cell",    "membrane", "phosphatidylinositol"};
        const auto dice = random_() % 100;
        if (dice < 50) return common[std::min(random_() % 9, random_() % 9)];
        return rare_word(dice < 80 ? random_() % 2'000 : random_() % 200'000);
    }
    static std::string rare_word(std::uint64_t number) {
        static const std::vector<std::string> parts{"al", "be", "co", "du", "el", "fo", "gi",
                                                    "ho", "in", "ka", "lo", "mi", "no", "pro",
                                                    "re", "si", "tu", "va", "xy", "zo"};
        std::string word;
        for (int i = 0; i < 5; ++i, number /= 20) word += parts[number % 20];
        return word;
    }
    std::string label(std::size_t words) {
        std::string label = word();
        for (std::size_t i = 1; i < words; ++i)
            label += (random_() % 9 == 0 ? "-" : " ") + word();
        return label;
    }
    std::uint64_t any(std::uint64_t most) { return random_() % most; }

   private:
    std::mt19937_64 random_{1};
};

void fill(store::Pool& pool, std::int64_t objects) {
    Labels labels;
    store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
        transaction.execute(
            "INSERT INTO releases (version, released_on) VALUES ('WS300', '2010-01-01')");
        transaction.execute("INSERT INTO builds (number, digest, version, accepted_at) VALUES"
                            " (1, 'digest', 'WS300', '2010-01-01T00:00:00Z')");
    });
    for (std::int64_t done = 0; done < objects; done += 1'000) {
        std::vector<tables::ObjectRow> rows;
        for (std::int64_t i = done; i < std::min(done + 1'000, objects); ++i) {
            tables::ObjectRow row;
            const bool is_gene = i % 3 == 0;
            row.object = {is_gene      ? "Gene"
                          : i % 3 == 1 ? "GO_term"
                                       : "Protein",
                          (is_gene ? "WBGene" : "GO:") + std::to_string(10'000'000 + i * 7)};
            row.label = is_gene ? Labels::rare_word(labels.any(200)).substr(0, 3) + "-" +
                                      std::to_string(labels.any(400))
                                : labels.label(1 + labels.any(6));
            if (is_gene && i % 2 == 0) row.other_names = "JC" + std::to_string(i) + ".10";
            row.signature = i % 50 == 0 ? "" : std::string(32, 'a');
            row.build = 1;
            rows.push_back(std::move(row));
        }
        store::perform(pool, store::Access::write, [&](store::Transaction& transaction) {
            std::vector<const tables::ObjectRow*> pointers;
            for (const auto& row : rows) pointers.push_back(&row);
            static_cast<void>(tables::insert_objects(transaction, pointers));
            tables::add_words(transaction, pointers);
        });
    }
}

struct Kind {
    const char* name;
    std::function<std::string(Labels&)> question;
    const char* class_name = "";
};

bool measure(const query::ReadContext& context, const Kind& kind) {
    Labels labels;
    std::vector<double> times, processor;
    std::size_t found = 0;
    for (int i = 0; i < asked; ++i) {
        const auto question = kind.question(labels);
        const auto begin = std::chrono::steady_clock::now();
        const auto used = std::clock();
        found += query::find_named(context, kind.class_name, question, {}).found.size();
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - begin;
        times.push_back(taken.count());
        processor.push_back(static_cast<double>(std::clock() - used) * 1e3 / CLOCKS_PER_SEC);
    }
    std::ranges::sort(times);
    std::ranges::sort(processor);
    const auto p99 = times[times.size() * 99 / 100];
    std::printf(
        "search, %-34s median %5.2f ms, p99 %5.2f ms (processor %5.2f, %5.2f), %.1f found%s\n",
        kind.name, times[times.size() / 2], p99, processor[processor.size() / 2],
        processor[processor.size() * 99 / 100], static_cast<double>(found) / asked,
        p99 <= 20 ? "" : "  MISSED");
    return p99 <= 20;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("use: search_bench URL [OBJECTS]\n", stderr);
        return 2;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const auto url = store::parse_url(argv[1]);
    if (!url) return 2;
    store::Pool pool(store::connector(*url, "", store::IfMissing::create), 1);
    const auto objects = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
    if (objects > 0) fill(pool, objects);
    const history::Settings settings;
    query::SharedReads shared;
    const query::ReadContext context{pool, settings, shared, {}};
    const auto is = [](const char* text) {
        return [text](Labels&) { return std::string(text); };
    };
    const std::vector<Kind> kinds{
        {"a rare word", [](Labels& l) { return Labels::rare_word(l.any(200'000)); }},
        {"a word and what one begins with",
         [](Labels& l) { return Labels::rare_word(l.any(2'000)) + " " + l.word().substr(0, 3); }},
        {"the label of a gene",
         [](Labels& l) {
             return Labels::rare_word(l.any(200)).substr(0, 3) + "-" + std::to_string(l.any(400));
         }},
        {"another name", [](Labels& l) { return "JC" + std::to_string(l.any(160'000) * 6); }},
        {"a common word (protein)", is("protein")},
        {"a common word of one class", is("protein"), "Protein"},
        {"two common words", is("protein binding")},
        {"five common words", is("regulation of protein kinase activity")},
        {"one letter",
         [](Labels& l) { return std::string(1, static_cast<char>('a' + l.any(26))); }},
        {"two letters", [](Labels& l) { return Labels::rare_word(l.any(20)).substr(0, 2); }},
        {"one letter of one class", is("p"), "Gene"},
        {"what every name begins with", is("wbgene1")},
        {"what nothing has", is("nobodyatall protein")},
    };
    bool kept = true;
    for (const auto& kind : kinds) kept = measure(context, kind) && kept;
    return kept ? 0 : 1;
}
