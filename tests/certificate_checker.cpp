// Certificate checker: does this plan solve this problem? It looks at every element, and can be read in one sitting.
//
//   certificate_checker REPORT.json PROBLEM.json      prints `yes` (exit 0), `no: reason` (1) or `bad input: reason` (2)
//
// REPORT.json: from `tileproof plan --format json`. PROBLEM.json: the problem file as JSON, no symbols, predicates or registers, layouts in CuTe notation. The problem
// says which offset has to arrive where (read_side), the plan which accesses run and what their lanes touch (Segment); check_segment compares.
// Nothing is shared with tileproof. Offsets count elements. Not which coordinate a plan says it moves is judged, but what it moves.
// clang-format off
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
using Json = nlohmann::json; using Text = std::string;
using Int = std::int64_t; using Ints = std::vector<Int>;
struct No : std::logic_error { using std::logic_error::logic_error; };  // the plan is wrong; whatever else is thrown is bad input
void need(bool holds, const char* otherwise) { if (!holds) throw No{otherwise}; }
Int number(const Json& json) { return json.is_string() ? number(Json::parse(json.get<Text>())) : json.get<Int>(); }  // "128" or 128
Ints leaves(const Json& tree) {
    if (!tree.is_array()) return {number(tree)};
    Ints out; for (const Json& branch : tree) for (const Int leaf : leaves(branch)) out.push_back(leaf);
    return out;
}
Text bare(const Text& text) { Text out; for (const char c : text) if (c != ' ') out += c; return out; }
/// swizzle(start + sum of stride * (x[from] / div mod mod)). Layouts, addresses and coordinates are all of this kind.
struct Sum {
    struct Term { std::size_t from; Int div, mod, stride; };
    Int start = 0;
    Ints swizzle{0, 0, 0};  // B, M, S: B bits are XORed in S places lower (higher, where S is negative)
    std::vector<Term> terms{};
    double reach = 0;       // how far from its start the sum can be
    void add(std::size_t from, Int div, Int mod, Int stride) {
        terms.push_back({from, div, mod, stride}); reach += double(std::abs(stride)) * double(mod - 1);
        need(div >= 1 && mod >= 1 && reach < 1e15, "a division by nothing, or an offset beyond 10^15");
    }
    Int period() const { return Int{1} << (swizzle.at(0) == 0 ? 0 : swizzle.at(0) + swizzle.at(1) + std::abs(swizzle.at(2))); }
    Int operator()(const Ints& x) const {
        const Int b = swizzle.at(0), m = swizzle.at(1), s = swizzle.at(2);
        need(b >= 0 && m >= 0 && (b == 0 || std::abs(s) >= b) && b + m + std::abs(s) <= 40, "an invalid swizzle");
        Int sum = start; for (const Term& t : terms) sum += t.stride * (x.at(t.from) / t.div % t.mod);
        return sum ^ (((sum >> (m + std::max<Int>(s, 0))) & ((Int{1} << b) - 1)) << (m + std::max<Int>(-s, 0)));
    }
};
/// [Sw<B,M,S> o [START o]] EXTENTS:STRIDES [+ n], without spaces; tuples are read as JSON. Adds the extents to `shape`.
Sum read_layout(Text text, Ints& shape) {
    Sum out;
    for (char& c : text) c = c == '(' || c == '<' ? '[' : c == ')' || c == '>' ? ']' : c == '_' ? ' ' : c;
    for (std::size_t o = text.find('o'); o != Text::npos; text = text.substr(o + 1), o = text.find('o'))
        if (text[0] == 'S') out.swizzle = leaves(Json::parse(text.substr(2, o - 2)));
        else out.start += number(text.substr(0, o));
    for (std::size_t at = text.rfind('+'); at != Text::npos; text = text.substr(0, at), at = text.rfind('+')) out.start += number(text.substr(at + 1));
    const Json extents = Json::parse(text.substr(0, text.find(':'))), strides = Json::parse(text.substr(text.find(':') + 1));
    for (std::size_t dim = 0; dim < extents.size(); ++dim) {
        const Ints e = leaves(extents.is_array() ? extents[dim] : extents), s = leaves(strides.is_array() ? strides.at(dim) : strides);
        shape.push_back(1); for (std::size_t k = 0; k < e.size(); shape.back() *= e[k++]) out.add(dim, shape.back(), e[k], s.at(k));  // the leftmost is the fastest
    }
    return out;
}
struct Side {  // of a copy: its buffer, and the offset of each element of its region, row-major
    Text name, space;
    Int bits, align, base, capacity;  // of an element; of the base, and its remainder by that; elements, -1 if not stated
    Ints extents{}, places{};          // extents of 1 left out
};
Side read_side(const Json& problem, const Text& text) {  // A[0:4,3,:,5:+2]
    const Text name = text.substr(0, text.find('['));
    const Json& buffer = problem.at("buffers").at(name);
    const Text space = buffer.at("space"), type = buffer.at("dtype"); if (space == "register") throw std::invalid_argument("not covered: registers");
    const std::map<Text, Int> named{{"bool", 8}, {"e2m1", 4}, {"float4_e2m1fn", 4}, {"e4m3", 8}, {"e5m2", 8}, {"e8m0", 8}, {"half", 16}, {"float", 32}, {"tf32", 32}, {"double", 64}};
    const Int bits = named.count(type) == 1 ? named.at(type) : number(type.substr(type.find_first_of("123468")));  // f16, u8, ...
    Ints shape; const Sum layout = read_layout(bare(buffer.at("layout")), shape);
    const Int align = buffer.contains("base") ? 256 : buffer.value("align", std::max<Int>(16, space == "shared" ? layout.period() * bits / 8 : 1));
    Side out{name, space, bits, align, buffer.value("base", Int{0}), buffer.value("capacity", Int{-1})};
    Ints start(shape.size(), 0), end = shape;
    for (std::size_t dim = 0, at = name.size() + 1, comma = 0; at < text.size(); at = comma + 1, ++dim) {
        comma = text.find_first_of(",]", at);
        const Text item = text.substr(at, comma - at), from = item.substr(0, item.find(':')), to = from == item ? "+1" : item.substr(from.size() + 1);
        if (!from.empty()) start.at(dim) = number(from);
        if (!to.empty()) end.at(dim) = to[0] == '+' ? start[dim] + number(to.substr(1)) : number(to);
    }
    for (std::size_t dim = 0; dim < end.size(); ++dim) if (end[dim] - start[dim] != 1) out.extents.push_back(end[dim] - start[dim]);
    for (Ints at = start; at[0] < end[0];) {
        out.places.push_back(layout(at));
        for (std::size_t dim = at.size(); dim-- > 0 && ++at[dim] == end[dim] && dim > 0;) at[dim] = start[dim];
    }
    return out;
}
struct Segment {
    std::vector<Sum> coordinate{}, nested[2]{};  // from (round, thread, lane); the sums that some flat terms divide
    Sum address[2]{};                            // from (round, thread, lane, index of a flat segment, nested sums)
    Sum first[2]{}, place[2]{};                  // of a lane: the one that begins its access, and where it is there
    Int lanes[2]{1, 1}, rest[2]{1, 1};           // of an access, and the accesses of a round
    explicit Segment(const Json& json) {
        for (const Json& start : json.at("start")) coordinate.push_back({number(start)});
        for (const int k : {0, 1}) {
            const Json &half = json.at(k == 0 ? "src" : "dst"), &side = half.at("address"), &digits = json.at("digits");
            std::map<Int, std::array<Int, 2>> vec;  // by place: what the lower ones hold, and the extent
            address[k] = {number(side.at("offset")), leaves(side.at("swizzle"))};
            for (std::size_t i = 0; i < digits.size(); ++i) {
                const std::size_t from = digits[i].at("role") == "outer" ? 0 : digits[i]["role"] == "thread" ? 1 : 2;
                Int div = 1;  // what the lower digits of the same number hold
                for (const Json& d : digits) if (d.at("role") == digits[i]["role"] && d.at("place") < digits[i].at("place")) div *= number(d.at("extent"));
                if (from == 2) vec[number(digits[i].at("place"))] = {div, number(digits[i].at("extent"))};
                if (k == 0) coordinate.at(digits[i].at("dim")).add(from, div, number(digits[i].at("extent")), number(digits[i].at("weight")));
                if (side.contains("strides")) address[k].add(from, div, number(digits[i].at("extent")), number(side["strides"].at(i)));
            }
            Ints named = leaves(half.value("lanes", Json::array()));  // the vec digits that count along an access: without a list, all
            if (!half.contains("lanes")) for (const auto& [at, digit] : vec) named.push_back(at);
            for (const Int one : named) {
                need(vec.count(one) == 1, "lanes that are no vec digits, or one twice");
                place[k].add(2, vec[one][0], vec[one][1], lanes[k]); lanes[k] *= vec[one][1]; vec.erase(one);
            }
            for (const auto& [at, digit] : vec) { first[k].add(2, digit[0], digit[1], digit[0]); rest[k] *= digit[1]; }
            for (const Json& t : side.value("terms", Json::array())) {
                if (t.contains("of")) nested[k].push_back({number(t.at("add"))});
                for (const Json& p : t.value("of", Json::array())) nested[k].back().add(3, number(p.at("div")), number(p.at("mod")), number(p.at("times")));
                address[k].add(t.contains("of") ? 3 + nested[k].size() : 3, number(t.at("div")), number(t.at("mod")), number(t.at("stride")));
            }
        }
    }
    Int offset(int k, Ints at) const {
        at.push_back(coordinate.at(0)(at));
        for (const Sum& one : nested[k]) at.push_back(one(at));
        return address[k](at);
    }
};
Ints threads_of(const Json& copy) {  // the first, and how many
    const std::map<Text, Int> counts{{"thread", 1}, {"warp", 32}, {"warpgroup", 128}, {"cta", copy.value("threads", Int{0})}};
    return {counts.at(copy.at("scope")) * copy.value("group", Int{0}), counts.at(copy["scope"])};
}
void check_segment(const Json& json, const Side (&sides)[2], Int arch, Int threads, std::map<Int, Int>& missing) {
    const Segment segment(json); const Int n = number(json.at("vec")); if (json.contains("tail")) throw std::invalid_argument("not covered: tails");
    const bool is_block = json["src"].contains("lanes") || json["dst"].contains("lanes");  // then loads come before stores, and lanes keep their registers
    for (const int k : {0, 1}) {
        const std::map<Int, Text> kinds{{8, ".u8"}, {16, ".u16"}, {32, ".u32"}, {64, ".v2.u32"}, {128, ".v4.u32"}, {256, ".v8.b32"}};
        const Json& half = json.at(k == 0 ? "src" : "dst");
        const Int bits = number(half.at("width_bits"));
        need(segment.lanes[k] * segment.rest[k] == n && bits == segment.lanes[k] * sides[k].bits && (bits <= 128 || (arch >= 100 && sides[k].space == "global")), "a width that lanes or machine do not have");
        need(half.at("instruction") == (k == 0 ? "ld." : "st.") + sides[k].space + kinds.at(bits), "an instruction that does something else");
        need(sides[k].align * 8 % bits == 0, "a base aligned less than an access");
        const double most = segment.address[k].reach + double(std::abs(segment.address[k].start) + segment.address[k].period() + n);
        need(most * std::max(1.0, double(sides[k].bits) / 8) < std::exp2(number(half.at("address").at("index_bits")) - 1), "an index too narrow for its address");
    }
    need(number(json.at("threads")) == threads, "a segment for other threads");
    for (Int round = 0; round < number(json.at("outer")); ++round) for (Int thread = 0; thread < threads; ++thread) {
        bool runs = true; for (const Json& bound : json.at("predicate")) need(!bound.contains("beyond"), "zeros that nobody asked for"), runs = runs && segment.coordinate.at(bound.at("dim"))({round, thread, 0}) < number(bound.at("below"));
        for (Int lane = 0; lane < n && runs; ++lane) {
            Int at[2]{}, place[2]{};  // in its access
            for (const int k : {0, 1}) {
                const Int w = segment.lanes[k]; Int begin = segment.offset(k, {round, thread, segment.first[k]({round, thread, lane})});
                if (segment.address[k].swizzle[0] > 0 && Int{1} << segment.address[k].swizzle[1] < w)  // lanes are permuted: back to the lowest address
                    begin -= ((begin + 8 * sides[k].base / sides[k].bits) % w + w) % w;
                need((8 * sides[k].base + begin * sides[k].bits) % (w * sides[k].bits) == 0, "an address that is no multiple of the width");
                need(begin >= 0 && (sides[k].capacity < 0 || begin + w <= sides[k].capacity), "an access outside its buffer");
                at[k] = segment.offset(k, {round, thread, lane}); place[k] = at[k] - begin;
                need(place[k] >= 0 && place[k] < w && (!is_block || place[k] == segment.place[k]({round, thread, lane})), "a lane in another place than its digits say");
            }
            need(is_block || place[0] == place[1], "a lane in another place than its access has it");
            need(missing.count(at[1]) == 1 && missing[at[1]] == at[0], "a write outside the region, of another element, or for the second time");
            missing.erase(at[1]);
        }
    }
}
void check_copy(const Json& problem, const Json& asked, const Json& plan) {
    const Side sides[]{read_side(problem, bare(asked.at("src"))), read_side(problem, bare(asked.at("dst")))};
    need(sides[0].extents == sides[1].extents && sides[0].bits == sides[1].bits, "sides that differ in shape or type");
    std::map<Int, Int> missing;  // source offset, by destination offset
    for (std::size_t i = 0; i < sides[0].places.size(); ++i) need(missing.emplace(sides[1].places[i], sides[0].places[i]).second, "two elements for one place");
    for (const Int from : sides[0].places) need(sides[0].name != sides[1].name || missing.count(from) == 0, "a region written over while it is read");
    need(plan.contains("segments"), "a copy without a plan"); if (asked.contains("predicate")) throw std::invalid_argument("a predicate, which is not covered");
    need(Ints{number(plan.at("participants").at("first")), number(plan["participants"].at("count"))} == threads_of(asked), "other threads than asked");
    const Int arch = std::stoi(problem.at("target").at("arch").get<Text>().substr(3));
    for (const Json& segment : plan["segments"]) check_segment(segment, sides, arch, threads_of(asked)[1], missing);
    need(missing.empty(), "an element that is not moved");
}
int main(int argc, char** argv) try {
    if (argc != 3) throw std::invalid_argument("certificate_checker REPORT.json PROBLEM.json");
    const Json report = Json::parse(std::ifstream(argv[1])), problem = Json::parse(std::ifstream(argv[2]));
    const Json &copies = problem.at("copies"), &plans = report.at("copies");
    const auto buffer = [&](std::size_t i, const char* side) { const Text text = bare(copies.at(i).at(side)); return text.substr(0, text.find('[')); };
    Int block = 1, barriers = 0; Ints passed;  // barriers so far, and before each copy
    for (const Json& copy : copies) block = std::max(block, threads_of(copy)[0] + threads_of(copy)[1]);
    if (problem.contains("launch")) block = problem["launch"].value("block", block);
    for (const Json& step : report.at("program")) {
        if (step.contains("barrier")) { need(number(step.at("threads")) == block, "a barrier for others than the block"); ++barriers; continue; }
        const std::size_t j = passed.size();
        need(j < copies.size() && step.at("copy") == copies[j].value("name", "copy" + std::to_string(j)), "copies in another order");
        check_copy(problem, copies[j], plans.at(j));
        for (std::size_t i = 0; i < j; ++i) {
            const bool depends = buffer(i, "dst") == buffer(j, "src") || buffer(i, "dst") == buffer(j, "dst") || buffer(i, "src") == buffer(j, "dst");
            need(!depends || passed[i] < barriers, "copies that depend on each other, and no barrier between them");
        }
        passed.push_back(barriers);
    }
    need(passed.size() == copies.size() && plans.size() == copies.size(), "more or fewer copies than asked");
    return std::cout << "yes\n", 0;
} catch (const std::exception& error) {
    const bool is_no = dynamic_cast<const No*>(&error) != nullptr;
    return std::cout << (is_no ? "no: " : "bad input: ") << error.what() << "\n", is_no ? 1 : 2;
}
