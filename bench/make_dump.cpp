// bench/make_dump.cpp -- writes a plain stamped dump of at least the given size: classes, lines
// and cells as in the sample builds (150 to 190 bytes a line, three stamps, a third of the
// objects stubs that only cross references made), 2.4 KB an object.
//   make_dump BYTES [SEED] > dump_2008-01-25_A.1.ace
// The same arguments give the same bytes.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::mt19937_64 chance;
std::string out;
std::uint64_t written = 0;

std::uint64_t below(std::uint64_t n) { return chance() % n; }

std::string number(const char* format, std::uint64_t value) {
    char text[64];
    std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(value));
    return text;
}
std::string gene() { return number("\"WBGene%08llu\"", below(400000)); }
std::string paper() { return number("\"WBPaper%08llu\"", below(60000)); }
std::string person() { return number("\"WBPerson%llu\"", below(9000)); }
std::string variation() { return number("\"WBVar%08llu\"", below(900000)); }
std::string integer(std::uint64_t most) { return std::to_string(below(most)); }
std::string real() { return integer(300) + "." + number("%06llu", below(1000000)); }
std::string date() {
    return "20" + number("%02llu", below(9)) + "-0" + integer(9) + "-1" + integer(10);
}

std::string words(std::uint64_t count) {
    static constexpr std::string_view some[] = {
        "the",       "gene",    "encodes",     "a",        "protein",   "that",      "is",
        "required",  "for",     "normal",      "movement", "in",        "adult",     "neurons",
        "synaptic",  "vesicle", "transport",   "mutants",  "show",      "weak",      "embryonic",
        "lethality", "at",      "25C",         "and",      "by",        "homology",  "C. elegans",
        "predicted", "to",      "function\\;", "100\\%",   "wild type", "locomotion"};
    std::string text = "\"";
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i > 0) text += ' ';
        text += some[below(std::size(some))];
    }
    return text + '"';
}

// A node's stamp depends on its path alone, so that lines of one node repeat it.
std::string stamp_of(std::string_view path) {
    static constexpr std::string_view users[] = {"wormpub", "sylvia", "caltech_juancarlos",
                                                 "lstein",  "mt3",    "ck1"};
    const auto hash = std::hash<std::string_view>()(path) % 60;
    char text[80];
    std::snprintf(text, sizeof text, " -O \"200%d-0%d-1%d_1%d:2%d:30%s_%s\"",
                  static_cast<int>(hash % 9), static_cast<int>(hash % 8 + 1),
                  static_cast<int>(hash % 7), static_cast<int>(hash % 6),
                  static_cast<int>(hash % 5), hash % 4 == 0 ? ".1" : "", users[hash % 6].data());
    return text;
}

std::string object_path;

void begin(std::string_view class_name, const std::string& quoted_name) {
    object_path = quoted_name;
    out += class_name;
    out += " : " + quoted_name + stamp_of(quoted_name) + '\n';
}

void line(const std::vector<std::string>& cells) {
    std::string path = object_path.substr(0, 6);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i < 3) path += cells[i];  // what hangs on a value was written with it
        if (i > 0) out += ' ';
        out += cells[i];
        if (i == 0) out += '\t';
        out += stamp_of(path);
    }
    out += '\n';
}

void end() {
    out += '\n';
    if (out.size() < (1 << 20)) return;
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size()) std::exit(1);
    written += out.size();
    out.clear();
}

void write_gene(std::uint64_t i) {
    begin("Gene", number("\"WBGene%08llu\"", i));
    line({"Evidence", "Paper_evidence", paper()});
    line({"SMap", "S_parent", "Sequence", number("\"JC%llu\"", below(3000))});
    line({"Identity", "Version", integer(5)});
    line(
        {"Identity", "Name", "CGC_name", number("\"unc-%llu\"", i), "Person_evidence", person()});
    line({"Identity", "Name", "Sequence_name", number("\"JC8.%llu\"", i)});
    line({"Identity", "Name", "Public_name", number("\"unc-%llu\"", i)});
    line({"Identity", "Species", "\"Caenorhabditis elegans\""});
    line({"Identity", "History", "Version_change", "1", "2004-04-07_11:29:19", person(), "Event",
          "Imported", "\"Initial conversion from geneace\""});
    line({"Identity", "Status", "Live"});
    for (auto n = below(12); n > 0; --n) line({"Gene_info", "Allele", variation()});
    for (auto n = below(6); n > 0; --n)
        line({"Gene_info", "GO_term", number("\"GO:%07llu\"", below(30000)), "\"IEA\"",
              "Inferred_automatically", "\"wormpub_GO\""});
    const auto description = words(25);
    line({"Gene_info", "Structured_description", "Concise_description", description,
          "Paper_evidence", paper()});
    line({"Gene_info", "Structured_description", "Concise_description", description,
          "Date_last_updated", date()});
    line({"Map_info", "Map", "\"IV\"", "Position", real(), "Error", "0.000200"});
    for (auto n = below(20); n > 0; --n) line({"Reference", paper()});
    line({"Remark", words(8), "Curator_confirmed", person()});
    end();
}

void write_variation(std::uint64_t i) {
    begin("Variation", number("\"WBVar%08llu\"", i));
    line({"Name", "Public_name", number("\"e%llu\"", i)});
    line({"Sequence_details", "Flanking_sequences", "\"aattccggattcagtacggtacctta\"",
          "\"ggcatcaggattacgacttacgacat\""});
    line({"Sequence_details", "Type_of_mutation", "Substitution", "\"g\"", "\"a\"",
          "Paper_evidence", paper()});
    line({"Variation_type", "Allele"});
    line({"Origin", "Species", "\"Caenorhabditis elegans\""});
    line({"Origin", "Laboratory", "\"CB\""});
    line({"Affects", "Gene", gene(), "VEP_consequence", "\"stop_gained\""});
    for (auto n = below(5); n > 0; --n)
        line({"Description", "Phenotype", number("\"WBPhenotype:%07llu\"", below(2000)),
              "Paper_evidence", paper()});
    line({"Description", "Phenotype_remark", words(14), "Person_evidence", person()});
    end();
}

void write_protein(std::uint64_t i) {
    begin("Protein", number("\"WP:CE%05llu\"", i));
    line({"Peptide", number("\"WP:CE%05llu\"", i), integer(900), "-" + integer(2000000000)});
    line(
        {"DB_info", "Molecular_weight", real(), "Inferred_automatically", "\"build_pepace.pl\""});
    line({"Origin", "History", "38", "\"created\"", number("\"JC8.%llu\"", i)});
    line({"Origin", "Live"});
    for (auto n = below(40); n > 0; --n)
        line({"Homol", "Pep_homol", number("\"SW:P%05llu\"", below(90000)),
              "\"wublastp_swissprot\"", real(), integer(900), integer(900), integer(900),
              integer(900)});
    end();
}

void write_stub(std::uint64_t i) {
    begin("Gene_name", number("\"unc-%llu\"", i));
    line({"CGC_name_for", gene()});
    if (i % 2 == 0) line({"Public_name_for", gene()});
    end();
}

void write_text(std::uint64_t i) {
    begin("LongText", number("\"WBPaper%08llu\"", i));
    for (int n = 0; n < 6; ++n) {
        auto text = words(30);
        out += text.substr(1, text.size() - 2) + '\n';
        if (n == 2) out += '\n';
    }
    out += "***LongTextEnd***\n";
    end();
}

void write_class(const char* name, const std::function<void(std::uint64_t)>& write,
                 std::uint64_t objects) {
    out += std::string("\n\n // Class ") + name + " \n\n";
    for (std::uint64_t i = 1; i <= objects; ++i) write(i);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("use: make_dump BYTES [SEED]\n", stderr);
        return 2;
    }
    const auto bytes = std::strtoull(argv[1], nullptr, 10);
    chance.seed(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
    const auto objects = bytes / 2400;  // what one takes on average
    write_class("LongText", write_text, objects / 20);
    write_class("Protein", write_protein, objects / 10);
    write_class("Gene", write_gene, objects * 18 / 100);
    write_class("Gene_name", write_stub, objects / 3);
    for (std::uint64_t i = 1; written + out.size() < bytes || i == 1; ++i) {
        if (i == 1) out += "\n\n // Class Variation \n\n";
        write_variation(i);
    }
    out += "\n\n // End of this dump file \n\n";
    return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}
