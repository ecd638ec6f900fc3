// What the store must hold after any history, from facts alone; and a world of three hosts over one
// store that plays a history with the product's own code (model_test.cpp draws the histories).
// A fact is a committed comparison: which object, with which build, what the index of the release before
// said. `Oracle` derives all rows, signatures and trees from the facts. `World` notes a fact when a commit has
// changed what is recorded of an object, and holds the store to the oracle behind each commit. Processes are
// threads that take turns: one runs, until it has committed a transaction.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "history/current.hpp"
#include "release/job_site.hpp"
#include "support/faulty_connection.hpp"
#include "support/watched_connection.hpp"
#include "tables/releases.hpp"

namespace model {

// -- a history

inline const std::vector<tree::ObjectName> names{{"Gene", "X"}, {"Gene", "Y"}, {"Paper", "Z"}};
inline constexpr int name_count = 3, host_count = 3;
inline const tree::ObjectName& name_of(int object) {
    return names.at(static_cast<std::size_t>(object));
}

struct Value {
    std::string letters;  // each is a tag; none: the object is there, and empty
    int stamp = 0;        // the same content, other bytes
    bool operator==(const Value&) const = default;
};
using Objects = std::map<int, Value>;
using Content = std::optional<std::string>;  // nullopt: not there

struct Build {
    int version = 1, publication = 0;
    bool of_server = false;
    Objects objects;
};

enum class What {
    look,
    request,
    job,
    republish,
    forget,
    step,
    kill,
    fault,
    lose,
    unreadable,
    restart,
    drain
};
enum class Selection { all, of_class, list };
enum class Fault { kill, deadlock, in_doubt };

struct Operation {
    What what;
    int a = 0, b = 0, c = 0;  // host, build, selection; host, object; process, steps; version
};
struct Scene {
    std::vector<Build> builds;  // the last one is recorded at the end
    std::vector<Operation> operations;
    bool share_indexes = true;
    std::size_t keep_trees = 0;
    std::vector<int> order{0, 1, 2};  // of the requests at the end
};

inline int version_in(const std::string& text) {
    return text.empty() ? 0 : std::stoi(text.substr(2));
}
inline support::Nodes nodes_of(const Value& value) {
    support::Nodes nodes;
    for (const char letter : value.letters) {
        auto node = support::tag(std::string(1, letter));
        // A label, and a reference.
        if (letter == 'a') node.children = {support::text("called a")};
        if (letter == 'b') node.children = {support::reference("Gene", "X")};
        if (value.stamp > 0)
            node.stamp = fmt::format("2001-01-{:02}_09:15:20_a", value.stamp % 28);
        nodes.push_back(std::move(node));
    }
    return nodes;
}
inline std::string signature_of(const Content& content) {
    return content ? tree::signature_of(nodes_of({*content})) : "";
}
// "+b-a"
inline std::string difference(const Content& before, const Content& after) {
    const auto a = before.value_or(""), b = after.value_or("");
    std::set<std::string> changes;
    for (const char letter : a)
        if (b.find(letter) == std::string::npos) changes.insert(std::string("-") + letter);
    for (const char letter : b)
        if (a.find(letter) == std::string::npos) changes.insert(std::string("+") + letter);
    return fmt::format("{}", fmt::join(changes, ""));
}

// A build of files, or of a running server, which has no digests of objects.
class ModelBuild final : public support::SmallBuild {
   public:
    ModelBuild(const Build& build, const std::set<int>& unreadable)
        : SmallBuild(fmt::format("WS{}", build.version),
                     fmt::format("2008-01-{:02}", build.version)),
          build_(build), unreadable_(unreadable) {
        auto text = release().version;
        for (const auto& [object, value] : build.objects) {
            text += fmt::format(" {}={}{}", object, value.letters, value.stamp);
            with(name_of(object).class_name, name_of(object).name, nodes_of(value));
        }
        digest_ = (build.of_server ? "server:" : "") + base::md5_hex(text);
    }
    [[nodiscard]] int version() const { return build_.version; }
    [[nodiscard]] Content content(int object) const {
        const auto found = build_.objects.find(object);
        return found == build_.objects.end() ? Content() : found->second.letters;
    }
    [[nodiscard]] const Objects& objects() const { return build_.objects; }
    [[nodiscard]] const std::string& digest() const override { return digest_; }
    [[nodiscard]] bool loads_at_once() const override { return !build_.of_server; }
    [[nodiscard]] base::Result<tree::Object> load(const tree::ObjectName& name) const override {
        for (const int object : unreadable_)
            if (name_of(object) == name)
                return base::fail(base::ErrorKind::malformed, "damaged (by the test)");
        return SmallBuild::load(name);
    }
    [[nodiscard]] base::Result<std::optional<source::Digest>> digest_of(
        const tree::ObjectName& name) const override {
        auto found = SmallBuild::digest_of(name);
        if (build_.of_server && found && *found) return std::optional(digest_by_server(name));
        return found;
    }
    void each(std::uint64_t from, std::uint64_t to,
              const std::function<bool(const source::Listed&)>& visit) const override {
        SmallBuild::each(from, to, [&](source::Listed listed) {
            if (build_.of_server) listed.digest = digest_by_server(listed.id());
            return visit(listed);
        });
    }

   private:
    [[nodiscard]] source::Digest digest_by_server(const tree::ObjectName& name) const {
        return {std::hash<std::string>()(digest_ + name.name), 1};
    }

    Build build_;
    const std::set<int>& unreadable_;  // objects
    std::string digest_;
};
using BuildPointer = std::shared_ptr<const ModelBuild>;
inline BuildPointer own(const source::Build& build) {
    return std::dynamic_pointer_cast<const ModelBuild>(build);
}

// -- the oracle

struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline const std::string impossible = "no operator would do this";

struct Row {
    std::string kind, changes;
    std::int64_t revision = 0;
    std::set<int> since;            // recorded: one; expected: those that may be recorded
    std::set<std::string> content;  // the same
    bool operator==(const Row&) const = default;
};
using Rows = std::map<int, Row>;
using Trees = std::map<int, Content>;

// What the store holds of an object.
struct State {
    std::optional<tables::ObjectRow> row;
    Rows rows;
    Trees trees;
    bool operator==(const State&) const = default;
};
inline std::string text_of(const Rows& rows, const Trees& trees) {
    std::string text;
    for (const auto& [version, tree] : trees)
        text += fmt::format(", tree V{} '{}'", version, tree.value_or("gone"));
    for (const auto& [version, row] : rows)
        text += fmt::format(", V{} {} {} revision {} since V{} content {:.4}", version, row.kind,
                            row.changes, row.revision, fmt::join(row.since, " or V"),
                            fmt::join(row.content, " or "));
    return text;
}
inline std::string text_of(const State& state) {
    if (!state.row) return "no object";
    const auto& row = *state.row;
    return fmt::format("signature {:.4}, build {}, bytes {:x}, held '{}'{}", row.signature,
                       row.build, row.bytes, row.held, text_of(state.rows, state.trees));
}

class Oracle {
   public:
    struct Fact {
        std::int64_t number = 0;
        int version = 0;
        Content after;
        int previous = 0;  // the release of the index of the release before; 0: none
        bool previous_has = false;
        bool is_same = false;  // it has the bytes that were recorded
        // A release was forgotten: the record may know less, and say any of these instead of `version`.
        std::set<int> vague = {};
    };

    void compared(int object, Fact fact) {
        auto& facts = facts_[object];
        if (!facts.empty()) {
            const auto& last = facts.back();
            // Forgetting restores a lower number where the record does not know better.
            if (last.number == fact.number && !last.vague.empty() && last.after == fact.after)
                return;
            if (fact.number <= last.number || fact.version < last.version)
                throw Wrong(fmt::format("{}: compared in number {} after {}",
                                        name_of(object).name, fact.number, last.number));
        }
        facts.push_back(std::move(fact));
    }
    // Forgets the facts of this release and later ones. The record need not know when it compared last.
    void forgotten(int object, int version) {
        auto& facts = facts_[object];
        const auto count =
            std::erase_if(facts, [&](const Fact& fact) { return fact.version >= version; });
        if (count == 0 || facts.empty()) return;
        const auto known = derived(object);
        const int row = known.rows.empty() ? 0 : known.rows.rbegin()->first;
        const int tree = known.trees.empty() ? 0 : known.trees.rbegin()->first;
        for (int at = std::max(row, tree); at < version; ++at) facts.back().vague.insert(at);
    }

    // Throws Wrong where the store holds anything else.
    //   keep_trees  0: all
    void check(int object, const State& is, std::size_t keep_trees) {
        const auto must = derived(object);
        // Where all that is known is that it was absent, forgetting may drop that.
        if (!is.row && must.rows.empty() && must.trees.empty() && must.is_absent())
            facts_[object].clear();
        else if (const auto what = fault_in(is, must, keep_trees); !what.empty())
            throw Wrong(fmt::format("{}: {}: {}; expected signature {:.4}{}",
                                    name_of(object).name, what, text_of(is), must.signature(),
                                    text_of(must.rows, must.trees)));
    }

   private:
    struct Derivation {
        std::optional<Fact> last;  // nullopt: nothing is known
        Rows rows;
        Trees trees;
        bool was_seen = false;

        [[nodiscard]] bool is_absent() const { return !last || !last->after; }
        [[nodiscard]] std::string signature() const {
            return last ? signature_of(last->after) : "";
        }

        //   facts  of all publications of a release
        void add(const std::vector<Fact>& facts) {
            const auto& first = facts.front();
            std::optional<Content> before;
            if (last) before.emplace(last->after);
            auto known = before;
            std::set<int> since;
            if (last) since = last->vague;
            if (last && !since.empty()) since.insert(last->version);
            if (last) since.insert(first.is_same ? first.previous : last->version);
            std::optional<Row> row;
            const Fact* published = nullptr;  // before
            for (const auto& fact : facts) {
                if (since.empty() && fact.previous != 0 && !fact.previous_has)
                    since = {fact.previous};
                if (!before && !since.empty()) known = Content();
                if (published == nullptr || published->after != fact.after)
                    put(row, row_of(known, fact, since));
                published = &fact;
            }
            last = *published;
            const auto& after = last->after;
            if (row) rows[first.version] = *row;
            if (known ? *known != after : after.has_value()) trees[first.version] = after;
            was_seen = was_seen || after;
        }

        [[nodiscard]] std::optional<Row> row_of(const std::optional<Content>& known,
                                                const Fact& fact,
                                                const std::set<int>& since) const {
            if (!known || *known == fact.after) return std::nullopt;
            const bool has_vanished = !fact.after;
            const auto* kind = !*known        ? (was_seen ? "reappeared" : "created")
                               : has_vanished ? "vanished"
                                              : "changed";
            const auto& content = has_vanished ? *known : fact.after;
            const bool is_known = fact.previous != 0 && fact.previous_has == has_vanished;
            return Row{kind,
                       difference(*known, fact.after),
                       0,
                       since,
                       {is_known && content != "" ? signature_of(content) : ""}};
        }
        static void put(std::optional<Row>& row, std::optional<Row> now) {
            if (row && !now && row->kind != "withdrawn")
                now = Row{"withdrawn", "", 0, row->since, {""}};
            if (!now) return;
            if (row && row->kind == now->kind && row->changes == now->changes)
                return row->content.merge(now->content);
            if (row) now->revision = row->revision + 1;
            row = std::move(now);
        }
    };

    [[nodiscard]] Derivation derived(int object) const {
        Derivation all;
        const auto facts = facts_.find(object);
        if (facts == facts_.end()) return all;
        std::map<int, std::vector<Fact>> by_version;
        for (const auto& fact : facts->second) by_version[fact.version].push_back(fact);
        for (const auto& [version, of_version] : by_version) all.add(of_version);
        return all;
    }

    static std::string fault_in(const State& is, const Derivation& must, std::size_t keep_trees) {
        if (is.row.has_value() != must.last.has_value()) return "object";
        if (!is.row) return {};
        if (is.row->signature != must.signature() || is.row->is_gone() != must.is_absent())
            return "signature";
        if (keep_trees == 0 && is.trees != must.trees) return "trees";
        if (keep_trees > 0 && is.trees.size() > keep_trees) return "too many trees";
        for (const auto& [version, tree] : is.trees)
            if (!must.trees.contains(version) || must.trees.at(version) != tree) return "tree";
        if (!must.trees.empty() &&
            (is.trees.empty() || is.trees.rbegin()->first != must.trees.rbegin()->first))
            return "newest tree";
        if (is.rows.size() != must.rows.size()) return "rows";
        for (const auto& [version, row] : is.rows) {
            const auto found = must.rows.find(version);
            if (found == must.rows.end()) return "rows";
            const auto& [kind, changes, revision, since, content] = found->second;
            if (row.kind != kind || row.changes != changes) return "row";
            if (row.revision != revision) return "revision";
            if (!std::ranges::includes(since, row.since)) return "since";
            if (!std::ranges::includes(content, row.content)) return "content";
        }
        return {};
    }

    std::map<int, std::vector<Fact>> facts_;  // by object
};

// -- the world

// Three hosts that serve builds over one store, and the processes on them.
class World {
   public:
    World(const Scene& scene, store::Engine engine)
        : scene_(scene), store_(std::make_unique<support::FreshStore>(engine)) {
        for (const auto& build : scene.builds)
            builds_.push_back(
                std::make_shared<const ModelBuild>(build, unreadable_[std::ssize(builds_)]));
        open();
    }
    ~World() {
        while (!processes_.empty()) kill(processes_.front());
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Plays the operations, and records the last build: by a job on one copy of the store, by requests on
    // another.
    //   throws  Wrong
    void play() {
        for (const auto& operation : scene_.operations) carry_out(operation);
        settle();
        close();
        std::unique_ptr<support::FreshStore> copy(
            new support::FreshStore(support::FreshStore::copy_of(*store_)));
        const auto oracle = oracle_;
        const int last = static_cast<int>(builds_.size()) - 1;
        open();
        const auto by_job = recorded_by([&] { start_job(0, last, Selection::all); });
        close();
        store_ = std::move(copy);
        oracle_ = oracle;
        open();
        const auto by_requests = recorded_by([&] {
            for (const int name : scene_.order) {
                start_request(0, name);
                if (scene_.order[0] != 0) drain();
            }
        });
        if (by_job != by_requests)
            throw Wrong("a job records " + by_job + "; requests record " + by_requests);
    }

   private:
    enum class Role { look, request, job, forget };

    struct Host {
        std::unique_ptr<history::CurrentBuild> current;
        history::Settings settings;
        history::LabelCache labels;
        int in_place = -1;
        std::set<int> kept;  // builds whose index it has
    };

    // Runs until it has committed a transaction, each time it is stepped.
    struct Process {
        Process(Role what, int on, BuildPointer of)
            : role(what), host(on), build(std::move(of)) {}
        const Role role;
        const int host;
        BuildPointer build, previous;  // that it records from
        int version = 0;               // that it forgets, with all later ones
        int steps = 0;                 // before it pauses
        bool is_killed = false, has_ended = false;
        std::string name;
        std::thread thread;
        std::binary_semaphore go{0}, back{0};
    };
    using Body = std::function<void(Process&)>;

    // -- the store and the hosts

    void open() {
        eyes_ = std::make_unique<store::Pool>(store_->connect(), 1);
        // A paused process keeps its connection.
        const auto note = [this](support::Statement statement, std::string_view) {
            if (running_ != nullptr) note_statement(statement);
        };
        pool_ = std::make_unique<store::Pool>(support::watched(store_->connect(), note), 64,
                                              support::no_waiting());
        for (int number = 0; number < host_count; ++number) {
            auto& host = hosts_[number];
            host.settings.names = {{"Gene", {{"a"}}}};
            host.settings.keep_trees = scene_.keep_trees;
            restart(host);
        }
        stored_ = read_stored();
        highest_number_ = 0;
    }
    void close() {
        for (auto& [number, host] : hosts_) host.current.reset();
        pool_.reset();
        eyes_.reset();
    }
    void restart(Host& host) {
        host.current = std::make_unique<history::CurrentBuild>(
            opener(host, [&host] { return host.in_place; }), *pool_);
    }
    Host& host_numbered(int number) { return hosts_.at(number); }
    [[nodiscard]] const BuildPointer& build(int number) const {
        return builds_.at(static_cast<std::size_t>(number));
    }
    std::set<int>& kept_by(Host& host) {
        return scene_.share_indexes ? hosts_[0].kept : host.kept;
    }

    history::BuildOpener opener(Host& host, std::function<int()> number) {
        return {
            [number]() -> base::Result<std::string> {
                if (number() < 0) return base::fail(base::ErrorKind::absent, "no build");
                return std::to_string(number());
            },
            [this, &host, number](history::Wholeness) -> base::Result<source::Build> {
                kept_by(host).insert(number());
                return build(number());
            },
            [this, &host](const base::Release& release, const history::WasServed& was_served) {
                std::vector<source::Build> found;
                for (const int kept : kept_by(host)) {
                    const auto& before = build(kept)->release();
                    if (before < release && was_served(before, build(kept)->digest()))
                        found.push_back(build(kept));
                }
                return found;
            }};
    }
    history::Context context(Host& host) { return {*pool_, host.settings, clock_, host.labels}; }

    // -- operations

    void carry_out(const Operation& operation) {
        const auto& [what, a, b, c] = operation;
        if (what == What::look) start_look(a, b);
        if (what == What::request) start_request(a, b);
        if (what == What::job) start_job(a, b, static_cast<Selection>(c));
        if (what == What::republish) start_republication(a, b, static_cast<Selection>(c));
        if (what == What::forget) start_forgetting(a);
        if (what == What::step && b > 0 && !processes_.empty()) step(process_numbered(a), b);
        if (what == What::kill && !processes_.empty()) kill(process_numbered(a));
        if (what == What::fault) fault_.emplace(static_cast<Fault>(a), b);
        if (what == What::lose) kept_by(host_numbered(a)).erase(b);
        if (what == What::unreadable && unreadable_[a].erase(b) == 0) unreadable_[a].insert(b);
        if (what == What::restart && !is_looking(a)) restart(host_numbered(a));
        if (what == What::drain) drain();
    }
    [[nodiscard]] bool is_looking(int host) const {
        return std::ranges::any_of(processes_, [&](const auto& one) {
            return one.role == Role::look && one.host == host;
        });
    }

    void start_look(int number, int of_build) {
        if (is_looking(number)) return;
        auto& host = host_numbered(number);
        host.in_place = of_build;
        start(Role::look, number, build(of_build), [&host](Process&) { host.current->look(); });
    }
    void start_request(int number, int name) {
        auto& host = host_numbered(number);
        const auto builds = host.current->builds();
        if (!builds.build) return;
        auto& process =
            start(Role::request, number, own(builds.build), [=, this, &host](Process&) {
                (void)history::bring_up_to_date(context(host), *builds.build,
                                                builds.previous.get(),
                                                std::span(&name_of(name), 1));
            });
        process.previous = own(builds.previous);
    }

    // Like varve prewarm: the build in place, and then the staged one.
    void start_job(int number, int of_build, Selection selection) {
        auto& host = host_numbered(number);
        const int in_place = host.in_place;
        start(Role::job, number, build(of_build), [=, this, &host](Process& me) {
            auto current = look_at(host, in_place, history::Purpose::serving);
            history::Builds staged;
            if (in_place != of_build) {
                staged = look_at(host, of_build, history::Purpose::serving);
                if (!staged.build) return;
                if (current.build && staged.build->release() < current.build->release()) return;
                if (current.build && staged.build->release() == current.build->release())
                    current = {};
            }
            if (current.build && !run_job(me, host, current, selection)) return;
            if (staged.build) (void)run_job(me, host, staged, selection);
        });
    }
    // Like varve prewarm --replace, which may be stopped, and then another job.
    void start_republication(int number, int of_build, Selection selection) {
        auto& host = host_numbered(number);
        start(Role::job, number, build(of_build), [=, this, &host](Process& me) {
            const auto builds = look_at(host, of_build, history::Purpose::republishing);
            if (!builds.build) return;
            const auto again = store::perform(*pool_, store::Access::write, tables::number_build,
                                              builds.build->release(), builds.build->digest(),
                                              tables::Publication::again, clock_());
            if (again) (void)run_job(me, host, builds, selection);
        });
    }
    history::Builds look_at(Host& host, int number, history::Purpose purpose) {
        history::CurrentBuild current(opener(host, [=] { return number; }), *pool_, purpose);
        current.look();
        return current.builds();
    }
    // Leases expire at once, so that nobody waits for one.
    static release::JobOptions options_of(const Process& me) {
        release::JobOptions options;
        options.part_objects = options.batch_objects = 2;
        options.lease = std::chrono::seconds(-1);
        options.worker_name = [name = me.name](std::size_t) { return name; };
        return options;
    }
    bool run_job(Process& me, Host& host, const history::Builds& builds, Selection selection) {
        me.build = own(builds.build);
        me.previous = own(builds.previous);
        release::ReleaseJob job{context(host), builds.build, builds.previous, options_of(me)};
        release::Progress progress;
        const auto done = release::prewarm(job, selected(selection), progress, {});
        return done && done->finished;
    }
    static release::Selection selected(Selection selection) {
        if (selection == Selection::of_class) return release::OfClass{"Gene"};
        if (selection == Selection::list) return release::Objects{name_of(2), name_of(0)};
        return release::Everything{};
    }

    // Like varve forget release --with-later.
    void start_forgetting(int version) {
        auto& process = start(Role::forget, 0, nullptr, [=, this](Process&) {
            release::Progress progress;
            (void)release::forget({context(hosts_[0])},
                                  release::WholeRelease{fmt::format("WS{}", version), true},
                                  progress, {});
        });
        process.version = version;
    }

    // -- processes

    Process& start(Role role, int host, BuildPointer of, Body body) {
        auto& process = processes_.emplace_back(role, host, std::move(of));
        process.name = "worker " + std::to_string(++started_);
        process.thread = std::thread([&process, body = std::move(body)] {
            process.go.acquire();
            try {
                if (!process.is_killed) body(process);
            } catch (const store::Failure&) {
                // Killed, or too many faults: the program ends.
            }
            process.has_ended = true;
            process.back.release();
        });
        return process;
    }
    Process& process_numbered(int number) {
        return *std::next(processes_.begin(), number % static_cast<int>(processes_.size()));
    }
    // Called by a process behind each commit.
    void pause() {
        auto* const me = running_;
        if (me == nullptr || me->is_killed || --me->steps > 0) return;
        me->back.release();
        me->go.acquire();
        if (me->is_killed) throw store::Failure("killed (by the test)", {}, 0);
    }
    static constexpr int all_steps = std::numeric_limits<int>::max();
    void step(Process& process, int steps) {
        step_alone(process, steps);
        if (process.has_ended) reap(process);
    }
    void step_alone(Process& process, int steps) {
        process.steps = steps;
        running_ = &process;
        process.go.release();
        process.back.acquire();
        running_ = nullptr;
        if (!wrong_.empty() && !process.is_killed) throw Wrong(wrong_);
    }
    void run(Process& process) {
        const auto name = process.name;
        const auto is_it = [&](const auto& one) { return one.name == name; };
        while (std::ranges::any_of(processes_, is_it)) step(process, all_steps);
    }
    void drain() {
        while (!processes_.empty()) run(processes_.front());
    }
    void kill(Process& process) {
        process.is_killed = true;
        while (!process.has_ended) step_alone(process, all_steps);
        reap(process);
    }
    void reap(Process& process) {
        process.thread.join();
        if (process.role == Role::look && process.is_killed) restart(host_numbered(process.host));
        processes_.remove_if([&](const auto& one) { return &one == &process; });
    }
    void settle() {
        fault_.reset();
        drain();
        for (auto& [build, objects] : unreadable_) objects.clear();
        if (stored_.forgetting != 0) start_forgetting(stored_.forgetting);
        drain();
    }

    // -- statements

    // One transaction is open at a time, since processes pause behind commits.
    void note_statement(support::Statement statement) {
        using support::Statement;
        // Nobody would roll back a transaction whose begin has thrown.
        if (statement == Statement::begin_read || statement == Statement::begin_write) {
            is_writing_ = statement == Statement::begin_write;
            return;
        }
        if (running_->is_killed) throw store::Failure("killed (by the test)", {}, 0);
        const bool is_commit = statement == Statement::commit, is_writing = is_writing_;
        if (is_commit && is_writing) note_commit();
        if (is_commit) pause();
        const bool may_strike =
            is_writing && fault_ && is_commit == (fault_->first == Fault::in_doubt);
        if (!may_strike || fault_->second-- > 0) return;
        const auto fault = std::exchange(fault_, std::nullopt)->first;
        running_->is_killed = fault == Fault::kill;
        throw store::Failure("a fault (by the test)",
                             {.transient = fault != Fault::kill, .in_doubt = is_commit}, 0);
    }

    // -- what is recorded

    struct Stored {
        tables::Releases releases;  // and builds
        int forgetting = 0;         // a release; 0: none
        std::map<int, State> states{{0, {}}, {1, {}}, {2, {}}};
    };
    [[nodiscard]] Stored read_stored() const {
        return store::perform(*eyes_, store::Access::read, [](store::Transaction& transaction) {
            Stored stored{tables::load_releases(transaction),
                          version_in(tables::forgetting(transaction))};
            std::map<std::int64_t, State*> by_oid;
            const auto rows = tables::objects_named(transaction, names);
            for (auto& [object, state] : stored.states)
                if (const auto* row = rows.find(name_of(object))) {
                    by_oid[row->oid] = &state;
                    state.row = *row;
                }
            for (const auto& row : transaction.query(
                     "SELECT oid, version, kind, revision, since, notes, content FROM history"))
                by_oid.at(row.integer(0))->rows[version_in(row.text(1))] = {
                    row.text(2),
                    changes_in(row.text(5)),
                    row.integer(3),
                    {version_in(row.text(4))},
                    {row.text(6)}};
            for (const auto& row : transaction.query("SELECT oid, version, tree FROM trees"))
                by_oid.at(row.integer(0))->trees[version_in(row.text(1))] =
                    row.is_null(2) ? Content() : letters_in(row.blob(2));
            return stored;
        });
    }
    static std::string changes_in(const std::string& json) {
        std::set<std::string> changes;
        const auto notes = tables::notes_from_json(json).value();
        for (const auto& change : notes.changes)
            changes.insert(change.op == compare::Op::added ? "+" + change.after.at(0).cell.text
                                                           : "-" + change.before.at(0).cell.text);
        return fmt::format("{}", fmt::join(changes, ""));
    }
    static std::string letters_in(const std::string& packed) {
        std::string letters;
        const auto nodes = tables::unpacked_tree(packed).value();
        for (const auto& node : nodes) letters += node.cell.text;
        std::ranges::sort(letters);
        return letters;
    }

    // Called by a process behind each commit of what it wrote. What is wrong is thrown by the thread of the
    // test, since the product would catch it.
    void note_commit() {
        if (running_ == nullptr || !wrong_.empty()) return;
        try {
            const auto before = std::exchange(stored_, read_stored());
            check_builds(before);
            const bool has_forgotten = before.forgetting != 0 && stored_.forgetting == 0;
            for (const auto& [object, is] : stored_.states) {
                const auto& was = before.states.at(object);
                if (running_->role == Role::forget && (is != was || has_forgotten))
                    oracle_.forgotten(object, running_->version);
                else if (is != was)
                    note_fact(*running_, object, was, is);
            }
            for (const auto& [object, is] : stored_.states) {
                oracle_.check(object, is, scene_.keep_trees);
                if (is.row) check_up_to_date(object, *is.row);
                if (stored_.forgetting == 0) check_releases(object, is);
            }
        } catch (const std::exception& error) {
            wrong_ = error.what();
        }
    }
    void note_fact(const Process& by, int object, const State& was, const State& is) {
        const auto& release = by.build->release();
        const auto number = stored_.releases.number_of(release.version, by.build->digest());
        if (!is.row || number == 0 || is.row->build != number)
            throw Wrong(fmt::format("{}: written by {}: {}", name_of(object).name,
                                    release.version, text_of(is)));
        Oracle::Fact fact{number, by.build->version(), by.build->content(object)};
        // The index of an older release, or of a publication that is not in force any more, says nothing.
        const auto* before = stored_.releases.build_before(release);
        const bool says_something =
            by.previous && before != nullptr && *before == by.previous->release() &&
            stored_.releases.number_of(before->version, by.previous->digest()) != 0;
        if (says_something) {
            const auto bytes = bytes_in(*by.previous, object);
            fact.previous = by.previous->version();
            fact.previous_has = bytes != 0;
            fact.is_same =
                was.row &&
                (was.row->is_gone() ? bytes == 0 : bytes != 0 && bytes == was.row->bytes);
        }
        oracle_.compared(object, std::move(fact));
    }
    // 0: it has no such object.
    static std::int64_t bytes_in(const ModelBuild& build, int object) {
        if (!build.content(object)) return 0;
        return history::bytes_of(*build.digest_of(name_of(object)).value());
    }
    [[nodiscard]] const ModelBuild& build_of(const std::string& digest) const {
        return **std::ranges::find(builds_, digest,
                                   [](const auto& build) { return build->digest(); });
    }
    // Numbers grow, and a publication that is not in force any more gets a new one to come back. Nobody serves
    // one publication from files and another one from a server, which could not be told apart.
    void check_builds(const Stored& before) {
        const auto& known = before.releases.builds();
        for (const auto& build : stored_.releases.builds()) {
            const auto is_it = [&](const auto& other) {
                return other.number == build.number && other.digest == build.digest;
            };
            if (std::ranges::any_of(known, is_it)) continue;
            const bool is_new = before.releases.version_of(build.number).empty();
            bool is_wrong = is_new && build.number <= highest_number_;
            for (const auto& other : known)
                is_wrong |=
                    !is_new && other.version == build.version && other.digest == build.digest;
            if (is_wrong) throw Wrong(fmt::format("number {} again", build.number));
            highest_number_ = std::max(highest_number_, build.number);
            for (const auto& other : known)
                if (other.number == build.number &&
                    build_of(other.digest).objects() != build_of(build.digest).objects())
                    throw Wrong(impossible);
        }
    }
    // What counts as up to date in a build has the content of that build.
    void check_up_to_date(int object, const tables::ObjectRow& row) const {
        for (const auto& [number, digest, version, is_recorded, unreadable] :
             stored_.releases.builds()) {
            if (number != stored_.releases.number_of(version) || row.build > number) continue;
            const auto& build = build_of(digest);
            const auto content = build.content(object);
            const auto spelling = content ? std::optional(name_of(object)) : std::nullopt;
            const bool is = history::is_up_to_date({row, spelling}, build, number).value();
            if (is && row.signature != signature_of(content))
                throw Wrong(fmt::format("{}: counts as up to date in number {}, and is not",
                                        name_of(object).name, number));
        }
    }
    void check_releases(int object, const State& is) const {
        const auto check = [&](int version) {
            if (version != 0 && stored_.releases.find(fmt::format("WS{}", version)) == nullptr)
                throw Wrong(name_of(object).name + ": a release nobody knows: " + text_of(is));
        };
        if (is.row) check(version_in(is.row->held));
        for (const auto& [version, row] : is.rows) check(version), check(*row.since.begin());
    }

    // Returns what the store holds once the last build is recorded.
    std::string recorded_by(const std::function<void()>& record) {
        const auto& last = builds_.back();
        start_look(0, static_cast<int>(builds_.size()) - 1);
        drain();
        if (hosts_[0].current->build() != last)
            throw Wrong("the last build was not accepted: " + hosts_[0].current->why());
        record();
        drain();
        for (const auto& [object, is] : stored_.states) {
            const auto content = last->content(object);
            if (is.row ? is.row->signature != signature_of(content) : content.has_value())
                throw Wrong(name_of(object).name + " is lost for good: " + text_of(is));
        }
        return support::contents_of(*eyes_);
    }

    const Scene& scene_;
    std::map<std::ptrdiff_t, std::set<int>> unreadable_;  // objects by build
    std::vector<BuildPointer> builds_;
    std::unique_ptr<support::FreshStore> store_;
    std::unique_ptr<store::Pool> pool_, eyes_;  // of the processes, and of the test
    std::map<int, Host> hosts_;
    base::Clock clock_ = [] { return base::Seconds{*base::parse_date("2008-04-01")}; };
    Oracle oracle_;
    Stored stored_;
    std::int64_t highest_number_ = 0;             // that any build has had
    std::optional<std::pair<Fault, int>> fault_;  // strikes behind so many statements, or commits
    bool is_writing_ = false;
    std::list<Process> processes_;
    Process* running_ = nullptr;
    int started_ = 0;
    std::string wrong_;
};

// Plays a scene. Returns what is wrong; empty: nothing.
inline std::string fault_of(const Scene& scene, store::Engine engine = store::Engine::sqlite) {
    base::log::send_to(2,
                       base::log::Level::error);  // what faults make of it would fill the screen
    try {
        World(scene, engine).play();
    } catch (const Wrong& wrong) {
        if (wrong.what() != impossible) return wrong.what();
    }
    return {};
}

}  // namespace model
