// SPDX-License-Identifier: MIT
#include "release/leases.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <set>
#include <unistd.h>

#include "base/text.hpp"
#include "store/dialect.hpp"

namespace release {
namespace {

using store::Access;
using store::Transaction;
using store::Value;

const store::Insert a_lease{
    "parts", {"task", "part", "owner", "expires_at", "result"}, {"task", "part"}};

std::string host_name() {
    char name[256] = {};
    if (::gethostname(name, sizeof name - 1) != 0) return "?";
    std::string host(name);
    std::ranges::replace(host, ' ', '_');
    return host.substr(0, 64);
}

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// Process ids are unique within one boot and one pid namespace (a container has its own).
std::string boot() {
    char space[64] = {};
    if (::readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0) space[0] = '?';
    return first_line("/proc/sys/kernel/random/boot_id").substr(0, 8) + '/' + space;
}

// Returns when the process began, in ticks since boot; empty: there is no such process. It is field
// 22 of proc(5), counted from the end of the program's name, which may hold any character.
std::string start_of(const std::string& pid) {
    const auto line = first_line("/proc/" + pid + "/stat");
    const auto name_end = line.rfind(')');
    if (name_end == std::string::npos) return {};
    const auto fields = base::split(std::string_view(line).substr(name_end + 1), ' ');
    return fields.size() > 20 ? std::string(fields[20]) : std::string();
}

struct Lease {
    std::int64_t part;
    std::string owner, expires_at;
    bool done;
};

// When leases end that have not expired.
struct Running {
    explicit Running(base::Seconds now)
        : from(base::format_rfc3339(now)), to(base::format_rfc3339(now + longest_lease)) {}
    [[nodiscard]] bool contains(const std::string& expires_at) const {
        return from <= expires_at && expires_at <= to;
    }
    std::string from, to;
};

std::vector<Lease> leases_of(Transaction& transaction, const std::string& task) {
    std::vector<Lease> leases;
    for (const auto& row :
         transaction.query("SELECT part, owner, expires_at, done FROM parts WHERE task = ?"
                           " ORDER BY part",
                           {Value{task}}))
        leases.push_back({row.integer(0), row.text(1), row.text(2), row.integer(3) != 0});
    return leases;
}

}  // namespace

std::string worker_name(std::size_t number) {
    const auto pid = std::to_string(::getpid());
    return host_name() + ' ' + boot() + ' ' + pid + ' ' + start_of(pid) + ' ' +
           std::to_string(number);
}

bool is_gone(const std::string& worker) {
    const auto words = base::split(worker, ' ');
    if (words.size() != 5 || words[0] != host_name() || words[1] != boot()) return false;
    // The number goes into a path.
    const auto pid = base::parse_integer(words[2]);
    if (!pid || *pid <= 0) return false;
    const auto start = start_of(std::to_string(*pid));
    // A process that we may not see is not gone.
    if (start.empty()) return ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH;
    return start != words[3];
}

Leases::Claim Leases::claim(const std::string& worker, std::int64_t parts,
                            const std::optional<Done>& finished) {
    return store::perform(pool_, Access::write, [&](Transaction& transaction) -> Claim {
        // Where another worker has claimed the part meanwhile, it counts what that one finds.
        if (finished) static_cast<void>(finish(transaction, worker, *finished));
        const auto now = store::now(transaction);
        const auto end = base::format_rfc3339(now + length_);
        const Running running(now);
        const auto is_free = [&](const Lease& lease) {
            return !lease.done && (!running.contains(lease.expires_at) || is_gone_(lease.owner));
        };
        const auto leases = leases_of(transaction, task_);
        const auto done = std::ranges::count_if(
            leases, [&](const auto& lease) { return lease.done && lease.part < parts; });
        if (done >= parts) return {std::nullopt, true};
        for (const auto& lease : leases)
            if (lease.owner == worker && !lease.done) return {lease.part, false};
        for (const auto& lease : leases) {
            if (!is_free(lease)) continue;
            const auto taken = transaction.execute(
                "UPDATE parts SET owner = ?, expires_at = ? WHERE task = ? AND part = ?"
                " AND owner = ? AND expires_at = ? AND done = 0",
                {Value{worker}, Value{end}, Value{task_}, Value{lease.part}, Value{lease.owner},
                 Value{lease.expires_at}});
            if (taken == 1) return {lease.part, false};
        }
        std::set<std::int64_t> leased;
        for (const auto& lease : leases) leased.insert(lease.part);
        for (std::int64_t part = 0; part < parts; ++part) {
            if (leased.contains(part)) continue;
            const std::vector<Value> values{Value{task_}, Value{part}, Value{worker}, Value{end},
                                            Value{std::string()}};
            if (store::insert_unless_there(transaction, a_lease, values)) return {part, false};
        }
        return {};
    });
}

bool Leases::renew(const std::string& worker, std::int64_t part) {
    return store::perform(pool_, Access::write, [&](Transaction& transaction) {
        const auto end = base::format_rfc3339(store::now(transaction) + length_);
        return transaction.execute("UPDATE parts SET expires_at = ? WHERE task = ? AND part = ?"
                                   " AND owner = ? AND done = 0",
                                   {Value{end}, Value{task_}, Value{part}, Value{worker}}) == 1;
    });
}

bool Leases::finish(Transaction& transaction, const std::string& worker,
                    const Done& finished) const {
    // The part may be done already, when a commit in doubt is run again.
    return transaction.execute(
               "UPDATE parts SET done = 1, result = ? WHERE task = ?"
               " AND part = ? AND owner = ?",
               {Value{finished.result}, Value{task_}, Value{finished.part}, Value{worker}}) == 1;
}

bool Leases::finish(const std::string& worker, const Done& finished) {
    return store::perform(pool_, Access::write, [&](Transaction& transaction) {
        return finish(transaction, worker, finished);
    });
}

void Leases::give_up(const std::string& worker, std::int64_t part) {
    store::perform(pool_, Access::write, [&](Transaction& transaction) {
        transaction.execute(
            "DELETE FROM parts WHERE task = ? AND part = ? AND owner = ? AND done = 0",
            {Value{task_}, Value{part}, Value{worker}});
    });
}

std::vector<std::string> results_of(Transaction& transaction, const std::string& task) {
    std::vector<std::string> results;
    for (const auto& row : transaction.query(
             "SELECT result FROM parts WHERE task = ? AND done > 0 ORDER BY part", {Value{task}}))
        results.push_back(row.text(0));
    return results;
}

std::optional<std::string> active_until(Transaction& transaction) {
    const Running running(store::now(transaction));
    for (const auto& row :
         transaction.query("SELECT owner, expires_at FROM parts WHERE done = 0 AND"
                           " expires_at >= ? AND expires_at <= ? ORDER BY expires_at DESC",
                           {Value{running.from}, Value{running.to}}))
        if (!is_gone(row.text(0))) return row.text(1);
    return std::nullopt;
}

void delete_expired_leases(Transaction& transaction) {
    const auto week_ago = store::now(transaction) - std::chrono::days(7);
    transaction.execute("DELETE FROM parts WHERE expires_at < ?",
                        {Value{base::format_rfc3339(week_ago)}});
}

void delete_leases(Transaction& transaction) { transaction.execute("DELETE FROM parts"); }

bool end_task(Transaction& transaction, const std::string& task, std::int64_t parts) {
    const auto done = transaction.query("SELECT COUNT(*) FROM parts WHERE task = ? AND done > 0",
                                        {Value{task}});
    transaction.execute("UPDATE parts SET done = 2 WHERE task = ?", {Value{task}});
    return done.at(0).integer(0) >= parts;
}

void begin_task(Transaction& transaction, const std::string& task) {
    transaction.execute("DELETE FROM parts WHERE task = ? AND done = 2", {Value{task}});
}

}  // namespace release
