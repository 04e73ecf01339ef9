#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "layouts/copy_reader_internal.hpp"
#include "layouts/document_internal.hpp"
#include "layouts/expression_text_internal.hpp"
#include "layouts/grid.hpp"
#include "layouts/notation.hpp"
#include "layouts/problem_reader_internal.hpp"
#include "layouts/tables_internal.hpp"
#include "layouts/thread_axes.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

constexpr Place top{1, 1, 1};
constexpr std::int64_t largest_integer = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> words(const std::string& spaced) {
    std::vector<std::string> out(1);
    for (const char c : spaced) {
        if (c == ' ') {
            out.emplace_back();
        } else {
            out.back() += c;
        }
    }
    return out;
}

/// `8.6`
std::optional<PtxVersion> read_ptx_version(std::string_view text) {
    const std::size_t dot = text.find('.');
    const auto number = [](std::string_view digits) {
        const bool is_number = !digits.empty() && digits.size() <= 2 && digits.find_first_not_of("0123456789") == std::string_view::npos;
        return is_number ? std::stoi(std::string(digits)) : -1;
    };
    if (dot == std::string_view::npos) return std::nullopt;
    const PtxVersion version{number(text.substr(0, dot)), number(text.substr(dot + 1))};
    return version.major < 0 || version.minor < 0 ? std::nullopt : std::optional(version);
}

class ProblemReader {
public:
    ProblemReader(const Document& document, const std::string& stem) : context_{document.syntax}, root_(document.root, "", context_) {
        problem_.stem = stem;
    }

    Result<Problem> read();

private:
    void read_target(Table target);
    void read_launch(const Node& launch);
    void read_block_symbol(const Node& symbol);
    bool are_too_many_symbols(const Node& last);
    void read_groups(const std::vector<const Node*>& copies);
    void read_symbols(const Node& symbols);
    void read_facts(Table assume);
    void read_buffers(const Node& buffers);
    bool read_buffer(Table table, Buffer& buffer);
    void read_layout_of(Table& table, Buffer& buffer);
    void read_base(Table& table, Buffer& buffer);
    void read_capacity(Table& table, Buffer& buffer);
    std::optional<Expression> symbolic_span_of_blocks(const Layout& layout) const;
    void set_capacity(Buffer& buffer, const Expression& capacity);
    void read_copies(const std::vector<const Node*>& all);
    void settle_block();

    std::string title(const std::string& section, const std::string& member = {}) const {
        return title_of(context_.syntax, section, member);
    }

    Context context_;
    Table root_;
    Problem problem_;
    NamedShapes names_;
    Place ptx_place_ = top;
};

Result<Problem> ProblemReader::read() {
    root_.check_keys({{"target"}, {"launch"}, {"buffers"}, {"copies"}, {"symbols"}, {"assume"}});
    const Node* target = root_.table("target");
    const Node* launch = root_.table("launch");
    const Node* buffers = root_.table("buffers");
    const std::vector<const Node*> copies = root_.tables("copies");
    if (target != nullptr) read_target(Table(*target, title("target"), context_));
    if (launch != nullptr) read_launch(*launch);
    read_groups(copies);
    if (const Node* symbols = root_.table("symbols")) read_symbols(*symbols);
    if (const Node* assume = root_.table("assume")) read_facts(Table(*assume, title("assume"), context_));
    if (buffers != nullptr) {
        read_buffers(*buffers);
        read_copies(copies);
    }
    for (const char* key : {"target", "buffers", "copies"}) root_.require(key, top);
    if (context_.faults.any()) return context_.faults.first();
    settle_block();
    if (std::optional<Diagnostic> fault = check_problem(problem_)) {
        if (fault->place.line == 0) fault->place = fault->rule == "ptx-version" ? ptx_place_ : top;
        return *std::move(fault);
    }
    return std::move(problem_);
}

void ProblemReader::read_target(Table target) {
    target.check_keys({{"arch"}, {"ptx"}});
    if (const std::optional<Text> arch = target.text("arch")) {
        if (std::optional<Arch> found = find_arch(arch->value)) {
            problem_.target = *std::move(found);
        } else {
            Diagnostic unknown = arch->fault("unknown-arch", "there is no architecture " + in_quotes(arch->value));
            unknown.help.push_back(hint(arch->value, words(arch_names())));
            target.fault(std::move(unknown));
        }
    }
    if (const std::optional<Text> ptx = target.text("ptx")) {
        ptx_place_ = ptx->place;
        problem_.ptx = read_ptx_version(ptx->value);
        if (!problem_.ptx) target.fault(ptx->fault("ptx-version", in_quotes(ptx->value) + " is no PTX version such as \"7.8\""));
    }
    target.require("arch", target.header());
}

void ProblemReader::read_launch(const Node& launch) {
    Table table(launch, title("launch"), context_);
    std::vector<KnownKey> keys{{"block"}, {"grid"}};
    std::vector<const Node*> symbols;  // any other table here is one, whatever its name
    for (const Node& member : launch.items)
        if (member.kind == Node::Kind::table && member.key != "block" && member.key != "grid") symbols.push_back(&member);
    for (const Node* symbol : symbols) keys.push_back({symbol->key});
    table.check_keys(keys);
    if (const auto block = table.integer("block", 1, most_threads)) {
        problem_.launch.block = static_cast<int>(*block);
        problem_.launch.block_is_default = false;
        problem_.launch.block_place = table.place("block");
    }
    if (const auto grid = table.integers("grid", 1, largest_grid[0])) {
        problem_.launch.grid_place = table.place("grid");
        if (grid->empty() || grid->size() > 3) {
            table.fault(
                {"out-of-range", "'grid' must have one to three extents, not " + std::to_string(grid->size()), problem_.launch.grid_place});
            return;
        }
        std::copy(grid->begin(), grid->end(), problem_.launch.grid.begin());
    }
    for (const Node* symbol : symbols) {
        if (!table.has("grid"))
            return table.fault({"missing-key",
                                title("launch") + " lacks 'grid': how large " + in_quotes(symbol->key) + " can be depends on it",
                                symbol->key_place});
        read_block_symbol(*symbol);
        if (are_too_many_symbols(*symbol)) return;
    }
}

bool ProblemReader::are_too_many_symbols(const Node& last) {
    if (problem_.symbols.size() <= max_symbols) return false;
    context_.faults.add({"too-large", "more than " + std::to_string(max_symbols) + " symbols", last.key_place});
    return true;
}

void ProblemReader::read_block_symbol(const Node& symbol) {
    Table table(symbol, title("launch", symbol.key), context_);
    table.check_keys({{"from"}, {"times"}});
    const std::optional<std::size_t> dim = table.one_of("from", {"ctaid.x", "ctaid.y", "ctaid.z"});
    const std::optional<std::int64_t> times = table.has("times") ? table.integer("times", 1, max_offset) : 1;
    table.require("from", symbol.key_place, "a symbol of the launch is computed from ctaid.x, ctaid.y or ctaid.z");
    if (!dim || !times) return;
    const LaunchIndex index{static_cast<int>(*dim), *times};
    const Wide most = Wide{problem_.launch.grid[*dim] - 1} * *times;
    if (most > max_offset)
        return table.fault({"overflow", in_quotes(symbol.key) + " may be beyond 2^50 in the last block",
                            table.has("times") ? table.place("times") : symbol.key_place});
    const SymbolRange range = range_of(index, problem_.launch);
    problem_.symbols.push_back({symbol.key, range.min, range.max, range.multiple_of, symbol.key_place, index});
}

/// The symbol of the copies by each group. Their regions come later, and depend on it.
void ProblemReader::read_groups(const std::vector<const Node*>& copies) {
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const Table table(*copies[i], title("copies", std::to_string(i)), context_);
        if (!table.says("group", "each")) continue;
        const Place place = table.place("group");
        if (problem_.launch.block_is_default && !context_.faults.any())
            context_.faults.add(
                {"missing-key", title("launch") + " lacks 'block': how many groups each perform the copy depends on it", place});
        const auto is_it = [&](std::size_t scope) { return table.says("scope", scope_names[scope]); };
        for (std::size_t scope = 0; scope < scope_names.size(); ++scope)
            if (is_it(scope) && threads_of_scope[scope] != 0)
                problem_.launch.groups = std::max(1, problem_.launch.block / threads_of_scope[scope]);
        const LaunchIndex index{static_cast<int>(group_dim), 1};
        const SymbolRange range = range_of(index, problem_.launch);
        problem_.symbols.push_back({std::string(group_name), range.min, range.max, range.multiple_of, place, index});
        return;  // the others have groups of that size too: check_problem sees to it
    }
}

void ProblemReader::read_symbols(const Node& symbols) {
    for (const Node* one : Table(symbols, title("symbols"), context_).named_tables()) {
        Table table(*one, title("symbols", one->key), context_);
        table.check_keys({{"min"}, {"max"}, {"multiple_of"}});
        const auto of_launch =
            std::find_if(problem_.symbols.begin(), problem_.symbols.end(), [&](const Symbol& s) { return s.index && s.name == one->key; });
        const bool is_of_launch = of_launch != problem_.symbols.end();
        SymbolRange range;
        if (is_of_launch) range = {of_launch->min, of_launch->max, 1};
        if (const auto min = table.integer("min", -max_offset, max_offset)) range.min = *min;
        if (const auto max = table.integer("max", -max_offset, max_offset)) range.max = *max;
        if (const auto multiple = table.integer("multiple_of", 1, max_offset)) range.multiple_of = *multiple;
        if (is_of_launch) {
            of_launch->claimed = range;
            continue;
        }
        for (const char* key : {"min", "max"}) table.require(key, one->key_place, "the proof needs to know how large a symbol can be");
        problem_.symbols.push_back({one->key, range.min, range.max, range.multiple_of, one->key_place});
        if (are_too_many_symbols(*one)) return;
    }
}

void ProblemReader::read_facts(Table assume) {
    assume.check_keys({{"facts"}});
    for (const Text& text : assume.texts("facts")) {
        Result<Fact> fact = read_fact(text.value, problem_.symbols);
        if (!fact) {
            assume.fault(text.at(fact.error()));
            continue;
        }
        fact.value().place = text.place;
        problem_.facts.push_back(std::move(fact.value()));
    }
}

void ProblemReader::read_buffers(const Node& buffers) {
    const std::vector<const Node*> all = Table(buffers, title("buffers"), context_).named_tables();
    // Every name is known before any buffer is judged, so that a fault in one is not reported as a missing buffer.
    for (std::size_t i = 0; i < all.size(); ++i)
        if (is_identifier(all[i]->key)) names_.number_of.emplace(all[i]->key, static_cast<int>(i));
    names_.shapes.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        Buffer buffer;
        buffer.name = all[i]->key;
        buffer.place = all[i]->key_place;
        if (!is_identifier(buffer.name)) {
            context_.faults.add({"bad-name", in_quotes(buffer.name) + " is no name: letters, digits and '_' make one", buffer.place});
            return;
        }
        if (!read_buffer(Table(*all[i], title("buffers", buffer.name), context_), buffer)) return;
        names_.shapes[i] = buffer.layout.shape;
        problem_.buffers.push_back(std::move(buffer));
    }
}

bool ProblemReader::read_buffer(Table table, Buffer& buffer) {
    const int before = context_.faults.count();
    table.check_keys(
        {{"space"}, {"dtype"}, {"layout"}, {"shape"}, {"align"}, {"base"}, {"capacity"}, {"swizzle_on"}, {"stages", "staged buffers"}});
    constexpr std::array spaces{Space::global, Space::shared, Space::registers};
    if (const auto space = table.one_of("space", {"global", "shared", "register"})) buffer.space = spaces[*space];
    if (buffer.space == Space::registers)
        for (const char* key : {"align", "base", "swizzle_on"})
            if (table.has(key))
                table.fault(
                    {"register-key", in_quotes(key) + " says where memory is, and " + buffer.name + " is in registers", table.place(key)});
    if (const std::optional<Text> name = table.text("dtype")) {
        buffer.dtype_place = name->place;
        if (std::optional<DType> found = find_dtype(name->value)) {
            buffer.dtype = *std::move(found);
        } else {
            Diagnostic unknown = name->fault("unknown-dtype", "there is no element type " + in_quotes(name->value));
            unknown.help.push_back(hint(name->value, words(dtype_names())));
            table.fault(std::move(unknown));
        }
    }
    if (const auto on = table.one_of("swizzle_on", {"offset", "address"})) buffer.swizzle_on_address = *on == 1;
    read_layout_of(table, buffer);
    for (const char* key : {"space", "dtype", "layout"}) table.require(key, table.header());
    if (context_.faults.count() == before) read_base(table, buffer);
    if (context_.faults.count() == before) read_capacity(table, buffer);
    return context_.faults.count() == before;
}

void ProblemReader::read_layout_of(Table& table, Buffer& buffer) {
    std::vector<std::int64_t> shape;
    if (const auto given = table.integers("shape", 1, largest_integer)) {
        shape = *given;
        if (shape.empty() || shape.size() > max_rank) {
            table.fault({"rank", "'shape' has rank " + std::to_string(shape.size()) + ", and 1 to 8 are supported", table.place("shape")});
            return;
        }
    } else if (table.has("shape")) {
        return;
    }
    const std::optional<Text> text = table.text("layout");
    if (!text) return;
    buffer.layout_place = text->place;
    Result<Layout> layout = read_layout(text->value, shape, problem_.symbols);
    if (layout) {
        buffer.layout = std::move(layout.value());
        buffer.shape_is_stated = !shape.empty();
        if (buffer.layout.has_threads() && buffer.space != Space::registers && table.has("space"))
            table.fault({"thread-axes",
                         "the layout of " + buffer.name + " says which threads hold it, and only registers are held by threads",
                         text->place});
        if (buffer.layout.is_symbolic() && !offsets_fit(buffer.layout, problem_.symbols))
            table.fault({"overflow", "the layout of " + buffer.name + " may have an offset beyond 2^50 elements", text->place});
        return;
    }
    Diagnostic fault = text->at(layout.error());
    if (fault.rule == "shape-mismatch") fault.place = table.place("shape");
    table.fault(std::move(fault));
}

/// What is known of the base address. Requires: space, type and layout are good.
void ProblemReader::read_base(Table& table, Buffer& buffer) {
    if (table.has("align") && table.has("base")) {
        table.fault({"align-and-base", "'base' says more than 'align': give one of them", table.place("base")});
        return;
    }
    if (const auto base = table.integer("base", 0, 255)) {
        buffer.base = Bytes{*base};
        buffer.align_place = table.place("base");
        return;
    }
    if (const auto align = table.integer("align", std::numeric_limits<std::int64_t>::min(), largest_integer)) {
        buffer.align = Bytes{*align};
        buffer.align_place = table.place("align");
        return;
    }
    if (table.has("base") || table.has("align")) return;  // at fault
    buffer.align_is_default = true;
    if (buffer.space == Space::shared) {
        constexpr int largest_log2 = 20;  // of what an alignment may be
        const int period_log2 = std::min(buffer.layout.swizzle.period_log2(), largest_log2);
        const Bits period = buffer.dtype.size * (std::int64_t{1} << period_log2);
        buffer.align = std::clamp(to_bytes(period), Bytes{16}, Bytes{1 << largest_log2});
    }
}

void ProblemReader::set_capacity(Buffer& buffer, const Expression& capacity) {
    const Wide least = std::max<Wide>(0, interval(capacity, problem_.symbols).least);
    buffer.capacity = Elements{static_cast<std::int64_t>(std::min<Wide>(least, max_offset))};
    if (!capacity.is_constant()) buffer.symbolic_capacity = capacity;
}

/// What the blocks of the grid need together: one allocation serves them all.
std::optional<Expression> ProblemReader::symbolic_span_of_blocks(const Layout& layout) const {
    const std::optional<Expression> span = symbolic_span(layout, problem_.symbols);
    return span ? greatest_of_blocks(*span, problem_) : std::nullopt;
}

void ProblemReader::read_capacity(Table& table, Buffer& buffer) {
    if (const auto text = table.is_string("capacity") ? table.text("capacity") : std::nullopt) {
        const Result<Expression> capacity = parse_expression(text->value, problem_.symbols);
        if (!capacity) return table.fault(text->at(capacity.error()));
        set_capacity(buffer, capacity.value());
        buffer.capacity_place = text->place;
    } else if (const auto capacity = table.integer("capacity", 0, 2 * max_offset)) {
        buffer.capacity = Elements{*capacity};
        buffer.capacity_place = table.place("capacity");
    } else if (!table.has("capacity")) {
        buffer.capacity_is_default = true;
        if (buffer.space == Space::registers) {
            if (!buffer.layout.is_symbolic()) buffer.capacity = span(register_part(buffer.layout));  // else check_problem says so
        } else if (!buffer.layout.is_symbolic()) {
            buffer.capacity = span(buffer.layout);
        } else if (const auto enough = symbolic_span_of_blocks(buffer.layout)) {
            set_capacity(buffer, *enough);
        } else {
            const bool is_of_blocks = symbolic_span(buffer.layout, problem_.symbols).has_value();
            table.fault({"missing-key",
                         "where the layout of " + buffer.name + " ends " +
                             (is_of_blocks ? "over all blocks of the grid is not known" : "depends on the sign of a symbol") +
                             ": state its capacity",
                         table.place("layout")});
        }
    }
}

void ProblemReader::read_copies(const std::vector<const Node*>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int before = context_.faults.count();
        Copy copy;
        copy.name = "copy" + std::to_string(i);
        read_copy(Table(*all[i], title("copies", std::to_string(i)), context_), names_, problem_.symbols, copy);
        if (context_.faults.count() != before) return;  // what follows comes later in the file
        problem_.copies.push_back(std::move(copy));
    }
}

/// The least block that holds every copy's threads, unless the file says one.
void ProblemReader::settle_block() {
    if (!problem_.launch.block_is_default) return;
    int block = 1;
    for (const Copy& copy : problem_.copies) {
        block = std::max(block, static_cast<int>(participants(copy, problem_.launch).end()));
    }
    problem_.launch.block = std::min(block, most_threads);  // what does not fit is then the copy's fault
}

}  // namespace

Result<Problem> read_problem(const Document& document, const std::string& stem) { return ProblemReader(document, stem).read(); }

}  // namespace tileproof
