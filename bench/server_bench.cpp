// bench/server_bench.cpp -- an object from a running AceDB: loaded through Varve (find, show, the
// tree of it), against the bare find and show on a socket to the same server. The server is the
// one of the tests (tests/acedb/ace_server.cpp), beside this program, and takes as long for its
// answers as AceDB 4.9.62 was measured to; once more without that, for what our part costs.
//   server_bench DUMP MODELS    a dump of WS188 (examples/builds)
// Prints a line a row: what, our seconds, theirs, ratio of speeds, bar. Status 1 below a bar.
// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.hpp"
#include "rows.hpp"
#include "source/acedb/build.hpp"
#include "source/acedb/session.hpp"

namespace {

namespace fs = std::filesystem;
using bench::compare;
using bench::require;

// An object costs at most 1.3 times the bare round trip.
constexpr double bar = 1 / 1.3;
const std::string user = "reader", password = "secret";

// ---- The server ----

class Server {
   public:
    Server(const fs::path& program, const fs::path& dump, const fs::path& models, bool paced) {
        int ends[2];
        require(::pipe(ends) == 0, "no pipe");
        child_ = ::fork();
        require(child_ >= 0, "no fork");
        if (child_ == 0) {
            ::dup2(ends[1], 1);
            ::execl(program.c_str(), program.c_str(), dump.c_str(), "--models", models.c_str(),
                    "--user", user.c_str(), "--password", password.c_str(),
                    paced ? "--paced" : nullptr, nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        char said[64] = {};
        require(::read(ends[0], said, sizeof said - 1) > 0, program.string() + " does not run");
        ::close(ends[0]);
        port_ = static_cast<std::uint16_t>(std::atoi(std::strrchr(said, ' ')));
    }
    ~Server() {
        ::kill(child_, SIGTERM);
        ::waitpid(child_, nullptr, 0);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    [[nodiscard]] std::uint16_t port() const { return port_; }

   private:
    pid_t child_ = -1;
    std::uint16_t port_ = 0;
};

// ---- The bare client: no more than frames ----

std::string md5_hex(const std::string& text) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_Digest(text.data(), text.size(), digest, &size, EVP_md5(), nullptr);
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) {
        hex += "0123456789abcdef"[digest[i] >> 4U];
        hex += "0123456789abcdef"[digest[i] & 15U];
    }
    return hex;
}

class BareClient {
   public:
    explicit BareClient(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
        const int yes = 1;
        ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        require(::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) ==
                    0,
                "no connection");
        const std::string nonce = ask("bonjour").c_str();
        const auto hash = md5_hex(md5_hex(user + password) + nonce);
        require(ask(user + " " + hash).starts_with("et bonjour"), "not logged in");
    }
    ~BareClient() { ::close(descriptor_); }
    BareClient(const BareClient&) = delete;
    BareClient& operator=(const BareClient&) = delete;

    // The reply to one command, slices joined.
    std::string ask(const std::string& command) {
        send("ACESERV_MSGREQ", command);
        auto reply = receive();
        while (more_) {
            send("ACESERV_MSGENCORE", "encore");
            reply += receive();
        }
        return reply;
    }

   private:
    void send(const char* type, const std::string& body) {
        std::string frame(50, '\0');
        const std::uint32_t numbers[5] = {0x12345678, static_cast<std::uint32_t>(body.size() + 1),
                                          0, number_, 0};
        std::memcpy(frame.data(), numbers, sizeof numbers);
        std::memcpy(frame.data() + 20, type, std::strlen(type));
        frame += body + '\0';
        require(::send(descriptor_, frame.data(), frame.size(), MSG_NOSIGNAL) ==
                    static_cast<ssize_t>(frame.size()),
                "not sent");
    }
    std::string receive() {
        char header[50];
        read(header, sizeof header);
        std::uint32_t length = 0;
        std::memcpy(&length, header + 4, 4);
        std::memcpy(&number_, header + 12, 4);
        more_ = std::memcmp(header + 20, "ACESERV_MSGENCORE", 17) == 0;
        std::string body(length, '\0');
        read(body.data(), length);
        return body;
    }
    void read(char* to, std::size_t bytes) {
        for (std::size_t got = 0; got < bytes;) {
            const auto more = ::recv(descriptor_, to + got, bytes - got, 0);
            require(more > 0, "the server has gone");
            got += static_cast<std::size_t>(more);
        }
    }

    int descriptor_;
    std::uint32_t number_ = 0;
    bool more_ = false;
};

// ---- Both ----

source::Build open_build(std::uint16_t port, const fs::path& index) {
    source::acedb::ServerAddress address;
    address.host = "127.0.0.1";
    address.port = port;
    address.user = user;
    address.password = password;
    source::acedb::DatabaseSettings database;
    database.name = address.name();
    database.open = [address] { return source::acedb::Session::open(address); };
    source::acedb::BuildSettings settings;
    settings.database = std::make_shared<source::acedb::Database>(std::move(database));
    settings.index_dir = index.string();
    settings.date = base::parse_date("2008-03-22");
    settings.known_releases = [] { return std::vector<base::Release>(); };
    auto build = source::acedb::open_build(settings);
    require(build.has_value(), build ? "" : build.error().text);
    return *build;
}

struct Row {
    const char* what;
    std::vector<tree::ObjectName> names;
    int times;
};

bool measure(const Row& row, const source::Source& build, BareClient& bare, double least) {
    const auto ours = [&] {
        for (int i = 0; i < row.times; ++i) {
            for (const auto& name : row.names) {
                const auto object = build.load(name);
                require(object.has_value(), object ? "" : object.error().text);
            }
        }
    };
    const auto theirs = [&] {
        for (int i = 0; i < row.times; ++i) {
            for (const auto& name : row.names) {
                const auto found = bare.ask("find " + name.class_name + " \"" + name.name + "\"");
                require(found.find("Found 1 ") != std::string::npos, found);
                require(bare.ask("show -a -T").size() > 50, "nothing shown");
            }
        }
    };
    ours();
    theirs();
    return compare(row.what, least, ours, theirs);
}

// The dump, and a gene of 1.2 MB in it.
fs::path with_large_gene(const fs::path& dump, const fs::path& folder) {
    std::ifstream in(dump, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    const std::string stamp = " -O \"2008-03-15_08:05:09_caltech_juancarlos\"";
    std::string gene = "Gene : \"large\"" + stamp + "\n";
    for (int i = 0; gene.size() < 1200000; ++i) {
        gene += "Reference\t" + stamp + " \"WBPaper" + std::to_string(10000000 + i) + "\"" +
                stamp + "\n";
    }
    const auto place = text.find("\n\nGene : \"") + 2;
    require(place > 2, "no gene in " + dump.string());
    text.insert(place, gene + "\n");
    const auto file = folder / "server_bench.ace";
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

// All rows over a server of its own.
bool measure_all(const fs::path& folder, const fs::path& dump, const fs::path& models,
                 bool paced) {
    const fs::path index = folder / "server_bench.index";
    fs::remove_all(index);
    const Server server(folder / "ace-server", dump, models, paced);
    const auto build = open_build(server.port(), index);
    BareClient bare(server.port());
    std::vector<tree::ObjectName> all;
    source::each_object(*build, [&](const source::Listed& listed) {
        if (listed.name != "large") all.push_back(listed.id());
        return true;
    });
    const Row rows[] = {
        {paced ? "each object of WS188 : find, show" : "the same, no pace", all, 1},
        {paced ? "a gene of 7 KB : find, show" : "the same, no pace",
         {{"Gene", "WBGene00006763"}},
         1000},
        {paced ? "a gene of 1.2 MB : find, show" : "the same, no pace", {{"Gene", "large"}}, 20},
    };
    bool met = true;
    for (const auto& row : rows) met = measure(row, *build, bare, paced ? bar : 0) && met;
    fs::remove_all(index);
    return met;
}

}  // namespace

int main(int argc, char** argv) {
    base::log::send_to(2, base::log::Level::warning);
    require(argc == 3, "server_bench DUMP MODELS");
    const fs::path folder = fs::path(argv[0]).parent_path();
    const auto dump = with_large_gene(argv[1], folder);
    const bool met = measure_all(folder, dump, argv[2], true);
    measure_all(folder, dump, argv[2], false);
    fs::remove(dump);
    return met ? 0 : 1;
}
