// SPDX-License-Identifier: Apache-2.0
// Whether the first record has the columns' names: shapes of real tables.
#include <gtest/gtest.h>

#include <string>

#include "csv/sniff.hpp"
#include "csv/source.hpp"

namespace bobbin::csv_tests {
namespace {

csv::Sniffed sniffed_of(const std::string& text) {
  csv::Source source = csv::Source::from_memory(text, "t.csv");
  const Result<csv::Sniffed> sniffed = csv::sniff(source, {}, {});
  EXPECT_TRUE(sniffed.has_value());
  return *sniffed;
}

bool has_names(const std::string& text) {
  return sniffed_of(text).options.header;
}

TEST(CsvHeader, NamesThatAreYears) {
  EXPECT_TRUE(has_names("state,2021\nAL,-1.5\nAK,3.25\n"));
  EXPECT_TRUE(has_names("district,2022\nAK-1,-14.6\nAL-1,-29.1\n"));
  EXPECT_TRUE(has_names("x,1960,1961,1962\na,1.5,,3\nb,2.5,,4\n"));
  EXPECT_TRUE(has_names("state,kind,2020,2021,2022\nAL,x,5,7,3.5\nAK,y,9,1,4.5\n"));
  EXPECT_TRUE(has_names("HDI,1980,1990,2000,2005\nNorway,0.8,0.85,0.92,0.94\nSweden,0.77,0.82,0.9,0.9\n"));
  EXPECT_TRUE(
      has_names("country,name,type,level,2016,2017,2018\nBE,Belgium,net,Total,82520,82948.5,69212.3\n"
                "BG,Bulgaria,net,Total,42573,42969.8,43801.5\n"));
  EXPECT_TRUE(has_names("rownames,1970,1971,1972\n1,4,0,2\n2,1,3,0\n3,0,5,8\n"));
  EXPECT_TRUE(has_names("Tsunami killed,1979,1980,1995\nBangladesh,,,2\nChile,,5,\n"));
  EXPECT_TRUE(has_names("country,2004,2022\nNorway,5,8\nDenmark,4,10\n"));
  EXPECT_TRUE(has_names(",1985,1986\nAfghanistan,0.86,\nAlbania,,3.2\n"));
  EXPECT_TRUE(
      has_names("\"continent\",\"1957\",\"1952\"\n\"Africa\",1252.5,1385.2\n\"Asia\",5195.4,5787.7\n"));
}

// The same tables without their first line.
TEST(CsvHeader, ValuesBelowYears) {
  EXPECT_FALSE(has_names("AL,-1.5\nAK,3.25\n"));
  EXPECT_FALSE(has_names("Norway,0.8,0.85,0.92,0.94\nSweden,0.77,0.82,0.9,0.9\n"));
  EXPECT_FALSE(has_names("Norway,5,8\nDenmark,4,10\n"));
  EXPECT_FALSE(has_names("1949,112\n1949.0833,118\n1949.1666,132\n"));
  EXPECT_FALSE(has_names("afg,1980,1640\nafg,1990,1200\nafg,1995,1100\nafg,2000,1000\n"));
  EXPECT_FALSE(has_names("Adam,30\nKarissa,40\nZhang,50\n"));
  EXPECT_FALSE(has_names("1617,King of New York (1990)\n1618,All Things Fair (1996)\n"));
  EXPECT_FALSE(has_names("Anna,1990,F\nBert,1985,M\nCarl,1972,M\n"));
}

TEST(CsvHeader, NamesThatAreOtherNumbers) {
  EXPECT_TRUE(has_names("\"\",\"16.5\",\"16.75\",\"17.25\"\n\"71\",0,0,1\n\"70\",3,0,4\n\"69\",2,8,1\n"));
  EXPECT_TRUE(has_names(",0,1,2,3\n0,0.5,0.25,1.5,0.1\n1,0.7,2.5,1.25,0.2\n2,1.5,1.5,3.5,0.5\n"));
  EXPECT_TRUE(has_names("0\nDigit 2\nDigit 7\nDigit 1\n"));
  EXPECT_TRUE(has_names("city,1/22/20,1/23/20\nWuhan,17,20\nBeijing,1,5\n"));
  EXPECT_TRUE(has_names("city,2020-01-22,2020-01-23\nWuhan,17,20\nBeijing,1,5\n"));
}

TEST(CsvHeader, RowsOfNumbersAreValues) {
  EXPECT_FALSE(has_names("2,3,4,5,6,7\n3,4,5,6,7,8\n4,5,6,7,8,9\n"));
  EXPECT_FALSE(has_names("6,148,72,35,0,33.6,0.627,50,1\n1,85,66,29,0,26.6,0.351,31,0\n"));
  EXPECT_FALSE(has_names("0.02,0.0371,R\n0.0453,0.0523,R\n0.0262,0.0582,M\n"));
  EXPECT_FALSE(has_names("108,392.5\n19,46.2\n13,15.7\n"));
  EXPECT_FALSE(has_names("1,58,115\n2,59,117\n3,60,120\n"));
}

// Nothing to compare with.
TEST(CsvHeader, OneRecord) {
  EXPECT_TRUE(has_names("a,b\n"));
  EXPECT_TRUE(has_names("country,1990,1991,1992\n"));
  EXPECT_FALSE(has_names("42\n"));
  EXPECT_FALSE(has_names("2019-06-05\n"));
  EXPECT_FALSE(has_names("3,value3\n"));
  EXPECT_FALSE(has_names("Anna,1990\n"));
}

// Words for missing values in the first row are not names.
TEST(CsvHeader, MissingValues) {
  EXPECT_FALSE(has_names("3,?,gas,2548\n1,?,diesel,2823\n2,164,gas,2337\n"));
  EXPECT_FALSE(has_names("NA,5,1.5\n3,6,2.5\n4,7,3.5\n"));
  EXPECT_FALSE(has_names("Chad,,,\nChile,1,2,3\nChina,4,5,6\n"));
  EXPECT_TRUE(has_names("a,b,\n1,2,\n3,4,\n"));
}

TEST(CsvHeader, TablesOfTextOnly) {
  EXPECT_TRUE(has_names("name,city\nAnna,Oslo\nBert,Rome\n"));
  EXPECT_TRUE(has_names("Name,Code\nAngola,ANG\nArgentina,ARG\nAustria,AUT\n"));
  EXPECT_FALSE(has_names("ham,Go until jurong\nham,Ok lar\nspam,Free entry\nham,U dun\n"));
  EXPECT_FALSE(has_names("2B,AER,CR2\n2B,ASF,CR2\n2B,CEK,A81\n3C,DME,CR2\n"));
}

// As R and pandas write tables: all records have one field more than the header.
TEST(CsvHeader, NamesOfRowsWithoutAName) {
  const auto has_row_names = [](const std::string& text) { return sniffed_of(text).options.row_names; };
  EXPECT_TRUE(has_row_names("A,B,C\n2000-01-03,1,2,3\n2000-01-04,4,5,6\n"));
  EXPECT_TRUE(has_row_names("A,B,C\n2000-01-03,1,2,3\n"));
  EXPECT_TRUE(has_row_names("speed\n1,4\n2,7\n"));
  EXPECT_TRUE(has_row_names("x,y\n1,a,b\n2,c,d\n"));
  EXPECT_EQ(sniffed_of("A,B,C\n2000-01-03,1,2,3\n2000-01-04,4,5,6\n").columns, 4U);
  // A title; a record of another length; values; a delimiter after the last column.
  EXPECT_FALSE(has_row_names("My title\na,b\n1,2\n3,4\n"));
  EXPECT_FALSE(has_row_names("a,b\n1,2,3\n4,5\n"));
  EXPECT_FALSE(has_row_names("1,2\n1,2,3\n4,5,6\n7,8,9\n"));
  EXPECT_FALSE(has_row_names("a,b\n1,2,\n3,4,\n"));
}

// What is seen of a verdict that may be wrong.
TEST(CsvHeader, Doubt) {
  const std::string marks = "delimiter ',', quote '\"', ";
  EXPECT_EQ(
      csv::describe(sniffed_of("1,x\n2,y\n")),
      marks + "no header row, 2 columns; names: c0 to c1; first record: 1, x (--header reads it as names)");
  EXPECT_EQ(csv::describe(sniffed_of("x,y\nu,v\n")),
            marks + "header row, 2 columns; names: x, y (--no-header reads them as values)");
  EXPECT_EQ(csv::describe(sniffed_of("7\n8\n9\n")),
            marks + "no header row, 1 column; names: c0; first record: 7 (--header reads it as names)");
  EXPECT_EQ(csv::describe(sniffed_of("1,2,3,4,5,a text that is cut somewhere\n1,2,3,4,5,6\n")),
            marks +
                "no header row, 6 columns; names: c0 to c5; first record: 1, 2, 3, 4, 5, ... (--header reads "
                "it as names)");
  EXPECT_EQ(csv::describe(sniffed_of("name,v\nx,1\ny,2\n")), marks + "header row, 2 columns");
}

}  // namespace
}  // namespace bobbin::csv_tests
