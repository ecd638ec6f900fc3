// bench/build_objects.hpp -- writes one object of a made build: the same seed, class and number
// give the same object, whichever others are made.
// Lines look as those of the sample builds do; how many there are, build_shapes.hpp tells.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "build_pen.hpp"

namespace bench {

class ObjectWriter : private Pen {
   public:
    using Pen::Pen;
    [[nodiscard]] const World& world() const { return world_; }

    void write(Draft& draft, Class c, std::uint64_t number) {
        begin(draft, c, number);
        if (is_stub(world_, c, number)) return stub();
        switch (c) {
            case Class::key_set: return key_set();
            case Class::long_text: return long_text();
            case Class::peptide: return letters("ACDEFGHIKLMNPQRSTVWY");
            case Class::dna: return letters("acgt");
            case Class::sequence: return sequence();
            case Class::protein: return protein();
            case Class::paper: return paper();
            case Class::gene: return gene();
            case Class::person: return person();
            case Class::variation: return variation();
            case Class::laboratory:
                return row({bare("Address"), bare("Mail"), in_quotes(text(60))});
            case Class::strain: return strain();
            case Class::go_term: return go_term();
            case Class::cds: return cds();
            case Class::expr_pattern: return expr_pattern();
            case Class::phenotype: return phenotype();
            case Class::gene_name:
            case Class::author:
            case Class::phenotype_name:
            case Class::method:
            case Class::gene_class:
            case Class::rnai:
            case Class::person_name: return stub();
        }
    }

   private:
    void stub() {
        const auto links = [&](Class c, std::string_view first, std::string_view second) {
            each(c, left_, [&](const std::string& name) {
                if (second.empty())
                    link({bare(first), in_quotes(name)});
                else
                    link({bare(first), bare(second), in_quotes(name)});
            });
        };
        const bool odd = number_ % 2 == 1;
        left_ = std::max<std::uint64_t>(left_, class_ == Class::method ? 0 : 1);
        switch (class_) {
            case Class::protein: left_ = 1; return links(Class::protein, "Homol", "Pep_homol");
            case Class::paper: left_ = 1; return links(Class::gene, "Refers_to", "Gene");
            case Class::cds: left_ = 1; return links(Class::gene, "Visible", "Gene");
            case Class::variation: left_ = 1; return links(Class::gene, "Affects", "Gene");
            case Class::rnai: return links(Class::gene, "Inhibits", "Gene");
            case Class::gene_class: return links(Class::gene, "Genes", "");
            case Class::author: return links(Class::paper, "Paper", "");
            case Class::phenotype_name:
                return links(Class::phenotype, odd ? "Primary_name_for" : "Synonym_for", "");
            case Class::gene_name: return names_of_gene(odd);
            case Class::person_name: return names_of_person();
            default: return;  // a key alone
        }
    }
    void names_of_gene(bool cgc) {
        const auto gene = name_of(world_, Class::gene, (number_ + 1) / 2);
        const bool both = left_ > 1;
        link({bare(cgc ? "CGC_name_for" : "Sequence_name_for"), in_quotes(gene)});
        if (both) link({bare("Public_name_for"), in_quotes(gene)});
    }
    void names_of_person() {
        const auto whose = one(Class::person);
        const bool both = left_ > 1;
        link({bare("Name"), bare("Full_name_of"), in_quotes(whose)});
        if (both) link({bare("Name"), bare("Standard_name_of"), in_quotes(whose)});
    }

    void key_set() {
        each(number_ % 2 == 1 ? Class::gene : Class::paper, std::max<std::uint64_t>(left_, 1),
             [&](const std::string& name) {
                 const auto member = shape_of(number_ % 2 == 1 ? Class::gene : Class::paper).name;
                 draft_->row(0, {{Notation::member, std::string(member) + '\n' + name}});
             });
    }
    void long_text() {
        std::string lines;
        for (auto n = std::max<std::uint64_t>(left_, 1); n > 0; --n) {
            lines += '\n' + prose(chance_, 60 + chance_.below(150));
            if (chance_.one_in(5)) lines += '\n';
        }
        draft_->row(0, {{Notation::lines, lines}});
    }
    void letters(std::string_view alphabet) {
        std::string sequence(left_, ' ');
        std::uint64_t dice = 0;
        for (auto& letter : sequence) {
            if (dice < alphabet.size()) dice = chance_.next();
            letter = alphabet[dice % alphabet.size()];
            dice /= alphabet.size();
        }
        draft_->row(0, {{Notation::letters, sequence}});
    }

    void sequence() {
        const auto rows = left_;
        const auto& name = draft_->name;
        row({bare("DNA"), in_quotes(name), bare(integer(40000))});
        row({bare("Origin"), bare("From_laboratory"), in_quotes(one(Class::laboratory))});
        row({bare("Origin"), bare("Date"), bare(day()), in_quotes("Finished")});
        row({bare("Origin"), bare("Species"), in_quotes(species)});
        row({bare("Visible"), bare("Title"), in_quotes("Caenorhabditis elegans cosmid " + name)});
        row({bare("Properties"), bare("Genomic_canonical")});
        row({bare("Splices"), bare("Predicted_5"), in_quotes("hexExon"), bare(integer(20000)),
             bare(integer(20000)), bare(real(9))});
        row({bare("Method"), in_quotes("Genomic_canonical")});
        each(Class::gene, std::max<std::uint64_t>(rows, 9) - 8, [&](const std::string& gene) {
            link({bare("SMap"), bare("S_child"), bare("Gene_child"), in_quotes(gene),
                  bare(integer(40000)), bare(integer(40000))});
        });
    }

    void protein() {
        const auto& name = draft_->name;
        if (left_ > 3) {
            row({bare("Peptide"), in_quotes(name), bare(integer(900)),
                 bare('-' + integer(1U << 31U))});
            row({bare("DB_info"), bare("Gene_name"), in_quotes(one(Class::gene_name))});
            row({bare("DB_info"), bare("Description"),
                 in_quotes("status:Confirmed UniProt:" + integer(90000000))});
            row({bare("DB_info"), bare("Molecular_weight"), bare(real(300)),
                 bare("Inferred_automatically"), in_quotes("build_pepace.pl")});
        }
        row({bare("Origin"), bare("Wormpep")});
        if (left_ > 1)
            row({bare("Origin"), bare("History"), bare(integer(190)), in_quotes("created"),
                 in_quotes(one(Class::cds))});
        row({bare("Origin"), bare("Live")});
        each(Class::protein, left_, [&](const std::string& other) { homology(other); });
    }
    void homology(const std::string& other) {
        const auto begin = integer(900), length = integer(400);
        row({bare("Homol"), bare("Pep_homol"), in_quotes(other), in_quotes("wublastp_swissprot"),
             bare(real(300)), bare(begin), bare(integer(900)), bare(integer(900)),
             bare(integer(900)), bare("Align"), bare(begin), bare(length)});
    }

    void paper() {
        row({bare("Status"), bare("Valid")});
        row({bare("Reference"), bare("Title"), in_quotes(text(70))});
        row({bare("Reference"), bare("Journal"), in_quotes("J Cell Biol")});
        row({bare("Reference"), bare("Page"), in_quotes("71//" + integer(900))});
        row({bare("Reference"), bare("Volume"), in_quotes(integer(400))});
        row({bare("Reference"), bare("Publication_date"), in_quotes(day())});
        each(Class::author, 1 + chance_.below(4),
             [&](const std::string& author) { row({bare("Author"), in_quotes(author)}); });
        row({bare("Brief_citation"), in_quotes(text(100))});
        row({bare("Type"), bare("Journal_article")});
        if (number_ % 3 == 0) row({bare("Abstract"), in_quotes(draft_->name)});
        if (number_ % 4 == 0)
            row({bare("DB_info"), bare("Database"), in_quotes("MEDLINE"), in_quotes("PMID"),
                 in_quotes(integer(20000000))});
        each(Class::gene, left_, [&](const std::string& gene) {
            link({bare("Refers_to"), bare("Gene"), in_quotes(gene)});
        });
    }

    void gene() {
        row({bare("Evidence"), bare("Paper_evidence"), in_quotes(one(Class::paper))});
        link({bare("SMap"), bare("S_parent"), bare("Sequence"), in_quotes(one(Class::sequence))});
        gene_identity();
        const auto gene_class = gene_name(cgc_name_of(number_)).substr(0, 3);
        row({bare("Gene_info"), bare("Gene_class"), in_quotes(gene_class)});
        const auto lists = left_ > 6 ? left_ - 6 : 0;  // rows that are not of the skeleton
        gene_alleles(lists * 45 / 100);
        gene_description();
        gene_experiments(lists * 30 / 100);
        if (left_ > 1)
            row({bare("Map_info"), bare("Map"), in_quotes("IV"), bare("Position"), bare(real(25)),
                 bare("Error"), bare("0.000200")});
        each(Class::paper, left_ > 1 ? left_ - 1 : 0,
             [&](const std::string& paper) { row({bare("Reference"), in_quotes(paper)}); });
        if (number_ % 20 == 0) remark();
        row({bare("Method"), in_quotes("Gene")});
    }
    void gene_identity() {
        const auto cgc = gene_name(cgc_name_of(number_));
        const auto person = one(Class::person);
        row({bare("Identity"), bare("Version"), bare(integer(3))});
        row({bare("Identity"), bare("Name"), bare("CGC_name"), in_quotes(cgc),
             bare("Person_evidence"), in_quotes(person)});
        row({bare("Identity"), bare("Name"), bare("Sequence_name"),
             in_quotes(gene_name(sequence_name_of(number_)))});
        row({bare("Identity"), bare("Name"), bare("Public_name"), in_quotes(cgc)});
        row({bare("Identity"), bare("Species"), in_quotes(species)});
        row({bare("Identity"), bare("History"), bare("Version_change"), bare("1"),
             bare("2004-04-07_11:29:19"), in_quotes(person), bare("Event"), bare("Imported"),
             in_quotes("Initial conversion from geneace")});
        row({bare("Identity"), bare("Status"), bare("Live")});
    }
    void gene_alleles(std::uint64_t alleles) {
        const auto person = one(Class::person);
        each(Class::variation, alleles, [&](const std::string& allele) {
            if (chance_.one_in(2))
                return link({bare("Gene_info"), bare("Allele"), in_quotes(allele)});
            row({bare("Gene_info"), bare("Allele"), in_quotes(allele), bare("Person_evidence"),
                 in_quotes(person)});
        });
        row({bare("Gene_info"), bare("GO_term"), in_quotes(one(Class::go_term)), in_quotes("IMP"),
             bare("Paper_evidence"), in_quotes(one(Class::paper))});
    }
    void gene_description() {
        if (left_ < 3) return;
        const auto description = text(140);
        row({bare("Gene_info"), bare("Structured_description"), bare("Concise_description"),
             in_quotes(description), bare("Paper_evidence"), in_quotes(one(Class::paper))});
        row({bare("Gene_info"), bare("Structured_description"), bare("Concise_description"),
             in_quotes(description), bare("Date_last_updated"), bare(day())});
        row({bare("Molecular_info"), bare("Corresponding_CDS"),
             in_quotes(gene_name(sequence_name_of(number_)))});
    }
    void gene_experiments(std::uint64_t experiments) {
        each(Class::rnai, experiments, [&](const std::string& experiment) {
            row({bare("Experimental_info"), bare("RNAi_result"), in_quotes(experiment),
                 bare("Inferred_automatically"), in_quotes("RNAi_primary")});
        });
    }
    // One in four holds a line break, one a comment.
    void remark() {
        auto words = text(70);
        if (chance_.one_in(4)) (words += '\n') += text(40);
        if (chance_.one_in(4))
            row({bare("Remark"), in_quotes(words), comment(text(20))});
        else
            row({bare("Remark"), in_quotes(words), bare("Curator_confirmed"),
                 in_quotes(one(Class::person))});
    }

    void person() {
        const auto surname_of = one(Class::person_name);
        row({bare("Name"), bare("First_name"), in_quotes("Jonathan")});
        row({bare("Name"), bare("Last_name"), in_quotes(surname_of)});
        row({bare("Name"), bare("Standard_name"), in_quotes("Jonathan " + surname_of)});
        row({bare("Name"), bare("Full_name"), in_quotes("Jonathan J " + surname_of)});
        row({bare("Address"), bare("Country"), in_quotes("United Kingdom")});
        row({bare("Address"), bare("Institution"), in_quotes("University of Oxford")});
        if (left_ > 2)
            row({bare("Address"), bare("Email"), in_quotes(surname_of + "@example.org")});
        row({bare("Tracking"), bare("Last_verified"), bare(day())});
        row({bare("Tracking"), bare("Status"), bare("Valid")});
    }

    // Most are the few lines that a curation archive holds; one in thirty is complete.
    void variation() {
        if (number_ % 30 == 0) return full_variation();
        if (left_ > 0) phenotype_remark();
        for (const auto tag : {"Recessive", "Completely_penetrant"})
            if (left_ > 0) row({bare("Description"), bare(tag)});
        for (const auto tag : {"Amorph", "Hypomorph"})
            if (left_ > 0) row({bare("Description"), bare("Loss_of_function"), bare(tag)});
    }
    void phenotype_remark() {
        if (chance_.below(1000) < bulk_remarks)
            return row(
                {bare("Description"), bare("Phenotype_remark"), in_quotes("homozygous viable")});
        const auto words = prose(chance_, drawn(chance_, letters_of_remark));
        switch (chance_.below(3)) {
            case 0:
                return row({bare("Description"), bare("Phenotype_remark"), in_quotes(words),
                            bare("Paper_evidence"), in_quotes(one(Class::paper))});
            case 1:
                return row({bare("Description"), bare("Phenotype_remark"), in_quotes(words),
                            bare("Person_evidence"), in_quotes(one(Class::person))});
            default:
                return row({bare("Description"), bare("Phenotype_remark"), in_quotes(words)});
        }
    }
    void full_variation() {
        const auto paper = one(Class::paper), phenotype = one(Class::phenotype);
        row({bare("Name"), bare("Public_name"), in_quotes(draft_->name)});
        row({bare("Sequence_details"), bare("Flanking_sequences"),
             in_quotes("aattccggattcagtacggtacctta"), in_quotes("ggcatcaggattacgacttacgacat")});
        row({bare("Sequence_details"), bare("Type_of_mutation"), bare("Substitution"),
             in_quotes("g"), in_quotes("a"), bare("Paper_evidence"), in_quotes(paper)});
        row({bare("Sequence_details"), bare("SeqStatus"), bare("Sequenced")});
        row({bare("Variation_type"), bare("Allele")});
        row({bare("Origin"), bare("Species"), in_quotes(species)});
        link({bare("Origin"), bare("Strain"), in_quotes(one(Class::strain))});
        row({bare("Origin"), bare("Laboratory"), in_quotes(one(Class::laboratory))});
        row({bare("Affects"), bare("Gene"), in_quotes(one(Class::gene)), bare("VEP_consequence"),
             in_quotes("stop_gained")});
        row({bare("Description"), bare("Phenotype"), in_quotes(phenotype), bare("Paper_evidence"),
             in_quotes(paper)});
        row({bare("Description"), bare("Phenotype"), in_quotes(phenotype), bare("Penetrance"),
             bare("Range"), bare(integer(80)), bare("100")});
        row({bare("Reference"), in_quotes(paper)});
        remark();
        row({bare("Method"), in_quotes("Allele")});
    }

    void strain() {
        const auto rows = std::max<std::uint64_t>(left_, 10);
        row({bare("Genotype"), in_quotes("unc-26(e205) IV.")});
        each(Class::gene, rows - 9, [&](const std::string& gene) {
            link({bare("Contains"), bare("Gene"), in_quotes(gene)});
        });
        row({bare("Contains"), bare("Variation"), in_quotes(one(Class::variation))});
        row({bare("Properties"), bare("Outcrossed"), in_quotes("x2")});
        row({bare("Properties"), bare("Mutagen"), in_quotes("EMS")});
        row({bare("Properties"), bare("CGC_received"), bare(day())});
        row({bare("Location"), in_quotes("CGC")});
        row({bare("Isolation"), bare("GPS"), bare(real(90)), bare('-' + real(180))});
        row({bare("Species"), in_quotes(species)});
        row({bare("Remark"), in_quotes(text(50))});
    }
    void go_term() {
        row({bare("Name"), in_quotes(text(30))});
        row({bare("Definition"), in_quotes(text(80))});
        row({bare("Status"), bare("Valid")});
        row({bare("Type"), bare("Biological_process")});
        each(Class::gene, left_, [&](const std::string& gene) {
            link({bare("Attributes_of"), bare("Gene"), in_quotes(gene)});
        });
    }
    void cds() {
        row({bare("Origin"), bare("Species"), in_quotes(species)});
        row({bare("Properties"), bare("Coding"), bare("CDS"), bare("Confirmed")});
        row({bare("Visible"), bare("Gene"), in_quotes(one(Class::gene))});
        for (std::uint64_t begin = 1; left_ > 0; begin += 600)
            row({bare("Structure"), bare("Source_exons"), bare(std::to_string(begin)),
                 bare(std::to_string(begin + chance_.below(500)))});
    }
    void expr_pattern() {
        link({bare("Expression_of"), bare("Gene"), in_quotes(one(Class::gene))});
        row({bare("Subcellular_localization"), in_quotes(text(40))});
        row({bare("Type"), bare("Antibody"), in_quotes(text(40))});
        row({bare("Pattern"), in_quotes(text(60))});
        row({bare("Reference"), in_quotes(one(Class::paper))});
    }
    void phenotype() {
        row({bare("Description"), in_quotes(text(80)), bare("Person_evidence"),
             in_quotes(one(Class::person))});
        row({bare("Name"), bare("Primary_name"), in_quotes(phenotype_phrase(number_))});
        each(Class::phenotype, left_, [&](const std::string& other) {
            link({bare("Related_phenotypes"), bare("Generalisation_of"), in_quotes(other)});
        });
    }

    static constexpr std::string_view species = "Caenorhabditis elegans";
};

}  // namespace bench
