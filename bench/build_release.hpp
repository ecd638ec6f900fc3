// bench/build_release.hpp -- writes a made build, and with it the next release of it: the same
// objects, of which given shares are changed, stamped anew, new, renamed or gone.
// Streams: holds one object at a time, whatever the size of the build.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/date.hpp"
#include "build_draft.hpp"
#include "build_edits.hpp"
#include "build_models.hpp"
#include "build_objects.hpp"

namespace bench {

struct Release {
    std::string version, date;  // WS300, 2010-01-01
    std::filesystem::path folder;
};

// Parts per million of the objects.
struct Shares {
    std::uint64_t changed = 0, restamped = 0, created = 0, vanished = 0;
};

struct Plan {
    std::uint64_t objects = 0, seed = 1;
    Release first;
    std::optional<Release> next;
    Shares shares;
    std::string mass_change;        // a class, or empty
    std::filesystem::path changes;  // empty: not written down
};

struct Made {
    std::uint64_t objects = 0, bytes = 0;  // of dump.ace
};

// Bytes for a file; nothing is written where there is none. Throws when writing fails.
class Output {
   public:
    Output() = default;
    explicit Output(const std::filesystem::path& path)
        : path_(path), file_(std::fopen(path.c_str(), "wb"), std::fclose) {
        if (!file_) throw std::runtime_error(path_.string() + ": can't be written");
    }
    std::string buffer;
    std::uint64_t written = 0;

    void flush(std::size_t most_kept) {
        if (buffer.size() <= most_kept) return;
        written += buffer.size();
        if (file_ && std::fwrite(buffer.data(), 1, buffer.size(), file_.get()) != buffer.size())
            throw std::runtime_error(path_.string() + ": can't be written");
        buffer.clear();
    }
    void close() {
        flush(0);
        if (file_ && std::fclose(file_.release()) != 0)
            throw std::runtime_error(path_.string() + ": can't be written");
    }

   private:
    std::filesystem::path path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
};

inline Output start_build(const Release& release) {
    std::filesystem::create_directories(release.folder);
    Output ini(release.folder / "release.ini"), models_file(release.folder / "models.wrm");
    ini.buffer = "version = " + release.version + "\ndate = " + release.date + '\n';
    models_file.buffer = models;
    ini.close();
    models_file.close();
    return Output(release.folder / "dump.ace");
}

inline std::chrono::sys_days day_of(const Release& release) {
    const auto day = base::parse_date(release.date);
    if (!day) throw std::runtime_error(release.date + " is no date (2010-01-01)");
    return *day;
}

//   throws  where the plan can't be carried out
inline void require_sound(const Plan& plan) {
    const auto& shares = plan.shares;
    if (shares.changed + shares.restamped + shares.vanished > 1000000)
        throw std::runtime_error("changed, restamped and vanished are more than all");
    if (plan.next && plan.next->folder == plan.first.folder)
        throw std::runtime_error("the next release needs a folder of its own");
    const auto known = std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
        return shape.name == plan.mass_change && !is_array(shape.name);
    });
    if (!plan.mass_change.empty() && !known)
        throw std::runtime_error(plan.mass_change + ": no class whose objects have tags");
}

inline World world_of(const Plan& plan) {
    require_sound(plan);
    World world{plan.seed, {}};
    std::uint64_t rest = plan.objects;
    for (std::size_t c = 0; c < shapes.size(); ++c)
        rest -= world.counts[c] = plan.objects * shapes[c].per_mille / 1000;
    world.counts[static_cast<std::size_t>(Class::variation)] += rest;
    return world;
}

class BuildMaker {
   public:
    explicit BuildMaker(const Plan& plan)
        : plan_(plan), writer_(world_of(plan)),
          stamps_(plan.seed, day_of(plan.first), next_day()), dumper_(stamps_.texts()),
          first_(start_build(plan.first)) {
        if (plan.next) next_ = start_build(*plan.next);
        if (!plan.changes.empty()) changes_ = Output(plan.changes);
    }

    // Both builds; the second is empty where no next release is planned.
    std::pair<Made, Made> make() {
        for (std::size_t c = 0; c < shapes.size(); ++c) make_class(static_cast<Class>(c));
        for (const auto name : empty_classes) banner(name);
        for (auto* out : {&first_, &next_}) out->buffer += "\n\n // End of this dump file \n\n";
        for (auto* out : {&first_, &next_, &changes_}) out->close();
        return {{plan_.objects, first_.written}, {next_objects_, next_.written}};
    }

   private:
    enum class Fate { same, changed, restamped, vanished, renamed };

    std::chrono::sys_days next_day() const {
        const auto day = day_of(plan_.first);
        return plan_.next ? day_of(*plan_.next) : day + std::chrono::days(30);
    }
    void banner(std::string_view name) {
        for (auto* out : {&first_, &next_})
            out->buffer.append("\n\n // Class ").append(name).append(" \n\n");
    }
    void flush() {
        for (auto* out : {&first_, &next_, &changes_}) out->flush(1U << 20U);
    }

    void make_class(Class c) {
        banner(shape_of(c).name);
        const auto count = count_of(writer_.world(), c);
        for (std::uint64_t n = 1; n <= count; ++n) {
            writer_.write(draft_, c, n);
            const auto begin = first_.buffer.size();
            dumper_.append(first_.buffer, draft_);
            if (plan_.next) pass_on(c, n, std::string_view(first_.buffer).substr(begin));
            flush();
        }
        if (!plan_.next) return;
        owed_ += count * plan_.shares.created;
        for (auto n = count + 1; owed_ >= million; owed_ -= million) create(c, n++);
    }

    // What becomes of draft_ in the next release. `bytes`: of it in the first.
    void pass_on(Class c, std::uint64_t n, std::string_view bytes) {
        const auto fate = fate_of(c, n);
        const bool mass = is_mass_changed(c, n);
        if (fate == Fate::vanished) return note_all("vanished", "-");
        ++next_objects_;
        if (fate == Fate::renamed) return rename(c, n);
        if (fate == Fate::changed || mass) return change(c, n, fate == Fate::changed, mass);
        if (fate == Fate::same) {
            next_.buffer += bytes;
            return;
        }
        Editor(draft_, Chance(lot(writer_.world(), c, n, 5)), plan_.next->version).restamp();
        note("restamped", "", "");
        dumper_.append(next_.buffer, draft_);
    }
    Fate fate_of(Class c, std::uint64_t n) const {
        auto at = lot(writer_.world(), c, n, 3) % million;
        const auto falls = [&](std::uint64_t share) {
            const bool here = at < share;
            at -= here ? 0 : share;
            return here;
        };
        if (falls(plan_.shares.changed)) return Fate::changed;
        if (falls(plan_.shares.restamped)) return Fate::restamped;
        if (falls(plan_.shares.vanished / 10)) return Fate::renamed;
        if (falls(plan_.shares.vanished - plan_.shares.vanished / 10)) return Fate::vanished;
        return Fate::same;
    }
    bool is_mass_changed(Class c, std::uint64_t n) const {
        return shape_of(c).name == plan_.mass_change && lot(writer_.world(), c, n, 4) % 100 < 60;
    }

    void change(Class c, std::uint64_t n, bool edited, bool mass) {
        const auto before = nodes_of(draft_);
        Chance chance(lot(writer_.world(), c, n, 6));
        if (mass)
            draft_.add_path(Stamps::next_loading, {bare("Checked"), bare(plan_.next->date)});
        if (edited) Editor(draft_, chance, plan_.next->version).change();
        note_difference(before, nodes_of(draft_));
        dumper_.append(next_.buffer, draft_);
    }
    void create(Class c, std::uint64_t n) {
        writer_.write(draft_, c, n);
        Chance chance(lot(writer_.world(), c, n, 7));
        const auto session = Stamps::fresh_for_next(chance);
        const auto renew = [&](Stamp& stamp) {
            if (stamp != 0) stamp = stamp == Stamps::loading ? Stamps::next_loading : session;
        };
        renew(draft_.created);
        for (auto& item : draft_.items) renew(item.stamp);
        ++next_objects_;
        note_all("created", "+");
        dumper_.append(next_.buffer, draft_);
        flush();
    }
    // Content and stamps stay, as AceDB's -R leaves them.
    void rename(Class c, std::uint64_t n) {
        note_all("vanished", "-");
        draft_.name = name_of(writer_.world(), c, n + 2 * count_of(writer_.world(), c));
        note_all("created", "+");
        dumper_.append(next_.buffer, draft_);
    }

    // A line: what, class, name, and for nodes their sign and the cells that lead to them.
    void note(std::string_view what, std::string_view sign, std::string_view cells) {
        auto& out = changes_.buffer;
        for (const auto part : {what, draft_.class_name, std::string_view(draft_.name), sign})
            out.append(part).append("\t");
        out.append(cells).append("\n");
    }
    void note_all(std::string_view what, std::string_view sign) {
        note(what, "", "");
        for (const auto& node : nodes_of(draft_)) note(what, sign, node);
    }
    void note_difference(const std::vector<std::string>& before,
                         const std::vector<std::string>& after) {
        const auto lines = [&](const auto& some, const auto& others, std::string_view sign) {
            std::vector<std::string> only;
            std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                                std::back_inserter(only));
            for (const auto& node : only) note("changed", sign, node);
        };
        lines(before, after, "-");
        lines(after, before, "+");
    }

    static constexpr std::uint64_t million = 1000000;

    Plan plan_;
    ObjectWriter writer_;
    Stamps stamps_;
    Dumper dumper_;
    Output first_, next_, changes_;  // without a file where nothing is asked for
    Draft draft_;
    std::uint64_t next_objects_ = 0;
    std::uint64_t owed_ = 0;  // millionths of new objects that no class had room for yet
};

}  // namespace bench
