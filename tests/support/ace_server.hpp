// support/ace_server.hpp -- an AceDB to ask: the socket protocol and the commands of saceserver
// 4.9.62, as recorded (tests/data/wire), over the objects of a stamped dump. It shares no code
// with src/: what it knows of frames, slices and formats is its own, and AcePerl talks to it
// (tests/clients).
// Faults are struck on purpose, by plan.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace support {

// A dump read into memory: what the server shows. Immutable.
struct AceContents {
    struct Object {
        std::string class_name, name;  // as shown, unescaped
        std::string bytes;             // as in the dump, with its last LF
    };
    std::vector<std::string> classes;  // in the order of the banners, empty ones too
    std::vector<Object> objects;
    // Those that a database has and no dump: of the classes Class, Model, Session, Text. In
    // active lists they follow the objects.
    std::vector<Object> kernel;
    std::map<std::string, std::string> models;   // by class: text of `model Class`
    std::map<std::string, std::string> java;     // by "Class:name": as show -j -T was recorded
    std::map<std::string, std::string> plain;    // the same of show -a
    std::map<std::string, std::string> aliases;  // by "Class:old name": the name now
    // From a dump file, and models.wrm beside it if there is one. Throws when it can't be read.
    static AceContents of_dump(const std::string& dump_file, const std::string& models_file = {});
    static AceContents of_text(const std::string& dump);
    // Recorded replies: `*.jT` and `*.a` of a folder (tests/data/formats). They have to be of
    // the build that is shown.
    void add_recorded(const std::string& folder);
};

// What goes wrong. Each stands for the replies to commands, not for the log-in, unless it says
// so.
enum class AceFault : unsigned char {
    none,
    silence,           // takes a command and never answers
    silent_login,      // never answers `bonjour`
    half_header,       // 20 bytes of a header, then the end
    half_body,         // a header, half of the body, then the end
    cut,               // the connection ends instead of an answer
    kill,              // MSGKILL instead of an answer, then the end
    empty_kill,        // the same with length 0, as after an idle time-out
    unsolicited_kill,  // MSGKILL right behind the log-in, before anything is asked
    wrong_length,      // the header says ten bytes more than follow, then silence
    huge_length,       // the header says 2 GB
    negative_length,
    wrong_magic,
    junk_after_type,  // bytes behind the NUL of the type, as older servers leave: no fault at all
    endless_encore,   // MSGENCORE of length 0 for ever
    endless_slices,   // MSGENCORE with a slice for ever
    another_object,   // the next show: of another object than was found
    no_end,           // the next show: stops inside an object, in a whole frame
};

struct AceServerSettings {
    std::string name = "WS188";  // of the database, in `status`
    std::string last_save = "2008-03-15_08:05:09";
    std::string user = "reader", password = "secret";
    bool world_may_read = false;       // READ WORLD: unknown users come in with any password
    std::size_t slice_bytes = 102400;  // of a reply, cut between objects
    bool big_endian = false;           // answers in this order whatever the client sends
    std::uint16_t port = 0;            // 0: any that is free
    bool paced = false;                // takes as long as AceDB was measured to
};

// Listens on 127.0.0.1, a thread for each client; ends them all with itself.
class AceServer {
   public:
    AceServer(std::shared_ptr<const AceContents> contents, AceServerSettings settings = {});
    ~AceServer();
    AceServer(const AceServer&) = delete;
    AceServer& operator=(const AceServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;

    // The next `times` answers go wrong so; more of them are the last call's.
    void strike(AceFault fault, int times = 1);
    // Every connection ends; new ones are taken (restarted at once) until stop().
    void drop_clients();
    void stop();   // nobody listens
    void start();  // on the same port again
    // Another build takes the place of this one, as after a restart; drops the clients.
    void publish(std::shared_ptr<const AceContents> contents, const std::string& name,
                 const std::string& last_save);

    [[nodiscard]] std::size_t logins() const;                 // since the beginning
    [[nodiscard]] std::size_t clients() const;                // connected now
    [[nodiscard]] std::vector<std::string> commands() const;  // all that were asked, in order

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// The reply to a command as text, without frame; `active` is the list of active objects, which
// find and query change. For the server, and for the program that stands in for tace.
[[nodiscard]] std::string ace_answer(const AceContents& contents,
                                     const AceServerSettings& settings,
                                     std::vector<std::size_t>& active, const std::string& command,
                                     bool& failed);

// Where that program is (tests/acedb/tace_stand_in.cpp): beside the one that runs.
[[nodiscard]] std::string tace_stand_in();

}  // namespace support
