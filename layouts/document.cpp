#include <algorithm>

#include "layouts/document_internal.hpp"

namespace tileproof {

const Node* Node::find(std::string_view name) const {
    if (kind != Kind::table) return nullptr;
    const auto found = std::find_if(items.begin(), items.end(), [&](const Node& item) { return item.key == name; });
    return found == items.end() ? nullptr : &*found;
}

std::string title_of(Syntax syntax, const std::string& section, const std::string& member) {
    switch (syntax) {
        case Syntax::json:
            return "/" + section + (member.empty() ? "" : "/" + member);
        case Syntax::options:
            return section == "buffers" ? "--" + member : "the command line";
        case Syntax::toml:
            break;
    }
    if (section == "copies") return "[[copies]]";
    return "[" + section + (member.empty() ? "" : "." + member) + "]";
}

std::size_t byte_of(std::string_view line, std::size_t column) {
    std::size_t at = 0;
    for (std::size_t passed = 1; passed < column && at < line.size(); ++passed) {
        ++at;
        while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) ++at;
    }
    return at;
}

}  // namespace tileproof
