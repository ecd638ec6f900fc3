// fuzz-NAME FILE… -- the main program of a fuzzer in all configurations but `fuzz`: runs the empty input and each file
// once, such as a corpus, with any compiler. An input that takes more than 10 s, or 1.5 GB, ends it as an input does that
// crashes.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Returns false if it took too much memory.
bool run(std::string_view bytes) {
    constexpr unsigned most_seconds = 10;
    constexpr long most_kb = 1500L << 10;
    // A block without spare room, so that ASan notices when a byte too many is read.
    const auto input = std::make_unique<std::uint8_t[]>(bytes.size());
    std::ranges::copy(bytes, input.get());
    ::alarm(most_seconds);
    LLVMFuzzerTestOneInput(input.get(), bytes.size());
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss <= most_kb;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::fputs("no input\n", stderr);
        return 1;
    }
    run({});
    for (int i = 1; i < count; ++i) {
        std::ifstream file(arguments[i], std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        if (!file) {
            std::fprintf(stderr, "%s cannot be read\n", arguments[i]);
            return 1;
        }
        if (!run(bytes)) {
            std::fprintf(stderr, "%s takes too much memory\n", arguments[i]);
            return 1;
        }
    }
    std::printf("%d inputs\n", count - 1);
    return 0;
}
