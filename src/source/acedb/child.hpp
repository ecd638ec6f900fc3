// source/child.hpp -- a program as a child of this process, talked to over its standard input
// and output. It ends with this object: asked, then told, then killed, and always waited for.
// One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/result.hpp"
#include "source/acedb/waiting.hpp"
#include "source/file.hpp"

namespace source::acedb {

class Child {
   public:
    // Runs `program`, a path or a name looked for in PATH. It has its three descriptors and no
    // other, signals as they are by default, and a process group of its own: Ctrl-C at our
    // terminal is ours to take, and does not cut an answer off that we still wait for.
    //   error  unavailable: no such program, no more processes
    [[nodiscard]] static base::Result<std::unique_ptr<Child>> start(
        const std::string& program, const std::vector<std::string>& arguments);

    // Closes its input and gives it a second to end, another one at SIGTERM, then SIGKILL.
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // All of `bytes` to its input; false at the deadline.
    //   error  unavailable: it has gone
    [[nodiscard]] base::Result<bool> write(std::string_view bytes, Deadline deadline);

    // What it printed since, added to `output`; false at the deadline. What it prints as errors
    // is kept meanwhile.
    //   error  unavailable: its output has ended
    [[nodiscard]] base::Result<bool> read(std::string& output, Deadline deadline);

    [[nodiscard]] bool has_printed() const { return is_readable(output_.descriptor()); }
    // What it printed as errors, the last bytes of it.
    [[nodiscard]] const std::string& errors();

   private:
    Child(pid_t pid, File input, File output, File errors)
        : pid_(pid), input_(std::move(input)), output_(std::move(output)),
          error_output_(std::move(errors)) {}

    [[nodiscard]] base::Result<bool> take_output(std::string& output);
    void take_errors();
    [[nodiscard]] bool ends_until(Deadline deadline);

    pid_t pid_;  // and of its group
    File input_, output_, error_output_;
    std::string errors_;
};

}  // namespace source::acedb
