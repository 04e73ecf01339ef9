// Pieces of sentences that diagnostics share.
#include "layouts/wording.hpp"

#include <doctest/doctest.h>

namespace tileproof::test {

TEST_CASE("words of the input are shown as plain characters") {
    CHECK(in_quotes("align") == "'align'");
    CHECK(in_quotes("al\ngn\x1b[2J\xc3.\xa9") == "'al?gn?[2J?.?'");
    CHECK(in_quotes(std::string(100, 'x')) == "'" + std::string(60, 'x') + "...'");
}

TEST_CASE("the nearest known word is suggested, if it is near") {
    const std::vector<std::string> known{"align", "base", "capacity"};
    CHECK(did_you_mean("algn", known) == "did you mean 'align'?");
    CHECK(did_you_mean("capcity", known) == "did you mean 'capacity'?");
    CHECK(did_you_mean("bases", known) == "did you mean 'base'?");
    CHECK(did_you_mean("stride", known).empty());
    CHECK(did_you_mean("ba", known).empty());
    CHECK(did_you_mean("", known).empty());
    CHECK(did_you_mean("align", {}).empty());
    CHECK(did_you_mean(std::string(1000, 'x'), known).empty());
}

TEST_CASE("lists") {
    CHECK(listed({}).empty());
    CHECK(listed({"A"}) == "A");
    CHECK(listed({"A", "B"}) == "A and B");
    CHECK(listed({"A", "B", "C"}) == "A, B and C");
    CHECK(tuple_of({}) == "()");
    CHECK(tuple_of({128, -1}) == "(128,-1)");
}

TEST_CASE("names") {
    CHECK(is_identifier("_a1"));
    CHECK_FALSE(is_identifier("1a"));
    CHECK_FALSE(is_identifier(""));
    CHECK_FALSE(is_identifier("a b"));
    CHECK_FALSE(is_identifier("\xc3\xa9"));
}

}  // namespace tileproof::test
