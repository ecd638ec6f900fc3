// support/ace_server.hpp -- a test server: the socket protocol of saceserver 4.9.62 and those of
// its commands that Varve sends, as recorded (tests/data/wire), over the objects of a stamped dump.
// Of the protocol it shares no code with src/: it has its own frames and slices, and AcePerl can
// talk to it (tests/acedb). Tests plan its faults.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace support {

// A dump in memory, which the server shows. Immutable.
struct AceContents {
    struct Object {
        std::string class_name, name;  // as shown, unescaped
        std::string bytes;             // as in the dump, with its last LF
    };
    std::vector<std::string> classes;  // in the order of the banners, empty ones too
    std::vector<Object> objects;
    // Objects that a database has and a dump lacks, of the classes Class, Keyword, Model, Session,
    // Text. In active lists they follow the objects.
    std::vector<Object> kernel;
    // Classes marked -XREF or -Protected in wspec/options.wrm: shown and listed like any other, and
    // never dumped. Nothing that a client can ask tells so.
    std::vector<std::string> undumped;
    std::map<std::string, std::string> models;  // by class: text of `model Class`
    // Reads a dump file, and models.wrm and options.wrm beside it if they are there. Throws when it
    // cannot.
    static AceContents of_dump(const std::string& dump_file, const std::string& models_file = {});
    static AceContents of_text(const std::string& dump);
    // Returns the file that `dump -T` would write of the database.
    [[nodiscard]] std::string dump() const;
    // Takes over what wspec/options.wrm says of dumping: lines like `_VMap -XREF`.
    void add_options(const std::string& options);
};

// Planned faults. They apply to replies to commands and not to the log-in, unless they say
// so.
enum class AceFault : unsigned char {
    none,
    silence,           // accepts a command and never answers
    silent_login,      // never answers `bonjour`
    half_header,       // 20 bytes of a header, then the end of the connection
    half_body,         // a header, half of the body, then the end
    cut,               // the connection ends instead of an answer
    kill,              // MSGKILL instead of an answer, then the end
    empty_kill,        // the same with length 0, as after an idle timeout
    unsolicited_kill,  // MSGKILL right after the log-in, before any question
    wrong_length,      // a header that announces ten bytes more than follow, then silence
    huge_length,       // a header that announces 2 GB
    negative_length,
    wrong_magic,
    endless_encore,  // MSGENCORE of length 0 forever
    endless_slices,  // MSGENCORE with a slice forever
    another_object,  // the next show is of another object than was found
};

struct AceServerSettings {
    std::string name = "WS188";  // of the database, in `status`
    std::string last_save = "2008-03-15_08:05:09";
    std::string user = "reader", password = "secret";
    std::size_t slice_bytes = 102400;  // of a reply, divided between objects
    bool big_endian = false;           // answers in this order whatever the client sends
    std::uint16_t port = 0;            // 0: any that is free
    bool paced = false;                // takes as long as AceDB was measured to
    // Returns what is answered instead of this reply to the command.
    std::function<std::string(std::string_view command, std::string reply)> alter = {};
};

// Listens on 127.0.0.1 with a thread for each client, all of which end with it.
class AceServer {
   public:
    AceServer(std::shared_ptr<const AceContents> contents, AceServerSettings settings = {});
    ~AceServer();
    AceServer(const AceServer&) = delete;
    AceServer& operator=(const AceServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;

    // Makes the next `times` answers wrong; a later call replaces an earlier one.
    void strike(AceFault fault, int times = 1);
    // Ends every connection and accepts new ones (as a quick restart does) until stop().
    void drop_clients();
    void stop();   // stops listening
    void start();  // on the same port again
    // Replaces the build, as after a restart, and disconnects the clients.
    void publish(std::shared_ptr<const AceContents> contents, const std::string& name,
                 const std::string& last_save);

    [[nodiscard]] std::size_t logins() const;                 // since the start
    [[nodiscard]] std::size_t clients() const;                // connected now
    [[nodiscard]] std::vector<std::string> commands() const;  // all that were sent, in order

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace support
