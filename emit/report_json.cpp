#include "emit/report_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "layouts/block.hpp"
#include "layouts/grid.hpp"
#include "layouts/register_file.hpp"
#include "support/sha256.hpp"

namespace tileproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "tileproof.report/1";

/// In bytes, rounded down; `bit` is what an address has beyond a whole byte.
void add_address(Json& out, const std::optional<Bits>& address, const std::optional<Bits>& modulus) {
    if (!address) return;
    out["byte"] = address->count >> 3;
    if (address->count % 8 != 0) out["bit"] = address->count & 7;
    if (!modulus || *modulus < Bits{8}) return;
    out["modulus"] = to_bytes(*modulus).count;
    out["residue"] = ((address->count % modulus->count + modulus->count) % modulus->count) >> 3;
}

Json json(const Values& values, const std::vector<Symbol>& symbols) {
    Json out = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) out[symbols[i].name] = values[i];
    return out;
}

Json json(const Witness& witness, const std::vector<Symbol>& symbols) {
    Json out;
    if (witness.side) out["side"] = to_string(*witness.side);
    if (!witness.coordinate.empty() || witness.address) {
        out["round"] = witness.round;
        out["thread"] = witness.thread;
        out["coordinate"] = witness.coordinate;
    }
    add_address(out, witness.address, witness.modulus);
    out["symbols"] = json(witness.symbols, symbols);
    return out;
}

Json json(const Counterexample& found, const std::vector<Symbol>& symbols) {
    Json out;
    out["text"] = found.text;
    if (found.side) out["side"] = to_string(*found.side);
    if (found.segment) out["segment"] = *found.segment;
    if (found.round) out["round"] = *found.round;
    if (found.thread) out["thread"] = *found.thread;
    if (found.lane) out["lane"] = *found.lane;
    if (!found.coordinate.empty()) out["coordinate"] = found.coordinate;
    add_address(out, found.address, found.modulus);
    out["symbols"] = json(found.symbols, symbols);
    for (const Team& team : found.teams) out["blocks"].push_back({team[0], team[1], team[2]});
    if (std::any_of(found.teams.begin(), found.teams.end(), [](const Team& team) { return team[group_dim] > 0; }))
        for (const Team& team : found.teams) out["groups"].push_back(team[group_dim]);
    return out;
}

/// What is in the file, and what the solvers say to it.
Json json(const View& view, const Query& query) {
    Json out;
    if (view.has_query_files) out["file"] = query.name + ".smt2";
    out["hash"] = "sha256:" + support::sha256(query.text);
    out["result"] = to_string(query.answer);
    if (query.second) out["second"] = to_string(query.second->answer);
    return out;
}

Json json(const View& view, const Finding& finding, const std::vector<Query>& queries) {
    Json out;
    out["id"] = finding.obligation;
    out["verdict"] = to_string(finding.verdict);
    out["by"] = finding.by;
    out["counterexample"] = finding.counterexample ? json(*finding.counterexample, view.problem.symbols) : Json(nullptr);
    if (finding.failures)
        out["failing"] = {{"count", finding.failures->failing}, {"of", finding.failures->all}, {"unit", finding.failures->unit}};
    if (!finding.reason.empty()) out["reason"] = finding.reason;
    if (!finding.queries.empty()) out["queries"] = Json::array();
    for (const std::size_t i : finding.queries) out["queries"].push_back(json(view, queries[i]));
    return out;
}

Json json(const Refusal& refusal, const std::vector<Symbol>& symbols) {
    Json out;
    out["width_bits"] = refusal.width.count;
    out["rule"] = refusal.rule;
    out["text"] = refusal.text;
    out["witness"] = refusal.witness ? json(*refusal.witness, symbols) : Json(nullptr);
    if (!refusal.unlock_sought) return out;
    out["unlock"] = nullptr;
    if (refusal.unlock) out["unlock"] = {{"text", refusal.unlock->text}, {"patch", Json::parse(refusal.unlock->patch)}};
    return out;
}

Json json(const FlatTerm& term, const std::vector<Symbol>& symbols) {
    Json out;
    out["div"] = term.div;
    out["mod"] = term.mod;
    out["stride"] = to_string(term.stride, symbols);
    if (term.of.empty()) return out;
    out["of"] = Json::array();
    for (const IndexPart& part : term.of) out["of"].push_back({{"div", part.div}, {"mod", part.mod}, {"times", part.times}});
    out["add"] = term.add;
    return out;
}

Json json(const SidePlan& side, bool flat, const std::vector<Symbol>& symbols) {
    Json address;
    address["offset"] = to_string(side.address.offset, symbols);
    if (flat) {
        address["terms"] = Json::array();
        for (const FlatTerm& term : side.address.terms) address["terms"].push_back(json(term, symbols));
    } else {
        address["strides"] = Json::array();
        for (const Expression& stride : side.address.strides) address["strides"].push_back(to_string(stride, symbols));
    }
    if (!(side.address.tail_stride == Expression(0))) address["tail_stride"] = to_string(side.address.tail_stride, symbols);
    address["swizzle"] = {side.address.swizzle.bits_log2, side.address.swizzle.base_log2, side.address.swizzle.shift_log2};
    address["index_bits"] = side.address.index_bits;
    Json out;
    out["instruction"] = side.instruction;
    out["width_bits"] = side.width.count;
    if (side.lanes) out["lanes"] = *side.lanes;
    out["address"] = std::move(address);
    return out;
}

Json json(const Segment& segment, const std::vector<Symbol>& symbols) {
    Json out;
    out["start"] = segment.start;
    out["outer"] = segment.outer;
    out["threads"] = segment.threads;
    out["vec"] = segment.vec;
    out["flat"] = segment.flat;
    out["digits"] = Json::array();
    for (const Digit& digit : segment.digits) {
        Json one;
        one["dim"] = digit.dim;
        one["weight"] = digit.weight;
        one["extent"] = digit.extent;
        one["role"] = to_string(digit.role);
        one["place"] = digit.place;
        out["digits"].push_back(std::move(one));
    }
    if (segment.tail)
        out["tail"] = {{"dim", segment.tail->dim}, {"end", to_string(segment.tail->end, symbols)}, {"multiple", segment.tail->multiple}};
    out["predicate"] = Json::array();
    for (const Bound& bound : segment.predicate) {
        out["predicate"].push_back({{"dim", bound.dim}, {"below", to_string(bound.below, symbols)}});
        if (bound.from) out["predicate"].back()["from"] = std::to_string(*bound.from);
        if (bound.beyond != Beyond::nothing) out["predicate"].back()["beyond"] = to_string(bound.beyond);
    }
    out["src"] = json(segment.src, segment.flat, symbols);
    out["dst"] = json(segment.dst, segment.flat, symbols);
    return out;
}

Json json(const Box& box) {
    Json of = Json::array();
    for (const auto& factors : box.dims) {
        Json dim = Json::array();
        for (const BoxFactor& factor : factors) dim.push_back({factor.dim, factor.weight, factor.extent});
        of.push_back(std::move(dim));
    }
    Json out;
    out["shape"] = box.shape();
    out["of"] = std::move(of);
    return out;
}

void add_plan(Json& out, const View& view, const CopySolution& copy) {
    const CopyPlan& plan = *copy.plan;
    const CopyReport* report = view.report_of(copy.name);
    std::int64_t outer = 0, vec = 0;
    for (const Segment& segment : plan.segments) {
        outer += segment.outer;
        if (run_width(segment) == narrowest(plan)) vec = segment.vec;
    }
    out["variant"] = !copy.variant.empty()   ? copy.variant
                     : is_asynchronous(plan) ? "ldgsts"
                     : has_matrices(plan)    ? "ldstmatrix"
                                             : "vec_auto";
    const auto& asked =
        *std::find_if(view.problem.copies.begin(), view.problem.copies.end(), [&](const Copy& c) { return c.name == copy.name; });
    out["path"] = register_side(view.problem, asked) ? "reg" : "gmem_smem";
    out["width_bits"] = narrowest(plan).count;
    out["vec"] = vec;
    out["threads"] = plan.participants.count;
    out["outer"] = outer;
    out["active_threads"] = report->active_threads;
    out["participants"] = {{"first", plan.participants.first}, {"count", plan.participants.count}};
    if (plan.participants.groups != 1) out["participants"]["groups"] = plan.participants.groups;
    out["box"] = json(plan.box);
    if (copy.straight_accesses) out["straight"] = {{"width_bits", copy.width.count}, {"accesses", *copy.straight_accesses}};
    if (copy.single_rounds) out["single"] = {{"width_bits", copy.width.count}, {"outer", *copy.single_rounds}};
    out["segments"] = Json::array();
    for (const Segment& segment : plan.segments) out["segments"].push_back(json(segment, view.problem.symbols));
}

Json refused(const CopySolution& copy, const std::vector<Symbol>& symbols) {
    Json out = Json::array();
    for (const Refusal& refusal : copy.refused) out.push_back(json(refusal, symbols));
    return out;
}

Json json(const View& view, const CopySolution& copy) {
    Json out;
    out["name"] = copy.name;
    out["verdict"] = to_string(view.outcome_of(copy));
    if (!copy.declined.empty()) {
        out["declined"] = Json::array();
        for (const Declined& one : copy.declined) out["declined"].push_back({{"variant", one.variant}, {"reason", one.reason}});
    }
    if (copy.rejection) {
        out["width_bits"] = nullptr;
        out["rule"] = copy.rejection->rule;
        out["text"] = copy.rejection->text;
        if (!copy.refused.empty()) out["refused"] = refused(copy, view.problem.symbols);
        return out;
    }
    if (copy.plan) add_plan(out, view, copy);
    else out["width_bits"] = nullptr;
    if (!copy.undecided.empty()) out["undecided"] = copy.undecided;
    if (!view.foreign) out["refused"] = refused(copy, view.problem.symbols);
    if (const CopyReport* report = view.report_of(copy.name)) {
        out["obligations"] = Json::array();
        for (const Finding& finding : report->counted()) out["obligations"].push_back(json(view, finding, report->queries));
        if (report->widest && !report->widest_counts) {
            Json one = json(view, *report->widest, report->queries);
            one["informative"] = true;
            out["obligations"].push_back(std::move(one));
        }
    }
    return out;
}

Json json(const KernelInfo& kernel) {
    Json out;
    out["entry"] = kernel.entry;
    out["grid"] = kernel.grid;
    out["block"] = kernel.block;
    out["shared_bytes"] = kernel.shared.count;
    out["params"] = Json::array();
    for (const Parameter& parameter : kernel.parameters) out["params"].push_back({{"name", parameter.name}, {"type", parameter.type}});
    for (const ComputedSymbol& symbol : kernel.computed) {
        if (symbol.from.is_group()) out["symbols"][symbol.name] = {{"from", "tid.x"}, {"divided_by", kernel.block / kernel.groups}};
        else out["symbols"][symbol.name] = {{"from", std::string("ctaid.") + "xyz"[symbol.from.dim]}, {"times", symbol.from.times}};
    }
    return out;
}

Json json(const View::Shown& shown) {
    Json out{{"id", shown.assumption.id}, {"text", shown.assumption.text}, {"source", shown.assumption.source}};
    if (!shown.use) return out;
    out["used"] = shown.use->used;
    if (!shown.use->needed.empty()) out["needed"] = shown.use->needed;
    return out;
}

/// Names and file names are untrusted; what is not UTF-8 is replaced.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string report_json(const View& view) {
    Json out;
    out["schema"] = schema;
    out["tool"] = {{"name", "tileproof"}, {"version", view.tool_version}, {"z3", view.z3_version}};
    if (!view.cvc5_version.empty()) out["tool"]["cvc5"] = view.cvc5_version;
    out["file"] = view.file;
    out["target"]["arch"] = view.problem.target.name;
    if (view.kernel) out["target"]["ptx"] = to_string(view.kernel->ptx);
    out["verdict"] = to_string(view.outcome());
    out["assumptions"] = Json::array();
    for (const View::Shown& shown : view.shown_assumptions()) out["assumptions"].push_back(json(shown));
    if (view.not_assumed) out["fallback"] = {{"not_assumed", *view.not_assumed}};
    if (view.kernel) out["launch"] = json(*view.kernel);
    out["copies"] = Json::array();
    for (const CopySolution& copy : view.solution.copies) out["copies"].push_back(json(view, copy));
    out["program"] = Json::array();
    for (const Step& step : view.solution.program) {
        if (const auto* copy = std::get_if<CopyStep>(&step)) out["program"].push_back({{"copy", copy->copy}});
        else if (const auto* wait = std::get_if<Wait>(&step))
            out["program"].push_back({{"wait", "cp.async.wait_group"}, {"pending", wait->pending}});
        else
            out["program"].push_back(
                {{"barrier", "bar.sync"}, {"id", std::get<Barrier>(step).id}, {"threads", std::get<Barrier>(step).threads}});
    }
    out["obligations"] = Json::array();
    for (const Finding& finding : view.report.program) out["obligations"].push_back(json(view, finding, view.report.queries));
    if (!view.report.conflicts.empty()) out["conflicts"] = view.report.conflicts;
    return dump(out);
}

std::string error_json(const Source& source, const std::vector<Diagnostic>& diagnostics) {
    Json out;
    out["schema"] = schema;
    out["verdict"] = "error";
    out["diagnostics"] = Json::array();
    for (const Diagnostic& diagnostic : diagnostics) {
        Json one;
        one["rule"] = diagnostic.rule;
        one["text"] = diagnostic.text;
        one["file"] = source.name;
        if (diagnostic.place.line > 0) {
            one["line"] = diagnostic.place.line;
            one["column"] = diagnostic.place.column;
        }
        if (!diagnostic.notes.empty()) one["notes"] = diagnostic.notes;
        if (!diagnostic.help.empty()) one["help"] = diagnostic.help;
        out["diagnostics"].push_back(std::move(one));
    }
    return dump(out);
}

}  // namespace tileproof
