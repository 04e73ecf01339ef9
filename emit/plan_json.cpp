#include "emit/plan_json.hpp"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "emit/view.hpp"

namespace tileproof {
namespace {

using Json = nlohmann::json;

constexpr std::size_t largest_plan = 16U << 20;
constexpr int deepest = 32;

/// Thrown inside this file only; parse_plan turns it into a diagnostic.
struct Fault {
    std::string rule;
    std::string text;
};

/// A JSON value and the pointer that leads to it.
class Node {
public:
    Node(const Json& value, std::string pointer, const std::vector<Symbol>& symbols)
        : value_(value), pointer_(std::move(pointer)), symbols_(symbols) {}

    [[noreturn]] void fail(const std::string& what) const {
        throw Fault{"plan-json", (pointer_.empty() ? "the plan" : pointer_) + " " + what};
    }

    [[noreturn]] void contradicts(const std::string& what) const { throw Fault{"plan-summary", pointer_ + " " + what}; }

    bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
    bool is_object() const { return value_.is_object(); }
    Node at(const char* key) const {
        if (!value_.is_object()) fail("should be an object");
        const auto found = value_.find(key);
        if (found == value_.end()) fail("has no '" + std::string(key) + "'");
        return {*found, pointer_ + "/" + key, symbols_};
    }
    std::vector<Node> items(std::size_t most) const {
        if (!value_.is_array()) fail("should be an array");
        if (value_.size() > most) fail("has more than " + std::to_string(most) + " items");
        std::vector<Node> out;
        for (std::size_t i = 0; i < value_.size(); ++i) out.emplace_back(value_[i], pointer_ + "/" + std::to_string(i), symbols_);
        return out;
    }
    std::string text() const {
        if (!value_.is_string()) fail("should be a string");
        return value_.get<std::string>();
    }
    bool flag() const {
        if (!value_.is_boolean()) fail("should be true or false");
        return value_.get<bool>();
    }
    /// An integer, as a number or as the decimal string that reports use for strides.
    std::int64_t integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
        const std::int64_t n = any_integer();
        if (n < least || n > most) fail("is out of range: " + std::to_string(n));
        return n;
    }
    /// An integer, or a string with an expression over the symbols.
    Expression expression() const {
        if (symbols_.empty() || value_.is_number()) return integer();
        if (!value_.is_string()) fail("should be an integer or an expression over the symbols");
        Result<Expression> out = parse_expression(value_.get_ref<const std::string&>(), symbols_);
        if (!out) fail("is no expression over the symbols: " + out.error().text);
        return std::move(out.value());
    }
    int small(int least, int most) const { return static_cast<int>(integer(least, most)); }

private:
    std::int64_t any_integer() const {
        if (value_.is_number_unsigned()) {
            const auto n = value_.get<std::uint64_t>();
            if (n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) fail("does not fit 64 bits");
            return static_cast<std::int64_t>(n);
        }
        if (value_.is_number_integer()) return value_.get<std::int64_t>();
        if (value_.is_string()) {
            const auto& digits = value_.get_ref<const std::string&>();
            std::int64_t n = 0;
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
            if (error == std::errc{} && end == digits.data() + digits.size()) return n;
            if (error == std::errc::result_out_of_range) fail("does not fit 64 bits");
        }
        fail("should be an integer");
    }

    const Json& value_;
    std::string pointer_;
    const std::vector<Symbol>& symbols_;
};

Role read_role(const Node& node) {
    const std::string role = node.text();
    if (role == "outer") return Role::outer;
    if (role == "thread") return Role::thread;
    if (role == "vec") return Role::vec;
    node.fail("should be \"outer\", \"thread\" or \"vec\"");
}

FlatTerm read_term(const Node& node) {
    FlatTerm out{node.at("div").integer(), node.at("mod").integer(), node.at("stride").expression(), {}, 0};
    if (!node.has("of")) return out;
    for (const Node& part : node.at("of").items(max_rank))
        out.of.push_back({part.at("div").integer(), part.at("mod").integer(), part.at("times").integer()});
    out.add = node.at("add").integer();
    return out;
}

AddressPlan read_address(const Node& node, bool flat) {
    AddressPlan out;
    out.offset = node.at("offset").expression();
    if (flat)
        for (const Node& term : node.at("terms").items(max_iters)) out.terms.push_back(read_term(term));
    else
        for (const Node& stride : node.at("strides").items(max_iters)) out.strides.push_back(stride.expression());
    const std::vector<Node> swizzle = node.at("swizzle").items(3);
    if (swizzle.size() != 3) node.at("swizzle").fail("should be [B, M, S]");
    out.swizzle = {swizzle[0].small(0, 63), swizzle[1].small(0, 63), swizzle[2].small(-63, 63)};
    out.index_bits = node.at("index_bits").small(1, 64);
    if (node.has("tail_stride")) out.tail_stride = node.at("tail_stride").expression();
    return out;
}

SidePlan read_side(const Node& node, bool flat) {
    SidePlan out{node.at("instruction").text(), Bits{node.at("width_bits").integer(1, 1024)}, read_address(node.at("address"), flat)};
    if (!node.has("lanes")) return out;
    out.lanes.emplace();
    for (const Node& place : node.at("lanes").items(max_iters)) out.lanes->push_back(place.small(0, max_iters));
    return out;
}

Beyond read_beyond(const Node& node) {
    const std::string text = node.text();
    for (const Beyond beyond : {Beyond::nothing, Beyond::zeros, Beyond::zero_lanes, Beyond::zeros_behind})
        if (text == to_string(beyond)) return beyond;
    node.fail("should be \"nothing\", \"zeros\", \"zero_lanes\" or \"zeros_behind\"");
}

Segment read_segment(const Node& node) {
    Segment out;
    out.flat = node.has("flat") && node.at("flat").flag();
    for (const Node& start : node.at("start").items(max_iters)) out.start.push_back(start.integer());
    out.outer = node.at("outer").integer();
    out.threads = node.at("threads").integer();
    out.vec = node.at("vec").integer();
    for (const Node& digit : node.at("digits").items(max_iters))
        out.digits.push_back({digit.at("dim").small(0, max_iters), digit.at("weight").integer(), digit.at("extent").integer(),
                              read_role(digit.at("role")), digit.at("place").small(0, max_iters)});
    for (const Node& bound : node.at("predicate").items(max_iters)) {
        out.predicate.push_back({bound.at("dim").small(0, max_iters), bound.at("below").expression()});
        if (bound.has("from")) out.predicate.back().from = bound.at("from").integer();
        if (bound.has("beyond")) out.predicate.back().beyond = read_beyond(bound.at("beyond"));
    }
    if (node.has("tail")) {
        const Node tail = node.at("tail");
        out.tail = Tail{tail.at("dim").small(0, max_iters), tail.at("end").expression(), tail.at("multiple").integer()};
    }
    out.src = read_side(node.at("src"), out.flat);
    out.dst = read_side(node.at("dst"), out.flat);
    return out;
}

std::string list(const std::vector<std::int64_t>& numbers) {
    std::string out;
    for (const std::int64_t n : numbers) out += (out.empty() ? "" : ", ") + std::to_string(n);
    return "[" + out + "]";
}

/// The shape that a plan states beside the factors must be their products. Factors that have none are for check_plan.
void compare_shape(const Node& stated, const Box& box) {
    std::vector<std::int64_t> said, is;
    for (const Node& extent : stated.items(max_iters)) said.push_back(extent.integer());
    for (const auto& dim : box.dims) {
        std::vector<std::int64_t> extents;
        for (const BoxFactor& factor : dim) extents.push_back(factor.extent);
        const std::optional<std::int64_t> product = checked_product(extents);
        if (!product) return;
        is.push_back(*product);
    }
    if (said != is) stated.contradicts("is " + list(said) + ", but box.of makes it " + list(is));
}

Box read_box(const Node& node) {
    Box out;
    for (const Node& dim : node.at("of").items(max_iters)) {
        out.dims.emplace_back();
        for (const Node& factor : dim.items(max_iters)) {
            const std::vector<Node> numbers = factor.items(3);
            if (numbers.size() != 3) factor.fail("should be [region dimension, weight, extent]");
            out.dims.back().push_back({numbers[0].small(0, max_rank), numbers[1].integer(), numbers[2].integer()});
        }
    }
    if (node.has("shape")) compare_shape(node.at("shape"), out);
    return out;
}

CopyPlan read_copy(const Node& node) {
    CopyPlan out;
    out.copy = node.at("name").text();
    if (!node.has("segments")) node.fail("has no plan ('segments')");
    const Node people = node.at("participants");
    out.participants = {people.at("first").small(0, 1 << 20), people.at("count").small(0, 1 << 20)};
    if (people.has("groups")) out.participants.groups = people.at("groups").small(1, 1 << 20);
    out.box = read_box(node.at("box"));
    for (const Node& segment : node.at("segments").items(64)) out.segments.push_back(read_segment(segment));
    if (node.has("width_bits") && !out.segments.empty()) {
        const Node stated = node.at("width_bits");
        const std::int64_t said = stated.integer(), is = narrowest(out).count;
        if (said != is)
            stated.contradicts("is " + std::to_string(said) + ", but the narrowest run that the segments move has " + std::to_string(is) +
                               " bits");
    }
    return out;
}

Step read_step(const Node& node) {
    if (node.has("copy")) return CopyStep{node.at("copy").text()};
    if (node.has("wait")) {
        if (node.at("wait").text() != "cp.async.wait_group") node.at("wait").fail("should be \"cp.async.wait_group\"");
        return Wait{node.at("pending").small(0, 1 << 20)};
    }
    if (node.at("barrier").text() != "bar.sync") node.at("barrier").fail("should be \"bar.sync\"");
    return Barrier{node.at("id").small(-1, 1 << 20), node.at("threads").small(-1, 1 << 20)};
}

PlanFile read_plan(const Node& root) {
    PlanFile out;
    if (!root.is_object()) root.fail("should be an object");
    if (!root.has("copies")) {
        out.single_copy = true;
        out.plan.copies.push_back(read_copy(root));
        out.plan.program.emplace_back(CopyStep{out.plan.copies.front().copy});
        if (is_asynchronous(out.plan.copies.front())) out.plan.program.emplace_back(Wait{});
        return out;
    }
    for (const Node& copy : root.at("copies").items(1024)) out.plan.copies.push_back(read_copy(copy));
    for (const Node& step : root.at("program").items(4096)) out.plan.program.push_back(read_step(step));
    return out;
}

/// The depth of brackets outside strings, before anything recurses over them.
bool too_deep(const std::string& text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '\\') ++i;
        else if (text[i] == '"') quoted = !quoted;
        else if (!quoted && (text[i] == '[' || text[i] == '{') && ++depth > deepest) return true;
        else if (!quoted && (text[i] == ']' || text[i] == '}')) --depth;
    }
    return false;
}

Place place_of(const std::string& text, std::size_t byte) {
    Place out{1, 1, 1};
    for (std::size_t i = 0; i < text.size() && i + 1 < byte; ++i) {
        ++out.column;
        if (text[i] == '\n') out = {out.line + 1, 1, 1};
    }
    return out;
}

/// Of two values of one key neither counts.
Json parse_without_duplicates(const std::string& text) {
    std::vector<std::set<std::string>> keys;  // of the objects that are open
    return Json::parse(text, [&](int, Json::parse_event_t event, const Json& value) {
        if (event == Json::parse_event_t::object_start) keys.emplace_back();
        if (event == Json::parse_event_t::object_end) keys.pop_back();
        if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
            throw Fault{"duplicate-key", "there is another '" + value.get<std::string>() + "' in this object of the plan"};
        return true;
    });
}

}  // namespace

Result<PlanFile> parse_plan(const std::string& text, const std::vector<Symbol>& symbols) {
    if (text.size() > largest_plan) return Diagnostic{"file-too-large", "a plan may have 16 MiB"};
    if (too_deep(text)) return Diagnostic{"nesting", "the plan nests more than " + std::to_string(deepest) + " levels"};
    try {
        const Json root = parse_without_duplicates(text);
        return read_plan(Node(root, "", symbols));
    } catch (const Json::parse_error& error) {
        return Diagnostic{"json-syntax", "this is not JSON", place_of(text, error.byte)};
    } catch (const Json::exception& error) {  // a number beyond double
        return Diagnostic{"json-syntax", "the JSON cannot be read: " + std::string(error.what())};
    } catch (const Fault& fault) {
        return Diagnostic{fault.rule, fault.text};
    }
}

}  // namespace tileproof
