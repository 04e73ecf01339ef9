# The flaws: each breaks one condition of the verifier, and the tests must notice (make mutants).
#
#   flaw(name file "what the verifier now does wrong" [[text]] [[what takes its place]])
#
# The text is an expression that occurs exactly once in verify/FILE; the build fails where it does not, so keep it as short as it
# can be. Two flaws may break the same text, but texts do not overlap. A `void()` drops a statement.
# Most flaws make the verifier prove what is false. `refutes:` marks those that make it refute, or leave open, what is true.

# --- the linear proofs ------------------------------------------------------------------------------------------------

flaw(linear-digit-extent linear.cpp "the last value of every digit is left out"
  [[out.at[i] < number(segment.digits[i].extent)]] [[out.at[i] < number(segment.digits[i].extent - 1)]])
flaw(linear-digit-zero linear.cpp "digits start at 1"
  [[out.at[i] >= number(0)]] [[out.at[i] >= number(1)]])
flaw(linear-offset-constant linear.cpp "the offset of an address is left out"
  [[number(address.offset)]] [[number(0)]])
flaw(linear-offset-threads linear.cpp "threads add nothing to an address"
  [[!lane_zero || !is_lane(segment, side, i)]] [[segment.digits[i].role != Role::thread && (!lane_zero || !is_lane(segment, side, i))]])
flaw(linear-start linear.cpp "coordinates start at 0 in every segment"
  [[number(segment.start[dim])]] [[number(0)]])
flaw(linear-bound linear.cpp "a bound is one lower"
  [[coordinate(segment, static_cast<std::size_t>(bound.dim), digits, true) < number(bound.below)]]
  [[coordinate(segment, static_cast<std::size_t>(bound.dim), digits, true) < number(bound.below - 1)]])
flaw(linear-inside-above linear.cpp "`<=` for `<` at the end of the box"
  [[c >= number(0) && c < number(extents[j])]] [[c >= number(0) && c <= number(extents[j])]])
flaw(linear-inside-below linear.cpp "coordinates below the box count as inside"
  [[c >= number(0) && c < number(extents[j])]] [[c < number(extents[j])]])
flaw(linear-mode-unchecked linear_mode.cpp "every mode counts as linear"
  [[value != claimed_]] [[context_.bool_val(false)]])
flaw(linear-mode-extent linear_mode.cpp "whether a mode is linear is not asked of its last element"
  [[g < number(factor.extent)]] [[g < number(factor.extent - 1)]])
flaw(linear-mode-iter linear_mode.cpp "the last value of every iter is left out"
  [[a < number(mode_[m].extent)]] [[a < number(mode_[m].extent - 1)]])
flaw(linear-mode-parts linear_mode.cpp "the last value of every part of a factor is left out"
  [[part < number(here)]] [[part < number(here - 1)]])
flaw(linear-mode-digits linear_mode.cpp "what the factors say of the digits is believed"
  [[!are_digits(split_) || differs(split_)]] [[differs(split_)]])
flaw(linear-factors linear.cpp "the factors of a box dimension need not continue each other"
  [[step != radix * stride]] [[false]])
flaw(linear-flat-row linear.cpp "a flat access may cross into the next row"
  [[shape.back() % n != 0]] [[false]])
flaw(linear-flat-start linear.cpp "a flat segment may start between accesses"
  [[segment.start[0] % n != 0]] [[false]])
flaw(linear-flat-weight linear.cpp "flat threads may lie any distance apart"
  [[digit.weight % n != 0]] [[false]])
flaw(linear-flat-modulus linear.cpp "the modulus of a flat term is not looked at"
  [[shape[dim - 1] != term.mod]] [[false]])
flaw(linear-flat-divisor linear.cpp "the divisor of a flat term is not looked at"
  [[weight != term.div]] [[false]])
flaw(linear-flat-twice linear.cpp "of two flat terms of one dimension the last counts"
  [[strides[dim - 1] != 0]] [[false]])
flaw(linear-flat-nested linear.cpp "what a flat term divides is taken for the index"
  [[!term.of.empty()]] [[false]])
flaw(linear-differences-sign linear.cpp "coordinate differences are never negative"
  [[d > number(-extents[j])]] [[d >= number(0)]])
flaw(linear-differences-extent linear.cpp "coordinate differences end one early"
  [[d < number(extents[j])]] [[d < number(extents[j] - 1) && d > number(1 - extents[j])]])
flaw(linear-over-bits linear.cpp "a layout over bits counts as injective"
  [[layout.is_over_bits()]] [[false]])
flaw(linear-injective-whole linear.cpp "a layout that is not linear on the box counts as injective"
  [[extents.push_back(iter.extent)]] [[extents.push_back(1)]])
flaw(linear-bijection-sign linear.cpp "digit differences are never negative"
  [[d > number(-digit.extent)]] [[d >= number(0)]])
flaw(linear-bijection-extent linear.cpp "digit differences end one early"
  [[d < number(digit.extent)]] [[d < number(digit.extent - 1) && d > number(1 - digit.extent)]])
flaw(linear-bijection-unchecked linear.cpp "different digits count as different coordinates"
  [[digits_injective(segments()[g])]] [[true]])
flaw(linear-segments-lanes linear.cpp "segments are compared by lane 0"
  [[coordinate(a, j, da, false) == coordinate(b, j, db, false)]] [[coordinate(a, j, da, true) == coordinate(b, j, db, true)]])
flaw(linear-segments-pair linear.cpp "every segment is compared with the first one only"
  [[h < g]] [[h < g && h < 1]])
flaw(linear-address-constant linear.cpp "the layout's constant is left out"
  [[number(layout->constant)]] [[number(0)]])
flaw(linear-address-swizzle linear.cpp "the swizzle of an address is not compared with the layout's"
  [[s.side(side).address.swizzle != judge_.buffer(side).layout.swizzle]] [[false]])
flaw(linear-address-swizzle-base linear.cpp "swizzles are compared by their bits, not by their base"
  [[s.side(side).address.swizzle != judge_.buffer(side).layout.swizzle]]
  [[s.side(side).address.swizzle.bits_log2 != judge_.buffer(side).layout.swizzle.bits_log2]])
flaw(linear-address-lanes linear.cpp "the address is compared with the layout at lane 0 only"
  [[query.push_back(inside(s, d))]] [[query.push_back(inside(s, d) && offset(s, side, d, false) == offset(s, side, d, true))]])
flaw(linear-aligned-packed linear.cpp "an access of 8 bits is aligned, however small its elements"
  [[plan.width <= Bits{8} && plan.width <= element]] [[plan.width <= Bits{8}]])
flaw(linear-aligned-memo linear.cpp "the destination is taken for aligned if the source is"
  [=[aligned_[index(side)]]=] [=[aligned_[0]]=])
flaw(linear-contiguous-memo linear.cpp "the destination is taken for contiguous if the source is"
  [=[contiguous_[index(side)]]=] [=[contiguous_[0]]=])
flaw(linear-aligned-base linear.cpp "an unknown base need be aligned to half of the width"
  [[to_bits(judge_.buffer(side).align) < plan.width]] [[to_bits(judge_.buffer(side).align) * 2 < plan.width]])
flaw(linear-aligned-residue linear.cpp "a known base counts as 0"
  [[low(judge_.base_residue(side).count)]] [[low(0)]])
flaw(linear-aligned-offset linear.cpp "alignment leaves out the offset of an address"
  [[low(plan.address.offset)]] [[low(0)]])
flaw(linear-aligned-modulus linear.cpp "half of the alignment is asked for"
  [[floor_log2(plan.width.count)]] [[floor_log2(plan.width.count) - 1]])
flaw(linear-aligned-threads linear.cpp "alignment leaves out the threads"
  [[is_lane(s, side, i)]] [[s.digits[i].role != Role::outer]])
flaw(linear-aligned-block linear.cpp "alignment leaves out the other accesses of a block"
  [[is_lane(s, side, i)]] [[s.digits[i].role == Role::vec]])
flaw(linear-aligned-extent linear.cpp "alignment leaves out the last value of every digit"
  [[low(s.digits[i].extent)]] [[low(s.digits[i].extent - 1)]])
flaw(linear-contiguous-count linear.cpp "an access may have more elements than lanes"
  [[lanes_of(s, side) != judge_.access_elements(g, side)]] [[false]])
flaw(linear-contiguous-start linear.cpp "a swizzled access may start inside a chunk"
  [[judge_.base_residue(side) % plan.width == Bits{0} && aligned(side)]] [[judge_.base_residue(side) % plan.width == Bits{0}]])
flaw(linear-contiguous-residue linear.cpp "an aligned address counts as the start of a chunk whatever the base"
  [[judge_.base_residue(side) % plan.width == Bits{0} && aligned(side)]] [[aligned(side)]])
flaw(linear-contiguous-stride linear.cpp "lanes count as neighbours whatever their stride"
  [[d.at[i] * number(plan.address.strides[i])]] [[d.at[i] * number(radix)]])
flaw(linear-contiguous-places linear.cpp "only the least digit of the lane is looked at"
  [[lane_digits(s, side)]] [=[[](std::vector<std::size_t> all) { all.resize(std::min<std::size_t>(1, all.size())); return all; }(lane_digits(s, side))]=])
flaw(linear-block-source linear.cpp "the registers of a block have what their loads would have in order"
  [[std::any_of(segments().begin(), segments().end(), is_block) && !holds_("contiguous.src")]] [[false]])
flaw(linear-bounds-below linear.cpp "an access may begin before the buffer"
  [[first < number(0)]] [[z3_.context().bool_val(false)]])
flaw(linear-bounds-capacity linear.cpp "a buffer has one element more"
  [[number(capacity)]] [[number(capacity + 1)]])
flaw(linear-bounds-length linear.cpp "an access counts as one element"
  [[first + number(judge_.access_elements(g, side))]] [[first + number(1)]])
flaw(linear-bounds-period linear.cpp "a swizzle stays below the capacity because the sum does"
  [[capacity >> swizzle.period_log2() << swizzle.period_log2()]] [[capacity]])
flaw(linear-bounds-contiguous linear.cpp "a swizzled access need not be contiguous to stay in its block"
  [[!contiguous(side)]] [[false]])
flaw(linear-same-element-src linear.cpp "`same-element` does not ask for the source address"
  [[holds_("address.src") && holds_("address.dst") && holds_("contiguous.dst")]]
  [[holds_("address.dst") && holds_("contiguous.dst")]])
flaw(linear-same-element-dst linear.cpp "`same-element` does not ask for the destination address"
  [[holds_("address.src") && holds_("address.dst") && holds_("contiguous.dst")]]
  [[holds_("address.src") && holds_("contiguous.dst")]])
flaw(linear-same-element-place linear.cpp "`same-element` does not ask for contiguity"
  [[holds_("address.src") && holds_("address.dst") && holds_("contiguous.dst")]]
  [[holds_("address.src") && holds_("address.dst")]])
flaw(linear-predicate-segments linear.cpp "only the first segment has to stay inside the box"
  [[!inside(s, d)]] [[!inside(s, d) && z3_.context().bool_val(&s == &segments().front())]])
flaw(linear-covers-bound linear.cpp "`>` for `>=`: a bound cuts off one access less"
  [[first_lane >= number(bound.below)]] [[first_lane > number(bound.below)]])
flaw(linear-covers-bounds linear.cpp "bounds cut nothing off"
  [[bound.dim != static_cast<int>(j)]] [[true]])
flaw(linear-covers-threads linear.cpp "a bound is compared without what the thread adds"
  [[first_lane + q * number(size)]] [[digit.role == Role::outer ? first_lane + q * number(size) : first_lane]])
flaw(linear-covers-top linear.cpp "the top digit of a dimension may go one too far"
  [[missed || !in_range]] [[missed || q < number(0) || q > number(digit.extent)]])
flaw(linear-covers-below linear.cpp "the top digit of a dimension may be negative"
  [[missed || !in_range]] [[missed || q >= number(digit.extent)]])
flaw(linear-covers-chain linear.cpp "digits need not form a mixed radix"
  [[size != radix]] [[false]])
flaw(linear-covers-point linear.cpp "a dimension without digits counts as covered"
  [[missed || coordinates[j] != sum]] [[missed]])
flaw(linear-covers-last linear.cpp "the last coordinate of the box need not be covered"
  [[coordinates[j] < number(extents[j])]] [[coordinates[j] < number(extents[j] - 1)]])
flaw(linear-covers-first linear.cpp "the first coordinate of the box need not be covered"
  [[coordinates[j] >= number(0)]] [[coordinates[j] >= number(1)]])
flaw(linear-disjoint-address linear.cpp "`disjoint` argues by the layout, whatever the addresses"
  [[!holds_("address.dst") || !holds_("contiguous.dst") || !holds_("predicate")]]
  [[!holds_("contiguous.dst") || !holds_("predicate")]])
flaw(linear-disjoint-contiguous linear.cpp "`disjoint` argues by the lanes, whatever the accesses"
  [[!holds_("address.dst") || !holds_("contiguous.dst") || !holds_("predicate")]]
  [[!holds_("address.dst") || !holds_("predicate")]])
flaw(linear-disjoint-predicate linear.cpp "`disjoint` argues by the box, whatever leaves it"
  [[!holds_("address.dst") || !holds_("contiguous.dst") || !holds_("predicate")]]
  [[!holds_("address.dst") || !holds_("contiguous.dst")]])
flaw(linear-disjoint-side linear.cpp "`disjoint` asks whether the source layout is injective"
  [[layout_injective(Side::dst)]] [[layout_injective(Side::src)]])
flaw(linear-cells linear.cpp "elements that share a byte never clash"
  [[judge_.cell_log2() == 0]] [[true]])
flaw(linear-cells-width linear.cpp "an access of less than a byte touches no other element"
  [[s.side(side).width < Bits{8}]] [[false]])
flaw(linear-cells-aligned linear.cpp "an access that begins inside a byte touches no other element"
  [[holds_(side == Side::src ? "aligned.src" : "aligned.dst")]] [[true]])
flaw(linear-alias-cells linear.cpp "`no-alias` is about elements, not bytes"
  [[!fills_cells(Side::src) || !fills_cells(Side::dst)]] [[false]])
flaw(linear-alias-premises linear.cpp "`no-alias` argues by the regions, whatever the addresses"
  [[!holds_(id)]] [[false]])
flaw(linear-alias-extent linear.cpp "`no-alias` leaves out the last coordinate"
  [[c < number(judge_.box_shape()[j])]] [[c < number(judge_.box_shape()[j] - 1)]])
flaw(linear-alias-constant linear.cpp "`no-alias` takes the source for one element further"
  [[layouts_[0]->constant - layouts_[1]->constant]] [[layouts_[0]->constant - layouts_[1]->constant + 1]])
flaw(linear-alias-side linear.cpp "`no-alias` takes the strides of the source on both sides"
  [=[layouts_[index(side)]->strides[j]]=] [=[layouts_[0]->strides[j]]=])
flaw(linear-alias-buffer linear.cpp "two regions never overlap"
  [[judge_.copy().src.buffer != judge_.copy().dst.buffer]] [[true]])
flaw(linear-unknown linear.cpp "unknown is rounded up to proved"
  [[z3_.check(theory, query, {}, rlimit_).answer == smt::Answer::unsat]] [[z3_.check(theory, query, {}, rlimit_).answer != smt::Answer::sat]])

# --- the definition proofs --------------------------------------------------------------------------------------------

flaw(definition-width definition.cpp "terms wrap around"
  [[largest *= std::max<std::int64_t>(8, judge.element().count)]] [[largest /= 64]])
flaw(definition-width-offset definition.cpp "terms have no room for the offset of an address"
  [[std::abs(address.offset)]] [[std::int64_t{0}]])
flaw(definition-width-stride definition.cpp "terms have no room for the strides of an address"
  [[Wide{std::abs(address.strides[i])} * segment.digits[i].extent]] [[Wide{0}]])
flaw(definition-width-weight definition.cpp "terms have no room for the weights of digits"
  [[Wide{std::abs(digit.weight)} * digit.extent]] [[Wide{0}]])
flaw(definition-width-bound definition.cpp "terms have no room for a bound"
  [[take(bound.below)]] [[void()]])
flaw(definition-quotient definition.cpp "refutes: a mask for a shift"
  [[z3::lshr(a, constant(floor_log2(k)))]] [[a & constant(k - 1)]])
flaw(definition-remainder definition.cpp "refutes: a shift for a mask"
  [[a & constant(k - 1)]] [[z3::lshr(a, constant(floor_log2(k)))]])
flaw(definition-digit-extent definition.cpp "the last value of every digit is left out"
  [[out.digits.push_back(z3_.context().bv_const((prefix + std::to_string(i)).c_str(), algebra_.bits))]]
  [[(out.digits.push_back(z3_.context().bv_const((prefix + std::to_string(i)).c_str(), algebra_.bits)), out.assumed.push_back(z3::ult(out.digits[i], number(s.digits[i].extent - 1))))]])
flaw(definition-bound definition.cpp "a bound is one lower"
  [[first[static_cast<std::size_t>(bound.dim)] < number(bound.below)]]
  [[first[static_cast<std::size_t>(bound.dim)] < number(bound.below - 1)]])
flaw(definition-bound-ignored definition.cpp "refutes: the predicate is ignored"
  [[first[static_cast<std::size_t>(bound.dim)] < number(bound.below)]]
  [[z3_.context().bool_val(true)]])
flaw(definition-block-start definition.cpp "refutes: a block has one access a side, which begins at its lane 0"
  [[is_lane(s, side, i)]] [[s.digits[i].role == Role::vec]])
flaw(definition-lane-zero definition.cpp "every lane is the start of its own access"
  [[smt::assign(digits[i], number(0))]] [[void()]])
flaw(definition-swizzle-none definition.cpp "the swizzle is left out"
  [[swizzled(algebra_, s.side(side).address.swizzle, planned_linear_offset(algebra_, s, side, digits, index))]]
  [[planned_linear_offset(algebra_, s, side, digits, index)]])
flaw(definition-swizzle-shift definition.cpp "the swizzle shifts one further"
  [[swizzled(algebra_, s.side(side).address.swizzle, planned_linear_offset(algebra_, s, side, digits, index))]]
  [[swizzled(algebra_, Swizzle{s.side(side).address.swizzle.bits_log2, s.side(side).address.swizzle.base_log2, s.side(side).address.swizzle.shift_log2 + 1}, planned_linear_offset(algebra_, s, side, digits, index))]])
flaw(definition-swizzle-first definition.cpp "the swizzle is applied before the offset is added"
  [[swizzled(algebra_, s.side(side).address.swizzle, planned_linear_offset(algebra_, s, side, digits, index))]]
  [[swizzled(algebra_, s.side(side).address.swizzle, planned_linear_offset(algebra_, s, side, digits, index) - number(s.side(side).address.offset)) + number(s.side(side).address.offset)]])
flaw(definition-block-residue definition.cpp "refutes: blocks are counted from the buffer's start, not from address 0"
  [[judge_.base_residue(side) / judge_.element()]] [[0]])
flaw(definition-block-none definition.cpp "refutes: an access starts where its lane 0 lies"
  [[!judge_.rounds_down(access.segment, side)]] [[true]])
flaw(definition-block-twice definition.cpp "refutes: blocks have twice the width"
  [[number(-elements(access, side))]] [[number(-2 * elements(access, side))]])
flaw(definition-spot definition.cpp "refutes: only the last digit of a counterexample's round, thread and lane counts"
  [=[number += radix * digits[index_of(s, *digit)]]=]
  [=[number = radix * digits[index_of(s, *digit)]]=])
flaw(definition-unravel definition.cpp "refutes: the coordinates of an index are not reduced"
  [[algebra_.remainder(rest, shape[i])]] [[rest]])
flaw(definition-inside-above definition.cpp "`<=` for `<` at the end of the box"
  [[coordinate[j] < number(judge_.box_shape()[j])]] [[coordinate[j] <= number(judge_.box_shape()[j])]])
flaw(definition-inside-below definition.cpp "coordinates below the box count as inside"
  [[coordinate[j] >= number(0)]] [[z3_.context().bool_val(true)]])
flaw(definition-inside-dimensions definition.cpp "only the first dimension of the box is looked at"
  [[j < coordinate.size()]] [[j < 1]])
flaw(definition-region-start definition.cpp "the start of the region is left out"
  [[logical.push_back(number(start))]] [[logical.push_back(number(0))]])
flaw(definition-first-segment definition.cpp "only the first segment is looked at"
  [[build(a, other, query)]] [[g == 0 ? build(a, other, query) : query.push_back(z3_.context().bool_val(false))]])
flaw(definition-pairs definition.cpp "only pairs with the first segment are looked at"
  [[h < segments()]] [[h < 1]])
flaw(definition-pairs-mixed definition.cpp "two different segments are not compared"
  [[build(a, b, query)]] [[g == h ? build(a, b, query) : query.push_back(z3_.context().bool_val(false))]])
flaw(definition-address-lanes definition.cpp "the address is compared with the layout at lane 0 only"
  [[offset(a, side, false) != layout(c, side)]] [[offset(a, side, true) != layout(coordinate(a, true), side)]])
flaw(definition-address-side definition.cpp "refutes: the address is compared with the source layout on both sides"
  [[offset(a, side, false) != layout(c, side)]] [[offset(a, side, false) != layout(c, Side::src)]])
flaw(definition-bounds-below definition.cpp "an access may begin before the buffer"
  [[first < number(0)]] [[z3_.context().bool_val(false)]])
flaw(definition-bounds-capacity definition.cpp "a buffer has one element more"
  [[judge_.buffer(side).capacity.count]] [[judge_.buffer(side).capacity.count + 1]])
flaw(definition-bounds-length definition.cpp "an access counts as one element"
  [[first + number(elements(a, side))]] [[first + number(1)]])
flaw(definition-aligned-modulus definition.cpp "half of the alignment is asked for"
  [[number(width.count - 1)]] [[number(width.count / 2 - 1)]])
flaw(definition-aligned-unknown definition.cpp "an unknown base counts as 0"
  [[buffer.base ? number(judge_.base_residue(side).count) : unknown_part]] [[buffer.base ? number(judge_.base_residue(side).count) : number(0)]])
flaw(definition-aligned-residue definition.cpp "a known base counts as 0"
  [[buffer.base ? number(judge_.base_residue(side).count) : unknown_part]] [[buffer.base ? number(0) : unknown_part]])
flaw(definition-contiguous-count definition.cpp "an access may have more elements than lanes"
  [[lanes_of(s, side) != n]] [[false]])
flaw(definition-block-place definition.cpp "a lane of a block may have any place in its access"
  [[place != this->place(a, side)]] [[z3_.context().bool_val(false)]])
flaw(definition-block-read definition.cpp "a register of a block may have another element than the load puts there"
  [[read != place(a, Side::src)]] [[z3_.context().bool_val(false)]])
flaw(definition-block-written definition.cpp "a register of a block may be written to another place"
  [[written != place(a, Side::dst)]] [[z3_.context().bool_val(false)]])
flaw(definition-block-stores definition.cpp "the stores of one round of a thread are not compared"
  [[!is_lane(s, Side::dst, i)]] [[s.digits[i].role != Role::vec]])
flaw(definition-contiguous-above definition.cpp "`>` for `>=`: a lane may lie one element behind the access"
  [[place >= number(n)]] [[place > number(n)]])
flaw(definition-contiguous-below definition.cpp "a lane may lie before the access"
  [[place < number(0)]] [[z3_.context().bool_val(false)]])
flaw(definition-contiguous-place definition.cpp "a lane may have another place than in the source"
  [[place != offset(a, Side::src, false) - start(a, Side::src)]] [[z3_.context().bool_val(false)]])
flaw(definition-contiguous-twice definition.cpp "two lanes may share an element"
  [[offset(a, side, false) == offset(other, side, false)]] [[z3_.context().bool_val(false)]])
flaw(definition-same-element-places definition.cpp "what is read need not be what is written"
  [[read != written]] [[z3_.context().bool_val(false)]])
flaw(definition-same-element-below definition.cpp "an element may lie before the access that writes it"
  [[written < number(0)]] [[z3_.context().bool_val(false)]])
flaw(definition-same-element-above definition.cpp "an element may lie behind the access that writes it"
  [[written >= number(elements(a, Side::dst))]] [[z3_.context().bool_val(false)]])
flaw(definition-disjoint-threads definition.cpp "two threads of one round may write the same"
  [=[a.digits[i] != b.digits[i]]=]
  [[s.digits[i].role == Role::outer ? a.digits[i] != b.digits[i] : z3_.context().bool_val(false)]])
flaw(definition-disjoint-segments definition.cpp "two segments are told apart by their digits, not by their number"
  [[a.segment == b.segment]] [[true]])
flaw(definition-cells definition.cpp "elements that share a byte never clash"
  [[judge_.cell_log2() == 0]] [[true]])
flaw(definition-overlap-start definition.cpp "two accesses overlap only where they start together"
  [[cell(a) <= cell(b + number(b_elements - 1)) && cell(b) <= cell(a + number(a_elements - 1))]] [[cell(a) == cell(b)]])
flaw(definition-overlap-last definition.cpp "the last element of an access overlaps nothing"
  [[cell(a) <= cell(b + number(b_elements - 1)) && cell(b) <= cell(a + number(a_elements - 1))]]
  [[cell(a) <= cell(b + number(b_elements - 2)) && cell(b) <= cell(a + number(a_elements - 2))]])
flaw(definition-alias-later definition.cpp "a thread may read what it wrote before"
  [[count(write, Role::thread) != count(read, Role::thread) || later]] [[count(write, Role::thread) != count(read, Role::thread)]])
flaw(definition-alias-segments definition.cpp "a thread may read what it wrote in a segment before"
  [[read.segment > write.segment]] [[false]])
flaw(definition-alias-rounds definition.cpp "refutes: a read of the same round counts as later"
  [[count(read, Role::outer) > count(write, Role::outer)]] [[count(read, Role::outer) >= count(write, Role::outer)]])
flaw(definition-alias-buffer definition.cpp "two regions never overlap"
  [[judge_.copy().src.buffer != judge_.copy().dst.buffer]] [[true]])
flaw(definition-covers-gap definition.cpp "refutes: no gap between the digits of a dimension is found"
  [[digit.weight >= 1 && digit.weight <= reached]] [[true]])

# --- how both are put together ----------------------------------------------------------------------------------------

flaw(prove-linear-address-side prove.cpp "by the linear argument, `address` of the source holds for the destination"
  [[linear.address(side)]] [[linear.address(Side::src)]])
flaw(prove-linear-bounds-side prove.cpp "by the linear argument, `bounds` of the source holds for the destination"
  [[linear.bounds(side)]] [[linear.bounds(Side::src)]])
flaw(prove-linear-aligned-side prove.cpp "by the linear argument, `aligned` of the source holds for the destination"
  [[linear.aligned(side)]] [[linear.aligned(Side::src)]])
flaw(prove-definition-address-side prove.cpp "by the definition, `address` of the source holds for the destination"
  [[definition.address(side)]] [[definition.address(Side::src)]])
flaw(prove-definition-bounds-side prove.cpp "by the definition, `bounds` of the source holds for the destination"
  [[definition.bounds(side)]] [[definition.bounds(Side::src)]])
flaw(prove-definition-aligned-side prove.cpp "by the definition, `aligned` of the source holds for the destination"
  [[definition.aligned(side)]] [[definition.aligned(Side::src)]])
flaw(prove-definition-contiguous-side prove.cpp "by the definition, `contiguous` of the source holds for the destination"
  [[definition.contiguous(side)]] [[definition.contiguous(Side::src)]])
flaw(prove-contiguous prove.cpp "`contiguous.dst` does not ask for the source's lanes"
  [[linear.contiguous(Side::src) && linear.contiguous(Side::dst)]] [[linear.contiguous(Side::dst)]])
flaw(prove-memo prove.cpp "an obligation is taken for decided if one with the same first letters is"
  [[findings_.find(id)]]
  [[std::find_if(findings_.begin(), findings_.end(), [&](const auto& f) { return f.first.substr(0, 5) == std::string(id).substr(0, 5); })]])
flaw(verify-unknown verify.cpp "an unknown obligation does not prevent a certificate"
  [[out.report.verdict() == Verdict::proved]] [[out.report.verdict() != Verdict::refuted]])
flaw(report-worst report.cpp "unknown is rounded up to proved"
  [[a == Verdict::unknown || b == Verdict::unknown]] [[a == Verdict::unknown && b == Verdict::unknown]])
flaw(report-empty report.cpp "a copy without findings is proved"
  [[findings.empty() ? Verdict::unknown : Verdict::proved]] [[Verdict::proved]])
flaw(report-conflicts report.cpp "checkers may contradict each other"
  [[conflicts.empty() ? all(program) : Verdict::unknown]] [[all(program)]])

# --- structure and program --------------------------------------------------------------------------------------------

flaw(structure-legal-direction structure.cpp "a store may read"
  [[form->direction != (side == Side::src ? Direction::load : Direction::store)]] [[false]])
flaw(structure-legal-space structure.cpp "an instruction may access any memory"
  [[form->space != space]] [[false]])
flaw(structure-legal-width structure.cpp "an instruction may move another width"
  [[form->width != plan.width]] [[false]])
flaw(structure-legal-arch structure.cpp "every architecture has every instruction"
  [[form->least_arch > problem.target.number]] [[false]])
flaw(structure-legal-ptx structure.cpp "every PTX version has every instruction"
  [[*problem.ptx < form->least_ptx]] [[false]])
flaw(structure-hint-machine structure.cpp "every access takes every cache hint"
  [[!why.empty()]] [[false]])
flaw(structure-hint-width structure.cpp "a cache hint may go with any width"
  [[why_not(*hint, hinted_access(plan, side), plan.width, problem.target, problem.ptx)]]
  [[why_not(*hint, hinted_access(plan, side), std::nullopt, problem.target, problem.ptx)]])
flaw(structure-hint-arch structure.cpp "every architecture has every cache hint"
  [[why_not(*hint, hinted_access(plan, side), plan.width, problem.target, problem.ptx)]]
  [[why_not(*hint, hinted_access(plan, side), plan.width, *find_arch("sm_121"), problem.ptx)]])
flaw(structure-hint-ptx structure.cpp "every PTX version has every cache hint"
  [[why_not(*hint, hinted_access(plan, side), plan.width, problem.target, problem.ptx)]]
  [[why_not(*hint, hinted_access(plan, side), plan.width, problem.target, std::nullopt)]])
flaw(structure-hint-access structure.cpp "stores take the hints of loads"
  [[why_not(*hint, hinted_access(plan, side), plan.width, problem.target, problem.ptx)]]
  [[why_not(*hint, HintedAccess::load, plan.width, problem.target, problem.ptx)]])
flaw(structure-hint-written structure.cpp "what the file writes may be read as what nobody writes"
  [[is_written(problem, judge.copy().src.buffer)]] [[false]])
flaw(structure-hint-missing structure.cpp "cache hints of the file may be left out"
  [[!is_named && std::find(hints.begin(), hints.end(), asked) == hints.end()]] [[false]])
flaw(structure-hint-path structure.cpp "cp.async may be of another kind than the file asks for"
  [["cp.async." + word + "."]] [["cp.async."]])
flaw(structure-hint-taken structure.cpp "a hint that no access takes counts as had"
  [[!is_taken]] [[false]])
flaw(structure-people structure.cpp "as many threads as asked for are enough, whichever they are"
  [[asked != planned]] [[asked.count != planned.count]])
flaw(structure-people-segment structure.cpp "a segment may be for other threads than its copy"
  [[segment.threads != asked.count]] [[false]])
flaw(structure-people-block structure.cpp "the scope may end one thread after the block"
  [[asked.end() > problem.launch.block]] [[asked.end() > problem.launch.block + 1]])
flaw(structure-overflow-side structure.cpp "only the destination's addresses may not overflow"
  [[judge.overflow(g, side)]] [[judge.overflow(g, Side::dst)]])
flaw(structure-overflow-other structure.cpp "only the source's addresses may not overflow"
  [[judge.overflow(g, side)]] [[judge.overflow(g, Side::src)]])
flaw(structure-dependent-twice structure.cpp "two writes of one buffer are independent"
  [[meet(a.dst, b.dst) || meet(a.dst, b.src) || meet(a.src, b.dst)]]
  [[meet(a.dst, b.src) || meet(a.src, b.dst)]])
flaw(structure-dependent-read structure.cpp "a write after a read is independent of it"
  [[meet(a.dst, b.dst) || meet(a.dst, b.src) || meet(a.src, b.dst)]]
  [[meet(a.dst, b.dst) || meet(a.dst, b.src)]])
flaw(structure-dependent-write structure.cpp "a read after a write is independent of it"
  [[meet(a.dst, b.dst) || meet(a.dst, b.src) || meet(a.src, b.dst)]]
  [[meet(a.dst, b.dst) || meet(a.src, b.dst)]])
flaw(structure-barrier-place structure.cpp "a barrier after both copies separates them"
  [[copy->copy == b]] [[false]])
flaw(structure-barrier-threads structure.cpp "a barrier may lack one thread"
  [[barrier->threads >= needed]] [[barrier->threads + 1 >= needed]])
flaw(structure-barrier-before structure.cpp "a barrier before both copies separates them"
  [[between && barrier != nullptr]] [[barrier != nullptr]])
flaw(structure-barrier-copies structure.cpp "a barrier of the threads of one of the copies is enough"
  [[std::max(participants(a, launch).end(), participants(b, launch).end())]] [[std::min(participants(a, launch).end(), participants(b, launch).end())]])
flaw(structure-barrier-block structure.cpp "a barrier may wait for fewer threads than reach it"
  [[barrier->threads != problem.launch.block]] [[barrier->threads > problem.launch.block]])
flaw(structure-barrier-id structure.cpp "there are 17 barriers"
  [[barrier->id > 15]] [[barrier->id > 16]])
flaw(structure-barrier-negative structure.cpp "barriers may have negative ids"
  [[barrier->id < 0]] [[false]])
flaw(structure-fits structure.cpp "the last bytes may lie past the shared memory of a block"
  [[total > problem.target.shared_per_block]] [[total.count > problem.target.shared_per_block.count + 128]])
flaw(structure-fits-block structure.cpp "a block may have any number of threads"
  [[problem.launch.block > problem.target.threads_per_block]] [[false]])

# --- enumeration ------------------------------------------------------------------------------------------------------

flaw(judge-overflow judge.cpp "an index of 32 bits counts to 2^32"
  [[Wide{1} << (bits - 1)]] [[Wide{1} << bits]])
flaw(judge-overflow-bytes judge.cpp "an address is counted in elements"
  [[divided < limit && positive * scale < limit && -negative * scale < limit]] [[divided < limit && positive < limit && -negative * scale < limit]])
flaw(judge-overflow-negative judge.cpp "an address cannot be too far below 0"
  [[divided < limit && positive * scale < limit && -negative * scale < limit]] [[divided < limit && positive * scale < limit]])
flaw(judge-overflow-index judge.cpp "the index of a flat segment cannot be too large"
  [[divided < limit && positive * scale < limit && -negative * scale < limit]] [[positive * scale < limit && -negative * scale < limit]])
flaw(judge-overflow-strides judge.cpp "the digits of an address add nothing to it"
  [[add(address.strides[i], s.digits[i].extent - 1)]] [[void()]])
flaw(judge-reaches judge.cpp "refutes: a bound cuts nothing off"
  [[lane == goal && runs]] [[lane == goal]])
flaw(enumerate-start enumerate.cpp "coordinates start at 0 in every segment"
  [=[s.start[i] + round.coordinate[i]]=] [=[round.coordinate[i]]=])
flaw(enumerate-start-position enumerate.cpp "positions in the box start at 0 in every segment"
  [=[s.start[i] * weights[i]]=] [[0]])
flaw(enumerate-all-run enumerate.cpp "`<=` for `<` where a bound is met by all accesses at once"
  [[most(static_cast<std::size_t>(b.dim)) < b.below]] [[most(static_cast<std::size_t>(b.dim)) <= b.below]])
flaw(enumerate-bound enumerate.cpp "`<=` for `<` in the predicate"
  [=[walk.first[static_cast<std::size_t>(b.dim)]]=] [=[walk.first[static_cast<std::size_t>(b.dim)] - 1]=])
flaw(enumerate-around enumerate.cpp "refutes: what is left out where a bound is runs, where all others are before it"
  [[b.beyond != Beyond::zeros_behind]] [[true]])
flaw(enumerate-inside-below enumerate.cpp "no segment reaches below the box"
  [[s.start[i] + rounds.least(i) + threads.least(i) + lanes.least(i) >= 0]] [[true]])
flaw(enumerate-inside-above enumerate.cpp "a segment is inside if its first lanes are"
  [=[most(i) + lanes.greatest(i) < extents[i]]=] [=[most(i) < extents[i]]=])
flaw(enumerate-inside-access-below enumerate.cpp "no access reaches below the box"
  [[c + lanes.least(i) >= 0]] [[true]])
flaw(enumerate-inside-access-above enumerate.cpp "an access is inside if its first lane is"
  [=[c + lanes.greatest(i) < extents[i]]=] [=[c < extents[i]]=])
flaw(enumerate-whole-length enumerate.cpp "an access may have other lanes than elements"
  [[s.vec != judge_.access_elements(walk.at.segment, side)]] [[false]])
flaw(enumerate-whole-rounded enumerate.cpp "a swizzle that reaches below an access moves it as it is"
  [[judge_.rounds_down(walk.at.segment, side)]] [[false]])
flaw(enumerate-whole-run enumerate.cpp "the lanes of an access lie in the layout as its first one does"
  [[layout.run() != s.vec]] [[false]])
flaw(enumerate-whole-straight enumerate.cpp "the elements of a run are neighbours in the layout"
  [[!layout.is_straight()]] [[false]])
flaw(enumerate-whole-swizzle enumerate.cpp "the swizzle of an address is not compared with the layout's"
  [[s.side(side).address.swizzle != judge_.buffer(side).layout.swizzle]] [[false]])
flaw(enumerate-whole-position enumerate.cpp "lanes are neighbours in the box"
  [[counts_up(walk.lanes.position)]] [[true]])
flaw(enumerate-whole-lanes-src enumerate.cpp "the lanes of a source access are neighbours"
  [[counts_up(walk.lanes.src)]] [[true]])
flaw(enumerate-whole-lanes-dst enumerate.cpp "the lanes of a destination access are neighbours"
  [[counts_up(walk.lanes.dst)]] [[true]])
flaw(enumerate-whole-between enumerate.cpp "an access may begin between runs of the layout"
  [[(walk.position & (n - 1)) != 0]] [[false]])
flaw(enumerate-whole-src enumerate.cpp "where the source's layout puts an access is not looked at"
  [[walk.src != src_layout_.head(walk.position)]] [[false]])
flaw(enumerate-whole-dst enumerate.cpp "where the destination's layout puts an access is not looked at"
  [[walk.dst != dst_layout_.head(walk.position)]] [[false]])
flaw(enumerate-whole-moved-src enumerate.cpp "a swizzle moves a read as it is, wherever it begins"
  [[walk.src & walk.src_limits.moved]] [[0]])
flaw(enumerate-whole-moved-dst enumerate.cpp "a swizzle moves a write as it is, wherever it begins"
  [[walk.dst & walk.dst_limits.moved]] [[0]])
flaw(enumerate-whole-start enumerate.cpp "an access is judged where it lies before the swizzle"
  [[swizzled(Integers{}, walk.segment.dst.address.swizzle, walk.dst)]] [[walk.dst]])
flaw(enumerate-whole-covered enumerate.cpp "refutes: an access moves its first element only"
  [[walk.position + n]] [[walk.position + 1]])
flaw(enumerate-swizzle enumerate.cpp "refutes: lanes have no swizzle"
  [[swizzled(Integers{}, s.side(side).address.swizzle, linear)]] [[linear]])
flaw(enumerate-outside-below enumerate.cpp "a lane below the box is inside"
  [=[c < 0 || c >= shape_[i]]=] [=[c >= shape_[i]]=])
flaw(enumerate-outside-above enumerate.cpp "a lane one step behind the box is inside"
  [=[c < 0 || c >= shape_[i]]=] [=[c < 0 || c > shape_[i]]=])
flaw(enumerate-outside-flat enumerate.cpp "an index behind the box counts from its start"
  [[position < elements_ ? std::optional(position) : std::nullopt]] [[std::optional(position % elements_)]])
flaw(enumerate-address-src enumerate.cpp "every source address is right"
  [[read != src]] [[false]])
flaw(enumerate-address-dst enumerate.cpp "every destination address is right"
  [[written != dst]] [[false]])
flaw(enumerate-element-place enumerate.cpp "what is read need not be what is written"
  [[src - from != dst - to]] [[false]])
flaw(enumerate-element-below enumerate.cpp "an element may lie before the access that writes it"
  [[dst - to < 0]] [[false]])
flaw(enumerate-element-above enumerate.cpp "an element may lie behind the access that writes it"
  [[dst - to >= n_dst]] [[false]])
flaw(enumerate-contiguous-count enumerate.cpp "an access may have more elements than lanes"
  [[!lanes_fit]] [[false]])
flaw(enumerate-lane-twice enumerate.cpp "two lanes may share an element"
  [[lane >= 0]] [[false]])
flaw(enumerate-place enumerate.cpp "a lane may have another place than in the source"
  [[place != source_place]] [[false]])
flaw(enumerate-base enumerate.cpp "an unknown base need be aligned to half of the width"
  [[to_bits(judge.buffer(side).align).count < width_bits]] [[to_bits(judge.buffer(side).align).count * 2 < width_bits]])
flaw(enumerate-residue enumerate.cpp "a known base counts as 0"
  [[judge.base_residue(side).count]] [[0]])
flaw(enumerate-capacity enumerate.cpp "a buffer has one element more"
  [[judge.buffer(side).capacity.count]] [[judge.buffer(side).capacity.count + 1]])
flaw(enumerate-below enumerate.cpp "an access may begin before the buffer"
  [[first >= 0]] [[true]])
flaw(enumerate-covers enumerate.cpp "every element counts as moved"
  [[covered_.count() != elements_]] [[false]])
flaw(enumerate-table enumerate.cpp "no destination is written twice"
  [[!written_.insert(begin, end)]] [[false]])
flaw(enumerate-table-first enumerate.cpp "only the first element of a write is looked at"
  [[!written_.insert(begin, end)]] [[!written_.insert(begin, begin + 1)]])
flaw(enumerate-cells enumerate.cpp "a write ends in the byte in which it begins"
  [[(to + elements - 1) >> cell_log2_]] [[to >> cell_log2_]])
flaw(enumerate-sort enumerate.cpp "writes that meet are not looked for"
  [[begin(all[i]) < end(all[i - 1])]] [[false]])
flaw(enumerate-sort-end enumerate.cpp "refutes: two neighbours overlap"
  [[begin(all[i]) < end(all[i - 1])]] [[begin(all[i]) <= end(all[i - 1])]])
flaw(enumerate-alias enumerate.cpp "one buffer on both sides is not looked at"
  [[judge_.copy().src.buffer == judge_.copy().dst.buffer]] [[false]])
flaw(enumerate-alias-before enumerate.cpp "a read that begins before a write does not reach it"
  [[(begin(write) << cell_log2_) - longest]] [[begin(write) << cell_log2_]])
flaw(enumerate-alias-end enumerate.cpp "a read that begins in a write does not meet it"
  [[first_cell(read->offset) < end(write)]] [[first_cell(read->offset) < begin(write)]])
flaw(enumerate-block-count enumerate.cpp "an access of a block may have more elements than lanes"
  [[lanes_of(walk.segment, side) == limits.elements]] [[true]])
flaw(enumerate-block-place enumerate.cpp "a lane of a block may have any place in its access"
  [[offset - from != lanes[lane].place]] [[false]])
flaw(enumerate-block-read enumerate.cpp "a register of a block may have another element than the load puts there"
  [[src - starts_[2 * lane] != walk.src_lanes[lane].place]] [[false]])
flaw(enumerate-block-written enumerate.cpp "a register of a block may be written to another place"
  [[dst - starts_[2 * lane + 1] != walk.dst_lanes[lane].place]] [[false]])
flaw(enumerate-block-address-src enumerate.cpp "where a block reads is not compared with the layout"
  [[lane_offset(walk, Side::src, lane) != src]] [[false]])
flaw(enumerate-block-address-dst enumerate.cpp "where a block writes is not compared with the layout"
  [[lane_offset(walk, Side::dst, lane) != dst]] [[false]])
flaw(enumerate-block-loads enumerate.cpp "only the first load of a block is looked at"
  [[reads(at, limits, from)]] [[at.lane == 0 ? reads(at, limits, from) : void()]])
flaw(enumerate-block-stores enumerate.cpp "only the first store of a block is looked at"
  [[writes(at, limits, from)]] [[at.lane == 0 ? writes(at, limits, from) : void()]])
flaw(enumerate-block-pairs enumerate.cpp "of the accesses of a block only the first meets others"
  [[heads_of(judge_.plan().segments[g], side)]] [[std::vector<std::int64_t>{0}]])
flaw(table-askew layout_table.cpp "a dimension may cut an iter anywhere"
  [[from % iter_step != 0 || to % from != 0]] [[false]])
flaw(table-iter-stride layout_table.cpp "refutes: the outer part of an iter has the stride of the inner one"
  [[from / iter_step]] [[1]])
flaw(table-straight layout_table.cpp "a region may end in the next block of an iter"
  [[start / straight == (start + extent - 1) / straight]] [[start / straight == std::max(start, start + extent - 2) / straight]])
flaw(table-start layout_table.cpp "the digits of a region start at 0"
  [[start / part.radix % part.extent]] [[0]])
flaw(table-carry layout_table.cpp "a digit goes on counting at its extent"
  [[++digits[i] < parts[i].extent]] [[++digits[i] <= parts[i].extent]])
flaw(table-sum layout_table.cpp "what a dimension adds is the sum of what its factors add"
  [=[dimension.at(coordinates[i]) != sums[i]]=] [[false]])
flaw(table-cut layout_table.cpp "all runs of a factor lie as the first one does"
  [[factor.at(digit) != high.at(digit / inner) + low.at(digit % inner)]] [[false]])
flaw(table-neighbours layout_table.cpp "every run is straight"
  [[within_[v] == static_cast<std::int64_t>(v)]] [[true]])
flaw(parts-farthest parts.cpp "digits end half-way"
  [[digit->weight * (digit->extent - 1)]] [[digit->weight * (digit->extent / 2)]])
flaw(parts-negative parts.cpp "no digit counts down"
  [[farthest < 0]] [[false]])
flaw(parts-round-src parts.cpp "refutes: rounds read the same"
  [[digit * step.src]] [[0]])
flaw(parts-round-dst parts.cpp "refutes: rounds write the same"
  [[digit * step.dst]] [[0]])
flaw(parts-round-position parts.cpp "rounds have the same position"
  [[digit * step.position]] [[0]])
flaw(parts-round-coordinate parts.cpp "rounds have the same coordinates"
  [[digit * step.weight]] [[0]])
flaw(parts-round-places parts.cpp "refutes: every digit of a round has the value of the first"
  [[value /= step.extent]] [[value]])
flaw(parts-position parts.cpp "refutes: positions count by digits alone, whatever the dimension"
  [=[digit->weight * weights[dim]]=] [[digit->weight]])
flaw(judge-later judge.cpp "refutes: a read of the same round counts as later"
  [[std::pair{read.segment, read.round} > std::pair{write.segment, write.round}]] [[std::pair{read.segment, read.round} >= std::pair{write.segment, write.round}]])
flaw(judge-block-place judge.cpp "a lane of a block may have any place in its access"
  [[place == wanted]] [[true]])
flaw(judge-block-register judge.cpp "a register of a block may have any element"
  [[is == place]] [[true]])
flaw(judge-block-stores judge.cpp "the stores of one round of a thread cannot meet"
  [[head(a, Side::dst).lane == head(b, Side::dst).lane]] [[true]])
flaw(judge-other-thread judge.cpp "a thread may read what another one wrote"
  [[write.thread == read.thread && !later]] [[!later]])

# --- proofs for all values of the symbols -------------------------------------------------------------------------------

flaw(symbolic-address-symbols symbolic.cpp "of an address, only what does not depend on symbols is compared"
  [[std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->proofs.address(side); })]] [[constant_part().proofs.address(side)]])
flaw(symbolic-address-constant symbolic.cpp "of an address, what does not depend on symbols is not compared"
  [[std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->proofs.address(side); })]]
  [[std::all_of(parts_.begin() + 1, parts_.end(), [&](const auto& part) { return part->proofs.address(side); })]])
flaw(symbolic-address-last symbolic.cpp "of an address, the last monomial is not compared"
  [[std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->proofs.address(side); })]]
  [[std::all_of(parts_.begin(), parts_.end() - (parts_.size() > 1 ? 1 : 0), [&](const auto& part) { return part->proofs.address(side); })]])
flaw(symbolic-aligned-residue symbolic.cpp "a known base counts as 0"
  [[access.address.offset.plus(residue)]] [[access.address.offset]])
flaw(symbolic-aligned-offset symbolic.cpp "the offset of an address is aligned"
  [[access.address.offset.plus(residue)]] [[Expression(residue)]])
flaw(symbolic-aligned-vec symbolic.cpp "refutes: the steps between lanes have to be multiples of the width"
  [[!is_lane(s, side, i) && s.digits[i].extent > 1]] [[s.digits[i].extent > 1]])
flaw(symbolic-aligned-block symbolic.cpp "alignment leaves out the other accesses of a block"
  [[!is_lane(s, side, i) && s.digits[i].extent > 1]] [[s.digits[i].role != Role::vec && s.digits[i].extent > 1]])
flaw(symbolic-aligned-strides symbolic.cpp "the steps of threads and rounds are aligned"
  [[!is_lane(s, side, i) && s.digits[i].extent > 1]] [[false]])
flaw(symbolic-aligned-threads symbolic.cpp "the steps of threads are aligned"
  [[!is_lane(s, side, i) && s.digits[i].extent > 1]] [[s.digits[i].role == Role::outer && s.digits[i].extent > 1]])
flaw(symbolic-aligned-base symbolic.cpp "every base is aligned"
  [[to_bits(at.align) < access.width]] [[false]])
flaw(symbolic-aligned-half symbolic.cpp "half of the alignment is asked for"
  [[access.width / element()]] [[access.width / element() / 2]])
flaw(symbolic-aligned-unknown symbolic.cpp "unknown is rounded up to proved"
  [[is_impossible(smt::some_misaligned(inquiry_.asking(), expressions, n, problem_.symbols, where))]]
  [[smt::some_misaligned(inquiry_.asking(), expressions, n, problem_.symbols, where).answer != smt::Answer::sat]])
flaw(symbolic-aligned-bounded symbolic.cpp "steps along a bounded dimension are aligned"
  [[!are_multiples({access.address.strides[i]}, there)]] [[false]])
flaw(symbolic-aligned-bound symbolic.cpp "a step is taken only where there is room for two"
  [[digit.weight + 1]] [[digit.weight + 2]])
flaw(symbolic-aligned-predicate symbolic.cpp "what is aligned inside the region is aligned, whatever runs"
  [[proved("predicate") && are_multiples(multiples, facts)]] [[are_multiples(multiples, facts)]])
flaw(symbolic-contiguous-length symbolic.cpp "an access may have other elements than lanes"
  [[access.width != to_bits(Elements{lanes}, element())]] [[false]])
flaw(symbolic-contiguous-stride symbolic.cpp "lanes may lie any distance apart"
  [[!(access.address.strides[i] == Expression(radix))]] [[false]])
flaw(symbolic-contiguous-symbols symbolic.cpp "of the distance between lanes, only what does not depend on symbols counts"
  [[!(access.address.strides[i] == Expression(radix))]] [[access.address.strides[i].coefficient({}) != radix]])
flaw(symbolic-contiguous-radix symbolic.cpp "every digit of the lane steps by 1"
  [[!(access.address.strides[i] == Expression(radix))]] [[!(access.address.strides[i] == Expression(1))]])
flaw(symbolic-contiguous-swizzle symbolic.cpp "a swizzle keeps lanes together however small its chunks are"
  [[(std::int64_t{1} << swizzle.base_log2) < lanes]] [[false]])
flaw(symbolic-contiguous-residue symbolic.cpp "a swizzle keeps lanes together whatever the base is"
  [[residue % lanes != 0]] [[false]])
flaw(symbolic-contiguous-both symbolic.cpp "`contiguous.dst` does not ask for the source's lanes"
  [[contiguous(side) && (side == Side::src || contiguous(Side::src))]] [[contiguous(side)]])
flaw(symbolic-same-element-src symbolic.cpp "`same-element` does not ask for the source's address"
  [[proved("address.src") && proved("address.dst") && proved("contiguous.dst")]] [[proved("address.dst") && proved("contiguous.dst")]])
flaw(symbolic-same-element-dst symbolic.cpp "`same-element` does not ask for the destination's address"
  [[proved("address.src") && proved("address.dst") && proved("contiguous.dst")]] [[proved("address.src") && proved("contiguous.dst")]])
flaw(symbolic-same-element-lanes symbolic.cpp "`same-element` does not ask for the lanes"
  [[proved("address.src") && proved("address.dst") && proved("contiguous.dst")]] [[proved("address.src") && proved("address.dst")]])
flaw(symbolic-alias-buffer symbolic.cpp "two regions never overlap"
  [[copy_.src.buffer != copy_.dst.buffer]] [[true]])
flaw(symbolic-region-below symbolic.cpp "a region may start before its layout"
  [[!must_be_nonnegative(start, facts)]] [[false]])
flaw(symbolic-region-end symbolic.cpp "a region may end behind its layout"
  [[std::none_of(extents.begin(), extents.end(), fits)]] [[false]])
flaw(symbolic-region-end-one symbolic.cpp "a region may end one step behind its layout"
  [[Expression(whole) - extent - start]] [[Expression(whole + 1) - extent - start]])
flaw(symbolic-region-clipped symbolic.cpp "a region that a predicate clips may end behind its layout"
  [[extents.emplace_back(stated)]] [[extents.emplace_back(0)]])
flaw(symbolic-bounds-sign symbolic.cpp "every stride counts up"
  [[is_nonnegative(layout.strides[j], facts)]] [[true]])
flaw(symbolic-bounds-last symbolic.cpp "the last step of a dimension is left out"
  [[layout.strides[j] * extent.plus(-1)]] [[layout.strides[j] * extent.plus(-2)]])
flaw(symbolic-bounds-period symbolic.cpp "a swizzle may reach past a constant capacity"
  [[Expression(std::int64_t{end} >> log2 << log2)]] [[end]])
flaw(symbolic-bounds-period-symbols symbolic.cpp "a swizzle may reach past a capacity with symbols"
  [[end.plus(1 - (std::int64_t{1} << log2))]] [[end]])
flaw(symbolic-bounds-below symbolic.cpp "a box may begin before the buffer"
  [[must_be_nonnegative(least, facts)]] [[true]])
flaw(symbolic-bounds-above symbolic.cpp "a box may end anywhere"
  [[must_be_nonnegative(end - greatest.plus(1), facts)]] [[true]])
flaw(symbolic-bounds-capacity symbolic.cpp "a buffer has one element more"
  [[must_be_nonnegative(end - greatest.plus(1), facts)]] [[is_nonnegative(end - greatest, facts)]])
flaw(symbolic-bounds-region symbolic.cpp "a region may leave its layout where its bytes lie inside the buffer"
  [[region_is_inside(side)]] [[true]])
flaw(symbolic-bounds-address symbolic.cpp "`bounds` does not ask for the address"
  [[proved(id_of("address.src", "address.dst", side))]] [[true]])
flaw(symbolic-bounds-predicate symbolic.cpp "`bounds` does not ask for the predicate"
  [[proved("predicate") && contiguous(side)]] [[contiguous(side)]])
flaw(symbolic-bounds-lanes symbolic.cpp "`bounds` does not ask for the lanes"
  [[proved("predicate") && contiguous(side)]] [[proved("predicate")]])
flaw(symbolic-definition-address symbolic.cpp "an address with symbols is judged by its constant part"
  [[std::any_of(plan_.segments.begin(), plan_.segments.end(), has_symbols)]] [[false]])
flaw(symbolic-disjoint-premises symbolic.cpp "`disjoint` asks for nothing else"
  [[!proved(id)]] [[false]])
flaw(symbolic-disjoint-packed symbolic.cpp "accesses of less than a byte do not share one"
  [[s.dst.width < Bits{8}]] [[false]])
flaw(symbolic-disjoint-packed-aligned symbolic.cpp "accesses of bytes do not share one, wherever they begin"
  [[!proved("aligned.dst")]] [[false]])
flaw(symbolic-disjoint-coordinates symbolic.cpp "different digits count as different coordinates"
  [[constant_part().proofs.coordinates_differ()]] [[true]])
flaw(symbolic-disjoint-strides symbolic.cpp "different coordinates count as different offsets"
  [[strides_apart(*layout)]] [[true]])
flaw(symbolic-samples symbolic_samples.cpp "refutes nothing: no samples are looked at"
  [[samples_of(problem, copy, plan, is_open, telling)]] [[Samples()]])
flaw(values-teams symbolic_samples.cpp "what several teams do is decided in one of them"
  [[out.erase(of_teams)]] [[std::size_t{0}]])
flaw(values-matrices symbolic_samples.cpp "no value of the symbols tears a warp apart"
  [[is_matrix(s.side(side).instruction)]] [[false]])
flaw(values-empty symbolic_samples.cpp "where nothing is to be moved anything may run"
  [[judge.predicate(at)]] [[std::optional<Counterexample>()]])
flaw(values-right symbolic_samples.cpp "what no value refutes is right at all of them"
  [[at.right.count(id) == 0]] [[false]])
flaw(values-strict verify.cpp "enumeration of all values is two opinions"
  [[options.exhaustive && !options.second.has_value()]] [[options.exhaustive]])
flaw(values-launch used.cpp "what is said of the launch is true under any assumptions"
  [[says_of_launch(next)]] [[false]])
flaw(values-far symbolic.cpp "an address may be what no plan file can say"
  [[most > max_offset]] [[false]])
flaw(values-anew symbolic.cpp "what enumeration decided is believed of other values"
  [[finding.by != std::vector<std::string>{"exhaustive"}]] [[true]])
flaw(symbolic-samples-region symbolic_samples.cpp "refutes nothing: a sample may lie outside its layout"
  [[is_inside(buffer.layout, op.region)]] [[true]])
flaw(symbolic-extents-greatest ends.cpp "a symbolic extent may exceed the greatest"
  [[is_impossible(smt::nonnegative(inquiry_.asking(), left, symbols_, facts_))]] [[true]])
flaw(symbolic-extents-bound ends.cpp "a bound with symbols may be any"
  [[one.below == bound.below]] [[true]])
flaw(symbolic-extents-wanted ends.cpp "a bound with symbols may be on a dimension that has none"
  [[wanted == nullptr]] [[false]])
flaw(symbolic-extents-missing ends.cpp "a symbolic extent needs no bound"
  [[found.size() != asked]] [[false]])
flaw(symbolic-anew-warps symbolic.cpp "that warps run whole under some assumptions is believed under others"
  [[whole_warps_ = Inquiry::Fact()]] [[whole_warps_]])
flaw(symbolic-extents-several ends.cpp "of several bounds of a dimension one is enough"
  [[asked += all.size()]] [[asked += 1]])
flaw(symbolic-extents-lanes-several ends.cpp "of several bounds of a dimension the first ends between accesses"
  [[!lies_between_accesses(dim, all, k)]] [[k == 0 && !lies_between_accesses(dim, all, k)]])
flaw(symbolic-extents-from ends.cpp "a bound with symbols may cut off what lies before it too"
  [[bound.from.has_value()]] [[false]])
flaw(symbolic-extents-lanes ends.cpp "lanes may count down from the one that a bound is compared with"
  [[std::any_of(s.digits.begin(), s.digits.end(), counts_down)]] [[false]])
flaw(symbolic-extents-covers symbolic.cpp "`covers` does not ask for the bounds"
  [[constant_part().proofs.covers() && ends().are_the_bounds()]] [[constant_part().proofs.covers()]])
flaw(symbolic-extents-predicate symbolic.cpp "`predicate` does not ask for the bounds"
  [[constant_part().proofs.predicate() && ends().lie_between_accesses()]] [[constant_part().proofs.predicate()]])
flaw(symbolic-extents-start ends.cpp "accesses begin at multiples of their lanes, wherever the segment starts"
  [[s.start[dim] % lanes != 0]] [[false]])
flaw(symbolic-extents-step ends.cpp "accesses begin at multiples of their lanes, whatever the steps are"
  [[d.extent > 1 && d.weight % lanes != 0]] [[false]])
flaw(symbolic-extents-multiple ends.cpp "every extent is a multiple of the lanes"
  [[!is_impossible(smt::some_misaligned(inquiry_.asking(), {bound.below}, lanes, symbols_, facts))]] [[false]])
flaw(filling-bounds-src filling.cpp "refutes: an access has to be in the buffer with lanes that it does not read"
  [[keep("bounds.src", {&read})]] [[keep("bounds.src", {&moved})]])
flaw(filling-bounds-dst filling.cpp "zeros may be written anywhere"
  [[keep("bounds.dst", {&written})]] [[keep("bounds.dst", {&moved})]])
flaw(filling-address filling.cpp "zeros may be written to any address"
  [[keep("address.dst", {&moved, &written})]] [[keep("address.dst", {&moved})]])
flaw(filling-aligned-src filling.cpp "cp.async that reads nothing may name any address"
  [[is_async ? &written : &moved]] [[&moved]])
flaw(filling-aligned-dst filling.cpp "zeros may be written anyhow aligned"
  [[keep("aligned.dst", {&written})]] [[keep("aligned.dst", {&moved})]])
flaw(filling-covers filling.cpp "the rest of the region need not be filled"
  [[keep("covers", {&read, &written})]] [[keep("covers", {&read})]])
flaw(filling-covers-read filling.cpp "zeros may stand where the source has elements"
  [[keep("covers", {&read, &written})]] [[keep("covers", {&written})]])
flaw(filling-disjoint filling.cpp "zeros may be written over what was moved"
  [[keep("disjoint", {&written})]] [[keep("disjoint", {&moved})]])
flaw(filling-predicate-read filling.cpp "what is read may lie behind the bounds"
  [[keep("predicate", {&read, &written})]] [[keep("predicate", {&written})]])
flaw(filling-predicate-written filling.cpp "zeros may be written outside the region"
  [[keep("predicate", {&read, &written})]] [[keep("predicate", {&read})]])
flaw(filling-same filling.cpp "what is moved may be another element"
  [[keep("same-element", {&moved})]] [[keep("same-element", {&written})]])
flaw(filling-replicas filling.cpp "refutes: the box of a plan with registers has no dimensions of replicas"
  [[moved_part(on_register_file(problem_, copy_).copies[0], plan_)]] [[moved_part(copy_, plan_)]])
flaw(filling-registers filling.cpp "refutes: registers are filled by accesses of memory"
  [[register_side(problem_, copy_).has_value()]] [[false]])
flaw(filling-widest-registers verify.cpp "where registers are filled, runs are those of their region in a row"
  [[register_side(problem, copy).has_value()]] [[false]])
flaw(filling-not-asked verify.cpp "any copy may be filled with zeros"
  [[fills_with_zeros(plan)]] [[false]])
flaw(symbolic-clipped-above ends.cpp "what a predicate clips always ends at the bound"
  [[bounds.front().clips]] [[false]])
flaw(symbolic-bounds-several ends.cpp "of several bounds the first is the end"
  [[next.push_back(end.at_bound(dim, bounds, k, shape_[dim]))]] [[k == 0 ? next.push_back(end.at_bound(dim, bounds, k, shape_[dim])) : void()]])
flaw(symbolic-clipped-below ends.cpp "what a predicate clips always ends with the region"
  [[next.push_back(end.at_bound(dim, bounds, k, shape_[dim]))]] [[void()]])
flaw(symbolic-clipped-product symbolic.cpp "refutes: what lies between a bound and the end of the region is never positive"
  [[is_forward ? 1 : -1]] [[-1]])
flaw(symbolic-overflow-bytes symbolic.cpp "an address is counted in elements"
  [[std::max<std::int64_t>(1, problem.buffer(copy.src).dtype.size / Bits{8})]] [[1]])
flaw(symbolic-overflow-negative symbolic.cpp "what a symbol makes negative is small"
  [[std::max(range.greatest, -range.least)]] [[range.greatest]])
flaw(symbolic-overflow-strides symbolic.cpp "the digits of an address add nothing to it"
  [[add(address.strides[i], s.digits[i].extent)]] [[void()]])
flaw(symbolic-overflow-offset symbolic.cpp "the offset of an address adds nothing to it"
  [[add(address.offset, 1)]] [[void()]])
flaw(symbolic-overflow-limit symbolic.cpp "an index of 32 bits counts to 2^32"
  [[address.index_bits - 1]] [[address.index_bits]])

# --- plans with tails --------------------------------------------------------------------------------------------------

flaw(tails-end-below tails.cpp "no end is below 0"
  [[left < 0 && inside == 0]] [[context_.bool_val(false)]])
flaw(tails-end-above tails.cpp "no end is behind the box"
  [[left > most && inside == most]] [[context_.bool_val(false)]])
flaw(tails-end-inside tails.cpp "every end is outside the box"
  [[left >= 0 && left <= most && inside == left]] [[context_.bool_val(false)]])
flaw(tails-left-start tails.cpp "an end is counted from 0, wherever its segment starts"
  [=[s.tail->end.plus(-s.start[dim])]=] [[s.tail->end]])
flaw(tails-left-box tails.cpp "a tail may begin as far behind its start as the box is long"
  [=[of_.shape_[dim] - s.start[dim]]=] [=[of_.shape_[dim]]=])
flaw(tails-begin-multiple tails.cpp "no end is a multiple of the accesses before it"
  [[first <= inside]] [[first < inside]])
flaw(tails-begin-near tails.cpp "a tail begins at the end"
  [[inside < first + number(s.tail->multiple)]] [[inside < first + number(1)]])
flaw(tails-begin-none tails.cpp "a tail begins at 0"
  [[out[dim] + first]] [=[out[dim]]=])
flaw(tails-digit-extent tails.cpp "the last value of every digit is left out"
  [[d < number(digit.extent)]] [[d < number(digit.extent - 1)]])
flaw(tails-lane tails.cpp "only the first lanes are looked at"
  [[lane[dim] + d * number(digit.weight)]] [[digit.role == Role::vec ? lane[dim] : lane[dim] + d * number(digit.weight)]])
flaw(tails-first-threads tails.cpp "a bound is compared without what the round adds"
  [[digit.role != Role::vec]] [[digit.role == Role::thread]])
flaw(tails-bound tails.cpp "a bound is one lower"
  [[first < below]] [[first < below - 1]])
flaw(tails-inside-below tails.cpp "coordinates below the box are of the region"
  [[coordinate[j] >= 0]] [[context_.bool_val(true)]])
flaw(tails-inside-box tails.cpp "the place behind the box is of the region"
  [[coordinate[j] < number(of_.shape_[j])]] [[coordinate[j] <= number(of_.shape_[j])]])
flaw(tails-inside-bound tails.cpp "what is behind an end with symbols is of the region"
  [[coordinate[j] < term(one.below)]] [[context_.bool_val(true)]])
flaw(tails-covers-chain tails.cpp "digits need not form a mixed radix"
  [[s.digits[i].weight != radix]] [[false]])
flaw(tails-covers-top tails.cpp "the top digit of a dimension may go one too far"
  [[missed || q < 0 || q >= number(extent)]] [[missed || q < 0 || q > number(extent)]])
flaw(tails-covers-below tails.cpp "the top digit of a dimension may be negative"
  [[missed || q < 0 || q >= number(extent)]] [[missed || q >= number(extent)]])
flaw(tails-covers-point tails.cpp "a dimension without digits counts as covered"
  [=[missed || lane != coordinate[j]]=] [[missed]])
flaw(tails-covers-bound tails.cpp "a bound cuts off one access less"
  [[!lets_run(s, bound, begins[j], first)]] [[!lets_run(s, bound, begins[j], first - 1)]])
flaw(tails-around-whole tails.cpp "an access that has the bound at its last lane counts as whole"
  [[first + number(s.vec) <= below]] [[first + number(s.vec - 1) <= below]])
flaw(tails-around-behind tails.cpp "an access that begins at the bound writes zeros"
  [[first > below]] [[first >= below]])
flaw(tails-around-begin tails.cpp "the first access writes zeros where the bound is before it"
  [[first > begins]] [[context_.bool_val(true)]])
flaw(tails-covers-bounds tails.cpp "bounds cut nothing off"
  [[bound.dim == static_cast<int>(j)]] [[false]])
flaw(tails-covers-threads tails.cpp "a bound is compared without what the thread adds"
  [[whose != Role::vec]] [[whose == Role::outer]])
flaw(tails-segments-pair tails.cpp "every segment is compared with the first one only"
  [[h < g]] [[h < g && h < 1]])
flaw(tails-unknown tails.cpp "unknown is rounded up to proved"
  [[of_.is_impossible(of_.inquiry_.check(smt::Theory::linear, conjunction_, symbols_.symbols()))]]
  [[of_.inquiry_.check(smt::Theory::linear, conjunction_, symbols_.symbols()).answer != smt::Answer::sat]])
flaw(tails-predicate-first tails.cpp "only the body has to stay in the region"
  [[!query.is_of_region(lane)]] [[!query.is_of_region(lane) && query.number(s.tail ? 1 : 0) == 0]])
flaw(tails-address-offset tails.cpp "the offset of an address is not compared"
  [[address.offset == first]] [[true]])
flaw(tails-address-start tails.cpp "an address is compared without where its segment starts"
  [[first + strides[j].times(s.start[j])]] [[first]])
flaw(tails-address-strides tails.cpp "the strides of an address are not compared"
  [[address.strides[i] == strides[static_cast<std::size_t>(digit.dim)].times(digit.weight)]] [[true]])
flaw(tails-address-tail tails.cpp "what a tail adds to an address is not compared"
  [=[!s.tail || address.tail_stride == strides[static_cast<std::size_t>(s.tail->dim)]]=] [[true]])
flaw(tails-swizzle symbolic.cpp "the swizzle behind a tail is not compared with the layout's"
  [[s.side(side).address.swizzle == buffer(side).layout.swizzle]] [[true]])
flaw(tails-aligned symbolic.cpp "where a tail begins is aligned"
  [[access.address.tail_stride.times(s.tail->multiple)]] [[Expression(0)]])
flaw(tails-definition symbolic.cpp "a tail is judged as if it began at 0"
  [[s.tail || is_symbolic(s.side(side).address)]] [[is_symbolic(s.side(side).address)]])
flaw(tails-box symbolic.cpp "the whole box is inside, whatever its layout"
  [[DefinitionProofs(inquiry_, judge).bounds(side).verdict == Verdict::proved]] [[true]])
flaw(tails-box-symbols symbolic.cpp "what symbols add to a layout is not looked at behind a tail"
  [[side_has_symbols(side) || !moves_lanes_of_the_region(side)]] [[!moves_lanes_of_the_region(side)]])
flaw(tails-disjoint symbolic.cpp "segments with tails are apart"
  [[tails().segments_are_apart()]] [[true]])
flaw(tails-disjoint-digits symbolic.cpp "different digits of a plan with tails count as different coordinates"
  [[constant_part().proofs.digits_injective(s)]] [[true]])
flaw(tails-overflow symbolic.cpp "where a tail begins adds nothing to an address"
  [[add(address.tail_stride, plan.box.shape()[static_cast<std::size_t>(s.tail->dim)])]] [[void()]])

flaw(symbolic-assumptions assumptions.cpp "all assumptions can hold"
  [[!sample_values(problem, 1).empty()]] [[true]])

# --- lanes of flat segments -----------------------------------------------------------------------------------------------

flaw(lanes-constant flat_lanes.cpp "what is divided does not grow"
  [[div % n == 0]] [[div > 1]])
flaw(lanes-carry flat_lanes.cpp "lanes do not carry"
  [[div == 1 && mod % n == 0]] [[div == 1]])
flaw(lanes-add flat_lanes.cpp "a sum starts at a multiple, whatever is added to it"
  [[term.add % n == 0]] [[true]])
flaw(lanes-times flat_lanes.cpp "parts of a sum are multiples"
  [[*one == 1 || part.times % n == 0]] [[true]])
flaw(lanes-sum flat_lanes.cpp "a sum that grows by more is carried on"
  [[grows_by == 1 && is_multiple]] [[is_multiple]])
flaw(lanes-weights flat_lanes.cpp "lanes may be anywhere in the index"
  [[digit->extent > 1 && digit->weight != lanes]] [[false]])
flaw(lanes-start flat_lanes.cpp "a segment may start anywhere"
  [[segment.start[0] % segment.vec == 0]] [[true]])
flaw(lanes-step flat_lanes.cpp "accesses may begin anywhere"
  [[d.weight % segment.vec != 0]] [[false]])
flaw(lanes-growth flat_lanes.cpp "lanes may be two elements apart"
  [[sum == 1]] [[sum > 0]])
flaw(lanes-swizzle linear.cpp "a swizzle keeps the lanes of a flat segment"
  [[!address.swizzle.is_identity()]] [[false]])
flaw(lanes-number linear.cpp "a flat access may have other elements than lanes"
  [[judge_.access_elements(g, side) != s.vec]] [[false]])

# --- asynchronous copies -------------------------------------------------------------------------------------------------

flaw(async-one structure.cpp "the two sides of a cp.async may name different ones"
  [[name != segment.dst.instruction]] [[false]])
flaw(async-width structure.cpp "the two sides of a cp.async may have different widths"
  [[segment.src.width != segment.dst.width]] [[false]])
flaw(async-form structure.cpp "every cp.async copies 16 bytes and less"
  [[async_form(name, segment.src.width)]] [[async_form("cp.async.ca.shared.global", segment.src.width)]])
flaw(async-source structure.cpp "cp.async reads any memory"
  [[judge.buffer(Side::src).space != Space::global]] [[false]])
flaw(async-destination structure.cpp "cp.async writes any memory"
  [[judge.buffer(Side::dst).space != Space::shared]] [[false]])
flaw(async-arch structure.cpp "every machine has cp.async"
  [[async->least_arch > problem.target.number]] [[false]])
flaw(async-ptx structure.cpp "every PTX version has cp.async"
  [[*problem.ptx < async->least_ptx]] [[false]])
flaw(complete-pending structure.cpp "one more copy may be pending"
  [[(committed && wait->pending <= later)]] [[(committed && wait->pending <= later + 1)]])
flaw(complete-any structure.cpp "any wait completes everything"
  [[(committed && wait->pending <= later)]] [[committed]])
flaw(complete-before structure.cpp "a wait before the copy completes it"
  [[(committed && wait->pending <= later)]] [[(wait->pending <= later)]])
flaw(complete-threads structure.cpp "a barrier of few threads publishes"
  [[complete && std::get<Barrier>(step).threads >= needed]] [[complete]])
flaw(complete-barrier structure.cpp "a barrier before the wait publishes"
  [[complete && std::get<Barrier>(step).threads >= needed]] [[std::get<Barrier>(step).threads >= needed]])
flaw(complete-later structure.cpp "refutes: later copies are not counted"
  [[++later]] [[later]])
flaw(complete-dependent structure.cpp "what depends on a copy need not wait for it"
  [[dependent(problem, a, b) && !completes(plan, a.name, b.name, threads_of(problem.launch, a, b))]] [[false]])
flaw(complete-end structure.cpp "nobody waits at the end"
  [[a.completion != Completion::caller && !completes(plan, a.name, {}, 0)]] [[false]])

# --- blocks of a grid ------------------------------------------------------------------------------------------------------

flaw(symbolic-teams symbolic.cpp "blocks and groups are never compared"
  [[!teams_are_apart(problem_, copy_, [this](const Expression& e) { return is_nonnegative(e); })]] [[false]])
flaw(symbolic-teams-samples symbolic_samples.cpp "refutes nothing: the blocks and groups of a sample are not compared"
  [[clash_of_teams(problem, copy, values)]] [[std::optional<Counterexample>()]])
flaw(teams-space blocks.cpp "global memory is a block's own"
  [[problem.buffer(copy.dst).space == Space::global]] [[false]])
flaw(teams-shared blocks.cpp "refutes: blocks share their shared memory"
  [[problem.buffer(copy.dst).space == Space::global]] [[true]])
flaw(symbolic-claims assumptions.cpp "the file's range of a symbol of the launch is not looked at"
  [[claimed_range_fault(problem)]] [[std::optional<Finding>()]])
flaw(symbolic-claims-multiple assumptions.cpp "the file's multiple of a symbol of the launch is not looked at"
  [[value % claim.multiple_of != 0]] [[false]])
flaw(symbolic-claims-last assumptions.cpp "the file's range of a symbol of the launch may leave out the last block"
  [[value > claim.max]] [[false]])
flaw(symbolic-claims-first assumptions.cpp "the file's range of a symbol of the launch may leave out the first block"
  [[value < claim.min]] [[false]])
flaw(symbolic-launch-facts assumptions.cpp "a fact about the launch is believed"
  [[!is_of_launch(fact, problem.symbols)]] [[true]])
flaw(symbolic-launch-facts-promised assumptions.cpp "facts about the launch prove themselves"
  [[std::erase_if(promised.facts, [&](const Fact& fact) { return is_of_launch(fact, problem.symbols); })]] [[std::size_t{0}]])
flaw(symbolic-launch-facts-negated assumptions.cpp "a fact about the launch is proved by its being possible nowhere"
  [[facts.push_back(negated(fact))]] [[facts.push_back(fact)]])
flaw(symbolic-launch-facts-samples assumptions.cpp "misses nothing: facts about the launch are not looked at in samples"
  [[sample_values(promised, 64)]] [[std::vector<Values>{}]])
flaw(symbolic-launch-facts-unknown assumptions.cpp "an open fact about the launch is no matter"
  [[one.verdict == Verdict::unknown && out.verdict == Verdict::proved]] [[false]])
flaw(blocks-same verify.cpp "a destination that no block index moves is written by one block"
  [[same_in_all_teams(problem, copy)]] [[std::optional<Counterexample>()]])
flaw(blocks-synchronised verify.cpp "copies are not compared over blocks"
  [[synchronised_over_blocks(problem, finding, report.copies, is_nonnegative)]] [[finding]])
flaw(strides-reached strides.cpp "of the strides before one, only the last reaches anything"
  [[reached + next->stride.times(next->extent - 1)]] [[next->stride.times(next->extent - 1)]])
flaw(strides-extent strides.cpp "strides reach one step less"
  [[reached + next->stride.times(next->extent - 1)]] [[reached + next->stride.times(next->extent - 2)]])
flaw(blocks-apart-equal strides.cpp "`>=` for `>`: a block may start where the one before ends"
  [[digit.stride - reached.plus(1)]] [[digit.stride - reached]])
flaw(blocks-apart-above strides.cpp "what lies above the blocks may run into them"
  [[!left.empty()]] [[std::any_of(left.begin(), left.end(), [](const Stride& d) { return d.is_team; })]])
flaw(blocks-apart-below strides.cpp "digits between two block indices may run into each other"
  [[is_below_teams = is_below_teams && !next->is_team]] [[true]])
flaw(blocks-apart-merge strides.cpp "block indices below another may run into each other"
  [[!next->is_team && is_nonnegative(next->stride)]] [[is_nonnegative(next->stride)]])
flaw(blocks-apart-sign strides.cpp "what counts down reaches nothing"
  [[!next->is_team && is_nonnegative(next->stride)]] [[!next->is_team]])
flaw(blocks-apart-no-merge strides.cpp "proves less: digits below the blocks have to be apart"
  [[!next->is_team && is_nonnegative(next->stride)]] [[false]])
flaw(blocks-reflected strides.cpp "proves less: what counts down is left so"
  [[interval(digit.stride, symbols).greatest <= 0]] [[false]])
flaw(blocks-region blocks.cpp "a region is one step shorter"
  [[out.digits.push_back({*stride, region.extent[dim]})]] [[out.digits.push_back({*stride, region.extent[dim] - 1})]])
flaw(blocks-bends blocks.cpp "a dimension that bends is left out"
  [[add_all((*modes)[dim])]] [[void()]])
flaw(blocks-whole blocks.cpp "a layout whose iters straddle dimensions is left out"
  [[add_all(layout.iters)]] [[void()]])
flaw(blocks-stride-moves blocks.cpp "strides may depend on the block"
  [[!split || !split->is_constant()]] [[!split]])
flaw(blocks-grid blocks.cpp "the grid has one block less"
  [[Stride{split->step[dim], all.teams.extent[dim], dim < all.end_dim}]]
  [[Stride{split->step[dim], all.teams.extent[dim] - 1, dim < all.end_dim}]])
flaw(groups-synchronised blocks.cpp "proves less: groups of one block have to be apart from all of another"
  [[Stride{split->step[dim], all.teams.extent[dim], dim < all.end_dim}]]
  [[Stride{split->step[dim], all.teams.extent[dim], true}]])
flaw(blocks-hull blocks.cpp "what holds two regions holds only the first"
  [[std::max(a.extent[dim], by + b.extent[dim]) - least]] [=[a.extent[dim]]=])
flaw(blocks-pairs-read blocks.cpp "of two copies only what both write is compared"
  [[first == Side::dst || second == Side::dst]] [[first == Side::dst && second == Side::dst]])
flaw(blocks-pairs-known blocks.cpp "what one copy writes of its own is so for another region too"
  [[a.region == b.region]] [[true]])
flaw(blocks-pairs-disjoint blocks.cpp "what a copy writes is believed to be its own"
  [[f.obligation == "disjoint" && f.verdict == Verdict::proved]] [[f.obligation == "disjoint"]])
flaw(blocks-pairs-samples blocks.cpp "refutes nothing: the blocks of two copies are not compared"
  [[clash_between(problem, a, b, of_a, of_b, values)]] [[std::optional<Counterexample>()]])
flaw(blocks-pairs-groups blocks.cpp "groups of a block are no part of what it touches"
  [[first.each ? of_a : of_b]] [[Compared{blocks_of(problem.launch), 0, group_dim}]])
flaw(blocks-clash-one blocks.cpp "refutes: a block clashes with itself"
  [[of_a.differ(touches[j].team, touches[k].team)]] [[true]])
flaw(blocks-clash-group blocks.cpp "refutes: a barrier does not order the groups of a block"
  [[a.begin() + static_cast<std::ptrdiff_t>(end_dim)]] [[a.end()]])
flaw(participants-groups structure.cpp "how many groups a plan is for is not looked at"
  [[asked != planned]] [[asked.first != planned.first || asked.count != planned.count]])
flaw(blocks-clash-sides blocks.cpp "refutes: two blocks may not read one byte"
  [[(is_one || touches[j].of_b != touches[k].of_b)]] [[true]])

# --- the widest access ---------------------------------------------------------------------------------------------------

flaw(widest-base widest.cpp "every base is aligned"
  [[to_bits(buffer.align) < width]] [[false]])
flaw(widest-access widest.cpp "every target has what some target has"
  [[!has_access(problem.target, buffer.space, width)]] [[buffer.space != Space::registers && access_form(Direction::load, buffer.space, width) == nullptr]])
flaw(widest-ptx widest.cpp "every PTX version has every width"
  [[*problem.ptx < least_ptx(buffer.space, width)]] [[false]])
flaw(widest-start widest.cpp "a run may begin anywhere"
  [[side.linear(head) % n != 0]] [[false]])
flaw(widest-neighbours widest.cpp "elements of a run may lie anywhere"
  [[side.linear(head + static_cast<std::size_t>(j)) != side.linear(head) + j]] [[false]])
flaw(widest-residue widest.cpp "a known base counts as 0"
  [[to_bits(buffer.base.value_or(Bytes{0})) / buffer.dtype.size]] [[0]])
flaw(widest-lanes widest.cpp "swizzles may exchange lanes"
  [[src_.actual(k) % n != dst_.actual(k) % n]] [[false]])
flaw(widest-order widest.cpp "misses wider ones: runs are looked for in the order of the region"
  [[!std::is_sorted(dst_.offsets.begin(), dst_.offsets.end())]] [[false]])

# --- sides in registers ----------------------------------------------------------------------------------------------------

flaw(registers-smt-below symbolic.cpp "for all values of the symbols, registers below the first are the buffer's"
  [[one.least >= 0 && one.greatest < registers_]] [[one.greatest < registers_]])
flaw(registers-smt-bounds symbolic.cpp "for all values of the symbols, the register behind the last is the buffer's too"
  [[one.least >= 0 && one.greatest < registers_]] [[one.least >= 0 && one.greatest <= registers_]])
flaw(registers-smt-depend symbolic.cpp "for all values of the symbols, registers may depend on the thread"
  [[one.are_the_same_in_all_threads]] [[true]])
flaw(registers-smt-lanes symbolic.cpp "for all values of the symbols, the registers of an access may go with any places of memory"
  [[contiguous(opposite(*held_))]] [[true]])
flaw(matrix-smt-fits symbolic.cpp "what does not fit a matrix instruction is taken for the accesses of a thread"
  [[!by_rows_.fits]] [[false]])
flaw(matrix-smt-whole symbolic.cpp "rows are proved whatever lanes run"
  [[!warps_run_whole()]] [[false]])
flaw(matrix-smt-torn symbolic.cpp "a row begins where its block does, as an access may"
  [[has_torn_rows(side)]] [[false]])
flaw(matrix-rows-lanes matrix_rows.cpp "a thread may have any number of elements of the rows"
  [[segment.vec != elements_of_lane(form, element)]] [[false]])
flaw(matrix-rows-warps matrix_rows.cpp "refutes: the warps lie as near to each other as lanes"
  [[piece_of(segment, *digit).part(in_warp, digit->extent / in_warp)]] [[piece_of(segment, *digit).part(1, digit->extent / in_warp)]])
flaw(matrix-rows-parted matrix_rows.cpp "no bound parts a warp"
  [[runs(of.by_lane, "l") != runs(of.by_row, "r")]] [[context.bool_val(false)]])
flaw(matrix-rows-from matrix_rows.cpp "no bound parts a warp before its first row"
  [[c >= number(*bound.from)]] [[context.bool_val(true)]])
flaw(matrix-rows-turns matrix_rows.cpp "a bound parts no warp but in the first turn"
  [[move(begins, of.by_turn, "t")]] [[void()]])
flaw(matrix-rows-extent matrix_rows.cpp "the last lane and the last row are not asked whether they run"
  [[value < number(digits[i].extent)]] [[value < number(std::max<std::int64_t>(1, digits[i].extent - 1))]])
flaw(registers-smt-injective symbolic.cpp "a register may be written twice if its address is a number"
  [[constant_part().proofs.layout_injective(Side::dst)]] [[true]])
flaw(registers-smt-numbers symbolic.cpp "a destination with symbols is told apart by its constant part"
  [[is_of_numbers(Side::dst)]] [[true]])
flaw(linear-bound-from linear.cpp "refutes nothing: what a bound cuts off before it runs"
  [[coordinate(segment, static_cast<std::size_t>(bound.dim), digits, true) >= number(*bound.from)]] [[z3_.context().bool_val(true)]])
flaw(linear-covers-from linear.cpp "a bound cuts nothing off before it"
  [[first_lane < number(*bound.from)]] [[z3_.context().bool_val(false)]])
flaw(linear-covers-falls linear.cpp "a digit that counts down counts up"
  [[least += far]] [[least += 0]])
flaw(registers-of-groups blocks.cpp "refutes: groups that write registers write the same ones"
  [=[has_its_own ? 1 : out.teams.extent[group_dim]]=] [=[out.teams.extent[group_dim]]=])
flaw(registers-depend registers.cpp "registers may depend on the thread"
  [[out.are_the_same_in_all_threads && far == 0]] [[out.are_the_same_in_all_threads]])
flaw(registers-bounds registers.cpp "the register behind the last is the buffer's too"
  [[names.greatest < registers_.capacity.count]] [[names.greatest <= registers_.capacity.count]])
flaw(registers-below registers.cpp "registers below the first are the buffer's"
  [[names.least >= 0]] [[true]])
flaw(registers-aligned registers.cpp "addresses of memory need not be aligned"
  [[judge_.aligned(at, stored_)]] [[std::optional<Counterexample>{}]])
flaw(registers-memory-bounds registers.cpp "accesses of memory may leave the buffer"
  [[judge_.bounds(at, stored_)]] [[std::optional<Counterexample>{}]])
flaw(registers-one-place registers.cpp "two lanes may have one place in an access"
  [[at_place[static_cast<std::size_t>(place)] >= 0]] [[false]])
flaw(registers-order registers.cpp "the registers of an access may have another order in another thread"
  [[is_new || known->second.first == reg]] [[true]])
flaw(registers-covers registers.cpp "every element counts as moved"
  [=[covered_[k]]=] [[true]])
flaw(registers-address registers.cpp "the register of a lane may be any, of any thread"
  [[judge_.layout_offset(box, held_) != home]] [[false]])
flaw(registers-memory-address registers.cpp "the address of a lane may be any"
  [[judge_.address(at, stored_)]] [[std::optional<Counterexample>{}]])
flaw(registers-pair registers.cpp "any register goes with any place of memory"
  [[at_place[static_cast<std::size_t>(place)] == home]] [[true]])
flaw(registers-disjoint registers.cpp "a register may be written twice"
  [[a.start != b.start]] [[true]])
flaw(registers-memory-disjoint registers.cpp "memory may be written twice"
  [[!share_a_cell(a, b)]] [[true]])
flaw(matrix-aligned registers.cpp "rows of matrices may begin anywhere"
  [[judge_.aligned(spots.front(), stored_, start)]] [[std::optional<Counterexample>{}]])
flaw(matrix-bounds registers.cpp "rows of matrices may leave the buffer"
  [[judge_.bounds(spots.front(), stored_, start)]] [[std::optional<Counterexample>{}]])
flaw(matrix-torn registers.cpp "the elements of a row may be anywhere"
  [[place != i]] [[false]])
flaw(matrix-fits registers.cpp "what does not fit a matrix instruction is moved all the same"
  [[warp.thread + warp_threads > s.threads || !keeps_whole(form, element) || s.vec != elements_of_lane(form, element)]] [[false]])
flaw(matrix-covers registers.cpp "a lane that does not run moves its elements"
  [[runs(at)]] [[true]])
flaw(matrix-legal-registers matrices.cpp "a matrix instruction may move from memory to memory"
  [[judge.buffer(other).space != Space::registers]] [[false]])
flaw(matrix-legal-direction matrices.cpp "stmatrix may load"
  [[form.direction != (side == Side::src ? Direction::load : Direction::store)]] [[false]])
flaw(matrix-legal-space matrices.cpp "ldmatrix may read global memory"
  [[judge.buffer(side).space != Space::shared]] [[false]])
flaw(matrix-legal-width matrices.cpp "rows of matrices may have any width"
  [[plan.width != matrix_row_width]] [[false]])
flaw(matrix-legal-whole matrices.cpp "elements of 32 bits may be torn apart"
  [[!keeps_whole(form, element)]] [[false]])
flaw(matrix-legal-lanes matrices.cpp "a thread may have any number of elements of the matrices"
  [[segment.vec != elements_of_lane(form, element)]] [[false]])
flaw(matrix-legal-arch matrices.cpp "every machine has stmatrix"
  [[form.least_arch > problem.target.number]] [[false]])
flaw(matrix-legal-suffix matrices.cpp "code for sm_100 has matrices of bytes"
  [[problem.target.suffix == 0]] [[false]])
flaw(matrix-legal-ptx matrices.cpp "every PTX version has ldmatrix"
  [[*problem.ptx < form.least_ptx]] [[false]])
flaw(matrix-warps-first matrices.cpp "a warp may begin at any thread"
  [[who.first % warp_threads != 0]] [[false]])
flaw(matrix-warps-count matrices.cpp "a part of a warp may run a matrix instruction"
  [[who.count % warp_threads != 0]] [[false]])
flaw(matrix-parted matrices.cpp "a predicate may part a warp"
  [[runs(round, thread) == runs(round, first)]] [[true]])
flaw(matrix-parted-rounds matrices.cpp "a predicate parts no warp but in the first round"
  [[round < segment.outer]] [[round < 1]])
flaw(matrix-too-many matrices.cpp "what is not looked at is converged"
  [[out.verdict = Verdict::unknown]] [[out.verdict = Verdict::proved]])
flaw(matrix-parted-symbols matrices.cpp "no value of a symbol parts a warp"
  [[parted_at_a_sample(problem, planned, segment)]] [[std::optional<Counterexample>{}]])
flaw(matrix-converge-fits matrices.cpp "what does not fit a matrix instruction parts no warp"
  [[!rows.fits]] [[false]])
flaw(matrix-converge verify.cpp "a warp is never parted where nobody looked"
  [[matrices_converge(inquiry, problem, plan)]] [[true]])
flaw(registers-instruction structure.cpp "anything may stand for the instruction of registers"
  [[plan.instruction != no_instruction]] [[false]])
flaw(registers-width structure.cpp "registers may be of another width than the access"
  [[plan.width != segment.side(opposite(side)).width]] [[false]])
flaw(registers-dependent structure.cpp "refutes: copies through registers need a barrier"
  [[problem.buffer(one).space != Space::registers]] [[true]])
flaw(registers-fit structure.cpp "a thread has any number of registers"
  [[registers > most]] [[false]])
flaw(registers-widest-place register_widest.cpp "runs may have holes and begin anywhere"
  [[lane.place != j]] [[false]])
flaw(registers-widest-thread register_widest.cpp "a run may be of two threads"
  [[lane.thread != access[0].thread]] [[false]])
flaw(registers-widest-block register_widest.cpp "a swizzle may tear a run"
  [[lane.swizzled / n != access[0].swizzled / n]] [[false]])
flaw(registers-widest-swizzled register_widest.cpp "a swizzle may order registers differently in each thread"
  [[swizzled.keeps(registers)]] [[true]])
flaw(registers-widest-base widest.cpp "refutes: registers count as memory that is aligned to 16 bytes"
  [[buffer.space != Space::registers && !buffer.base]] [[!buffer.base]])

# --- which assumptions are used ------------------------------------------------------------------------------------------

flaw(used-proofs used.cpp "what is left out is not proved again"
  [[!std::all_of(copies_.begin(), copies_.end(), [&](const auto& one) { return one->proofs.hold(next.symbols, next.facts); })]] [[false]])
flaw(used-teams used.cpp "between blocks and groups nothing is proved again"
  [[has_several_teams(next)]] [[false]])
flaw(used-multiple used.cpp "a multiple is never weakened"
  [[problem_.symbols[i].multiple_of > 1]] [[false]])
flaw(used-multiple-least used.cpp "a multiple is weakened to the first that does"
  [[multiple > 1 && enough(multiple / 2)]] [[false]])
flaw(used-align used.cpp "no access needs an alignment"
  [[Bytes{ceil_div(width.count, 8)}]] [[Bytes{1}]])
flaw(used-align-base used.cpp "a residue is never weakened to an alignment"
  [[buffer.base->count % needed.count != 0]] [[true]])
flaw(used-align-residue used.cpp "a residue is taken for an alignment that it is not"
  [[buffer.base->count % needed.count != 0]] [[false]])
