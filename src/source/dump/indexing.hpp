// source/build_objects.hpp -- the objects of a build's files, entered into its index one file
// after the other. One thread at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "source/build_folder.hpp"
#include "source/dump/ace_reader.hpp"
#include "source/dump/json_lines.hpp"
#include "source/import/file_object.hpp"
#include "source/import/object_lines.hpp"
#include "source/index.hpp"

namespace source::dump {

class BuildObjects {
   public:
    // `folder` outlives it.
    //   largest  bytes of an object that is held; needed where files are written anew
    BuildObjects(IndexWriter writer, const BuildFolder& folder, std::uint64_t largest)
        : writer_(std::move(writer)), folder_(folder), largest_(largest) {}

    // The objects of a plain form. `number` is the file's in folder.files.
    //   error  malformed (file and line); unavailable. A file that is cut off is none: see flaw()
    [[nodiscard]] base::Result<void> read_dump(const File& file, std::uint16_t number);
    [[nodiscard]] base::Result<void> read_json_lines(const File& file, std::uint16_t number);
    // The objects of an XML file, written anew on the way.
    [[nodiscard]] base::Result<void> read_xml(const File& file, std::uint16_t number,
                                              import::JsonLinesWriter& lines);
    // One object, written anew.
    [[nodiscard]] base::Result<void> add(const import::FileObject& object, std::uint16_t number,
                                         import::JsonLinesWriter& lines);

    // `facts` with files and remarks; the rest is filled in here.
    //   error  malformed: an object twice, with both places
    [[nodiscard]] base::Result<void> finish(Facts facts);

   private:
    [[nodiscard]] base::Result<void> add(const DumpObject& object, std::uint16_t number);
    [[nodiscard]] base::Result<void> add(const JsonLine& line, std::uint16_t number);
    [[nodiscard]] base::Result<void> enter(Entry entry, const tree::ObjectName& id);
    [[nodiscard]] bool is_tracked(const tree::ObjectName& id);
    [[nodiscard]] base::Result<void> judge(const base::Error& error);
    [[nodiscard]] std::string place(std::size_t number) const {
        return folder_.path + "/" + folder_.files[number].name;
    }
    [[nodiscard]] std::string place(const Entry& entry) const {
        return place(entry.file) + ":" + std::to_string(entry.line);
    }

    IndexWriter writer_;
    const BuildFolder& folder_;
    std::uint64_t largest_;
    bool has_larger_ = false;
    std::uint64_t untracked_ = 0;
    std::string flaw_;
};

}  // namespace source::dump
