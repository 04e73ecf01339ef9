// Symbolic problems: what becomes of one when its symbols get values, and its parts by monomial.
//
//   A: (128,64):(ld,1), region A[r:+32, :]            offset r*ld, strides ld 1
//     at {ld: 80, r: 2}                                offset 160, strides 80 1         an ordinary problem
//     part ld                                          offset 0, strides 1 0            the coefficients of ld
//     part r*ld                                        offset 1, strides 0 0
//
// Offsets before the swizzle are sums of a monomial's value times that part's offset. So two of them are equal for all values of
// the symbols if they are equal part by part, and each part is a problem without symbols.
#pragma once

#include <optional>
#include <vector>

#include "layouts/grid.hpp"
#include "layouts/plan.hpp"

namespace tileproof {

/// Whether an Expression of this buffer or region is no number.
bool is_symbolic(const Buffer& buffer);
bool is_symbolic(const Region& region);
bool is_symbolic(const Problem& problem, const Copy& copy);
bool is_symbolic(const AddressPlan& address);
bool is_symbolic(const CopyPlan& plan);

/// Whether an address or a bound of the segment depends on this symbol.
bool mentions(const Segment& segment, int symbol);

/// The stride of a dimension along which the layout is one straight line; nothing where it bends, or over bits.
std::optional<Expression> straight_stride(const Layout& layout, std::size_t dim);

/// Makes room for what a predicate cuts off: there the layout goes on as straight as it is.
void reach_out(Layout& layout, const Region& region);

/// The copy alone: buffers 0 (source) and 1 (destination), with region starts that are no numbers folded into the layouts' offsets.
/// Layouts go on straight as far as regions reach that a predicate cuts off. Nothing where a dimension with such a start bends. One buffer on both sides becomes two.
std::optional<Problem> isolated(const Problem& problem, const Copy& copy);

/// The problem or plan with these values of the symbols; no symbols are left. A copy by each group becomes that of the group that they are of. What is out of range there is check_problem's to say.
/// The box of the plan gets the extents that the copy (of the problem with symbols) then has; nothing where it has no place for one.
Problem at(const Problem& problem, const Values& values);
std::optional<CopyPlan> at(const CopyPlan& plan, const Problem& problem, const Copy& copy, const Values& values);
/// What one block does, with these values of what is passed in, and without symbols: a copy by each group becomes one copy for each, in
/// a row and under one name. Requires: `block` is group 0 of a block.
Problem block_of(const Problem& problem, const Values& passed, const Team& block);

/// Whether a region without symbols lies inside the shape: elsewhere the layout says nothing.
bool is_inside(const Layout& layout, const Region& region);

/// The coefficients of one monomial. Symbolic extents are the greatest, and bounds that equal one the ends of their box dimensions; other
/// bounds with symbols are left out, and tails begin at 0. Without tails, whatever runs for some values runs there, if no extent exceeds the greatest. Requires: starts are numbers. Offsets of starts belong to every part: see `isolated`, which
/// leaves starts that are numbers in the regions, and offset 0 in each part but that of the empty monomial.
Problem part(const Problem& problem, const Monomial& monomial);
/// `region`: of the source.
CopyPlan part(const CopyPlan& plan, const Region& region, const Monomial& monomial);

/// The part that belongs to no symbol, where accesses that run for some values run, and no others as far as bounds say: a tail has less than one
/// of its multiples. `region`: of the source.
CopyPlan at_most(const CopyPlan& plan, const Region& region);

/// All monomials that occur in the addresses of both, the empty one first.
std::vector<Monomial> monomials(const Problem& problem, const CopyPlan& plan);

/// Whether these values respect ranges, multiples and facts.
bool are_allowed(const Problem& problem, const Values& values);

/// Up to `most` different values of the symbols that respect ranges, multiples and facts, always the same ones: the least and the
/// greatest of each symbol, steps from the least up, and mixtures. Possibly none although there are some.
std::vector<Values> sample_values(const Problem& problem, std::size_t most);

/// All values of the symbols that respect ranges, multiples and facts. Nothing: there are more than `most`, or more than 2^15 without
/// the facts.
std::optional<std::vector<Values>> all_values(const Problem& problem, std::size_t most);

}  // namespace tileproof
