// The parser's types stay in this file. toml++ is compiled in with exceptions off, so that errors come back
// as values; what may still throw (memory) is caught at the border.
#define TOML_HEADER_ONLY       1
#define TOML_EXCEPTIONS        0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include "codec/toml.h"
}

namespace
{

const int DEPTH_MAX = 16; // of tables; a path is as long as its depth, so this bounds the memory too

struct found {
    toml_entry entry;
    toml::source_position at;
};

struct walk {
    arena *a;
    std::vector<found> all;
    bool deep = false; /* tables deeper than DEPTH_MAX were left out */
    bool nul = false;  /* a string contains U+0000 */
    toml::source_position nul_at{};

    char *copy(const std::string &s, toml::source_position at)
    {
        if (s.find('\0') != std::string::npos && !nul) {
            nul = true;
            nul_at = at;
        }
        return arena_strndup(a, s.data(), s.size());
    }

    void strings(const toml::array &list, toml_entry &en)
    {
        en.type = TOML_STRINGS;
        en.list_n = list.size();
        en.list = static_cast<const char **>(arena_alloc_array(a, list.size(), sizeof(char *)));
        size_t i = 0;
        for (const toml::node &n : list)
            en.list[i++] = copy(n.as_string()->get(), n.source().begin);
    }

    void value(const char *table, std::string_view key, const toml::node &n)
    {
        const toml::source_position at = n.source().begin;
        toml_entry en{};
        en.table = table;
        en.key = copy(std::string(key), at);
        en.line = static_cast<int>(at.line);
        en.type = TOML_OTHER;
        if (const auto *s = n.as_string()) {
            en.type = TOML_STRING;
            en.s = copy(s->get(), at);
        } else if (const auto *i = n.as_integer()) {
            en.type = TOML_INTEGER;
            en.i = i->get();
        } else if (const auto *d = n.as_floating_point()) {
            en.type = TOML_FLOAT;
            en.d = d->get();
        } else if (const auto *b = n.as_boolean()) {
            en.type = TOML_BOOLEAN;
            en.b = b->get();
        } else if (const auto *list = n.as_array();
                   list && (list->empty() || list->is_homogeneous(toml::node_type::string))) {
            strings(*list, en);
        }
        all.push_back({en, at});
    }

    static bool bare(std::string_view key)
    {
        return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                   c == '-';
        });
    }

    static std::string joined(const std::string &path, std::string_view key)
    {
        std::string s = path;
        if (!s.empty())
            s += '.';
        if (bare(key))
            return s.append(key);
        s += '"';
        for (char c : key) {
            if (c == '"' || c == '\\')
                s += '\\';
            s += c;
        }
        return s += '"';
    }

    void table(const toml::table &t, const std::string &path, int depth)
    {
        if (depth > DEPTH_MAX) {
            deep = true;
            return;
        }
        const char *name = nullptr;
        for (const auto &[key, node] : t) {
            if (const auto *inner = node.as_table()) {
                table(*inner, joined(path, key.str()), depth + 1);
                continue;
            }
            if (!name)
                name = copy(path, node.source().begin);
            value(name, key.str(), node);
        }
    }
};

rc parse(arena *a, str text, toml_entry **out, size_t *n, err *e)
{
    const toml::parse_result result = toml::parse(std::string_view(text.len ? text.s : "", text.len));
    if (!result) {
        const toml::parse_error &bad = result.error();
        const toml::source_position at = bad.source().begin;
        std::string why(bad.description());
        if (why.find("could not determine value type") != std::string::npos)
            why += "; a text must be in quotes";
        return err_tell(e, RC_BAD_INPUT, "Line %u, column %u: %s.", static_cast<unsigned>(at.line),
            static_cast<unsigned>(at.column), why.c_str());
    }
    walk w{a, {}};
    w.table(result.table(), "", 0);
    if (w.deep)
        return err_tell(e, RC_BAD_INPUT, "Tables may be nested at most %d deep.", DEPTH_MAX);
    if (w.nul)
        return err_tell(e, RC_BAD_INPUT, "Line %u, column %u: a text must not contain the character U+0000.",
            static_cast<unsigned>(w.nul_at.line), static_cast<unsigned>(w.nul_at.column));

    // toml++ keeps a table's keys sorted; messages about several mistakes should follow the file.
    std::stable_sort(w.all.begin(), w.all.end(), [](const found &x, const found &y) { return x.at < y.at; });
    if (!w.all.empty())
        *out = static_cast<toml_entry *>(arena_alloc_array(a, w.all.size(), sizeof(toml_entry)));
    for (size_t i = 0; i < w.all.size(); i++)
        (*out)[i] = w.all[i].entry;
    *n = w.all.size();
    return RC_OK;
}

} // namespace

extern "C" rc toml_parse(arena *a, str text, toml_entry **out, size_t *n, err *e)
{
    *out = nullptr;
    *n = 0;
    if (text.len > TOML_TEXT_MAX)
        return err_tell(e, RC_TOO_BIG, "The text may have at most %d bytes.", TOML_TEXT_MAX);
    try {
        return parse(a, text, out, n, e);
    } catch (const std::exception &ex) {
        return err_set(e, RC_INTERNAL, "toml: %s", ex.what());
    } catch (...) {
        return err_set(e, RC_INTERNAL, "toml: an exception of unknown type");
    }
}
