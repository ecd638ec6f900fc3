// Lists of names as people have them, and the objects that these mean.
// SPDX-License-Identifier: MIT
#include "query/pasted_names.hpp"

#include "support/catch.hpp"
#include "support/small_site.hpp"

using namespace query;
using support::tag;
using support::text;

namespace {

const ObjectName unc26{"Gene", "WBGene00006763"}, daf16{"Gene", "WBGene00000912"},
    paper{"Paper", "WBPaper1"}, name_unc26{"Gene_name", "unc-26"}, go{"GO_term", "GO:0004439"};

class Site : public support::SmallSite {
   public:
    Site() : SmallSite(settings()) {
        add(unc26, "unc-26");
        add(daf16, "daf-16");
        add(paper, "Harris et al. 2000, a review");
        add(name_unc26, "");
        add(go, "");
        add({"Person", "1"}, "Hodgkin");
        add({"Author", "Hodgkin"}, "");
        publish("WS1", "2008-01-01");
    }
    void add(const ObjectName& object, const std::string& label) {
        set_object(object, {tag("Name", {text(label)})});
    }
    PastedObjects read(const std::string& pasted, const std::string& class_name = "") {
        return objects_of_pasted(service.read_context(), pasted_lines(pasted), class_name);
    }
    std::vector<ObjectName> objects(const std::string& pasted,
                                    const std::string& class_name = "") {
        return read(pasted, class_name).objects;
    }
    std::vector<std::string> unclear(const std::string& pasted,
                                     const std::string& class_name = "") {
        std::vector<std::string> names;
        for (const auto& name : read(pasted, class_name).unclear) names.push_back(name.text);
        return names;
    }

   private:
    static history::Settings settings() {
        history::Settings settings;
        settings.names = {{"Gene", {{"Name"}}}, {"Paper", {{"Name"}}}, {"Person", {{"Name"}}}};
        settings.ranking.helper_classes = {"Gene_name"};
        return settings;
    }
};

using Objects = std::vector<ObjectName>;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Pasted text is lines of cells without comments, marks and quotes") {
    CHECK(pasted_lines("\xEF\xBB\xBF a \r\n\r\n# no\r//no\n\"b\"\t\tc d\t\n\t\n") ==
          std::vector<PastedLine>{{"a"}, {"b", "c d"}});
    CHECK(pasted_lines("").empty());
}

TEST_CASE("Names are separated by lines, commas, tabs or blanks, with or without a class") {
    Site site;
    const Objects both{unc26, daf16};
    for (const std::string pasted :
         {"Gene:WBGene00006763\nGene:WBGene00000912",
          "Gene WBGene00006763\r\ngene wbgene00000912", "unc-26,daf-16", "unc-26;  daf-16,",
          "unc-26\tdaf-16", "unc-26 daf-16", "Gene unc-26 daf-16", "Gene:unc-26 Gene:daf-16",
          "\"unc-26\",\"daf-16\"", "Gene\tunc-26\nGene\tdaf-16",
          "unc-26 unc-26\nWBGene00006763\nDAF-16"}) {
        INFO(pasted);
        CHECK(site.objects(pasted) == both);
        CHECK(site.unclear(pasted).empty());
    }
    for (const std::string pasted :
         {"unc\u201126, daf\u201316", "unc-26 and daf-16.", "Gene:unc-26.\nGene:\u00A0daf-16",
          "\u00A0unc-26\u00A0\nWBGene00000912\u200B", "Gene\u00A0unc-26\nGene  daf\u221216"}) {
        INFO(pasted);
        CHECK(site.objects(pasted) == both);
    }
    CHECK(site.objects("Harris  et al.\u00A02000, a review.") == Objects{paper});
    CHECK(site.objects("unc-26\ndaf-16", "Gene") == both);
    CHECK(site.objects("GO:0004439") == Objects{go});
    CHECK(site.objects("Harris et al. 2000, a review") == Objects{paper});
}

TEST_CASE("Of a table the columns with names count") {
    Site site;
    CHECK(site.objects("id\tname\tnote\nWBGene00006763\tunc-26\tmy "
                       "own\nWBGene00000912\tdaf-16\tan old one\n") == Objects{unc26, daf16});
    CHECK(site.unclear("id\tnote\nWBGene00006763\tmy own\nWBGene00000912\tmy own\n") ==
          Names{"id"});
}

TEST_CASE("A name of several objects is asked about, and a helper object is not one of them") {
    Site site;
    CHECK(site.objects("unc-26") == Objects{unc26});
    CHECK(site.objects("Gene_name:unc-26") == Objects{name_unc26});
    const auto pasted = site.read("Hodgkin\nHodgkin");
    CHECK(pasted.objects.empty());
    REQUIRE(pasted.unclear.size() == 1);
    CHECK(pasted.unclear[0] ==
          PastedName{"Hodgkin",
                     {{{"Author", "Hodgkin"}, "Hodgkin"}, {{"Person", "1"}, "Hodgkin"}}});
    CHECK(meanings_of(site.service.read_context(), {"Hodgkin"}) == pasted.unclear);
    CHECK(site.objects("Hodgkin", "Person") == Objects{{"Person", "1"}});
    CHECK(site.objects("Author:Hodgkin") == Objects{{"Author", "Hodgkin"}});
}

TEST_CASE("What means nothing is said again, as it was pasted") {
    Site site;
    CHECK(site.unclear("nobody\nunc-26,no one at all\nGene:nothing") ==
          Names{"nobody", "no one at all", "Gene:nothing"});
    CHECK(site.unclear("unc-26 nobody") == Names{"nobody"});
    CHECK(site.unclear("Gene unc-26 nobody") == Names{"Gene:nobody"});
    CHECK(site.unclear("nobody", "gene") == Names{"Gene:nobody"});
    CHECK(site.unclear("<b>\xE2\x80\xAE") == Names{"<b>\xE2\x80\xAE"});
}

TEST_CASE("So many names are looked up, and the others are counted") {
    Site site;
    std::string pasted;
    for (int i = 0; i < 1100; ++i) pasted += "n" + std::to_string(i) + "\n";
    const auto read = site.read(pasted);
    CHECK(read.unclear.size() + read.left_out == 1100);
    CHECK(read.left_out == 100);
}

TEST_CASE("Names that were not looked for in the build are left out, not said to be nobody's") {
    Site site;
    const auto read = [&](std::size_t most_lookups) {
        return objects_of_pasted(site.service.read_context(),
                                 pasted_lines("nobody\nWBGene00000912\nnobody"), "Gene",
                                 most_lookups);
    };
    CHECK(read(0).unclear.empty());
    CHECK(read(0).left_out >= 2);
    CHECK(read(100).objects == Objects{daf16});
    CHECK(read(100).unclear.size() == 1);
    CHECK(read(100).left_out == 0);
}
