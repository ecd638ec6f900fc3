// source/curated_files.hpp -- curators' .ace files of a build folder: loaded one after the other
// into one set of objects (source/hand_written.hpp), then written anew as JSON Lines.
// One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/curated/reader.hpp"
#include "source/dump/indexing.hpp"
#include "tree/model.hpp"

namespace source::import {

// What the start of an .ace file tells.
// True when AceDB itself wrote the file whose first bytes these are, which is then read strictly,
// by seeking (dump/ace_reader): it begins with a class banner; or the header of its first object is
// stamped (`Class : "name" -O "..."`), whatever its lines are like, so that damage is refused; or
// its first object with content is what dump/ace_reader takes, and nothing in the head shows a hand:
// a header without colon or quotes, -D, -R, -A, `!`, `@`, `//` in or behind a line, a line that
// begins with blanks or quotes, TABs alone between cells (AcePerl), or no TAB behind any tag of that
// object. So is a file without any object, which dump/ace_reader refuses: a dump may have been cut.
//   head  the first 64 KiB, or the whole file
[[nodiscard]] bool is_dumped(std::string_view head);

struct AceHead {
    bool is_dump = false;       // written by AceDB itself, or holds nothing at all
    bool is_unstamped = false;  // so, and without -T
    //   error  unavailable
    [[nodiscard]] static base::Result<AceHead> of(const File& file);
};

class CuratedFiles {
   public:
    // `folder` and `models` outlive it.
    CuratedFiles(const BuildFolder& folder, const tree::Models& models);

    // Loads a file after those before; `number` is its own in folder.files.
    //   error  refused (too much to be held, an included file that is not there), with its place;
    //          unavailable
    [[nodiscard]] base::Result<void> load(std::uint16_t number, const File& text);

    // Writes the objects into the plain forms of the files they begin in, and notes their sizes
    // in `files`; call once.
    [[nodiscard]] base::Result<void> write_objects(const std::string& plain_dir,
                                                   std::vector<DumpFile>& files,
                                                   dump::BuildObjects& objects);

    // What the objects depend on beside the files themselves: included files, and the models.
    [[nodiscard]] std::vector<DumpFile> included() const;

    // Logs what AceDB would have refused, and says it in a sentence for the operator; empty:
    // there was nothing.
    [[nodiscard]] std::string complain() const;

   private:
    [[nodiscard]] base::Result<std::string> read_included(const std::string& name) const;

    const BuildFolder& folder_;
    curated::Reader objects_;
    std::vector<std::uint16_t> loaded_;  // in folder.files
};

}  // namespace source::import
