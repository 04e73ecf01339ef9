// `tileproof layout NOTATION`: one question about a layout, answered with 0 (yes), 1 (no, and why) or 2 (bad input, too large).
#include <charconv>
#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/layout_table.hpp"
#include "layouts/layout_questions.hpp"
#include "layouts/notation.hpp"
#include "layouts/region_text.hpp"
#include "layouts/thread_axes.hpp"
#include "layouts/wording.hpp"

namespace tileproof::cli {
namespace {

using Json = nlohmann::ordered_json;

/// `128,64`
Result<std::vector<std::int64_t>> read_shape(const std::string& text) {
    std::vector<std::int64_t> shape;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        std::int64_t extent = 0;
        const auto [next, error] = std::from_chars(at, end, extent);
        const bool more = next != end && *next == ',';
        if (error != std::errc{} || (next != end && !more) || (more && next + 1 == end))
            return Diagnostic{"layout-syntax", in_quotes(text) + " is no shape such as 128,64"};
        shape.push_back(extent);
        at = more ? next + 1 : next;
    }
    return shape;
}

/// What the questions have in common: the layout, and how an answer is given.
struct Asked {
    const CommonOptions& options;
    const LayoutArguments& arguments;
    Source source;
    std::vector<std::int64_t> shape;
    Layout layout;

    int refuse(const Diagnostic& why, Status status = bad_input) const { return fail(options, source, {why}, status); }
    int answer(bool is_yes, const std::string& text, const Json& json) const {
        if (options.json()) {
            Json out{{"schema", "tileproof.layout/1"}};
            out.update(json);
            print(out.dump() + "\n");
        } else if (!options.quiet) {
            print(text + "\n");
        }
        return is_yes ? proved : refuted;
    }
};

/// With threads, the threads and registers of every replica.
Elements places_of(const Layout& layout) { return layout.has_threads() ? size(register_part(layout)) : size(layout); }

int table(const Asked& asked) {
    if (places_of(asked.layout) > most_tabulated)
        return asked.refuse({"too-large", "a table of " + std::to_string(places_of(asked.layout).count) +
                                              " elements is refused: at most 2^20 are tabulated"});
    if (asked.options.json()) print(layout_table_json(asked.layout));
    else if (!asked.options.quiet) print(layout_table_text(asked.layout));
    return proved;
}

int equal(const Asked& asked) {
    const Source other_source{"<other layout>", *asked.arguments.equal};
    const Result<Layout> other = read_layout(other_source.text, asked.shape);
    if (!other) return fail(asked.options, other_source, {other.error()});
    const bool has_threads = asked.layout.has_threads() || other.value().has_threads();
    const auto is_plain = [](const Layout& layout) { return layout.swizzle.is_identity() && !layout.is_over_bits(); };
    if (has_threads && !(is_plain(asked.layout) && is_plain(other.value())))
        return asked.refuse({"unsupported", "a layout of registers is not compared with one that is swizzled or over bits"});
    const std::int64_t pitch = has_threads ? std::max(pitch_of(asked.layout), pitch_of(other.value())) : 1;
    const Result<Equality> result =
        has_threads ? same_offsets(placed(asked.layout, pitch), placed(other.value(), pitch)) : same_offsets(asked.layout, other.value());
    if (!result) return asked.refuse(result.error());
    const Equality& found = result.value();
    const auto place = [&](std::int64_t offset) {
        return has_threads ? "thread " + std::to_string(offset / pitch) + " register " + std::to_string(offset % pitch)
                           : std::to_string(offset);
    };
    Json json{{"equal", found.is_equal}};
    if (found.is_equal)
        return asked.answer(true,
                            "equal: all " + std::to_string(places_of(asked.layout).count) + " elements have the same " +
                                (has_threads ? "threads and registers" : "offsets"),
                            json);
    if (found.coordinate.empty()) {
        json["shapes"] = {asked.layout.shape, other.value().shape};
        return asked.answer(false, "different: the shapes are " + tuple_of(asked.layout.shape) + " and " + tuple_of(other.value().shape),
                            json);
    }
    json["coordinate"] = found.coordinate;
    json["offsets"] = {found.first, found.second};
    if (has_threads) {
        json["offsets"] = {found.first % pitch, found.second % pitch};
        json["threads"] = {found.first / pitch, found.second / pitch};
    }
    std::string count;
    if (found.differing) {
        json["differing"] = found.differing->count;
        json["elements"] = places_of(asked.layout).count;
        count = std::to_string(found.differing->count) + " of " + std::to_string(places_of(asked.layout).count) +
                (has_threads ? " places, " : " offsets, ");
    }
    return asked.answer(
        false, "different: " + count + "first at " + tuple_of(found.coordinate) + ": " + place(found.first) + " and " + place(found.second),
        json);
}

int bijective(const Asked& asked) {
    const Result<Bijectivity> result = bijectivity(asked.layout);
    if (!result) return asked.refuse(result.error());
    const Bijectivity& found = result.value();
    const std::string range = "0 .. " + std::to_string(size(asked.layout).count - 1), offset = std::to_string(found.offset);
    Json json{{"bijective", found.is_bijective}};
    if (found.is_bijective) return asked.answer(true, "bijective: each offset of " + range + " once", json);
    json["offset"] = found.offset;
    json["coordinates"] = found.sharing;
    if (found.sharing.empty())
        return asked.answer(false, "not bijective: no element is at offset " + offset + ", which is in " + range, json);
    return asked.answer(
        false, "not bijective: " + tuple_of(found.sharing[0]) + " and " + tuple_of(found.sharing[1]) + " share offset " + offset, json);
}

int overlap(const Asked& asked) {
    std::vector<Region> regions;
    for (const std::string& text : asked.arguments.overlap) {
        Result<Region> region = read_region(text, asked.layout.shape, "the layout");
        if (!region) return fail(asked.options, {"<region>", text}, {region.error()});
        regions.push_back(std::move(region.value()));
    }
    const Result<Overlapping> result = overlapping(asked.layout, regions[0], regions[1]);
    if (!result) return asked.refuse(result.error());
    const Overlapping& found = result.value();
    const std::string count = std::to_string(found.shared.count);
    Json json{{"disjoint", found.shared.count == 0}, {"shared_offsets", found.shared.count}};
    if (found.shared.count == 0) return asked.answer(true, "disjoint: no offset is in both regions", json);
    json["offset"] = found.offset;
    json["coordinates"] = {found.first, found.second};
    return asked.answer(false,
                        "overlapping: " + count + (found.shared.count == 1 ? " offset is" : " offsets are") + " in both regions, first " +
                            std::to_string(found.offset) + ", of " + tuple_of(found.first) + " and " + tuple_of(found.second),
                        json);
}

int convert(const Asked& asked) {
    const std::string& name = *asked.arguments.convert;
    const Notation notation = name == "cute" ? Notation::cute : name == "tirx" ? Notation::tirx : Notation::bits;
    const Result<std::string> text = written(asked.layout, notation);
    if (!text) return asked.refuse(text.error(), refuted);
    // A notation that splits the shape otherwise needs it beside it.
    const Result<Layout> alone = read_layout(text.value());
    if (!asked.options.quiet && !asked.options.json() && (!alone || alone.value().shape != asked.layout.shape)) {
        std::string shape = tuple_of(asked.layout.shape);
        std::cerr << "note: the shape is not part of it: read it with --shape " << shape.substr(1, shape.size() - 2) << "\n";
    }
    return asked.answer(true, text.value(), {{"notation", name}, {"layout", text.value()}, {"shape", asked.layout.shape}});
}

}  // namespace

int layout_command(const CommonOptions& options, const LayoutArguments& arguments) {
    const Result<std::vector<std::int64_t>> shape = read_shape(arguments.shape);
    if (!shape) return fail(options, {"--shape", arguments.shape}, {shape.error()});
    const Source source{"<layout>", arguments.notation};
    const Result<Layout> layout = read_layout(arguments.notation, shape.value());
    if (!layout) return fail(options, source, {layout.error()});
    const Asked asked{options, arguments, source, shape.value(), layout.value()};
    if (arguments.table) return table(asked);
    if (arguments.equal) return equal(asked);
    if (arguments.bijective) return bijective(asked);
    if (!arguments.overlap.empty()) return overlap(asked);
    return convert(asked);
}

}  // namespace tileproof::cli
