// What the store must hold after any history, from facts alone; and a world of three hosts over one
// store that plays a history with the product's own code (model_test.cpp draws the histories).
// A fact is a committed comparison: which object, with which build, what the index of the release before
// said. `Oracle` derives all rows, signatures and trees from the facts. `World` notes a fact when a commit has
// moved the release in which an object counts as compared, and holds the store to the oracle behind each
// commit. Processes are threads that take turns: one runs, until it has committed a transaction.
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
#include "tables/prewarmed.hpp"

namespace model {

// Operations that today's product does not carry, or carries otherwise than numbered builds will. Whoever lands
// a mechanism takes its line out of `left_out`.
enum class Only {
    // A staged re-publication comes into force as a whole: it runs without a pause and without a fault.
    step_of_republication,
    // It recomputes from its own host's index; that of another one may have said something else before.
    republication_with_other_indexes,
    // Behind a server's digest, files of another publication of the release are not told apart.
    republication_beside_a_server,
    // Rows are lost for good: what is recorded from an older build while a job is between its last look for
    // rows and its end counts as compared. Jobs end without a pause, behind those who record older builds.
    older_build_beside_end_of_job,
    // Nothing stops jobs and newer builds while a release is being forgotten: they come before or after.
    recording_beside_forgetting,
    // A request read the object's row, and its tree after another one had recorded the release. Forgetting that
    // gave the row back as it was read, so the request writes what it made of the wrong tree. Requests
    // beside forgetting run without a pause.
    pause_of_request_beside_forgetting,
    // Objects are lost for good: what only the forgotten release had counts as compared by the whole job of
    // an earlier release.
    forgetting_behind_job_of_earlier_release,
};
inline const std::set<Only> left_out{Only::step_of_republication,
                                     Only::republication_with_other_indexes,
                                     Only::republication_beside_a_server,
                                     Only::older_build_beside_end_of_job,
                                     Only::recording_beside_forgetting,
                                     Only::pause_of_request_beside_forgetting,
                                     Only::forgetting_behind_job_of_earlier_release};

// An object that a superseded publication had first, and its successor has not, has a tree, and vanished if
// the release before had it. Numbered builds take it as never seen.
inline constexpr bool superseded_publications_are_known = true;
// A re-publication that finds or loses the other name of an object revises its row.
inline constexpr bool renames_are_data = false;

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
enum class Selection { all, of_class, list, popular };
enum class Fault { kill, deadlock, in_doubt };

struct Operation {
    What what;
    int a = 0, b = 0, c = 0;  // host, build, selection; host, object; process, steps
};
struct Scene {
    std::vector<Build> builds;  // the last one is recorded at the end
    std::vector<Operation> operations;
    bool share_indexes = true;
    std::size_t keep_trees = 0;
    std::vector<int> order{0, 1, 2};  // of the requests at the end
    std::set<Only> leaves_out = left_out;

    [[nodiscard]] bool has(Only operation) const { return !leaves_out.contains(operation); }
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
    [[nodiscard]] bool is_unreadable(int object) const {
        return content(object) && unreadable_.contains(object);
    }
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

struct Row {
    std::string kind, changes;
    std::int64_t revision = 0;
    std::set<int> since;  // recorded: one; expected: those that may be recorded
};

// What the store holds of an object.
struct State {
    bool is_there = false;
    std::string signature;
    int compared_in = 0;
    std::map<int, Row> rows;
    std::map<int, std::string> trees;  // of one that is gone: empty
};
inline std::string text_of(const State& state) {
    if (!state.is_there) return "no object";
    auto text = fmt::format("signature {:.4}, compared in V{}, trees {}, rows", state.signature,
                            state.compared_in, fmt::join(state.trees, " "));
    for (const auto& [version, row] : state.rows)
        text += fmt::format(" V{} {} {} revision {} since V{}", version, row.kind, row.changes,
                            row.revision, fmt::join(row.since, " or V"));
    return text;
}

class Oracle {
   public:
    struct Fact {
        int version = 0;
        Content after;
        int previous = 0;  // the release of the index of the release before; 0: none
        bool previous_has = false;
        // A release was forgotten: the record may know less, and say any of these instead of `version`.
        std::set<int> vague = {};
    };

    void compared(int object, Fact fact, bool is_published_again) {
        auto& facts = facts_[object];
        const int last = compared_in(object);
        const bool may_repeat = last != 0 && !facts.back().vague.empty();
        if (may_repeat && fact.version == last && fact.after == facts.back().after) return;
        if (fact.version < last || (fact.version == last && !is_published_again))
            throw Wrong(fmt::format("{}: compared in V{} after V{}", name_of(object).name,
                                    fact.version, last));
        facts.push_back(std::move(fact));
    }
    void forgotten(int object, int version) {
        auto& facts = facts_[object];
        std::erase_if(facts, [&](const Fact& fact) { return fact.version >= version; });
        if (facts.empty()) return;
        const auto known = expected(object);
        const int row = known.rows.empty() ? 0 : known.rows.rbegin()->first;
        const int tree = known.trees.empty() ? 0 : known.trees.rbegin()->first;
        for (int at = std::max(row, tree); at <= facts.back().version; ++at)
            facts.back().vague.insert(at);
    }
    [[nodiscard]] int compared_in(int object) const {
        const auto facts = facts_.find(object);
        return facts == facts_.end() || facts->second.empty() ? 0 : facts->second.back().version;
    }

    [[nodiscard]] State expected(int object) const {
        Derivation derived;
        const auto facts = facts_.find(object);
        if (facts == facts_.end()) return {};
        std::map<int, std::vector<Fact>> by_version;
        for (const auto& fact : facts->second) by_version[fact.version].push_back(fact);
        for (const auto& [version, of_version] : by_version) derived.add(version, of_version);
        return std::move(derived.state);
    }

    // Throws Wrong where the store holds anything else.
    //   keep_trees  0: all
    void check(int object, const State& is, std::size_t keep_trees) const {
        const auto must = expected(object);
        if (const auto what = fault_in(is, must, keep_trees); !what.empty())
            throw Wrong(fmt::format("{}: {}: {}; expected {}", name_of(object).name, what,
                                    text_of(is), text_of(must)));
    }

   private:
    struct Derivation {
        State state;
        std::optional<Content> before;  // nullopt: unknown
        bool was_seen = false;
        std::set<int> vague;

        void add(int version, const std::vector<Fact>& facts) {
            auto since = vague;
            if (state.is_there) since.insert(state.compared_in);
            std::optional<Row> row;
            for (std::size_t i = 0; i < facts.size(); ++i) {
                const auto& fact = facts[i];
                auto known = before;
                if (!known && fact.previous != 0 && !fact.previous_has) {
                    known = Content();
                    since = {fact.previous};
                }
                // Published again with the same content: a note.
                if (i > 0 && fact.after == facts[i - 1].after) continue;
                auto now = row_of(known, fact, i > 0, since);
                // A re-publication knows the release before by trees and whole jobs.
                if (i > 0 && now && !row && !state.trees.empty())
                    for (int at = state.trees.rbegin()->first; at <= state.compared_in; ++at)
                        now->since.insert(at);
                put(row, std::move(now));
            }
            const auto& last = facts.back();
            for (const auto& fact : facts)
                if (superseded_publications_are_known || &fact == &last)
                    was_seen = was_seen || fact.after;
            if (row) state.rows[version] = *row;
            if (!before || *before != last.after) state.trees[version] = last.after.value_or("");
            before = last.after;
            state.is_there = true;
            state.signature = signature_of(last.after);
            state.compared_in = version;
            vague = last.vague;
        }

        [[nodiscard]] std::optional<Row> row_of(const std::optional<Content>& known,
                                                const Fact& fact, bool is_published_again,
                                                const std::set<int>& since) const {
            if (!known) {
                const bool vanished = superseded_publications_are_known && is_published_again &&
                                      !fact.after && fact.previous_has;
                if (!vanished) return std::nullopt;
                return Row{"vanished", "", 0, {fact.previous}};
            }
            if (*known == fact.after) return std::nullopt;
            const auto* kind = !*known       ? (was_seen ? "reappeared" : "created")
                               : !fact.after ? "vanished"
                                             : "changed";
            return Row{kind, difference(*known, fact.after), 0, since};
        }
        static void put(std::optional<Row>& row, std::optional<Row> now) {
            if (!row) {
                row = std::move(now);
                return;
            }
            if (now && row->kind == now->kind && row->changes == now->changes) return;
            if (!now && row->kind == "withdrawn") return;
            const auto revision = row->revision + 1;
            row = now ? std::move(*now) : Row{"withdrawn", "", 0, row->since};
            row->revision = revision;
        }
    };

    static std::string fault_in(const State& is, const State& must, std::size_t keep_trees) {
        if (is.is_there != must.is_there) return "object";
        if (is.signature != must.signature) return "signature";
        if (is.trees.empty() != must.trees.empty()) return "trees";
        if (keep_trees > 0 && is.trees.size() > keep_trees) return "too many trees";
        if (keep_trees == 0 && steps_of(is.trees) != steps_of(must.trees)) return "trees";
        if (!is.trees.empty() && is.trees.rbegin()->second != must.trees.rbegin()->second)
            return "newest tree";
        if (is.rows.size() != must.rows.size()) return "rows";
        for (const auto& [version, row] : is.rows) {
            const auto found = must.rows.find(version);
            if (found == must.rows.end()) return "rows";
            const auto& [kind, changes, revision, since] = found->second;
            if (row.kind != kind || row.changes != changes) return "row";
            if (row.revision < revision || (row.revision > revision && !renames_are_data))
                return "revision";
            if (!since.contains(*row.since.begin())) return "since";
        }
        return {};
    }
    // Without trees that repeat the one before, which a re-publication leaves.
    static std::map<int, std::string> steps_of(const std::map<int, std::string>& trees) {
        std::map<int, std::string> steps;
        std::string last;
        for (const auto& [version, tree] : trees)
            if (tree != std::exchange(last, tree)) steps[version] = tree;
        return steps;
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
        const auto accepted = accepted_;
        const int last = static_cast<int>(builds_.size()) - 1;
        open();
        const auto by_job = recorded_by([&] { start_job(0, last, Selection::all); });
        close();
        store_ = std::move(copy);
        oracle_ = oracle;
        accepted_ = accepted;
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
    enum class Role { look, request, job, republish, forget };

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
        bool runs_at_once = false;     // without a pause, and without a fault
        int steps = 0;                 // before it pauses
        bool is_killed = false, has_ended = false;
        bool has_worked = false, is_at_end = false;  // of a job
        std::string name;
        std::thread thread;
        std::thread::id main;
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
        states_ = read_states();
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
                return previous_of(host, version_in(release.version), was_served);
            }};
    }
    // The kept indexes of the release before, as it was accepted; those of earlier ones say nothing. A build
    // that lost the race for its release is served, and not recorded.
    std::vector<source::Build> previous_of(Host& host, int version,
                                           const history::WasServed& was_served) {
        std::vector<source::Build> found;
        bool is_served = false;
        for (auto at = accepted_.lower_bound(version); at != accepted_.begin() && !is_served;) {
            for (const int number : (--at)->second) {
                const auto& before = build(number);
                if (!was_served(before->release(), before->digest())) continue;
                is_served = true;
                if (kept_by(host).contains(number)) found.push_back(before);
            }
        }
        return found;
    }
    void accept(const BuildPointer& accepted) {
        const auto number = std::ranges::find(builds_, accepted) - builds_.begin();
        accepted_[accepted->version()].insert(static_cast<int>(number));
    }
    history::Context context(Host& host) { return {*pool_, host.settings, clock_, host.labels}; }

    // -- operations

    void carry_out(const Operation& operation) {
        const auto& [what, a, b, c] = operation;
        if (what == What::look) start_look(a, b);
        if (what == What::request) start_request(a, b);
        if (what == What::job) start_job(a, b, static_cast<Selection>(c));
        if (what == What::republish) start_republication(a, b);
        if (what == What::forget) start_forgetting(a);
        if (what == What::step && b > 0 && !processes_.empty()) step(process_numbered(a), b);
        if (what == What::kill && !processes_.empty()) kill(process_numbered(a));
        if (what == What::fault) fault_.emplace(static_cast<Fault>(a), b);
        if (what == What::lose) kept_by(host_numbered(a)).erase(b);
        if (what == What::unreadable && unreadable_[a].erase(b) == 0) unreadable_[a].insert(b);
        if (what == What::restart && !is_looking(a)) restart(host_numbered(a));
        if (what == What::drain) drain();
    }
    [[nodiscard]] bool has(Role role) const {
        return std::ranges::any_of(processes_, [&](const auto& one) { return one.role == role; });
    }
    [[nodiscard]] bool is_looking(int host) const {
        return std::ranges::any_of(processes_, [&](const auto& one) {
            return one.role == Role::look && one.host == host;
        });
    }
    // Whether a build may be put in place, or recorded by a job.
    [[nodiscard]] bool may_record() const {
        return forgetting_ == 0 || scene_.has(Only::recording_beside_forgetting);
    }

    void start_look(int number, int of_build) {
        if (is_looking(number) || !may_record()) return;
        auto& host = host_numbered(number);
        host.in_place = of_build;
        start(Role::look, number, build(of_build), [&host](Process& me) {
            host.current->look();
            if (!me.is_killed && host.current->build() == me.build) me.previous = me.build;
        });
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
        if (!may_record()) return;
        auto& host = host_numbered(number);
        const int in_place = host.in_place;
        start(Role::job, number, build(of_build), [=, this, &host](Process& me) {
            const auto current = look_at(host, in_place, history::Purpose::serving);
            history::Builds staged;
            if (in_place != of_build) {
                staged = look_at(host, of_build, history::Purpose::serving);
                if (!staged.build) return;
                if (current.build && staged.build->release() < current.build->release()) return;
                if (current.build && staged.build->release() == current.build->release()) {
                    (void)run_job(me, host, staged, selection);
                    return;
                }
            }
            if (current.build && !run_job(me, host, current, selection)) return;
            if (staged.build) (void)run_job(me, host, staged, selection);
        });
    }
    history::Builds look_at(Host& host, int number, history::Purpose purpose) {
        history::CurrentBuild current(opener(host, [=] { return number; }), *pool_, purpose);
        current.look();
        auto builds = current.builds();
        if (builds.build && purpose == history::Purpose::serving) accept(own(builds.build));
        return builds;
    }
    release::ReleaseJob job(const Process& me, Host& host, const history::Builds& builds) {
        release::ReleaseJob job{context(host), builds.build, builds.previous};
        job.open_kept = [this, &host](const std::string& version, const std::string& digest) {
            source::Build found;
            for (const int number : kept_by(host)) {
                const auto& kept = build(number);
                if (kept->release().version != version) continue;
                if (kept->digest() == digest) return source::Build(kept);
                if (!base::contradict(kept->digest(), digest)) found = kept;
            }
            return found;
        };
        job.options = options_of(me);
        return job;
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
        me.has_worked = me.is_at_end = false;
        release::Progress progress;
        const auto done =
            release::prewarm(job(me, host, builds), selected(selection), progress, {});
        const bool is_whole = selection == Selection::all || selection == Selection::of_class;
        if (done && done->finished && is_whole) ended_jobs_.insert(me.build->version());
        return done && done->finished;
    }
    [[nodiscard]] release::Selection selected(Selection selection) const {
        if (selection == Selection::of_class) return release::OfClass{"Gene"};
        if (selection == Selection::list) return release::Objects{name_of(2), name_of(0)};
        if (selection == Selection::popular)
            return store::perform(*pool_, store::Access::read, tables::most_requested_objects,
                                  std::size_t{2});
        return release::Everything{};
    }

    // Like varve prewarm --replace.
    void start_republication(int number, int of_build) {
        if (!may_record()) return;
        auto& host = host_numbered(number);
        auto& process =
            start(Role::republish, number, build(of_build), [=, this, &host](Process& me) {
                const auto builds = look_at(host, of_build, history::Purpose::republishing);
                if (!builds.build) return;
                me.previous = own(builds.previous);
                release::Progress progress;
                const auto done = release::republish(job(me, host, builds), progress, {});
                if (!done || !done->finished) return;
                accepted_[me.build->version()] = {of_build};
                note_republication(me);
            });
        process.runs_at_once = !scene_.has(Only::step_of_republication);
        if (process.runs_at_once) run(process);
    }

    // Like varve forget release --with-later: of the newest release, or one before it.
    void start_forgetting(int before = 0) {
        if (has(Role::forget) || std::ssize(accepted_) <= before) return;
        const int version =
            forgetting_ != 0 ? forgetting_ : std::next(accepted_.rbegin(), before)->first;
        const bool is_alone = !has(Role::look) && !has(Role::job) && !serves_later_than(version);
        const bool is_behind_job = !ended_jobs_.empty() && *ended_jobs_.begin() < version;
        const bool may_begin =
            (is_alone || scene_.has(Only::recording_beside_forgetting)) &&
            (!is_behind_job || scene_.has(Only::forgetting_behind_job_of_earlier_release));
        if (forgetting_ == 0 && !may_begin) return;
        if (!scene_.has(Only::pause_of_request_beside_forgetting)) drain();
        forgetting_ = version;
        start(Role::forget, 0, nullptr, [this](Process& me) {
            auto& host = hosts_[0];
            const release::Forgettable what =
                release::WholeRelease{fmt::format("WS{}", forgetting_), true};
            const auto counted = release::count_forgettable(*pool_, what);
            const bool is_gone = !counted && counted.error().kind == base::ErrorKind::absent;
            if (!counted && !is_gone) return;
            release::Progress progress;
            const auto done =
                is_gone ? base::Result<release::JobResult>()
                        : release::forget({context(host), options_of(me)}, what, progress, {});
            if (is_gone || (done && done->finished)) end_forgetting();
        });
    }
    // Whether a host or a request has a build that may be recorded again behind the release.
    bool serves_later_than(int version) {
        const auto is_later = [&](const BuildPointer& build) {
            return build && build->version() > version;
        };
        return std::ranges::any_of(
                   hosts_,
                   [&](auto& each) { return is_later(own(each.second.current->build())); }) ||
               std::ranges::any_of(processes_, is_later, &Process::build);
    }
    void end_forgetting() {
        const bool is_recorded_again = std::ranges::any_of(states_, [&](const auto& each) {
            return oracle_.compared_in(each.first) == forgetting_;
        });
        if (!is_recorded_again) accepted_.erase(accepted_.find(forgetting_), accepted_.end());
        forgetting_ = 0;
    }

    // -- processes

    Process& start(Role role, int host, BuildPointer of, Body body) {
        auto& process = processes_.emplace_back(role, host, std::move(of));
        process.name = "worker " + std::to_string(++started_);
        process.thread = std::thread([&process, body = std::move(body)] {
            process.go.acquire();
            process.main = std::this_thread::get_id();
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
        if (me == nullptr || me->runs_at_once || me->is_killed) return;
        const bool is_main = std::this_thread::get_id() == me->main;
        me->has_worked = me->has_worked || !is_main;
        const bool was_at_end = me->is_at_end;
        me->is_at_end = me->role == Role::job && is_main && me->has_worked;
        const bool must_pause =
            me->is_at_end && !was_at_end && !scene_.has(Only::older_build_beside_end_of_job);
        if (--me->steps > 0 && !must_pause) return;
        me->back.release();
        me->go.acquire();
        if (me->is_killed) throw store::Failure("killed (by the test)", {}, 0);
    }
    void step(Process& process, int steps) {
        if (process.is_at_end && !scene_.has(Only::older_build_beside_end_of_job)) {
            while (auto* older = recording_before(process.build->version()))
                step(*older, all_steps);
            while (process.is_at_end && !process.has_ended) step_alone(process, all_steps);
        } else {
            const bool is_alone = process.role == Role::request && has(Role::forget) &&
                                  !scene_.has(Only::pause_of_request_beside_forgetting);
            step_alone(process, is_alone ? all_steps : steps);
        }
        if (process.has_ended) reap(process);
    }
    static constexpr int all_steps = std::numeric_limits<int>::max();
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
    Process* recording_before(int version) {
        for (auto& process : processes_)
            if ((process.role == Role::request || process.role == Role::job) &&
                process.build->version() < version)
                return &process;
        return nullptr;
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
        auto& host = host_numbered(process.host);
        if (process.role == Role::look && process.is_killed) restart(host);
        if (process.role == Role::look && !process.is_killed && process.previous)
            accept(process.build);
        processes_.remove_if([&](const auto& one) { return &one == &process; });
    }
    void settle() {
        fault_.reset();
        drain();
        for (auto& [build, objects] : unreadable_) objects.clear();
        if (forgetting_ != 0) start_forgetting();
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
        const bool may_strike = is_writing && fault_ && !running_->runs_at_once &&
                                is_commit == (fault_->first == Fault::in_doubt);
        if (!may_strike || fault_->second-- > 0) return;
        const auto fault = std::exchange(fault_, std::nullopt)->first;
        running_->is_killed = fault == Fault::kill;
        throw store::Failure("a fault (by the test)",
                             {.transient = fault != Fault::kill, .in_doubt = is_commit}, 0);
    }

    // -- what is recorded

    // Today's question, in which release an object counts as compared; that of numbered builds takes its place.
    static std::map<std::int64_t, int> compared_in(store::Transaction& transaction) {
        auto rows = tables::objects_in(transaction, tables::all_oids);
        std::vector<tables::ObjectRow*> pointers;
        for (auto& row : rows) pointers.push_back(&row);
        tables::resolve_compared_in(transaction, pointers, {},
                                    tables::load_releases(transaction));
        std::map<std::int64_t, int> found;
        for (const auto& row : rows) found[row.oid] = version_in(row.compared_in);
        return found;
    }
    using States = std::map<int, State>;
    [[nodiscard]] States read_states() const {
        return store::perform(*eyes_, store::Access::read, [](store::Transaction& transaction) {
            States states{{0, {}}, {1, {}}, {2, {}}};
            std::map<std::int64_t, State*> by_oid;
            const auto compared = compared_in(transaction);
            for (const auto& row :
                 transaction.query("SELECT oid, class, name, signature FROM objects")) {
                const auto name =
                    std::ranges::find(names, tree::ObjectName{row.text(1), row.text(2)});
                auto& state = states.at(static_cast<int>(name - names.begin()));
                state = {true, row.text(3), compared.at(row.integer(0)), {}, {}};
                by_oid[row.integer(0)] = &state;
            }
            for (const auto& row : transaction.query(
                     "SELECT oid, version, kind, revision, since, notes FROM history"))
                by_oid.at(row.integer(0))->rows[version_in(row.text(1))] = {
                    row.text(2),
                    changes_in(row.text(5)),
                    row.integer(3),
                    {version_in(row.text(4))}};
            for (const auto& row : transaction.query("SELECT oid, version, tree FROM trees"))
                by_oid.at(row.integer(0))->trees[version_in(row.text(1))] =
                    letters_in(row.blob(2));
            return states;
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

    // Called by a process behind each commit of what it wrote.
    void note_commit() {
        if (running_ == nullptr || running_->runs_at_once) return;
        note_changes([this](int object, const State& was, const State& is) {
            if (text_of(was) == text_of(is)) return;
            if (running_->role == Role::forget)
                return oracle_.forgotten(object, first_of_forgotten(was, is));
            if (is.compared_in != running_->build->version())
                throw Wrong(fmt::format("{}: written by V{}: {}", name_of(object).name,
                                        running_->build->version(), text_of(is)));
            accept(running_->build);
            note_fact(*running_, object, false);
        });
    }
    // Releases go one by one, the newest first; notes of whole jobs go before all.
    [[nodiscard]] int first_of_forgotten(const State& was, const State& is) const {
        int first = std::max(forgetting_, is.compared_in + 1);
        for (const auto& [version, row] : was.rows)
            if (!is.rows.contains(version)) first = std::min(first, version);
        for (const auto& [version, tree] : was.trees)
            if (!is.trees.contains(version)) first = std::min(first, version);
        return first;
    }
    // All that counted as compared in the release is, with the new publication; what cannot be read
    // stays as it was published first.
    void note_republication(const Process& by) {
        note_changes([&](int object, const State&, const State& is) {
            const int version = by.build->version();
            if (is.compared_in == version && !by.build->is_unreadable(object))
                note_fact(by, object, true);
            // It was compared, and is listed as one that was not.
            if (is.compared_in < version) oracle_.forgotten(object, version);
        });
    }
    void note_fact(const Process& by, int object, bool is_published_again) {
        Oracle::Fact fact{by.build->version(), by.build->content(object)};
        if (by.previous) fact.previous = by.previous->version();
        if (by.previous) fact.previous_has = by.previous->content(object).has_value();
        oracle_.compared(object, std::move(fact), is_published_again);
    }
    // What is wrong is thrown by the thread of the test, since the product would catch it.
    void note_changes(const std::function<void(int, const State&, const State&)>& note) {
        if (!wrong_.empty()) return;
        try {
            const auto before = std::exchange(states_, read_states());
            for (const auto& [object, is] : states_) note(object, before.at(object), is);
            for (const auto& [object, is] : states_) oracle_.check(object, is, scene_.keep_trees);
            if (forgetting_ == 0) check_releases();
        } catch (const std::exception& error) {
            wrong_ = error.what();
        }
    }
    void check_releases() const {
        std::set<int> known{0};
        const auto releases = store::perform(*eyes_, store::Access::read, tables::load_releases);
        for (const auto& release : releases.all()) known.insert(version_in(release.version));
        for (const auto& [object, is] : states_)
            for (const auto& [version, row] : is.rows)
                if (!known.contains(version) || !known.contains(*row.since.begin()))
                    throw Wrong(name_of(object).name +
                                ": a release nobody knows: " + text_of(is));
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
        for (const auto& [object, is] : states_) {
            const auto content = last->content(object);
            const bool is_right =
                is.is_there ? is.signature == signature_of(content) : !content.has_value();
            if (!is_right || (is.is_there && is.compared_in != last->version()))
                throw Wrong(name_of(object).name + " is lost for good: " + text_of(is));
        }
        return support::contents_of(*eyes_, support::ComparedIn::left_out);
    }

    const Scene& scene_;
    std::map<std::ptrdiff_t, std::set<int>> unreadable_;  // objects by build
    std::vector<BuildPointer> builds_;
    std::unique_ptr<support::FreshStore> store_;
    std::unique_ptr<store::Pool> pool_, eyes_;  // of the processes, and of the test
    std::map<int, Host> hosts_;
    base::Clock clock_ = [] { return base::Seconds{*base::parse_date("2008-04-01")}; };
    Oracle oracle_;
    States states_;
    std::map<int, std::set<int>> accepted_;       // builds by release
    std::set<int> ended_jobs_;                    // releases, of jobs over everything or a class
    int forgetting_ = 0;                          // 0: no release
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
        return wrong.what();
    }
    return {};
}

}  // namespace model
