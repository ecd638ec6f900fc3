// bench/build_models.hpp -- the class models of the builds that bench/make_build makes: the
// classes, tags, references and UNIQUEs that bench/build_objects.hpp writes, and no more.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace bench {

inline constexpr std::string_view models = R"(// Class models of a made build.

#Evidence Paper_evidence ?Paper
          Person_evidence ?Person
          Curator_confirmed ?Person
          Inferred_automatically Text
          Date_last_updated UNIQUE DateType

?Gene Evidence #Evidence
      SMap S_parent UNIQUE Sequence UNIQUE ?Sequence XREF Gene_child
      Identity Version UNIQUE Int
               Name CGC_name UNIQUE ?Gene_name XREF CGC_name_for #Evidence
                    Sequence_name UNIQUE ?Gene_name XREF Sequence_name_for
                    Other_name ?Gene_name XREF Other_name_for #Evidence
                    Public_name UNIQUE ?Gene_name XREF Public_name_for
               Species UNIQUE ?Species
               History Version_change Int UNIQUE DateType UNIQUE ?Person #Gene_history_action
               Status UNIQUE Live #Evidence
                             Dead #Evidence
      Gene_info Gene_class UNIQUE ?Gene_class XREF Genes
                Allele ?Variation XREF Gene #Evidence
                Strain ?Strain XREF Gene
                GO_term ?GO_term XREF Gene ?GO_code #Evidence
                Structured_description Concise_description ?Text #Evidence
      Molecular_info Corresponding_CDS ?CDS XREF Gene #Evidence
      Experimental_info RNAi_result ?RNAi XREF Gene #Evidence
                        Expr_pattern ?Expr_pattern XREF Gene
      Map_info Map UNIQUE ?Map XREF Gene #Map_position
      Reference ?Paper XREF Gene #Evidence
      Remark ?Text #Evidence
      Method UNIQUE ?Method
      Checked UNIQUE DateType

#Gene_history_action Event Imported Text
                           Killed

#Map_position UNIQUE Position UNIQUE Float #Map_error

#Map_error Error UNIQUE Float

?Gene_name CGC_name_for ?Gene XREF CGC_name
           Sequence_name_for ?Gene XREF Sequence_name
           Other_name_for ?Gene XREF Other_name
           Public_name_for ?Gene XREF Public_name
           Remark ?Text #Evidence
           Checked UNIQUE DateType

?Gene_class Genes ?Gene XREF Gene_class
            Remark ?Text #Evidence
            Checked UNIQUE DateType

?Variation Name Public_name UNIQUE ?Variation_name
           Sequence_details Flanking_sequences UNIQUE Text UNIQUE Text
                            Type_of_mutation Substitution UNIQUE Text UNIQUE Text #Evidence
                            SeqStatus UNIQUE Sequenced
           Variation_type Allele
           Origin Species UNIQUE ?Species
                  Strain ?Strain XREF Variation #Evidence
                  Laboratory ?Laboratory
           Affects Gene ?Gene XREF Allele #Molecular_change
           Description Phenotype ?Phenotype XREF Variation #Phenotype_info
                       Phenotype_remark ?Text #Evidence
                       Recessive #Evidence
                       Semi_dominant #Evidence
                       Completely_penetrant
                       Loss_of_function Amorph #Evidence
                                        Hypomorph #Evidence
           Reference ?Paper XREF Allele
           Remark ?Text #Evidence
           Method UNIQUE ?Method
           Checked UNIQUE DateType

#Molecular_change VEP_consequence Text

#Phenotype_info Paper_evidence ?Paper
                Person_evidence ?Person
                Curator_confirmed ?Person
                Penetrance Range UNIQUE Int UNIQUE Int

?Strain Genotype UNIQUE Text
        Contains Gene ?Gene XREF Strain
                 Variation ?Variation XREF Strain
        Properties Outcrossed UNIQUE Text
                   Mutagen Text
                   CGC_received DateType
        Location ?Laboratory
        Isolation GPS UNIQUE Float UNIQUE Float
        Species UNIQUE ?Species
        Remark ?Text #Evidence
        Checked UNIQUE DateType

?Phenotype Description UNIQUE ?Text #Evidence
           Name Primary_name UNIQUE ?Phenotype_name XREF Primary_name_for
                Synonym ?Phenotype_name XREF Synonym_for #Evidence
           Related_phenotypes Specialisation_of ?Phenotype XREF Generalisation_of
                              Generalisation_of ?Phenotype XREF Specialisation_of
           Remark ?Text #Evidence
           Checked UNIQUE DateType

?Phenotype_name Primary_name_for UNIQUE ?Phenotype XREF Primary_name
                Synonym_for ?Phenotype XREF Synonym
                Remark ?Text #Evidence
                Checked UNIQUE DateType

?Sequence DNA UNIQUE ?DNA UNIQUE Int
          SMap S_child Gene_child ?Gene XREF S_parent UNIQUE Int UNIQUE Int
          Origin From_laboratory UNIQUE ?Laboratory
                 Date DateType Text
                 Species UNIQUE ?Species
          Visible Title UNIQUE ?Text
          Properties Genomic_canonical
          Splices Predicted_5 ?Method Int Int UNIQUE Float
          Method UNIQUE ?Method
          Remark ?Text #Evidence
          Checked UNIQUE DateType

?CDS Structure Source_exons Int UNIQUE Int
     Origin Species UNIQUE ?Species
     Properties Coding CDS UNIQUE Confirmed
                                  Predicted
     Visible Gene UNIQUE ?Gene XREF Corresponding_CDS
     Remark ?Text #Evidence
     Checked UNIQUE DateType

?Protein Peptide UNIQUE ?Peptide UNIQUE Int UNIQUE Int
         DB_info Gene_name ?Text
                 Description UNIQUE ?Text
                 Molecular_weight Float #Evidence
         Origin Wormpep
                History Int Text ?Text
                Live
                Dead
         Homol Pep_homol ?Protein XREF Pep_homol ?Method Float Int UNIQUE Int Int UNIQUE Int #Homology
         Remark ?Text #Evidence
         Checked UNIQUE DateType

#Homology Align Int UNIQUE Int UNIQUE Int

?RNAi Inhibits Gene ?Gene XREF RNAi_result
      Remark ?Text #Evidence
      Checked UNIQUE DateType

?Expr_pattern Expression_of Gene ?Gene XREF Expr_pattern
              Subcellular_localization ?Text
              Type Antibody ?Text
              Pattern ?Text
              Reference ?Paper XREF Expr_pattern
              Remark ?Text #Evidence
              Checked UNIQUE DateType

?GO_term Definition ?Text
         Name ?Text
         Status UNIQUE Valid
                       Invalid
         Type UNIQUE Biological_process
                     Cellular_component
         Attributes_of Gene ?Gene XREF GO_term
         Remark ?Text #Evidence
         Checked UNIQUE DateType

?GO_code
?Map
?Species
?Variation_name
?Method Remark ?Text #Evidence
        Checked UNIQUE DateType

?Paper DB_info Database ?Database ?Database_field ?Text
       Status UNIQUE Valid
                     Invalid
       Reference Title UNIQUE ?Text
                 Journal UNIQUE ?Text
                 Page UNIQUE Text
                 Volume UNIQUE Text
                 Publication_date UNIQUE ?Text
       Author ?Author XREF Paper #Affiliation
       Brief_citation UNIQUE Text
       Type Journal_article
       Abstract ?LongText
       Refers_to Gene ?Gene XREF Reference
                 Allele ?Variation XREF Reference
       Remark ?Text #Evidence
       Checked UNIQUE DateType

#Affiliation Affiliation_address UNIQUE Text

?Author Paper ?Paper XREF Author
        Remark ?Text #Evidence
        Checked UNIQUE DateType

?Person Name First_name UNIQUE Text
             Last_name UNIQUE ?Person_name XREF Last_name_of
             Standard_name UNIQUE ?Person_name XREF Standard_name_of
             Full_name UNIQUE ?Person_name XREF Full_name_of
        Address Country UNIQUE Text
                Institution Text
                Email Text
        Tracking Last_verified UNIQUE DateType
                 Status UNIQUE Valid
                               Invalid
        Remark ?Text #Evidence
        Checked UNIQUE DateType

?Person_name Name Last_name_of ?Person XREF Last_name
                  Standard_name_of ?Person XREF Standard_name
                  Full_name_of ?Person XREF Full_name
             Remark ?Text #Evidence
             Checked UNIQUE DateType

?Laboratory Address Mail Text
            Remark ?Text #Evidence
            Checked UNIQUE DateType

?Database
?Database_field
)";

}  // namespace bench
