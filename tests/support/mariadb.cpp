// SPDX-License-Identifier: MIT
#include "support/mariadb.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace support {
namespace {

namespace fs = std::filesystem;

// From the top folder, where tests run.
const fs::path starter = "tests/support/mariadb";

void replace_stream(int stream, const fs::path& file, int flags) {
    const int opened = ::open(file.c_str(), flags, 0600);
    if (opened < 0 || ::dup2(opened, stream) < 0) ::_exit(127);
    ::close(opened);
}

pid_t spawn(const std::vector<std::string>& words, const fs::path& input,
            const fs::path& output) {
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child > 0) return child;
    // A test that crashes must not leave a server behind.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    replace_stream(0, input, O_RDONLY);
    replace_stream(1, output, O_WRONLY | O_CREAT | O_APPEND);
    ::dup2(1, 2);
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
}

}  // namespace

int run_program(const std::vector<std::string>& words, const fs::path& input,
                const fs::path& output) {
    int status = 0;
    ::waitpid(spawn(words, input, output), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

MariaDb& MariaDb::only() {
    static MariaDb server;
    return server;
}

MariaDb::MariaDb() : folder_(quick_folder()), socket_(folder_.path() / "sock") { start(); }

MariaDb::~MariaDb() { stop(); }

store::Url MariaDb::url_of(const std::string& database) const {
    store::Url url;
    url.engine = store::Engine::mysql;
    url.hosts = {{"localhost"}};
    url.user = "root";
    url.database = database;
    url.socket = socket_.string();
    return url;
}

// Its data need not survive a kill, so no log is flushed and no page is written twice.
void MariaDb::start() {
    if (!fs::exists(starter))
        throw std::runtime_error(starter.string() + " is not in " + fs::current_path().string());
    process_ =
        spawn({starter.string(), folder_.path().string(), "--innodb-flush-log-at-trx-commit=0",
               "--innodb-doublewrite=0", "--innodb-fast-shutdown=2", "--local-infile=ON"},
              "/dev/null", folder_.path() / "log");
    wait_until_it_answers();
}

void MariaDb::wait_until_it_answers() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto connect = store::connector(url_of("mysql"), "", store::IfMissing::fail);
    for (;;) {
        try {
            (void)connect();
            return;
        } catch (const store::Failure& failure) {
            if (::waitpid(process_, nullptr, WNOHANG) == process_) {
                process_ = -1;
                throw std::runtime_error("mariadbd did not start:\n" + log());
            }
            if (std::chrono::steady_clock::now() > deadline)
                throw std::runtime_error(std::string("mariadbd does not answer: ") +
                                         failure.what() + "\n" + log());
        }
        ::poll(nullptr, 0, 10);
    }
}

void MariaDb::stop() {
    connection_.reset();
    if (process_ <= 0) return;
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
}

void MariaDb::restart() {
    stop();
    start();
}

std::string MariaDb::create_database() {
    const std::string name = "varve_" + std::to_string(++databases_);
    connection().execute("CREATE DATABASE " + name);
    return name;
}

void MariaDb::drop_database(const std::string& name) {
    connection().execute("DROP DATABASE IF EXISTS " + name);
}

store::Connection& MariaDb::connection() {
    if (!connection_ || connection_->is_broken()) {
        connection_ = store::connector(url_of("mysql"), "", store::IfMissing::fail)();
        connection_->execute("SET foreign_key_checks = 0");
    }
    return *connection_;
}

std::string MariaDb::borrow_database() {
    const auto create = [&] {
        auto name = create_database();
        const auto done =
            store::initialise(*store::connector(url_of(name), "", store::IfMissing::fail)());
        if (!done) throw std::runtime_error(done.error().text);
        return name;
    };
    if (template_.empty()) template_ = create();
    if (unused_.empty()) return create();
    auto name = std::move(unused_.back());
    unused_.pop_back();
    return name;
}

// Two queries, because a join of these two tables takes ten times as long.
std::array<store::Rows, 2> MariaDb::schema_of(const std::string& database) {
    const std::array<store::Value, 1> name{database};
    return {connection().query(
                "SELECT table_name, column_name, column_type, collation_name, column_key"
                " FROM information_schema.columns WHERE table_schema = ?"
                " ORDER BY table_name, ordinal_position",
                name),
            connection().query("SELECT table_name, table_comment FROM information_schema.tables"
                               " WHERE table_schema = ? ORDER BY table_name",
                               name)};
}

void MariaDb::give_back(const std::string& name) {
    if (schema_of(name) != schema_of(template_)) return drop_database(name);
    copy_rows(template_, name);
    unused_.push_back(name);
}

std::set<std::string> MariaDb::tables_with_rows(const std::string& database,
                                                const store::Rows& tables) {
    std::string sql;
    for (const auto& table : tables)
        sql += (sql.empty() ? "" : " UNION ALL ") + ("SELECT '" + table.text(0)) +
               "' FROM DUAL WHERE EXISTS (SELECT 1 FROM " + database + '.' + table.text(0) + ")";
    std::set<std::string> names;
    for (const auto& row : connection().query(sql)) names.insert(row.text(0));
    return names;
}

void MariaDb::copy_rows(const std::string& from, const std::string& to) {
    const auto tables = connection().query(
        "SELECT table_name, auto_increment FROM information_schema.tables WHERE table_schema = ?",
        std::array<store::Value, 1>{to});
    const auto full = tables_with_rows(to, tables), wanted = tables_with_rows(from, tables);
    store::Transaction transaction(connection(), store::Access::write);
    for (const auto& table : full) transaction.execute("DELETE FROM " + to + '.' + table);
    for (const auto& table : wanted)
        transaction.execute("INSERT INTO " + to + '.' + table + " SELECT * FROM " + from + '.' +
                            table);
    transaction.commit();
    for (const auto& table : tables)
        if (!table.is_null(1) && table.integer(1) != 1)
            connection().execute("ALTER TABLE " + to + '.' + table.text(0) +
                                 " AUTO_INCREMENT = 1");
}

std::string MariaDb::log() const {
    std::ifstream file(folder_.path() / "log");
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace support
