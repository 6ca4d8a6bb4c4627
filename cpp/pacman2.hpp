// pacman2.hpp: the rules of Botzone's game Pacman2, for C++ bots.
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One header without dependencies, in two layers:
//
// - The drop-in layer (section compat, C++11 or later) has the names of the wiki's sample program: delete `namespace Pacman { … }`
//   and what is unchanged of `namespace Helpers { … }` from your bot, write `#include "pacman2.hpp"` in their place, and the bot plays
//   as before, faster, with exact undo.
// - The fast layer (C++17, namespace pacman2) has positions of 80 bytes, playouts, distances and a searcher. Its section core, on which
//   the drop-in layer plays, is C++11.
//
// docs/CPP.md describes both.
//
// The header consists of sections. `pacman2 bundle` keeps those that a bot uses:
//
//     // [pacman2:section NAME needs: A, B; names: X, Y]      begins a section; it needs the sections A and B directly
//     // [pacman2:names Z]                                    more names, if one line is too short
//     // [pacman2:end NAME]
//
// A section is used if one of its names occurs in the bot, or if a used section needs it. Sections do not nest, stand after what
// they need, and include the standard headers that they use. Macros, all optional, to be defined before the header is included:
//
//     PACMAN2_NO_COMPAT     leave out the drop-in layer, which defines macros such as MAX_TURN
//     PACMAN2_NO_HELPERS    leave out only its namespace Helpers
//     PACMAN2_NO_RAND       leave std::rand to the library, for bots that call it in several threads

#ifndef PACMAN2_HPP
#define PACMAN2_HPP

// [pacman2:section base needs: -; names: -]
#include <cstddef>
#include <cstdint>

#if defined(_MSVC_LANG)
#define PACMAN2_CPLUSPLUS _MSVC_LANG
#else
#define PACMAN2_CPLUSPLUS __cplusplus
#endif

// Whether the fast layer can be compiled.
#if PACMAN2_CPLUSPLUS >= 201703L
#define PACMAN2_CPP17 1
#define PACMAN2_VARIABLE inline
#else
#define PACMAN2_CPP17 0
#define PACMAN2_VARIABLE
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PACMAN2_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define PACMAN2_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define PACMAN2_INLINE inline __attribute__((always_inline))
#define PACMAN2_NOINLINE __attribute__((noinline, cold))
#if defined(__clang__)
#define PACMAN2_UNROLL _Pragma("unroll 4")
#else
#define PACMAN2_UNROLL _Pragma("GCC unroll 4")
#endif
#elif defined(_MSC_VER)
#define PACMAN2_LIKELY(condition) (condition)
#define PACMAN2_UNLIKELY(condition) (condition)
#define PACMAN2_INLINE __forceinline
#define PACMAN2_NOINLINE __declspec(noinline)
#define PACMAN2_UNROLL
#else
#define PACMAN2_LIKELY(condition) (condition)
#define PACMAN2_UNLIKELY(condition) (condition)
#define PACMAN2_INLINE inline
#define PACMAN2_NOINLINE
#define PACMAN2_UNROLL
#endif
// [pacman2:end base]

// [pacman2:section json needs: base; names: json]
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace pacman2 {
// Reads JSON, and writes strings.
namespace json {

// A JSON value. What is missing is null, so a long path needs no checks.
//
// Example:
//     const auto input = pacman2::json::Value::parse("{\"requests\": [{\"id\": 2}], \"data\": null}");
//     assert(input["requests"][0]["id"].asInt() == 2);
//     assert(input["data"].isNull() && input["no such key"][7].isNull());
class Value {
public:
    enum class Kind { null, boolean, number, string, array, object };

    Value() : kind_(Kind::null), number_(0) {}

    // Reads one JSON value. Throws std::runtime_error, with the place of the error, if the text is not JSON.
    //
    // Example:
    //     assert(pacman2::json::Value::parse("[1, 2.5, \"three\"]").size() == 3);
    //     std::string complaint;
    //     try {
    //         pacman2::json::Value::parse("[1, ");
    //     } catch (const std::runtime_error &error) {
    //         complaint = error.what();
    //     }
    //     assert(complaint == "input is not JSON: expected a value at byte 4, got the end");
    static Value parse(const std::string &text);

    Kind kind() const { return kind_; }
    bool isNull() const { return kind_ == Kind::null; }
    bool isNumber() const { return kind_ == Kind::number; }
    bool isString() const { return kind_ == Kind::string; }
    bool isArray() const { return kind_ == Kind::array; }
    bool isObject() const { return kind_ == Kind::object; }

    // Returns the number of items of an array or object; 0 for other values.
    std::size_t size() const { return items_.size(); }

    // Returns an item of an array, or null.
    //
    // Example:
    //     const auto row = pacman2::json::Value::parse("[16, 0, 1]");
    //     assert(row[0].asInt() == 16 && row[3].isNull());
    const Value &operator[](std::size_t index) const {
        return kind_ == Kind::array && index < items_.size() ? items_[index] : nothing();
    }
    const Value &operator[](int index) const { return index < 0 ? nothing() : (*this)[static_cast<std::size_t>(index)]; }

    // Returns an item of an object, or null. Of equal keys the last counts.
    //
    // Example:
    //     assert(pacman2::json::Value::parse("{\"action\": -1}")["action"].asInt() == -1);
    const Value &operator[](const std::string &key) const {
        for (std::size_t i = keys_.size(); i-- > 0;)
            if (keys_[i] == key)
                return items_[i];
        return nothing();
    }
    const Value &operator[](const char *key) const { return (*this)[std::string(key)]; }

    // Returns a number, rounded towards zero and limited to the range of int; true is 1; other values are 0.
    //
    // Example:
    //     assert(pacman2::json::Value::parse("2.9").asInt() == 2);
    int asInt() const {
        if (number_ >= 2147483647.0)
            return 2147483647;
        if (number_ <= -2147483648.0)
            return -2147483647 - 1;
        return static_cast<int>(number_);
    }

    // Returns a number; true is 1; other values are 0.
    //
    // Example:
    //     assert(pacman2::json::Value::parse("-2.5e1").asDouble() == -25.0);
    double asDouble() const { return number_; }

    // Returns whether a number is not 0, or a boolean is true; other values are false.
    //
    // Example:
    //     assert(pacman2::json::Value::parse("true").asBool() && !pacman2::json::Value().asBool());
    bool asBool() const { return number_ != 0; }

    // Returns a string, or the text of a number or boolean; other values are empty.
    //
    // Example:
    //     assert(pacman2::json::Value::parse("\"\\u4f60\"").asString() == "\xe4\xbd\xa0");
    const std::string &asString() const { return text_; }

private:
    friend class Parser;

    static const Value &nothing() {
        static const Value null;
        return null;
    }

    Kind kind_;
    double number_;
    std::string text_;
    std::vector<std::string> keys_;
    std::vector<Value> items_;
};

// Adds a code point as UTF-8.
inline void appendUtf8(std::string &text, unsigned long code) {
    const auto add = [&text](unsigned long byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | code >> 6);
        add(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        add(0xE0 | code >> 12);
        add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
    } else {
        add(0xF0 | code >> 18);
        add(0x80 | (code >> 12 & 0x3F));
        add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
    }
}

// The reader behind Value::parse.
class Parser {
public:
    explicit Parser(const std::string &text) : text_(text), at_(0) {}

    Value document() {
        Value value;
        read(value, 0);
        space();
        if (at_ < text_.size())
            fail("the end");
        return value;
    }

private:
    // Deep enough for every input of a bot, and so small that reading never overflows the stack.
    static constexpr int maxDepth() { return 200; }

    [[noreturn]] void fail(const char *expected) const {
        throw std::runtime_error("input is not JSON: expected " + std::string(expected) + " at byte " + std::to_string(at_) +
                                 (at_ < text_.size() ? std::string(", got '") + text_[at_] + "'" : std::string(", got the end")));
    }

    void space() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
            ++at_;
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    bool take(char symbol) {
        if (at_ < text_.size() && text_[at_] == symbol) {
            ++at_;
            return true;
        }
        return false;
    }

    void read(Value &value, int depth) {
        space();
        if (depth > maxDepth())
            fail("at most 200 nested values");
        switch (peek()) {
        case '{':
            readObject(value, depth);
            break;
        case '[':
            readArray(value, depth);
            break;
        case '"':
            value.kind_ = Value::Kind::string;
            readString(value.text_);
            break;
        case 't':
            readWord(value, "true", Value::Kind::boolean, 1);
            break;
        case 'f':
            readWord(value, "false", Value::Kind::boolean, 0);
            break;
        case 'n':
            readWord(value, "null", Value::Kind::null, 0);
            break;
        default:
            readNumber(value);
        }
    }

    void readObject(Value &value, int depth) {
        ++at_;
        value.kind_ = Value::Kind::object;
        space();
        if (take('}'))
            return;
        do {
            space();
            if (peek() != '"')
                fail("a key");
            value.keys_.emplace_back();
            readString(value.keys_.back());
            space();
            if (!take(':'))
                fail("':'");
            value.items_.emplace_back();
            read(value.items_.back(), depth + 1);
            space();
        } while (take(','));
        if (!take('}'))
            fail("',' or '}'");
    }

    void readArray(Value &value, int depth) {
        ++at_;
        value.kind_ = Value::Kind::array;
        space();
        if (take(']'))
            return;
        do {
            value.items_.emplace_back();
            read(value.items_.back(), depth + 1);
            space();
        } while (take(','));
        if (!take(']'))
            fail("',' or ']'");
    }

    void readWord(Value &value, const char *word, Value::Kind kind, int number) {
        const std::string expected(word);
        if (text_.compare(at_, expected.size(), expected) != 0)
            fail("a value");
        at_ += expected.size();
        value.kind_ = kind;
        value.number_ = number;
        if (kind == Value::Kind::boolean)
            value.text_ = expected;
    }

    void digits() {
        if (peek() < '0' || peek() > '9')
            fail("a value");
        while (peek() >= '0' && peek() <= '9')
            ++at_;
    }

    void readNumber(Value &value) {
        const std::size_t begin = at_;
        take('-');
        digits();
        bool whole = true;
        if (take('.')) {
            whole = false;
            digits();
        }
        if (take('e') || take('E')) {
            whole = false;
            if (!take('+'))
                take('-');
            digits();
        }
        value.kind_ = Value::Kind::number;
        value.text_.assign(text_, begin, at_ - begin);
        if (whole && at_ - begin <= 9) {
            const bool negative = text_[begin] == '-';
            int number = 0;
            for (std::size_t i = begin + (negative ? 1 : 0); i < at_; ++i)
                number = number * 10 + (text_[i] - '0');
            value.number_ = negative ? -number : number;
        } else {
            value.number_ = std::strtod(value.text_.c_str(), nullptr);
        }
    }

    unsigned long readHex() {
        unsigned long code = 0;
        for (int i = 0; i < 4; ++i) {
            const char digit = peek();
            if (digit >= '0' && digit <= '9')
                code = code * 16 + static_cast<unsigned long>(digit - '0');
            else if (digit >= 'a' && digit <= 'f')
                code = code * 16 + static_cast<unsigned long>(digit - 'a' + 10);
            else if (digit >= 'A' && digit <= 'F')
                code = code * 16 + static_cast<unsigned long>(digit - 'A' + 10);
            else
                fail("four hexadecimal digits");
            ++at_;
        }
        return code;
    }

    void readString(std::string &out) {
        ++at_;
        for (;;) {
            const std::size_t begin = at_;
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\')
                ++at_;
            out.append(text_, begin, at_ - begin);
            if (take('"'))
                return;
            if (!take('\\'))
                fail("'\"'");
            readEscape(out);
        }
    }

    void readEscape(std::string &out) {
        const char symbol = peek();
        ++at_;
        switch (symbol) {
        case '"':
        case '\\':
        case '/':
            out += symbol;
            break;
        case 'b':
            out += '\b';
            break;
        case 'f':
            out += '\f';
            break;
        case 'n':
            out += '\n';
            break;
        case 'r':
            out += '\r';
            break;
        case 't':
            out += '\t';
            break;
        case 'u': {
            unsigned long code = readHex();
            if (code >= 0xD800 && code < 0xDC00 && text_.compare(at_, 2, "\\u") == 0) {
                at_ += 2;
                const unsigned long low = readHex();
                code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
            } else if (code >= 0xD800 && code < 0xE000) {
                code = 0xFFFD;
            }
            appendUtf8(out, code);
            break;
        }
        default:
            --at_;
            fail("an escape");
        }
    }

    const std::string &text_;
    std::size_t at_;
};

inline Value Value::parse(const std::string &text) { return Parser(text).document(); }

// Returns a string as JSON, in ASCII: other characters are escaped, and bytes that are not UTF-8 become U+FFFD.
//
// Example:
//     assert(pacman2::json::quote("a\n\xc3\xa9") == "\"a\\n\\u00e9\"");
inline std::string quote(const std::string &text) {
    const auto unit = [](std::string &out, unsigned long code) {
        static const char hex[] = "0123456789abcdef";
        out += "\\u";
        for (int shift = 12; shift >= 0; shift -= 4)
            out += hex[code >> shift & 15];
    };
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const unsigned char first = static_cast<unsigned char>(text[i++]);
        if (first == '"' || first == '\\') {
            out += '\\';
            out += static_cast<char>(first);
        } else if (first == '\b') {
            out += "\\b";
        } else if (first == '\f') {
            out += "\\f";
        } else if (first == '\n') {
            out += "\\n";
        } else if (first == '\r') {
            out += "\\r";
        } else if (first == '\t') {
            out += "\\t";
        } else if (first >= 0x20 && first < 0x80) {
            out += static_cast<char>(first);
        } else if (first < 0x20) {
            unit(out, first);
        } else {
            const int rest = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : -1;
            unsigned long code = rest < 0 ? 0 : first & (0x3F >> rest);
            int read = 0;
            while (read < rest && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) {
                code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3F);
                ++read;
            }
            static const unsigned long least[] = {0, 0x80, 0x800, 0x10000};
            const bool bad = rest < 0 || first >= 0xF8 || read < rest || code < least[rest] || code > 0x10FFFF ||
                             (code >= 0xD800 && code < 0xE000);
            if (bad) {
                unit(out, 0xFFFD);
            } else if (code < 0x10000) {
                unit(out, code);
            } else {
                unit(out, 0xD800 + ((code - 0x10000) >> 10));
                unit(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
            }
        }
    }
    return out + "\"";
}

} // namespace json
} // namespace pacman2
// [pacman2:end json]

// [pacman2:section core needs: base; names: Action, ActionList, Actions, Cell, CellSet, Direction, Maze, Position, Random, Ruleset]
// [pacman2:names Observer, actionNumber, actionOf, isMove, isShot, moveTo, shotTo, noCell, maxCells, seats]
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

// The fast layer. Seats are 0 to 3.
//
// The examples play on this maze, which `exampleMaze` and `examplePosition` return; the strength of all players is 1:
//
//     +---+---+---+---+
//     | 0   .   .   1 |
//     +   +---+---+   +
//     |   | G |       |
//     +   +---+   +   +
//     | 2   o     | 3 |
//     +---+---+---+---+
namespace pacman2 {

constexpr int seats = 4;

// The number of a cell: row * width + column.
using Cell = std::uint8_t;

// The cells of the largest maze, 11 × 11.
constexpr int maxCells = 121;

// The place of the dead while a turn is played: no cell of any maze.
constexpr Cell noCell = 127;

enum class Direction : std::uint8_t { up, right, down, left };

// What a player does in a turn. `illegal` stands for all that is none of the others: the player forfeits.
enum class Action : std::uint8_t { stay, up, right, down, left, shootUp, shootRight, shootDown, shootLeft, illegal };

// The actions of all four players. Those of the dead do not matter.
using Actions = std::array<Action, seats>;

// Returns the action with this number in Botzone's protocol.
//
// Example:
//     assert(actionOf(-1) == Action::stay && actionOf(7) == Action::shootLeft && actionOf(-10) == Action::illegal);
constexpr Action actionOf(int number) {
    return number >= -1 && number <= 7 ? static_cast<Action>(number + 1) : Action::illegal;
}

// Returns the number of an action in Botzone's protocol: -1 to 7.
//
// Example:
//     assert(actionNumber(Action::up) == 0);
constexpr int actionNumber(Action action) { return static_cast<int>(action) - 1; }

// Returns whether an action is a move.
//
// Example:
//     assert(isMove(Action::left) && !isMove(Action::shootLeft) && !isMove(Action::stay));
constexpr bool isMove(Action action) { return action >= Action::up && action <= Action::left; }

// Returns whether an action is a shot.
//
// Example:
//     assert(isShot(Action::shootUp) && !isShot(Action::up));
constexpr bool isShot(Action action) { return action >= Action::shootUp && action <= Action::shootLeft; }

// Returns the move in a direction.
//
// Example:
//     assert(moveTo(Direction::down) == Action::down);
constexpr Action moveTo(Direction direction) { return static_cast<Action>(static_cast<int>(direction) + 1); }

// Returns the shot in a direction.
//
// Example:
//     assert(shotTo(Direction::down) == Action::shootDown);
constexpr Action shotTo(Direction direction) { return static_cast<Action>(static_cast<int>(direction) + 5); }

// Bits of words.
namespace bits {

PACMAN2_INLINE int count(std::uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_popcountll(word);
#else
    int count = 0;
    for (; word != 0; word &= word - 1)
        ++count;
    return count;
#endif
}

// Returns the number of the lowest bit of a word that is not 0.
PACMAN2_INLINE int lowest(std::uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(word);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long index = 0;
    _BitScanForward64(&index, word);
    return static_cast<int>(index);
#else
    int index = 0;
    for (; (word & 1) == 0; word >>= 1)
        ++index;
    return index;
#endif
}

} // namespace bits

// A set of cells.
//
// Example:
//     CellSet cells = CellSet::of(3) | CellSet::of(70);
//     cells.insert(5);
//     cells.remove(3);
//     int sum = 0;
//     for (Cell cell : cells)
//         sum += cell;
//     assert(sum == 75 && cells.size() == 2 && cells.contains(70) && !cells.contains(3));
struct CellSet {
    std::uint64_t low, high;

    PACMAN2_INLINE CellSet() : low(0), high(0) {}
    PACMAN2_INLINE CellSet(std::uint64_t itsLow, std::uint64_t itsHigh) : low(itsLow), high(itsHigh) {}

    // Returns the set of one cell; of `noCell`, the empty set.
    //
    // Example:
    //     assert(CellSet::of(9).contains(9) && CellSet::of(noCell).empty());
    PACMAN2_INLINE static CellSet of(Cell cell) {
        CellSet set;
        if (cell != noCell)
            set.insert(cell);
        return set;
    }

    PACMAN2_INLINE bool contains(Cell cell) const { return (cell < 64 ? low : high) >> (cell & 63) & 1; }
    PACMAN2_INLINE void insert(Cell cell) { (cell < 64 ? low : high) |= std::uint64_t{1} << (cell & 63); }
    PACMAN2_INLINE void remove(Cell cell) { (cell < 64 ? low : high) &= ~(std::uint64_t{1} << (cell & 63)); }
    PACMAN2_INLINE int size() const { return bits::count(low) + bits::count(high); }
    PACMAN2_INLINE bool empty() const { return (low | high) == 0; }

    // Returns the lowest cell of a set that is not empty.
    //
    // Example:
    //     assert((CellSet::of(80) | CellSet::of(64)).first() == 64);
    PACMAN2_INLINE Cell first() const { return static_cast<Cell>(low ? bits::lowest(low) : 64 + bits::lowest(high)); }

    PACMAN2_INLINE friend CellSet operator|(const CellSet &a, const CellSet &b) { return {a.low | b.low, a.high | b.high}; }
    PACMAN2_INLINE friend CellSet operator&(const CellSet &a, const CellSet &b) { return {a.low & b.low, a.high & b.high}; }
    PACMAN2_INLINE friend CellSet operator~(const CellSet &a) { return {~a.low, ~a.high}; }
    PACMAN2_INLINE CellSet &operator|=(const CellSet &other) { return *this = *this | other; }
    PACMAN2_INLINE CellSet &operator&=(const CellSet &other) { return *this = *this & other; }
    PACMAN2_INLINE friend bool operator==(const CellSet &a, const CellSet &b) { return ((a.low ^ b.low) | (a.high ^ b.high)) == 0; }
    PACMAN2_INLINE friend bool operator!=(const CellSet &a, const CellSet &b) { return !(a == b); }

    // Goes through the cells of a set, lowest first.
    class Iterator {
    public:
        PACMAN2_INLINE Iterator(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}
        PACMAN2_INLINE Cell operator*() const { return CellSet{low_, high_}.first(); }
        PACMAN2_INLINE Iterator &operator++() {
            if (low_ != 0)
                low_ &= low_ - 1;
            else
                high_ &= high_ - 1;
            return *this;
        }
        PACMAN2_INLINE bool operator!=(const Iterator &other) const { return low_ != other.low_ || high_ != other.high_; }

    private:
        std::uint64_t low_, high_;
    };
    PACMAN2_INLINE Iterator begin() const { return {low, high}; }
    PACMAN2_INLINE Iterator end() const { return {0, 0}; }
};

namespace detail {

// One byte for each seat, all four in one word. Of sets of seats, the top bit of the byte counts. So the players of a turn are
// tested side by side, without branches, which random play would mispredict.
using Lanes = std::uint32_t;
constexpr Lanes ones = 0x01010101, tops = 0x80808080;

PACMAN2_INLINE Lanes top(int seat) { return Lanes{0x80} << (8 * seat); }
PACMAN2_INLINE Lanes pack(const std::uint8_t *bytes) {
    return Lanes{bytes[0]} | Lanes{bytes[1]} << 8 | Lanes{bytes[2]} << 16 | Lanes{bytes[3]} << 24;
}
PACMAN2_INLINE void unpack(Lanes lanes, std::uint8_t *bytes) {
    bytes[0] = static_cast<std::uint8_t>(lanes);
    bytes[1] = static_cast<std::uint8_t>(lanes >> 8);
    bytes[2] = static_cast<std::uint8_t>(lanes >> 16);
    bytes[3] = static_cast<std::uint8_t>(lanes >> 24);
}
PACMAN2_INLINE std::uint8_t byteOf(Lanes lanes, int seat) { return static_cast<std::uint8_t>(lanes >> (8 * seat)); }
PACMAN2_INLINE Lanes rotated(Lanes lanes, int by) { return lanes >> by | lanes << (32 - by); }
// All bits of the bytes of these seats.
PACMAN2_INLINE Lanes wholeBytes(Lanes set) { return (set << 1) - (set >> 7); }
PACMAN2_INLINE int lowestSeat(Lanes set) { return bits::lowest(set) / 8; }
// Compares bytes below 128: sets the top bit of each that is equal; the other bits are arbitrary.
PACMAN2_INLINE Lanes equal(Lanes a, Lanes b) { return (a ^ b ^ (0x7F * ones)) + ones; }

} // namespace detail

// The rules that differ between games, with Botzone's values.
struct Ruleset {
    int generatorInterval = 20;
    int largeFruitDuration = 10;
    int largeFruitEnhancement = 10;
    int skillCost = 4;
    int turnLimit = 100;
};

// A list of legal actions, by value.
//
// Example:
//     int moves = 0;
//     for (Action action : examplePosition().legalActions(exampleMaze(), 0))
//         moves += isMove(action);
//     assert(moves == 2);
struct ActionList {
    std::uint8_t count = 0;
    std::array<Action, 9> actions{};

    int size() const { return count; }
    Action operator[](int index) const { return actions[static_cast<std::size_t>(index)]; }
    const Action *begin() const { return actions.data(); }
    const Action *end() const { return actions.data() + count; }
};

// Walls, generators and rules of one game, with tables of what follows from them. A maze takes 28 KB and never changes: make one and
// pass references.
class Maze {
public:
    // Makes a maze from Botzone's `static` bits, row by row: 1, 2, 4 and 8 for walls in the north, east, south and west, 16 for a
    // generator. Throws std::runtime_error if a side is not 1 to 11.
    //
    // Example:
    //     const std::uint8_t fixed[] = {13, 5, 7};
    //     Maze maze(3, 1, fixed);
    //     assert(maze.isOpen(0, Direction::right) && !maze.isOpen(0, Direction::left));
    Maze(int width, int height, const std::uint8_t *fixed, const Ruleset &ruleset = Ruleset())
        : ruleset_(ruleset), width_(width), height_(height) {
        if (width < 1 || width > 11 || height < 1 || height > 11)
            throw std::runtime_error("expected 1 to 11 rows and columns, got " + std::to_string(height) + " and " + std::to_string(width));
        // Small enough that no strength overflows.
        bool inRange = ruleset.generatorInterval > 0 && ruleset.turnLimit > 0;
        for (const int setting : {ruleset.generatorInterval, ruleset.turnLimit, ruleset.skillCost, ruleset.largeFruitDuration,
                                  ruleset.largeFruitEnhancement})
            inRange &= setting >= 0 && setting <= 10000;
        if (!inRange)
            throw std::runtime_error("expected settings of at most 10000, the interval and the turn limit at least 1 and none negative");
        for (int cell = 0; cell < cells(); ++cell) {
            fixed_[cell] = fixed[cell];
            if (fixed[cell] & 16)
                generators_.insert(static_cast<Cell>(cell));
            for (int d = 0; d < 4; ++d)
                neighbours_[cell][d] = shifted(static_cast<Cell>(cell), d == 2 ? 1 : d == 0 ? -1 : 0, d == 1 ? 1 : d == 3 ? -1 : 0);
        }
        for (Cell cell : generators_)
            for (int rows = -1; rows <= 1; ++rows)
                for (int cols = -1; cols <= 1; ++cols)
                    if (rows != 0 || cols != 0)
                        spawnCells_.insert(shifted(cell, rows, cols));
        spawnCells_ &= ~generators_;
        for (int cell = 0; cell < cells(); ++cell) {
            findActions(static_cast<Cell>(cell));
            sets_[cell].insert(static_cast<Cell>(cell));
        }
        actionsOfDead_.count = 1;
    }

    int width() const { return width_; }
    int height() const { return height_; }
    int cells() const { return width_ * height_; }
    const Ruleset &ruleset() const { return ruleset_; }

    // Returns the cell in a row and column, which wrap around.
    //
    // Example:
    //     assert(exampleMaze().cell(2, 1) == 9 && exampleMaze().cell(-1, 4) == 8);
    Cell cell(int row, int col) const {
        return static_cast<Cell>((row % height_ + height_) % height_ * width_ + (col % width_ + width_) % width_);
    }

    // Returns the row of a cell.
    //
    // Example:
    //     assert(exampleMaze().row(9) == 2);
    int row(Cell cell) const { return cell / width_; }

    // Returns the column of a cell.
    //
    // Example:
    //     assert(exampleMaze().col(9) == 1);
    int col(Cell cell) const { return cell % width_; }

    // Returns whether no wall stands in this direction, as seen from the cell.
    //
    // Example:
    //     assert(exampleMaze().isOpen(0, Direction::down) && !exampleMaze().isOpen(0, Direction::up));
    PACMAN2_INLINE bool isOpen(Cell cell, Direction direction) const {
        return !(fixed_[cell] >> static_cast<int>(direction) & 1);
    }

    // Returns the next cell in a direction, whether or not there is a wall. Mazes wrap around.
    //
    // Example:
    //     assert(exampleMaze().neighbour(0, Direction::left) == 3);
    PACMAN2_INLINE Cell neighbour(Cell cell, Direction direction) const { return neighbours_[cell][static_cast<int>(direction)]; }

    // Returns the cells that a shot hits: up to a wall, or all the way around, without the cell of the shooter.
    //
    // Example:
    //     assert(exampleMaze().ray(0, Direction::right).size() == 3);
    PACMAN2_INLINE const CellSet &ray(Cell from, Direction direction) const { return rays_[from][static_cast<int>(direction)]; }

    // Returns the cells with generators.
    //
    // Example:
    //     assert(exampleMaze().generators() == CellSet::of(5));
    const CellSet &generators() const { return generators_; }

    // Returns the cells where generators put fruit.
    //
    // Example:
    //     assert(exampleMaze().spawnCells().contains(0) && !exampleMaze().spawnCells().contains(5));
    const CellSet &spawnCells() const { return spawnCells_; }

    // Returns the legal actions of a living player in a cell.
    //
    // Example:
    //     assert(exampleMaze().actions(0, false).size() == 3 && exampleMaze().actions(0, true).size() == 7);
    PACMAN2_INLINE const ActionList &actions(Cell cell, bool canShoot) const { return actions_[cell][canShoot]; }

private:
    friend struct Position;

    // What a player is about to do is a byte: the cell that it will be in; or `light` plus a direction; or `impossible`.
    static constexpr std::uint8_t light = 0x80, impossible = 0xFF;

    Cell shifted(Cell from, int rows, int cols) const { return cell(row(from) + rows, col(from) + cols); }

    void findActions(Cell cell) {
        for (int code = 0; code < 16; ++code)
            aims_[cell][code] = impossible;
        aims_[cell][0] = cell;
        for (int d = 0; d < 4; ++d) {
            const Direction direction = static_cast<Direction>(d);
            if (isOpen(cell, direction))
                aims_[cell][1 + d] = neighbour(cell, direction);
            aims_[cell][5 + d] = static_cast<std::uint8_t>(light | d);
            CellSet &ray = rays_[cell][d];
            for (Cell at = cell; isOpen(at, direction) && (at = neighbour(at, direction)) != cell;)
                ray.insert(at);
        }
        for (const bool canShoot : {false, true}) {
            ActionList &list = actions_[cell][canShoot];
            for (int code = 0; code <= (canShoot ? 8 : 4); ++code)
                if (aims_[cell][code] != impossible) {
                    choices_[cell][canShoot][list.count] = aims_[cell][code];
                    list.actions[list.count++] = static_cast<Action>(code);
                }
            choices_[cell][canShoot][15] = list.count;
        }
    }

    Ruleset ruleset_;
    int width_, height_;
    CellSet generators_, spawnCells_;
    std::uint8_t fixed_[128] = {};
    Cell neighbours_[128][4] = {};
    // By cell and action.
    std::uint8_t aims_[128][16] = {};
    // By cell and whether the player can shoot: the aims of the legal actions; the last byte is their number.
    std::uint8_t choices_[128][2][16] = {};
    ActionList actions_[128][2];
    // Only `stay`.
    ActionList actionsOfDead_;
    CellSet rays_[128][4];
    // By cell: the set of it alone; of `noCell`, the empty set. Random play is faster with this table than with shifts.
    CellSet sets_[128];
};

// A generator of random numbers: xoshiro256++.
//
// Example:
//     Random random(42);
//     const int number = random.below(6);
//     assert(number >= 0 && number < 6);
class Random {
public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t &word : state_) {
            seed += 0x9e3779b97f4a7c15;
            word = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
            word = (word ^ word >> 27) * 0x94d049bb133111eb;
            word ^= word >> 31;
        }
    }

    // Returns 64 random bits.
    //
    // Example:
    //     assert(Random(1).next() == Random(1).next());
    PACMAN2_INLINE std::uint64_t next() {
        const std::uint64_t sum = state_[0] + state_[3], result = (sum << 23 | sum >> 41) + state_[0], shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = state_[3] << 45 | state_[3] >> 19;
        return result;
    }

    // Returns a number from 0 to `count` - 1.
    //
    // Example:
    //     assert(Random(7).below(1) == 0);
    PACMAN2_INLINE int below(int count) { return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(count) >> 32); }

    // Returns a number of at least 0 and less than 1.
    //
    // Example:
    //     const float share = Random(7).uniform();
    //     assert(share >= 0 && share < 1);
    PACMAN2_INLINE float uniform() { return static_cast<float>(next() >> 40) * (1.0F / 16777216.0F); }

private:
    std::uint64_t state_[4];
};

// Watches a turn while it is played, and does nothing. An observer of your own has the same functions.
struct Observer {
    // A player's action is illegal.
    PACMAN2_INLINE void forfeits(int) {}
    // A stronger player is ahead of a player that moves, or on its own cell.
    PACMAN2_INLINE void isFrightened(int) {}
    PACMAN2_INLINE void dies(int) {}
    // A light adds halves of a strength, which is rounded towards zero, to this strength.
    PACMAN2_INLINE void isLit(int, std::int32_t, int) {}
    // Fruit spawns on these cells.
    PACMAN2_INLINE void spawns(const CellSet &) {}
    // A player eats small fruit, or large.
    PACMAN2_INLINE void eats(int, bool) {}
    // A boost has one turn less.
    PACMAN2_INLINE void boostFades(int) {}
};

// A position of a game, 80 bytes. To come back to it, keep a copy.
//
// Example:
//     const Maze &maze = exampleMaze();
//     const Position before = examplePosition();
//     Position after = before;
//     after.play(maze, {Action::right, Action::stay, Action::stay, Action::stay});
//     assert(after.turn == 1 && after.strength[0] == 2 && before.strength[0] == 1);
struct Position {
    // The number of turns played.
    std::uint32_t turn = 0;
    // Turns until fruit spawns, the next turn included.
    std::uint32_t generatorTurnsLeft = 0;
    // The living players: the top bit of byte s is that of seat s.
    std::uint32_t alive = 0;
    // Of the dead, the last ones.
    std::array<Cell, seats> cells{};
    // With boosts. The dead keep theirs, which count in the scores.
    std::array<std::int32_t, seats> strength{};
    std::array<std::uint32_t, seats> boostTurnsLeft{};
    CellSet smallFruits, largeFruits;

    // Returns the start of a game from Botzone's `content` bits, row by row: 1, 2, 4 and 8 for the players, 16 for small fruit, 32 for
    // large.
    //
    // Example:
    //     const std::uint8_t content[] = {1, 16, 0, 2, 0, 0, 0, 0, 4, 32, 0, 8};
    //     const Position position = Position::start(exampleMaze(), content);
    //     assert(position.living() == 4 && position.cells[3] == 11 && position.largeFruits == CellSet::of(9));
    static Position start(const Maze &maze, const std::uint8_t *content) {
        Position position;
        position.generatorTurnsLeft = static_cast<std::uint32_t>(maze.ruleset().generatorInterval);
        for (int index = 0; index < maze.cells(); ++index) {
            const Cell cell = static_cast<Cell>(index);
            if (content[index] & 16)
                position.smallFruits.insert(cell);
            if (content[index] & 32)
                position.largeFruits.insert(cell);
            for (int seat = 0; seat < seats; ++seat)
                if (content[index] >> seat & 1) {
                    position.alive |= detail::top(seat);
                    position.cells[static_cast<std::size_t>(seat)] = cell;
                    position.strength[static_cast<std::size_t>(seat)] = 1;
                }
        }
        return position;
    }

    // Returns whether a player lives.
    //
    // Example:
    //     assert(examplePosition().isAlive(2));
    PACMAN2_INLINE bool isAlive(int seat) const { return (alive & detail::top(seat)) != 0; }

    // Returns the number of living players.
    //
    // Example:
    //     assert(examplePosition().living() == 4);
    PACMAN2_INLINE int living() const { return bits::count(alive); }

    // Returns whether the game has ended: at most one player lives, or the turn limit is reached.
    //
    // Example:
    //     assert(!examplePosition().isOver(exampleMaze()));
    PACMAN2_INLINE bool isOver(const Maze &maze) const {
        return (alive & (alive - 1)) == 0 || turn >= static_cast<std::uint32_t>(maze.ruleset().turnLimit);
    }

    // Returns whether a player has the strength to shoot.
    //
    // Example:
    //     assert(!examplePosition().canShoot(exampleMaze(), 0));
    PACMAN2_INLINE bool canShoot(const Maze &maze, int seat) const { return strength[at(seat)] > maze.ruleset().skillCost; }

    // Returns the legal actions of a player, in the order of their numbers; only `stay` for the dead.
    //
    // Example:
    //     const ActionList &legal = examplePosition().legalActions(exampleMaze(), 0);
    //     assert(legal.size() == 3 && legal[0] == Action::stay && legal[1] == Action::right && legal[2] == Action::down);
    PACMAN2_INLINE const ActionList &legalActions(const Maze &maze, int seat) const {
        return isAlive(seat) ? maze.actions(cells[at(seat)], canShoot(maze, seat)) : maze.actionsOfDead_;
    }

    // Returns whether an action of a living player is legal.
    //
    // Example:
    //     assert(examplePosition().isLegal(exampleMaze(), 0, Action::right));
    //     assert(!examplePosition().isLegal(exampleMaze(), 0, Action::up));
    PACMAN2_INLINE bool isLegal(const Maze &maze, int seat, Action action) const {
        if (isShot(action))
            return canShoot(maze, seat);
        return maze.aims_[cells[at(seat)]][static_cast<std::size_t>(action)] < Maze::light;
    }

    // Returns the living players on a cell as bits: bit s is that of seat s.
    //
    // Example:
    //     assert(examplePosition().playersOn(3) == 2);
    int playersOn(Cell cell) const {
        int players = 0;
        for (int seat = 0; seat < seats; ++seat)
            players |= isAlive(seat) && cells[at(seat)] == cell ? 1 << seat : 0;
        return players;
    }

    // Plays one turn and returns whether the game goes on. The game must not be over.
    //
    // Example:
    //     Position position = examplePosition();
    //     const bool goesOn = position.play(exampleMaze(), {Action::up, Action::left, Action::stay, Action::stay});
    //     assert(goesOn && !position.isAlive(0) && position.strength[1] == 2);
    PACMAN2_INLINE bool play(const Maze &maze, const Actions &actions) {
        Observer none;
        return play(maze, actions, none);
    }

    // Plays one turn as above, and reports to an observer what happens.
    //
    // Example:
    //     struct Eaters : Observer {
    //         int seats = 0;
    //         void eats(int seat, bool) { seats |= 1 << seat; }
    //     };
    //     Eaters eaters;
    //     examplePosition().play(exampleMaze(), {Action::right, Action::left, Action::stay, Action::stay}, eaters);
    //     assert(eaters.seats == 3);
    template <typename Watcher>
    PACMAN2_INLINE bool play(const Maze &maze, const Actions &actions, Watcher &observer) {
        using namespace detail;
        std::uint8_t bytes[seats];
        PACMAN2_UNROLL
        for (int seat = 0; seat < seats; ++seat)
            bytes[seat] = maze.aims_[cells[at(seat)]][static_cast<std::size_t>(actions[at(seat)]) & 15];
        const Lanes kept = wholeBytes(alive), aims = (pack(bytes) & kept) | (noCell * ones & ~kept);
        Lanes illegal = 0, doubtful = 0;
        for (Lanes rest = aims & tops; rest != 0; rest &= rest - 1) {
            const int seat = lowestSeat(rest);
            if (!isLegal(maze, seat, actions[at(seat)]))
                illegal |= top(seat);
        }
        // No turn leads to a position in which a living player has no strength, but it can be made.
        PACMAN2_UNROLL
        for (int seat = 0; seat < seats; ++seat)
            doubtful |= isAlive(seat) && strength[at(seat)] <= 0 ? tops : 0;
        return turnOf(maze, aims, illegal, doubtful, observer);
    }

    // Returns a random legal action for each living player, and `stay` for the dead, from 64 random bits.
    //
    // Example:
    //     Random random(1);
    //     const Actions actions = examplePosition().randomActions(exampleMaze(), random.next());
    //     assert(examplePosition().isLegal(exampleMaze(), 0, actions[0]));
    Actions randomActions(const Maze &maze, std::uint64_t random) const {
        Actions actions;
        for (int seat = 0; seat < seats; ++seat) {
            const ActionList &legal = legalActions(maze, seat);
            actions[at(seat)] = legal.actions[draw(random, seat, legal.count)];
        }
        return actions;
    }

    // Plays random legal actions to the end of the game. It plays as `randomActions` and `play` do, and is faster, since these
    // actions need no checks. `random.next()` is called once a turn.
    //
    // Example:
    //     Random random(1);
    //     Position position = examplePosition();
    //     position.playOut(exampleMaze(), random);
    //     assert(position.isOver(exampleMaze()));
    template <typename Generator>
    PACMAN2_INLINE void playOut(const Maze &maze, Generator &random) {
        playWith(maze, [&random](const std::uint8_t *const *choices, Lanes, std::uint8_t *aims) {
            const std::uint64_t word = random.next();
            PACMAN2_UNROLL
            for (int seat = 0; seat < seats; ++seat)
                aims[seat] = choices[seat][draw(word, seat, choices[seat][15]) & 15];
        });
    }

    // Returns the ranks: 1 to 4, one more than the number of players with less strength.
    //
    // Example:
    //     assert((examplePosition().ranks() == std::array<int, 4>{1, 1, 1, 1}));
    std::array<int, seats> ranks() const {
        std::array<int, seats> ranks{};
        for (std::size_t one = 0; one < seats; ++one) {
            ranks[one] = 1;
            for (const std::int32_t other : strength)
                ranks[one] += other < strength[one];
        }
        return ranks;
    }

    // Returns the official scores that the strengths are worth, in hundredths of a point: 10 points for each rank, and a point for
    // each percent of the whole strength.
    //
    // Example:
    //     assert(examplePosition().scores()[0] == 1000 + 2500);
    std::array<int, seats> scores() const {
        std::int64_t total = 0;
        for (const std::int32_t one : strength)
            total += one;
        total = total == 0 ? 1 : total;
        std::array<int, seats> scores = ranks();
        for (std::size_t seat = 0; seat < seats; ++seat)
            scores[seat] = 1000 * scores[seat] + static_cast<int>(10000 * std::int64_t{strength[seat]} / total);
        return scores;
    }

    // Returns a hash of the position: FNV-1a, 64 bits, the same as State::fingerprint of the Rust crate.
    //
    // Example:
    //     assert(examplePosition().fingerprint() == examplePosition().fingerprint());
    std::uint64_t fingerprint() const {
        std::uint64_t hash = 0xcbf29ce484222325;
        const auto add = [&hash](std::uint64_t number, int bytes) {
            for (; bytes > 0; --bytes, number >>= 8)
                hash = (hash ^ (number & 255)) * 0x100000001b3;
        };
        add(turn, 4);
        add(generatorTurnsLeft, 4);
        for (std::size_t seat = 0; seat < seats; ++seat) {
            add(cells[seat], 1);
            add(isAlive(static_cast<int>(seat)), 1);
            add(static_cast<std::uint32_t>(strength[seat]), 4);
            add(boostTurnsLeft[seat], 4);
        }
        for (const std::uint64_t word : {smallFruits.low, smallFruits.high, largeFruits.low, largeFruits.high})
            add(word, 8);
        return hash;
    }

    // Returns a hash of the position for tables in memory, faster than `fingerprint`.
    //
    // Example:
    //     Position other = examplePosition();
    //     other.turn = 1;
    //     assert(other.hash() != examplePosition().hash());
    std::uint64_t hash() const {
        std::uint64_t words[sizeof(Position) / 8], hash = 0x9e3779b97f4a7c15;
        std::memcpy(words, this, sizeof words);
        for (const std::uint64_t word : words) {
            hash = (hash ^ word) * 0xd6e8feb86659fd93;
            hash ^= hash >> 32;
        }
        return hash;
    }

    friend bool operator==(const Position &a, const Position &b) { return std::memcmp(&a, &b, sizeof(Position)) == 0; }
    friend bool operator!=(const Position &a, const Position &b) { return !(a == b); }

    // Plays to the end of the game. In every turn, `choose(choices, alive, aims)` sets `aims[s]` to one of the bytes `choices[s][0]` to
    // `choices[s][n - 1]` for every seat s, where n is `choices[s][15]`; the aims of the dead do not matter. The choices are in the order of
    // `legalActions`.
    //
    // Example:
    //     Position position = examplePosition();
    //     position.playWith(exampleMaze(), [](const std::uint8_t *const *choices, std::uint32_t, std::uint8_t *aims) {
    //         for (int seat = 0; seat < seats; ++seat)
    //             aims[seat] = choices[seat][0];
    //     });
    //     assert(position.turn == 100 && position.cells == examplePosition().cells);
    template <typename Choose>
    PACMAN2_INLINE void playWith(const Maze &maze, Choose choose) {
        using namespace detail;
        if (isOver(maze))
            return;
        Observer none;
        // Before the first turn players may live without strength, after it none does.
        for (Lanes doubtful = tops;; doubtful = 0) {
            const std::uint8_t *choices[seats];
            std::uint8_t bytes[seats];
            PACMAN2_UNROLL
            for (int seat = 0; seat < seats; ++seat)
                choices[seat] = maze.choices_[cells[at(seat)]][canShoot(maze, seat)];
            choose(choices, alive, bytes);
            const Lanes kept = wholeBytes(alive);
            if (!turnOf(maze, (pack(bytes) & kept) | (noCell * ones & ~kept), 0, doubtful, none))
                return;
        }
    }

private:
    using Lanes = detail::Lanes;

    PACMAN2_INLINE static constexpr std::size_t at(int seat) { return static_cast<std::size_t>(seat); }

    // Draws a number below `count` from 16 of 64 random bits.
    PACMAN2_INLINE static std::size_t draw(std::uint64_t random, int seat, std::uint8_t count) {
        return (random >> (16 * seat) & 0xFFFF) * count >> 16;
    }

    // One turn, in the twelve steps of crates/rules/src/turn.rs.
    template <typename Watcher>
    PACMAN2_INLINE bool turnOf(const Maze &maze, Lanes aims, Lanes illegal, Lanes doubtful, Watcher &observer) {
        using namespace detail;
        const Ruleset &ruleset = maze.ruleset();
        const Lanes here = present(pack(cells.data())), still = wholeBytes(aims & tops);
        Lanes places = (aims & ~still) | (here & still), shooters = aims & tops;

        // 1. Illegal actions forfeit, stronger players frighten, in the order of the seats.
        const Lanes visitors = (equal(places, rotated(here, 8)) | equal(places, rotated(here, 16)) | equal(places, rotated(here, 24))) & alive;
        for (Lanes rest = illegal | visitors; PACMAN2_UNLIKELY(rest != 0); rest &= rest - 1)
            checkAction(lowestSeat(rest), illegal, places, observer);

        // 2. All move at once.
        const Lanes living = wholeBytes(alive);
        unpack((places & living) | (pack(cells.data()) & ~living), cells.data());

        // 3. The strongest on a cell eat the others.
        const Lanes next = equal(places, rotated(places, 8)), crowd = (next | rotated(next, 24) | equal(places, rotated(places, 16))) & alive;
        if (PACMAN2_UNLIKELY(crowd != 0)) {
            fight(crowd, observer);
            places = present(places);
        }

        // 4. Lights. No player dies yet.
        shooters &= alive;
        for (; shooters != 0; shooters &= shooters - 1)
            shoot(maze, lowestSeat(shooters), aims, places, doubtful, observer);

        // 5. Players without strength die.
        for (Lanes rest = doubtful & alive; rest != 0; rest &= rest - 1)
            dieIfWeak(lowestSeat(rest), places, observer);

        // 6. Fruit spawns, also under players.
        if (PACMAN2_UNLIKELY(--generatorTurnsLeft == 0)) {
            generatorTurnsLeft = static_cast<std::uint32_t>(ruleset.generatorInterval);
            const CellSet fresh = maze.spawnCells() & ~(smallFruits | largeFruits);
            smallFruits |= fresh;
            observer.spawns(fresh);
        }

        // 7. Players alone on fruit eat it.
        std::uint8_t on[seats];
        unpack(places, on);
        CellSet found = maze.sets_[on[0]] | maze.sets_[on[1]] | maze.sets_[on[2]] | maze.sets_[on[3]];
        found &= smallFruits | largeFruits;
        if (!found.empty())
            eat(ruleset, found, on, places, crowd != 0, observer);

        // 8. and 9. Boosts have one turn less; players without strength die.
        if ((boostTurnsLeft[0] | boostTurnsLeft[1] | boostTurnsLeft[2] | boostTurnsLeft[3]) != 0)
            expireBoosts(ruleset, places, observer);

        // 10. to 12. The game ends with the last survivor, who inherits all small fruit, or at the turn limit.
        ++turn;
        if (PACMAN2_UNLIKELY((alive & (alive - 1)) == 0)) {
            if (alive != 0)
                strength[at(lowestSeat(alive))] += smallFruits.size();
            return false;
        }
        return turn < static_cast<std::uint32_t>(ruleset.turnLimit);
    }

    // Returns these places, with the dead nowhere.
    PACMAN2_INLINE Lanes present(Lanes places) const {
        const Lanes absent = ~alive & detail::tops;
        return places | (absent - (absent >> 7));
    }

    template <typename Watcher>
    void checkAction(int seat, Lanes illegal, Lanes &places, Watcher &observer) {
        if (illegal & detail::top(seat)) {
            observer.forfeits(seat);
            alive &= ~detail::top(seat);
            strength[at(seat)] = 0;
            places = present(places);
            return;
        }
        const Cell ahead = detail::byteOf(places, seat);
        for (int other = 0; other < seats; ++other)
            if (isAlive(other) && cells[at(other)] == ahead && strength[at(other)] > strength[at(seat)]) {
                observer.isFrightened(seat);
                const int shift = 8 * seat;
                places = (places & ~(Lanes{0xFF} << shift)) | Lanes{cells[at(seat)]} << shift;
            }
    }

    template <typename Watcher>
    void fight(Lanes crowd, Watcher &observer) {
        while (crowd != 0) {
            const Cell cell = cells[at(detail::lowestSeat(crowd))];
            const int here = playersOn(cell);
            std::int32_t most = strength[at(bits::lowest(static_cast<std::uint64_t>(here)))];
            for (int seat = 0; seat < seats; ++seat)
                if (here >> seat & 1)
                    most = std::max(most, strength[at(seat)]);
            std::int32_t loot = 0, winners = 0;
            for (int seat = 0; seat < seats; ++seat) {
                if (!(here >> seat & 1))
                    continue;
                crowd &= ~detail::top(seat);
                if (strength[at(seat)] == most) {
                    ++winners;
                } else {
                    const std::int32_t lost = strength[at(seat)] / 2;
                    strength[at(seat)] -= lost;
                    loot += lost;
                    alive &= ~detail::top(seat);
                    observer.dies(seat);
                }
            }
            for (int seat = 0; seat < seats; ++seat)
                if ((here >> seat & 1) && isAlive(seat))
                    strength[at(seat)] += loot / winners;
        }
    }

    template <typename Watcher>
    PACMAN2_INLINE void shoot(const Maze &maze, int shooter, Lanes aims, Lanes places, Lanes &doubtful, Watcher &observer) {
        const int cost = maze.ruleset().skillCost;
        strength[at(shooter)] -= cost;
        const Direction direction = static_cast<Direction>(detail::byteOf(aims, shooter) & 3);
        const CellSet &ray = maze.ray(cells[at(shooter)], direction);
        PACMAN2_UNROLL
        for (int victim = 0; victim < seats; ++victim)
            if (PACMAN2_UNLIKELY(ray.contains(detail::byteOf(places, victim)))) {
                observer.isLit(victim, strength[at(victim)], -3 * cost);
                strength[at(victim)] = (2 * strength[at(victim)] - 3 * cost) / 2;
                observer.isLit(shooter, strength[at(shooter)], 3 * cost);
                strength[at(shooter)] = (2 * strength[at(shooter)] + 3 * cost) / 2;
                doubtful |= detail::top(victim);
            }
    }

    template <typename Watcher>
    PACMAN2_INLINE void dieIfWeak(int seat, Lanes &places, Watcher &observer) {
        if (strength[at(seat)] > 0)
            return;
        observer.dies(seat);
        alive &= ~detail::top(seat);
        strength[at(seat)] = 0;
        places = present(places);
    }

    template <typename Watcher>
    PACMAN2_INLINE void eat(const Ruleset &ruleset, CellSet found, const std::uint8_t *on, Lanes places, bool crowded, Watcher &observer) {
        if (!crowded) {
            // Small fruit without branches on who eats.
            const CellSet eaten = found & smallFruits;
            PACMAN2_UNROLL
            for (int seat = 0; seat < seats; ++seat) {
                strength[at(seat)] += eaten.contains(on[seat]);
                if (eaten.contains(on[seat]))
                    observer.eats(seat, false);
            }
            smallFruits &= ~eaten;
            found &= ~eaten;
        }
        for (Cell cell : found) {
            const Lanes there = detail::equal(places, cell * detail::ones) & detail::tops;
            if ((there & (there - 1)) != 0)
                continue;
            const std::size_t seat = at(detail::lowestSeat(there));
            observer.eats(static_cast<int>(seat), !smallFruits.contains(cell));
            if (smallFruits.contains(cell)) {
                smallFruits.remove(cell);
                ++strength[seat];
            } else {
                largeFruits.remove(cell);
                strength[seat] += boostTurnsLeft[seat] == 0 ? ruleset.largeFruitEnhancement : 0;
                boostTurnsLeft[seat] += static_cast<std::uint32_t>(ruleset.largeFruitDuration);
            }
        }
    }

    template <typename Watcher>
    PACMAN2_INLINE void expireBoosts(const Ruleset &ruleset, Lanes &places, Watcher &observer) {
        for (int seat = 0; seat < seats; ++seat) {
            std::uint32_t &left = boostTurnsLeft[at(seat)];
            if (left == 0 || !isAlive(seat))
                continue;
            observer.boostFades(seat);
            if (--left != 0)
                continue;
            strength[at(seat)] -= ruleset.largeFruitEnhancement;
            dieIfWeak(seat, places, observer);
        }
    }
};

static_assert(sizeof(Position) == 80, "positions are copied as bytes");

} // namespace pacman2
// [pacman2:end core]

// [pacman2:section distances needs: base, core; names: DeadEnd, Distances, playGreedily, quickAction, sensibleActions]
#if PACMAN2_CPP17
#include <algorithm>
#include <vector>

namespace pacman2 {

// A cell's place in a part of the maze with one exit. Depth 0: it is in none.
struct DeadEnd {
    // Steps to the exit.
    std::uint8_t depth = 0;
    // The nearest cell with more than one way on.
    Cell exit = 0;
};

// Tables of a maze: distances, first steps, sure lights and dead ends. They take 55 KB and about 50 µs; make them once per game.
class Distances {
public:
    // The number of steps to a cell that cannot be reached.
    static constexpr std::uint8_t unreachable = 255;

    // Makes the tables.
    //
    // Example:
    //     const Distances distances(exampleMaze());
    //     assert(distances.steps(0, 11) == 5);
    explicit Distances(const Maze &maze) : steps_(128), towards_(128), sureLights_(128) {
        for (int cell = 0; cell < maze.cells(); ++cell)
            findReach(maze, static_cast<Cell>(cell));
        findSteps(maze);
        for (int cell = 0; cell < maze.cells(); ++cell)
            findWays(maze, static_cast<Cell>(cell));
        findDeadEnds(maze);
    }

    // Returns the number of steps from one cell to another.
    //
    // Example:
    //     assert(exampleDistances().steps(0, 0) == 0 && exampleDistances().steps(0, 5) == Distances::unreachable);
    PACMAN2_INLINE int steps(Cell from, Cell to) const { return steps_[from][to]; }

    // Returns the number of steps from a cell to every cell.
    //
    // Example:
    //     assert(exampleDistances().stepsFrom(8)[0] == 2);
    PACMAN2_INLINE const std::uint8_t *stepsFrom(Cell from) const { return steps_[from].data(); }

    // Returns the move that begins a shortest path; `stay` if there is none or the cells are the same.
    //
    // Example:
    //     assert(exampleDistances().towards(0, 8) == Action::down && exampleDistances().towards(3, 3) == Action::stay);
    PACMAN2_INLINE Action towards(Cell from, Cell to) const { return static_cast<Action>(towards_[from][to]); }

    // Returns the shot from `from` that hits a player at `at` whatever it does; `stay` if there is none.
    //
    // Example:
    //     assert(exampleDistances().sureLight(0, 8) == Action::stay);
    PACMAN2_INLINE Action sureLight(Cell from, Cell at) const { return static_cast<Action>(sureLights_[from][at]); }

    // Returns the cell and the cells one step away.
    //
    // Example:
    //     assert(exampleDistances().reach(8).size() == 3);
    PACMAN2_INLINE const CellSet &reach(Cell cell) const { return reach_[cell]; }

    // Returns the cells that lights from a cell can hit.
    //
    // Example:
    //     assert(exampleDistances().lights(0).contains(3) && !exampleDistances().lights(0).contains(0));
    PACMAN2_INLINE const CellSet &lights(Cell from) const { return lights_[from]; }

    // Returns the number of steps to the nearest cell where fruit spawns.
    //
    // Example:
    //     assert(exampleDistances().stepsToSpawn(3) == 1);
    PACMAN2_INLINE int stepsToSpawn(Cell from) const { return stepsToSpawn_[from]; }

    // Returns the place of a cell in a dead end.
    //
    // Example:
    //     assert(exampleDistances().deadEnd(0).depth == 0);
    PACMAN2_INLINE const DeadEnd &deadEnd(Cell cell) const { return deadEnds_[cell]; }

private:
    using Table = std::vector<std::array<std::uint8_t, 128>>;

    void findReach(const Maze &maze, Cell cell) {
        reach_[cell] = CellSet::of(cell);
        for (int d = 0; d < 4; ++d)
            if (maze.isOpen(cell, static_cast<Direction>(d)))
                reach_[cell].insert(maze.neighbour(cell, static_cast<Direction>(d)));
    }

    // The ball around a cell grows to the union of its neighbours' balls, for all cells at once: faster than a search from each.
    void findSteps(const Maze &maze) {
        CellSet balls[128], smaller[128];
        for (std::size_t cell = 0; cell < 128; ++cell) {
            steps_[cell].fill(unreachable);
            balls[cell] = CellSet::of(static_cast<Cell>(cell));
            steps_[cell][cell] = 0;
        }
        bool grown = true;
        for (std::uint8_t radius = 1; grown; ++radius) {
            std::copy(balls, balls + 128, smaller);
            grown = false;
            for (std::size_t cell = 0; cell < static_cast<std::size_t>(maze.cells()); ++cell) {
                for (Cell next : reach_[cell])
                    balls[cell] |= smaller[next];
                for (Cell far : balls[cell] & ~smaller[cell]) {
                    steps_[cell][far] = radius;
                    grown = true;
                }
            }
        }
    }

    void findWays(const Maze &maze, Cell from) {
        towards_[from].fill(static_cast<std::uint8_t>(Action::stay));
        sureLights_[from].fill(static_cast<std::uint8_t>(Action::stay));
        for (int d = 3; d >= 0; --d) {
            const Direction direction = static_cast<Direction>(d);
            // From the last direction to the first, so that the first of equally short ways remains.
            if (maze.isOpen(from, direction))
                for (std::size_t to = 0; to < static_cast<std::size_t>(maze.cells()); ++to)
                    if (steps_[maze.neighbour(from, direction)][to] < steps_[from][to])
                        towards_[from][to] = static_cast<std::uint8_t>(moveTo(direction));
        }
        for (int d = 0; d < 4; ++d) {
            const CellSet &ray = maze.ray(from, static_cast<Direction>(d));
            lights_[from] |= ray;
            for (Cell at : ray)
                if ((reach_[at] & ~ray).empty())
                    sureLights_[from][at] = static_cast<std::uint8_t>(shotTo(static_cast<Direction>(d)));
        }
        stepsToSpawn_[from] = unreachable;
        for (Cell spawn : maze.spawnCells())
            stepsToSpawn_[from] = std::min(stepsToSpawn_[from], steps_[from][spawn]);
    }

    // Removes cells with one neighbour until there is none.
    void findDeadEnds(const Maze &maze) {
        CellSet rest;
        for (int cell = 0; cell < maze.cells(); ++cell)
            rest.insert(static_cast<Cell>(cell));
        std::vector<std::array<Cell, 2>> removed;
        std::size_t before;
        do {
            before = removed.size();
            for (Cell cell : rest) {
                const CellSet others = reach_[cell] & rest & ~CellSet::of(cell);
                if (others.size() != 1)
                    continue;
                rest.remove(cell);
                removed.push_back({cell, others.first()});
            }
        } while (removed.size() > before);
        for (std::size_t i = removed.size(); i-- > 0;) {
            const Cell cell = removed[i][0], next = removed[i][1];
            const DeadEnd end = deadEnds_[next];
            deadEnds_[cell].depth = static_cast<std::uint8_t>(end.depth + 1);
            deadEnds_[cell].exit = end.depth == 0 ? next : end.exit;
        }
    }

    Table steps_, towards_, sureLights_;
    CellSet reach_[128], lights_[128];
    DeadEnd deadEnds_[128];
    std::uint8_t stepsToSpawn_[128] = {};
};

// Returns the legal actions that make sense: shots that can hit a player wherever it moves, and moves that no stronger player stops. For the
// dead, only `stay`.
//
// Example:
//     Position position = examplePosition();
//     position.strength[0] = 9;
//     assert(position.legalActions(exampleMaze(), 0).size() == 7);
//     assert(sensibleActions(exampleMaze(), exampleDistances(), position, 0).size() == 5);
inline ActionList sensibleActions(const Maze &maze, const Distances &distances, const Position &position, int seat) {
    const Cell here = position.cells[static_cast<std::size_t>(seat)];
    CellSet targets;
    for (int other = 0; other < seats; ++other)
        if (other != seat && position.isAlive(other))
            targets |= distances.reach(position.cells[static_cast<std::size_t>(other)]);
    ActionList sensible;
    for (Action action : position.legalActions(maze, seat)) {
        bool keep = true;
        const Direction direction = static_cast<Direction>((static_cast<int>(action) - 1) & 3);
        if (isShot(action)) {
            keep = !(targets & maze.ray(here, direction)).empty();
        } else if (isMove(action)) {
            const int ahead = position.playersOn(maze.neighbour(here, direction));
            for (int other = 0; ahead >> other != 0; ++other)
                if ((ahead >> other & 1) && position.strength[static_cast<std::size_t>(other)] > position.strength[static_cast<std::size_t>(seat)])
                    keep = false;
        }
        if (keep)
            sensible.actions[sensible.count++] = action;
    }
    return sensible;
}

// Returns a sensible action at once: to the nearest fruit or to weaker players in dead ends, out of reach of stronger players; a shot only
// if it cannot miss. For the dead, `stay`.
//
// Example:
//     assert(quickAction(exampleMaze(), exampleDistances(), examplePosition(), 0) == Action::right);
inline Action quickAction(const Maze &maze, const Distances &distances, const Position &position, int seat) {
    const auto strengthOf = [&](int of) { return position.strength[static_cast<std::size_t>(of)]; };
    if (!position.isAlive(seat))
        return Action::stay;
    const Cell here = position.cells[static_cast<std::size_t>(seat)];
    CellSet danger;
    Cell goal = noCell;
    for (int other = 0; other < seats; ++other) {
        if (other == seat || !position.isAlive(other))
            continue;
        const Cell there = position.cells[static_cast<std::size_t>(other)];
        const DeadEnd &end = distances.deadEnd(there);
        if (strengthOf(other) > strengthOf(seat))
            danger |= distances.reach(there);
        else if (strengthOf(other) < strengthOf(seat) && end.depth > 0 && distances.steps(here, end.exit) <= end.depth &&
                 distances.steps(here, there) <= 6)
            goal = there;
        const Action light = distances.sureLight(here, there);
        if (light != Action::stay && position.canShoot(maze, seat))
            return light;
    }
    if (goal == noCell) {
        const CellSet fruit = position.smallFruits | position.largeFruits;
        int nearest = 256;
        for (Cell cell : fruit.empty() ? maze.spawnCells() : fruit)
            if (distances.steps(here, cell) < nearest) {
                nearest = distances.steps(here, cell);
                goal = cell;
            }
    }
    if (goal == noCell)
        goal = here;
    const Action way = distances.towards(here, goal);
    const auto next = [&](Action move) {
        return move == Action::stay ? here : maze.neighbour(here, static_cast<Direction>(static_cast<int>(move) - 1));
    };
    if (!danger.contains(next(way)))
        return way;
    // Out of danger, then towards the goal.
    Action best = Action::stay;
    int least = 1000;
    for (Action move : maze.actions(here, false)) {
        const int cost = (danger.contains(next(move)) ? 256 : 0) + distances.steps(next(move), goal);
        if (cost < least) {
            least = cost;
            best = move;
        }
    }
    return best;
}

// Plays at most `turns` turns with `quickAction` for every seat.
//
// Example:
//     Position position = examplePosition();
//     playGreedily(exampleMaze(), exampleDistances(), position, 8);
//     assert(position.turn == 8 && position.strength[0] > 1);
inline void playGreedily(const Maze &maze, const Distances &distances, Position &position, int turns) {
    for (bool goesOn = !position.isOver(maze); goesOn && turns > 0; --turns) {
        Actions actions;
        for (int seat = 0; seat < seats; ++seat)
            actions[static_cast<std::size_t>(seat)] = quickAction(maze, distances, position, seat);
        goesOn = position.play(maze, actions);
    }
}

} // namespace pacman2
#endif
// [pacman2:end distances]

// [pacman2:section evaluation needs: base, core, distances; names: HandMade, Values, finalValues]
#if PACMAN2_CPP17
#include <algorithm>
#include <array>
#include <cmath>

namespace pacman2 {

// What a position is worth to each seat, in official points.
using Values = std::array<float, seats>;

// Returns the official points in a game that is over.
//
// Example:
//     assert(finalValues(examplePosition())[0] == 35.0F);
inline Values finalValues(const Position &position) {
    Values values{};
    const std::array<int, seats> scores = position.scores();
    for (std::size_t seat = 0; seat < seats; ++seat)
        values[seat] = static_cast<float>(scores[seat]) / 100.0F;
    return values;
}

// The hand-made evaluation: expected strengths by fruit, lights and hunts, and the points for them. It evaluates as
// crates/bots/src/evaluation.rs does.
class HandMade {
public:
    explicit HandMade(const Distances &distances) : distances_(&distances) {
        for (std::size_t steps = 0; steps < discount_.size(); ++steps)
            discount_[steps] = steps == 0 ? 1.0F : discount_[steps - 1] * 0.83F;
    }

    // Returns the expected points of all four seats.
    //
    // Example:
    //     const HandMade evaluate(exampleDistances());
    //     const Values values = evaluate(exampleMaze(), examplePosition());
    //     assert(values[0] > values[3]);
    Values operator()(const Maze &maze, const Position &position) const {
        return position.isOver(maze) ? finalValues(position) : stages(maze, position).points;
    }

    // How the expected points come about. Each strength starts from the one before.
    struct Stages {
        // Without boosts that end before the game does.
        Values lasting;
        // With the fruit that each seat may eat; after lights that cannot miss; after hunts and the end of boosts.
        Values withIncome, withLights, expected;
        Values points;
    };

    // Returns the expected points of a game that is not over, with what led to them.
    //
    // Example:
    //     const HandMade::Stages stages = HandMade(exampleDistances()).stages(exampleMaze(), examplePosition());
    //     assert(stages.lasting[0] == 1 && stages.withIncome[0] > 1 && stages.points[0] > stages.points[3]);
    Stages stages(const Maze &maze, const Position &position) const {
        const Context context(maze, position, *distances_);
        Stages stages;
        Values strength = stages.lasting = context.lasting();
        addIncome(context, strength);
        stages.withIncome = strength;
        addLights(context, strength);
        stages.withLights = strength;
        addHunts(context, strength);
        for (std::size_t seat = 0; seat < seats; ++seat) {
            // Whose strength is only a boost dies when it ends, unless it eats enough before.
            if (stages.lasting[seat] <= 0)
                strength[seat] *= 0.3F;
            strength[seat] = std::max(strength[seat], 0.0F);
        }
        stages.expected = strength;
        stages.points = points(strength, context.turnsLeft);
        return stages;
    }

private:
    struct Context {
        const Maze &maze;
        const Position &position;
        const Distances &distances;
        int turnsLeft;
        const std::uint8_t *steps[seats];

        Context(const Maze &itsMaze, const Position &itsPosition, const Distances &itsDistances)
            : maze(itsMaze), position(itsPosition), distances(itsDistances),
              turnsLeft(itsMaze.ruleset().turnLimit - static_cast<int>(itsPosition.turn)) {
            // No cell can be reached from `noCell`.
            for (int seat = 0; seat < seats; ++seat)
                steps[seat] = distances.stepsFrom(position.isAlive(seat) ? position.cells[static_cast<std::size_t>(seat)] : noCell);
        }

        // Strength without boosts that end before the game does.
        Values lasting() const {
            Values values{};
            for (int seat = 0; seat < seats; ++seat) {
                const int boost = static_cast<int>(position.boostTurnsLeft[static_cast<std::size_t>(seat)]);
                const bool ends = position.isAlive(seat) && boost > 0 && boost <= turnsLeft;
                const int lent = ends ? maze.ruleset().largeFruitEnhancement : 0;
                values[static_cast<std::size_t>(seat)] = static_cast<float>(strength(seat) - lent);
            }
            return values;
        }

        int strength(int seat) const { return position.strength[static_cast<std::size_t>(seat)]; }
        Cell cell(int seat) const { return position.cells[static_cast<std::size_t>(seat)]; }
    };

    // Most of a fruit goes to the nearest player, near fruit counts more, and a player eats at most one per turn.
    void addIncome(const Context &context, Values &strength) const {
        const Position &position = context.position;
        const Ruleset &ruleset = context.maze.ruleset();
        const int turnsLeft = context.turnsLeft, coming = static_cast<int>(position.generatorTurnsLeft);
        Values income{};
        for (Cell cell : position.smallFruits)
            share(context, income, cell, 0, 1.0F);
        if (coming <= turnsLeft) {
            Values spawned{};
            for (Cell cell : context.maze.spawnCells() & ~(position.smallFruits | position.largeFruits))
                share(context, spawned, cell, coming, 1.0F);
            const float most = static_cast<float>(turnsLeft - coming + 1);
            const int later = (turnsLeft - coming) / ruleset.generatorInterval;
            const float ofLater = static_cast<float>(later) * static_cast<float>(context.maze.spawnCells().size()) * 0.6F /
                                  static_cast<float>(position.living());
            for (int seat = 0; seat < seats; ++seat)
                if (position.isAlive(seat))
                    income[static_cast<std::size_t>(seat)] += std::min(spawned[static_cast<std::size_t>(seat)], most) + ofLater;
        }
        // A large fruit is worth most if its boost outlasts the game; until then a player may wait beside it.
        const int waiting = std::min(std::max(turnsLeft + 2 - ruleset.largeFruitDuration, 0), 31);
        const float kept = static_cast<float>(ruleset.largeFruitEnhancement) * discount_[static_cast<std::size_t>(waiting)] *
                           discount_[static_cast<std::size_t>(waiting)];
        for (Cell cell : position.largeFruits)
            share(context, income, cell, 0, std::max(kept, 2.0F));
        const float most = static_cast<float>(turnsLeft + ruleset.largeFruitEnhancement);
        for (int seat = 0; seat < seats; ++seat)
            if (position.isAlive(seat))
                strength[static_cast<std::size_t>(seat)] += std::min(income[static_cast<std::size_t>(seat)], most);
    }

    PACMAN2_INLINE void share(const Context &context, Values &income, Cell cell, int notBefore, float worth) const {
        static constexpr float late[] = {1.0F, 0.4F, 0.2F, 0.1F, 0.06F, 0.03F, 0.02F, 0.01F, 0.0F};
        int arrivals[seats], first = 255;
        PACMAN2_UNROLL
        for (int seat = 0; seat < seats; ++seat) {
            arrivals[seat] = std::max<int>(context.steps[seat][cell], std::min(notBefore, 250));
            first = std::min(first, arrivals[seat]);
        }
        if (first == Distances::unreachable || first > context.turnsLeft)
            return;
        Values shares{};
        PACMAN2_UNROLL
        for (std::size_t seat = 0; seat < seats; ++seat)
            shares[seat] = late[std::min(arrivals[seat] - first, 8)];
        const float part = worth * discount_[static_cast<std::size_t>(std::min(first, 31))] / (shares[0] + shares[1] + shares[2] + shares[3]);
        PACMAN2_UNROLL
        for (std::size_t seat = 0; seat < seats; ++seat)
            income[seat] += part * shares[seat];
    }

    // Lights that cannot miss, all at once.
    static void addLights(const Context &context, Values &strength) {
        const int cost = context.maze.ruleset().skillCost;
        const float taken = static_cast<float>(cost * 3 / 2), gained = static_cast<float>(cost * 3 / 2 - cost);
        Values gains{};
        for (int victim = 0; victim < seats; ++victim)
            for (int shooter = 0; shooter < seats; ++shooter) {
                const bool both = shooter != victim && context.position.isAlive(victim) && context.position.isAlive(shooter);
                if (!both || context.strength(shooter) <= cost ||
                    context.distances.sureLight(context.cell(shooter), context.cell(victim)) == Action::stay)
                    continue;
                float &expected = strength[static_cast<std::size_t>(victim)];
                gains[static_cast<std::size_t>(shooter)] += 0.4F * gained;
                const float rest = context.strength(victim) <= cost * 3 / 2 ? 0.0F : expected - taken;
                expected += 0.4F * (rest - expected);
            }
        for (std::size_t seat = 0; seat < seats; ++seat)
            strength[seat] += gains[seat];
    }

    // Stronger players catch weaker ones, who lose half of their strength and their future. All at once.
    static void addHunts(const Context &context, Values &strength) {
        Values gains{};
        for (int victim = 0; victim < seats; ++victim) {
            if (!context.position.isAlive(victim))
                continue;
            float escapes = 1.0F;
            const int loot = context.strength(victim) / 2;
            for (int hunter = 0; hunter < seats; ++hunter) {
                if (!context.position.isAlive(hunter) || context.strength(hunter) <= context.strength(victim))
                    continue;
                const float danger = risk(context, hunter, victim);
                escapes *= 1.0F - danger;
                gains[static_cast<std::size_t>(hunter)] += danger * static_cast<float>(loot);
            }
            const float half = static_cast<float>(context.strength(victim) - loot);
            float &expected = strength[static_cast<std::size_t>(victim)];
            expected = half + escapes * (expected - half);
        }
        for (std::size_t seat = 0; seat < seats; ++seat)
            strength[seat] += gains[seat];
    }

    static float risk(const Context &context, int hunter, int victim) {
        static constexpr float near[] = {0.14F, 0.08F, 0.035F, 0.014F};
        const Cell from = context.cell(hunter), at = context.cell(victim);
        const int boost = static_cast<int>(context.position.boostTurnsLeft[static_cast<std::size_t>(hunter)]);
        const int lent = boost > 0 ? context.maze.ruleset().largeFruitEnhancement : 0;
        const bool stays = context.strength(hunter) - lent > context.strength(victim);
        const int steps = context.distances.steps(from, at);
        if (steps > context.turnsLeft || (!stays && steps > boost))
            return 0.0F;
        const DeadEnd &end = context.distances.deadEnd(at);
        if (end.depth > 0 && context.distances.steps(from, end.exit) <= end.depth)
            return 0.5F;
        return steps < 4 ? near[steps] : 0.0F;
    }

    // Returns the points for these strengths, given how much strengths change in the remaining turns.
    static Values points(const Values &strength, int turnsLeft) {
        const float total = std::max(strength[0] + strength[1] + strength[2] + strength[3], 1.0F);
        const float spread = 0.4F + 0.5F * std::sqrt(static_cast<float>(turnsLeft));
        Values points{};
        for (std::size_t seat = 0; seat < seats; ++seat)
            points[seat] = 10.0F + 100.0F * strength[seat] / total;
        for (std::size_t one = 0; one < seats; ++one)
            for (std::size_t other = 0; other < one; ++other) {
                const float lead = (strength[one] - strength[other]) / spread;
                const float wins = 5.0F + 5.0F * lead / (1.0F + std::fabs(lead));
                points[one] += wins;
                points[other] += 10.0F - wins;
            }
        return points;
    }

    const Distances *distances_;
    std::array<float, 32> discount_{};
};

} // namespace pacman2
#endif
// [pacman2:end evaluation]

// [pacman2:section features needs: base, core, distances, evaluation; names: ActionFeatures, ActionRows, PlayerFeatures, SeatRows]
#if PACMAN2_CPP17
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pacman2 {

// What a net sees of each player in a position that is not over: 32 numbers of magnitude 1, the observation `features` of the Python
// package, as in crates/bots/src/net.rs. They stay the same when the map is rotated, mirrored or shifted, and when seats are swapped.
//
// Example:
//     const HandMade::Stages stages = HandMade(exampleDistances()).stages(exampleMaze(), examplePosition());
//     const PlayerFeatures features(exampleMaze(), exampleDistances(), examplePosition(), stages);
//     assert(features.of(0)[4] == 1.0F);
class PlayerFeatures {
public:
    static constexpr std::size_t count = 32;

    // Keeps references to all four.
    PlayerFeatures(const Maze &maze, const Distances &distances, const Position &position, const HandMade::Stages &stages)
        : maze_(maze), position_(position), distances_(distances), stages_(stages),
          turnsLeft_(maze.ruleset().turnLimit - static_cast<int>(position.turn)) {
        for (int seat = 0; seat < seats; ++seat)
            steps_[seat] = distances.stepsFrom(position.isAlive(seat) ? cell(seat) : noCell);
        const float interval = static_cast<float>(maze.ruleset().generatorInterval);
        all_ = {static_cast<float>(turnsLeft_) / 100.0F,
                std::min(static_cast<float>(position.generatorTurnsLeft) / std::max(interval, 1.0F), 1.0F),
                static_cast<float>(position.smallFruits.size()) / 16.0F, static_cast<float>(position.living()) / 4.0F};
        Values lasting = stages.lasting;
        for (float &strength : lasting)
            strength = std::max(strength, 0.0F);
        total_ = std::max(sum(lasting), 1.0F);
        totalExpected_ = std::max(sum(stages.expected), 1.0F);
        findNearestFirst();
    }

    // Returns the numbers of a seat.
    std::array<float, count> of(int seat) const {
        const std::size_t s = static_cast<std::size_t>(seat);
        const bool alive = position_.isAlive(seat), shoots = canShoot(seat);
        const Cell here = cell(seat);
        int stronger = none, weaker = none, strongest = std::numeric_limits<int>::min(), lit = 0, targets = 0;
        for (int other = 0; other < seats; ++other) {
            if (other == seat || !position_.isAlive(other))
                continue;
            strongest = std::max(strongest, strength(other));
            if (!alive)
                continue;
            const int steps = distances_.steps(cell(other), here);
            if (strength(other) > strength(seat))
                stronger = std::min(stronger, steps);
            if (strength(other) < strength(seat))
                weaker = std::min(weaker, steps);
            lit += canShoot(other) && distances_.lights(cell(other)).contains(here);
            targets += distances_.lights(here).contains(cell(other));
        }
        if (strongest == std::numeric_limits<int>::min())
            strongest = 0;
        const float lasting = stages_.lasting[s], income = stages_.withIncome[s], lights = stages_.withLights[s];
        const float expected = stages_.expected[s], points = stages_.points[s];
        const int boost = static_cast<int>(position_.boostTurnsLeft[s]);
        const std::array<float, 2> gaps = gapsOf(s);
        const float spread = 1.0F + 0.5F * std::sqrt(static_cast<float>(turnsLeft_));
        return {all_[0],
                all_[1],
                all_[2],
                all_[3],
                flag(alive),
                4.0F * lasting / total_,
                lasting / 24.0F,
                static_cast<float>(boost) / 10.0F,
                flag(alive && boost > turnsLeft_ && boost > 0),
                clip(static_cast<float>(strength(seat) - strongest) / 10.0F),
                (income - lasting) / 8.0F,
                clip((lights - income) / 4.0F),
                clip((expected - lights) / 4.0F),
                nearness(nearest(seat, position_.smallFruits)),
                nearness(nearest(seat, position_.largeFruits)),
                alive ? nearness(distances_.stepsToSpawn(here)) : 0.0F,
                nearness(stronger),
                nearness(weaker),
                std::min(static_cast<float>(distances_.deadEnd(here).depth) / 4.0F, 2.0F),
                nearestFirst_[s] / 8.0F,
                flag(alive && shoots),
                static_cast<float>(lit),
                shoots ? static_cast<float>(targets) : 0.0F,
                4.0F * expected / totalExpected_,
                points / 50.0F,
                clip(gaps[0] / 8.0F),
                clip(gaps[1] / 8.0F),
                clip(gaps[0] / spread),
                clip(gaps[1] / spread),
                static_cast<float>(strength(seat)) / 24.0F,
                all_[0] * 4.0F * expected / totalExpected_,
                (points - 10.0F - 100.0F * expected / totalExpected_) / 15.0F};
    }

private:
    static constexpr int none = Distances::unreachable;

    int strength(int seat) const { return position_.strength[static_cast<std::size_t>(seat)]; }
    Cell cell(int seat) const { return position_.cells[static_cast<std::size_t>(seat)]; }
    bool canShoot(int seat) const { return position_.canShoot(maze_, seat); }

    static float sum(const Values &values) { return values[0] + values[1] + values[2] + values[3]; }
    static float flag(bool holds) { return holds ? 1.0F : 0.0F; }
    // Limits a number, since unusual settings make large numbers.
    static float clip(float number) { return std::min(std::max(number, -3.0F), 3.0F); }
    // 1 at distance 0, less farther away, 0 if there is none.
    static float nearness(int steps) { return steps == none ? 0.0F : 2.0F / (2.0F + static_cast<float>(steps)); }

    int nearest(int seat, const CellSet &cells) const {
        int least = none;
        for (Cell cell : cells)
            least = std::min<int>(least, steps_[seat][cell]);
        return least;
    }

    // Counts for how much fruit each seat is the nearest; ties are shared.
    void findNearestFirst() {
        for (Cell cell : position_.smallFruits) {
            const int least = std::min(std::min(steps_[0][cell], steps_[1][cell]), std::min(steps_[2][cell], steps_[3][cell]));
            if (least == none)
                continue;
            float many = 0;
            for (int seat = 0; seat < seats; ++seat)
                many += flag(steps_[seat][cell] == least);
            for (int seat = 0; seat < seats; ++seat)
                nearestFirst_[static_cast<std::size_t>(seat)] += flag(steps_[seat][cell] == least) / many;
        }
    }

    // Returns the distances to the next larger and the next smaller expected strength. Equal ones count on both sides, and what
    // differs by rounding is equal.
    std::array<float, 2> gapsOf(std::size_t own) const {
        constexpr float most = std::numeric_limits<float>::max(), equal = 1e-3F;
        float above = most, below = most;
        for (std::size_t other = 0; other < seats; ++other) {
            if (other == own)
                continue;
            const float lead = stages_.expected[own] - stages_.expected[other];
            if (lead > -equal)
                below = std::min(below, std::max(lead, 0.0F));
            if (lead < equal)
                above = std::min(above, std::max(-lead, 0.0F));
        }
        return {above, below};
    }

    const Maze &maze_;
    const Position &position_;
    const Distances &distances_;
    const HandMade::Stages &stages_;
    int turnsLeft_;
    const std::uint8_t *steps_[seats];
    std::array<float, 4> all_;
    Values nearestFirst_{};
    float total_, totalExpected_;
};

// The features of an action that are 1, by number: one for each property that applies. The properties are those of
// crates/bots/src/policy_net/properties.rs; the Python package has their names (`action_feature_names`).
class ActionRows {
public:
    // Adds a property that falls into a bin of `bins`.
    void add(int bins, int bin) {
        rows_[count_++] = static_cast<std::uint16_t>(next_ + bin);
        next_ += bins;
    }
    // Leaves out a property.
    void skip(int bins) { next_ += bins; }

    const std::uint16_t *begin() const { return rows_.data(); }
    const std::uint16_t *end() const { return rows_.data() + count_; }

private:
    // Room for one more than there are properties, for what a bot adds itself.
    std::array<std::uint16_t, 37> rows_;
    std::size_t count_ = 0;
    int next_ = 0;
};

// The rows of a seat's legal actions, and how many there are.
struct SeatRows {
    std::array<ActionRows, 9> actions;
    std::size_t count = 0;
};

// A position from which the rows of a living seat's actions are made: what a net sees of each action, the observation
// `action_features` of the Python package, as in crates/bots/src/policy_net/inputs.rs.
//
// Example:
//     const ActionList legal = examplePosition().legalActions(exampleMaze(), 0);
//     const SeatRows rows = ActionFeatures(exampleMaze(), exampleDistances(), examplePosition(), 0).rows(legal);
//     assert(static_cast<int>(rows.count) == legal.size() && *rows.actions[0].begin() == 0);
class ActionFeatures {
public:
    // The number of features of an action.
    static constexpr std::size_t count = 279;

    ActionFeatures(const Maze &maze, const Distances &distances, const Position &position, int seat)
        : maze_(maze), distances_(distances), position_(position), seat_(seat),
          own_(position.strength[static_cast<std::size_t>(seat)]), canShoot_(position.canShoot(maze, seat)),
          quick_(quickAction(maze, distances, position, seat)) {
        const Cell cell = position.cells[static_cast<std::size_t>(seat)];
        for (int other = 0; other < seats; ++other) {
            if (other == seat || !position.isAlive(other))
                continue;
            const std::size_t at = static_cast<std::size_t>(other);
            const Cell there = position.cells[at];
            others_[otherCount_++] = {there, position.strength[at] - own_, position.boostTurnsLeft[at] > 0, position.canShoot(maze, other)};
        }
        for (Cell fruit : position.smallFruits | position.largeFruits) {
            const std::uint8_t *steps = distances.stepsFrom(fruit);
            int rival = none;
            for (const Other &other : others())
                rival = std::min<int>(rival, steps[other.cell]);
            fruits_[fruitCount_++] = {fruit, rival, position.largeFruits.contains(fruit)};
        }
        here_ = place(cell);
    }

    // Returns the rows of each of the seat's actions.
    SeatRows rows(const ActionList &actions) {
        SeatRows rows;
        rows.count = static_cast<std::size_t>(actions.size());
        std::array<Place, 9> places;
        mostFood_ = here_.food;
        for (std::size_t i = 0; i < rows.count; ++i) {
            const Action action = actions.actions[i];
            const Cell to = isMove(action) ? maze_.neighbour(here_.cell, directionOf(action)) : here_.cell;
            places[i] = to == here_.cell ? here_ : place(to);
            mostFood_ = std::max(mostFood_, places[i].food);
        }
        for (std::size_t i = 0; i < rows.count; ++i)
            fill(rows.actions[i], actions.actions[i], places[i]);
        return rows;
    }

private:
    static constexpr int none = Distances::unreachable;
    // The bins of a distance and of how it changes, and those of a light.
    static constexpr int changes = 24, shot = 3 + 6 + 4 + 5 + 3;

    // Another living player: its cell, how much stronger it is, and what it can do.
    struct Other {
        Cell cell;
        int lead;
        bool hasBoost, canShoot;
    };

    // A fruit, and the steps to it from the nearest other player.
    struct Fruit {
        Cell cell;
        int rival;
        bool isLarge;
    };

    // What the seat finds on a cell that it may be on after the turn.
    struct Place {
        Cell cell = 0;
        // Steps to the nearest small fruit, the nearest large one, and the nearest small one that no other player is nearer to.
        int small = none, large = none, first = none;
        // The discounted fruit around, in ten-thousandths of a small one, and the number of fruit within two steps.
        int food = 0, near = 0;
        // Steps to the nearest stronger, equal and weaker player.
        int stronger = none, equal = none, weaker = none;
    };

    template <typename Item>
    struct Span {
        const Item *first, *last;
        const Item *begin() const { return first; }
        const Item *end() const { return last; }
    };
    Span<Other> others() const { return {others_.data(), others_.data() + otherCount_}; }
    Span<Fruit> fruits() const { return {fruits_.data(), fruits_.data() + fruitCount_}; }

    static Direction directionOf(Action action) { return static_cast<Direction>((static_cast<int>(action) - 1) & 3); }

    // Returns the number of bounds below a value: that of its bin.
    template <typename... Bounds>
    static int bin(int value, Bounds... bounds) {
        return (0 + ... + static_cast<int>(value > bounds));
    }

    static int distanceBin(int steps) { return steps <= 4 ? steps : steps <= 6 ? 5 : steps == none ? 7 : 6; }
    static int change(int steps, int before) { return 3 * distanceBin(steps) + 1 + (steps > before) - (steps < before); }
    static int sign(int number) { return (number > 0) - (number < 0); }

    // Returns the value of a fruit by the steps to it, in thousandths.
    static int discount(int steps) {
        static const std::array<int, 32> values = [] {
            std::array<int, 32> powers{};
            double power = 1000.0;
            for (int &value : powers) {
                value = static_cast<int>(power + 0.5);
                power *= 0.8;
            }
            return powers;
        }();
        return values[static_cast<std::size_t>(std::min(steps, 31))];
    }

    Place place(Cell cell) const {
        const std::uint8_t *steps = distances_.stepsFrom(cell);
        Place place;
        place.cell = cell;
        for (const Other &other : others()) {
            int &nearest = other.lead > 0 ? place.stronger : other.lead == 0 ? place.equal : place.weaker;
            nearest = std::min<int>(nearest, steps[other.cell]);
        }
        for (const Fruit &fruit : fruits()) {
            const int to = steps[fruit.cell], share = fruit.rival < to ? 3 : fruit.rival == to ? 6 : 10;
            place.food += (fruit.isLarge ? 3 : 1) * share * discount(to);
            place.near += to <= 2;
            if (fruit.isLarge) {
                place.large = std::min(place.large, to);
            } else {
                place.small = std::min(place.small, to);
                if (to <= fruit.rival)
                    place.first = std::min(place.first, to);
            }
        }
        return place;
    }

    // Returns 0 if no other player is on a cell, else 2 and one less or more if the strongest is weaker or stronger.
    int strongestOn(Cell cell) const {
        int most = std::numeric_limits<int>::min();
        for (const Other &other : others())
            if (other.cell == cell)
                most = std::max(most, other.lead);
        return most == std::numeric_limits<int>::min() ? 0 : 2 + sign(most);
    }

    void fill(ActionRows &rows, Action action, const Place &place) const {
        const Cell here = here_.cell, cell = place.cell;
        const Ruleset &ruleset = maze_.ruleset();
        const DeadEnd &end = distances_.deadEnd(cell);
        // What the others can do.
        int comers = 0, strongerComers = 0, litHere = 0, litThere = 0, targets = 0, stronger = 0, most = std::numeric_limits<int>::min();
        bool isShut = false, cannotMiss = false, soonWeaker = false, isCaught = false;
        for (const Other &other : others()) {
            const bool comes = distances_.reach(other.cell).contains(cell);
            comers += comes;
            strongerComers += comes && other.lead > 0;
            litHere += other.canShoot && distances_.lights(other.cell).contains(here);
            litThere += other.canShoot && distances_.lights(other.cell).contains(cell);
            targets += distances_.lights(cell).contains(other.cell);
            stronger += other.lead > 0;
            most = std::max(most, other.lead);
            isShut |= end.depth > 0 && other.lead > 0 && distances_.steps(end.exit, other.cell) <= end.depth + 1;
            cannotMiss |= other.canShoot && distances_.sureLight(other.cell, cell) != Action::stay;
            soonWeaker |= other.lead > 0 && other.hasBoost && other.lead < ruleset.largeFruitEnhancement;
            const DeadEnd &its = distances_.deadEnd(other.cell);
            isCaught |= other.lead < 0 && its.depth > 0 && distances_.steps(cell, its.exit) <= its.depth;
        }

        rows.add(3, isShot(action) ? 2 : isMove(action) ? 1 : 0);
        rows.add(10, bin(ruleset.turnLimit - static_cast<int>(position_.turn), 1, 2, 3, 5, 8, 13, 20, 40, 70));
        rows.add(6, bin(static_cast<int>(position_.boostTurnsLeft[static_cast<std::size_t>(seat_)]), 0, 1, 2, 3, 6));
        const int coming = static_cast<int>(position_.generatorTurnsLeft), toSpawn = distances_.stepsToSpawn(cell);
        rows.add(7, bin(coming, 1, 2, 3, 5, 8, 12));
        rows.add(6, bin(toSpawn, 0, 1, 2, 3, 5));
        rows.add(7, bin(toSpawn - coming, -6, -3, -2, -1, 0, 1));
        // What is on the cell, and who else may come.
        const int fruit = position_.smallFruits.contains(cell) + 2 * position_.largeFruits.contains(cell);
        rows.add(9, 3 * std::min(fruit, 2) + (strongerComers > 0 ? 2 : comers > 0));
        rows.add(3, std::min(strongerComers, 2));
        rows.add(changes, change(place.small, here_.small));
        rows.add(changes, change(place.large, here_.large));
        rows.add(changes, change(place.first, here_.first));
        rows.add(7, bin((mostFood_ - place.food) / 100, 0, 10, 25, 50, 100, 200));
        rows.add(6, bin(mostFood_ / 1000, 1, 5, 10, 20, 35));
        rows.add(5, std::min(place.near, 4));
        // The others.
        rows.add(changes, change(place.stronger, here_.stronger));
        rows.add(changes, change(place.weaker, here_.weaker));
        rows.add(8, distanceBin(place.equal));
        rows.add(8, 2 * std::min<int>(end.depth, 3) + isShut);
        int open = 0;
        for (int d = 0; d < 4; ++d)
            open += maze_.isOpen(cell, static_cast<Direction>(d));
        rows.add(4, std::max(open, 1) - 1);
        rows.add(4, strongestOn(here));
        rows.add(4, cell == here ? 0 : strongestOn(cell));
        // Light.
        rows.add(6, 2 * std::min(litThere, 2) + (litHere > 0));
        rows.add(2, cannotMiss);
        rows.add(6, 3 * canShoot_ + std::min(targets, 2));
        if (isShot(action))
            addShot(rows, directionOf(action));
        else
            rows.skip(shot);
        // The seat.
        rows.add(7, bin(own_, 4, 5, 7, 10, 15, 24));
        rows.add(4, stronger);
        rows.add(7, bin(otherCount_ == 0 ? own_ : -most, -10, -4, -1, 0, 3, 9));
        rows.add(3, std::min(std::max(position_.living(), 2), 4) - 2);
        rows.add(2, action == quick_);
        rows.add(2, soonWeaker);
        rows.add(2, isCaught);
    }

    void addShot(ActionRows &rows, Direction direction) const {
        const CellSet &ray = maze_.ray(here_.cell, direction);
        int sure = 0, chances = 0;
        // The likeliest target, of those the nearest, of those the strongest: its chance in percent, steps, and who is stronger.
        int bestChance = 0, bestSteps = none, bestLead = 0;
        for (const Other &other : others()) {
            const CellSet &reach = distances_.reach(other.cell);
            const int chance = 100 * (reach & ray).size() / reach.size(), steps = distances_.steps(here_.cell, other.cell), lead = sign(other.lead);
            chances += chance;
            sure += chance == 100;
            const bool isBetter = chance != bestChance ? chance > bestChance : steps != bestSteps ? steps < bestSteps : lead > bestLead;
            if (isBetter) {
                bestChance = chance;
                bestSteps = steps;
                bestLead = lead;
            }
        }
        rows.add(3, std::min(sure, 2));
        rows.add(6, bin(bestChance, 19, 26, 40, 51, 99));
        rows.add(4, bin(chances, 30, 60, 100));
        rows.add(5, bin(bestSteps, 1, 2, 4, 7));
        rows.add(3, 1 + bestLead);
    }

    const Maze &maze_;
    const Distances &distances_;
    const Position &position_;
    int seat_, own_;
    bool canShoot_;
    Action quick_;
    std::array<Other, 3> others_;
    std::size_t otherCount_ = 0;
    std::array<Fruit, maxCells> fruits_;
    std::size_t fruitCount_ = 0;
    Place here_;
    // The most food on any cell that the seat can reach in this turn.
    int mostFood_ = 0;
};

} // namespace pacman2
#endif
// [pacman2:end features]

// [pacman2:section search needs: base, core, distances, evaluation; names: Deadline, OpponentModel, RootAction, SearchOptions]
// [pacman2:names SearchResult, Searcher]
#if PACMAN2_CPP17
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace pacman2 {

// A moment on a clock that never goes back. Make it first of all in `main`, since Botzone counts from the start of the program.
//
// Example:
//     const Deadline deadline(0.8);
//     assert(!deadline.hasPassed() && deadline.secondsLeft() > 0.5);
class Deadline {
public:
    explicit Deadline(double seconds)
        : at_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

    // Returns whether the moment has passed.
    bool hasPassed() const { return Clock::now() >= at_; }

    // Returns the time left; negative after the moment.
    double secondsLeft() const { return std::chrono::duration<double>(at_ - Clock::now()).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point at_;
};

// How likely each action of a player is: a mixture of three simple players, weighted by how well each predicted the actions so far.
//
// A model of your own is any type with the same `probabilities` and `trust`.
class OpponentModel {
public:
    explicit OpponentModel(const Distances &distances) : distances_(&distances) {
        for (Weights &weights : weights_)
            weights = {1.0F / 3, 1.0F / 3, 1.0F / 3};
    }

    // Learns from a turn: the position before it, and the actions.
    //
    // Example:
    //     OpponentModel model(exampleDistances());
    //     model.observe(exampleMaze(), examplePosition(), {Action::right, Action::stay, Action::stay, Action::stay});
    //     const ActionList legal = examplePosition().legalActions(exampleMaze(), 0);
    //     const auto likely = model.probabilities(exampleMaze(), examplePosition(), 0, legal);
    //     assert(likely[1] > likely[0] && model.trust(0) > 0);
    void observe(const Maze &maze, const Position &before, const Actions &actions) {
        for (int seat = 0; seat < seats; ++seat) {
            const Action action = actions[static_cast<std::size_t>(seat)];
            if (!before.isAlive(seat) || !before.isLegal(maze, seat, action))
                continue;
            Weights &weights = weights_[static_cast<std::size_t>(seat)];
            const Rows rows = predict(maze, before, seat, before.legalActions(maze, seat));
            float sum = 0;
            int index = 0;
            while (before.legalActions(maze, seat)[index] != action)
                ++index;
            for (std::size_t player = 0; player < weights.size(); ++player)
                sum += weights[player] *= rows[player][static_cast<std::size_t>(index)];
            // Players may change: old observations fade.
            for (float &weight : weights)
                weight = 0.99F * weight / sum + 0.01F / 3;
        }
    }

    // Returns the probability of each of these actions of a seat.
    std::array<float, 9> probabilities(const Maze &maze, const Position &position, int seat, const ActionList &actions) const {
        const Rows rows = predict(maze, position, seat, actions);
        std::array<float, 9> sum{};
        for (std::size_t player = 0; player < rows.size(); ++player)
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += weights_[static_cast<std::size_t>(seat)][player] * rows[player][i];
        return sum;
    }

    // Returns how often an opponent's action is drawn from these probabilities, instead of searched: from 0 to 1. Half is safer than more:
    // players that hunt do not act like any of the three.
    float trust(int) const { return 0.5F; }

private:
    using Weights = std::array<float, 3>;
    using Rows = std::array<std::array<float, 9>, 3>;

    // The players: one that acts at random, one that acts sensibly at random, and one that walks to fruit.
    Rows predict(const Maze &maze, const Position &position, int seat, const ActionList &actions) const {
        const ActionList sensible = sensibleActions(maze, *distances_, position, seat);
        const Action quick = quickAction(maze, *distances_, position, seat);
        const float each = 1.0F / static_cast<float>(actions.size());
        Rows rows{};
        for (int i = 0; i < actions.size(); ++i) {
            bool isSensible = false;
            for (Action action : sensible)
                isSensible |= action == actions[i];
            const std::size_t at = static_cast<std::size_t>(i);
            rows[0][at] = each;
            // Each makes slips, so that one surprise does not exclude it for ever.
            rows[1][at] = 0.05F * each + (isSensible ? 0.95F / static_cast<float>(sensible.size()) : 0.0F);
            rows[2][at] = 0.25F * each + (actions[i] == quick ? 0.75F : 0.0F);
        }
        return rows;
    }

    const Distances *distances_;
    std::array<Weights, seats> weights_;
};

// What a search may spend, and how it explores.
struct SearchOptions {
    // The most simulations; without a limit, the deadline ends the search.
    int simulations = std::numeric_limits<int>::max();
    // The constant of PUCT, in the unit of the values.
    float exploration = 7.0F;
    // The part of the priors that is uniform.
    float priorFloor = 0.2F;
    // The most positions in the tree. One takes about 200 bytes.
    int maxNodes = 400000;
    std::uint64_t seed = 1;
};

// What a search found for one action of the searching seat.
struct RootAction {
    Action action;
    int visits;
    // The mean value of the simulations that began with it.
    float value;
};

// What a search found.
struct SearchResult {
    // The most visited action.
    Action best = Action::stay;
    int simulations = 0;
    std::vector<RootAction> actions;
    // The mean values of all four seats.
    Values values{};
};

// A search of all players' actions: decoupled UCT. In each position every seat selects its action from its own statistics. At a new
// position, `evaluate(maze, position)` returns the values of the four seats, and they count for all actions on the way there.
//
// `Evaluate` is any function from Maze and Position to Values: HandMade, a net, a playout. `Model` says which actions are likely, as
// OpponentModel does: they are searched first, and opponents' actions are drawn from them as often as `trust` says.
//
// Example:
//     OpponentModel model(exampleDistances());
//     Searcher<HandMade> searcher(exampleMaze(), exampleDistances(), HandMade(exampleDistances()));
//     SearchOptions options;
//     options.simulations = 200;
//     const SearchResult result = searcher.search(examplePosition(), 0, model, Deadline(60), options);
//     assert(result.simulations == 200 && examplePosition().isLegal(exampleMaze(), 0, result.best));
template <typename Evaluate = HandMade>
class Searcher {
public:
    // Keeps references to the maze and the distances, and a copy of `evaluate`.
    Searcher(const Maze &maze, const Distances &distances, Evaluate evaluate)
        : maze_(maze), distances_(distances), evaluate_(std::move(evaluate)) {}

    // Searches for a living seat in a game that is not over, until the deadline or the most simulations.
    //
    // Example:
    //     const auto evaluate = [](const Maze &, const Position &position) {
    //         Values values{};
    //         for (std::size_t seat = 0; seat < seats; ++seat)
    //             values[seat] = static_cast<float>(position.strength[seat]);
    //         return values;
    //     };
    //     Searcher<decltype(evaluate)> searcher(exampleMaze(), exampleDistances(), evaluate);
    //     SearchOptions options;
    //     options.simulations = 500;
    //     options.exploration = 1.0F;
    //     const OpponentModel model(exampleDistances());
    //     const SearchResult result = searcher.search(examplePosition(), 0, model, Deadline(60), options);
    //     assert(result.best == Action::right);
    //     // The same seed searches the same.
    //     assert(searcher.search(examplePosition(), 0, model, Deadline(60), options).values == result.values);
    template <typename Model = OpponentModel>
    SearchResult search(const Position &root, int seat, const Model &model, const Deadline &deadline,
                        const SearchOptions &options = SearchOptions()) {
        Random random(options.seed + root.turn * 4 + static_cast<unsigned>(seat));
        float trust[seats];
        for (int other = 0; other < seats; ++other)
            trust[other] = other == seat ? 0.0F : model.trust(other);
        nodes_.clear();
        trials_.clear();
        slots_.assign(1 << 12, 0);
        const std::uint32_t top = add(root.hash());
        expand(top, root, model, options, random);
        SearchResult result;
        if (nodes_[top].counts[seat] > 1)
            for (; result.simulations < options.simulations; ++result.simulations) {
                // Reading the clock takes as long as a few evaluations.
                if (result.simulations % 16 == 0 && deadline.hasPassed())
                    break;
                const Values values = simulate(root, top, seat, model, options, trust, result.simulations, random);
                for (std::size_t each = 0; each < seats; ++each)
                    result.values[each] += (values[each] - result.values[each]) / static_cast<float>(result.simulations + 1);
            }
        int most = -1;
        const Range range = rangeOf(nodes_[top], seat);
        for (std::uint32_t trial = range.first; trial < range.end; ++trial) {
            const Trial &at = trials_[trial];
            result.actions.push_back({at.action, static_cast<int>(at.visits), at.mean});
            if (static_cast<int>(at.visits) > most) {
                most = static_cast<int>(at.visits);
                result.best = at.action;
            }
        }
        return result;
    }

private:
    static constexpr int maxDepth = 60;

    // A position of the search.
    struct Node {
        std::uint64_t hash;
        std::uint32_t first;
        std::uint8_t counts[seats];
    };

    // The statistics of one action of one seat in a node.
    struct Trial {
        std::uint32_t visits;
        float mean, prior;
        Action action;
    };

    struct Range {
        std::uint32_t first, end;
    };

    static Range rangeOf(const Node &node, int seat) {
        std::uint32_t first = node.first;
        for (int before = 0; before < seat; ++before)
            first += node.counts[before];
        return {first, first + node.counts[seat]};
    }

    // Returns the slot of a hash: with the number of its node plus one, or 0.
    std::size_t slotOf(std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = static_cast<std::size_t>(hash) & mask;
        while (slots_[slot] != 0 && nodes_[slots_[slot] - 1].hash != hash)
            slot = (slot + 1) & mask;
        return slot;
    }

    std::uint32_t add(std::uint64_t hash) {
        nodes_.push_back({hash, 0, {0, 0, 0, 0}});
        if (2 * nodes_.size() > slots_.size()) {
            slots_.assign(2 * slots_.size(), 0);
            for (std::uint32_t node = 0; node < nodes_.size(); ++node)
                slots_[slotOf(nodes_[node].hash)] = node + 1;
        } else {
            slots_[slotOf(hash)] = static_cast<std::uint32_t>(nodes_.size());
        }
        return static_cast<std::uint32_t>(nodes_.size()) - 1;
    }

    // Gives a node its actions.
    template <typename Model>
    void expand(std::uint32_t node, const Position &position, const Model &model, const SearchOptions &options, Random &random) {
        nodes_[node].first = static_cast<std::uint32_t>(trials_.size());
        for (int seat = 0; seat < seats; ++seat) {
            const ActionList actions = sensibleActions(maze_, distances_, position, seat);
            const std::array<float, 9> likely = model.probabilities(maze_, position, seat, actions);
            const float uniform = options.priorFloor / static_cast<float>(actions.size());
            float sum = 0;
            for (int i = 0; i < actions.size(); ++i)
                sum += likely[static_cast<std::size_t>(i)];
            for (int i = 0; i < actions.size(); ++i) {
                const float share = sum > 0 ? likely[static_cast<std::size_t>(i)] / sum : 1.0F / static_cast<float>(actions.size());
                // A little noise, so that four copies do not move symmetrically.
                const float prior = (uniform + (1.0F - options.priorFloor) * share) * (0.98F + 0.02F * random.uniform());
                trials_.push_back({0, 0.0F, prior, actions[i]});
            }
            nodes_[node].counts[seat] = actions.count;
        }
    }

    // Selects by PUCT, as AlphaZero does. An action without visits is valued at the mean of the others.
    std::uint32_t select(const Range &range, float exploration) const {
        std::uint32_t visits = 0;
        float sum = 0;
        for (std::uint32_t trial = range.first; trial < range.end; ++trial) {
            visits += trials_[trial].visits;
            sum += static_cast<float>(trials_[trial].visits) * trials_[trial].mean;
        }
        const float untried = visits > 0 ? sum / static_cast<float>(visits) : 0.0F;
        const float scale = exploration * std::sqrt(static_cast<float>(visits + 1));
        std::uint32_t best = range.first;
        float most = -std::numeric_limits<float>::infinity();
        for (std::uint32_t trial = range.first; trial < range.end; ++trial) {
            const Trial &at = trials_[trial];
            const float value = (at.visits > 0 ? at.mean : untried) + scale * at.prior / static_cast<float>(1 + at.visits);
            if (value > most) {
                most = value;
                best = trial;
            }
        }
        return best;
    }

    std::uint32_t draw(const Range &range, float chance) const {
        float sum = 0;
        for (std::uint32_t trial = range.first; trial < range.end; ++trial)
            sum += trials_[trial].prior;
        float rest = chance * sum;
        for (std::uint32_t trial = range.first; trial < range.end; ++trial)
            if ((rest -= trials_[trial].prior) < 0)
                return trial;
        return range.end - 1;
    }

    std::uint32_t leastTried(const Range &range) const {
        std::uint32_t least = range.first;
        for (std::uint32_t trial = range.first; trial < range.end; ++trial)
            if (trials_[trial].visits < trials_[least].visits)
                least = trial;
        return least;
    }

    template <typename Model>
    Values simulate(const Position &root, std::uint32_t node, int seat, const Model &model, const SearchOptions &options, const float *trust,
                    int number, Random &random) {
        Position position = root;
        std::array<std::uint32_t, seats> way[maxDepth];
        Values values;
        int depth = 0;
        for (;;) {
            std::array<std::uint32_t, seats> &picks = way[depth];
            Actions actions;
            for (int each = 0; each < seats; ++each) {
                const Range range = rangeOf(nodes_[node], each);
                std::uint32_t &pick = picks[static_cast<std::size_t>(each)];
                const float chance = trust[each] > 0 ? random.uniform() / trust[each] : 1.0F;
                pick = range.end - range.first == 1 ? range.first : chance < 1 ? draw(range, chance) : select(range, options.exploration);
                // The first visits can mislead, and selection alone might not return to an action.
                if (depth == 0 && each == seat && number % 16 == 0)
                    pick = leastTried(range);
                actions[static_cast<std::size_t>(each)] = trials_[pick].action;
            }
            ++depth;
            if (!position.play(maze_, actions)) {
                values = finalValues(position);
                break;
            }
            const std::uint64_t hash = position.hash();
            const std::size_t slot = slotOf(hash);
            const bool isKnown = slots_[slot] != 0;
            if (depth == maxDepth || !isKnown || !(nodes_[slots_[slot] - 1].counts[0] > 0 || canExpand(options))) {
                if (!isKnown && static_cast<int>(nodes_.size()) < options.maxNodes)
                    add(hash);
                values = evaluate_(maze_, position);
                break;
            }
            // Most positions are visited once, so a position gets its actions with the second visit.
            node = slots_[slot] - 1;
            if (nodes_[node].counts[0] == 0)
                expand(node, position, model, options, random);
        }
        for (int at = 0; at < depth; ++at)
            for (std::size_t each = 0; each < seats; ++each) {
                Trial &trial = trials_[way[at][each]];
                trial.mean += (values[each] - trial.mean) / static_cast<float>(++trial.visits);
            }
        return values;
    }

    bool canExpand(const SearchOptions &options) const {
        return trials_.size() + 36 <= static_cast<std::size_t>(options.maxNodes) * 12;
    }

    const Maze &maze_;
    const Distances &distances_;
    Evaluate evaluate_;
    std::vector<Node> nodes_;
    std::vector<Trial> trials_;
    std::vector<std::uint32_t> slots_;
};

} // namespace pacman2
#endif
// [pacman2:end search]

// [pacman2:section io needs: base, json, core; names: Game, Session, readActions, readMaze, readStart]
#if PACMAN2_CPP17
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pacman2 {

// Reads the maze of init data. Throws std::runtime_error if it is not init data.
//
// Example:
//     const auto init = json::Value::parse("{\"width\": 2, \"height\": 1, \"SKILL_COST\": 4, \"GENERATOR_INTERVAL\": 20,"
//                                          "\"LARGE_FRUIT_DURATION\": 10, \"LARGE_FRUIT_ENHANCEMENT\": 10,"
//                                          "\"static\": [[13, 7]], \"content\": [[15, 16]]}");
//     const Maze maze = readMaze(init);
//     assert(maze.isOpen(0, Direction::right) && readStart(maze, init).smallFruits == CellSet::of(1));
inline Maze readMaze(const json::Value &init) {
    const int width = init["width"].asInt(), height = init["height"].asInt();
    const json::Value &fixed = init["static"];
    if (!fixed.isArray() || !init["content"].isArray() || width < 1 || width > 11 || height < 1 || height > 11)
        throw std::runtime_error("expected init data with width, height, static and content in the first request");
    std::uint8_t bits[maxCells];
    for (int row = 0; row < height; ++row)
        for (int col = 0; col < width; ++col)
            bits[row * width + col] = static_cast<std::uint8_t>(fixed[row][col].asInt() & 31);
    Ruleset ruleset;
    ruleset.generatorInterval = init["GENERATOR_INTERVAL"].asInt();
    ruleset.largeFruitDuration = init["LARGE_FRUIT_DURATION"].asInt();
    ruleset.largeFruitEnhancement = init["LARGE_FRUIT_ENHANCEMENT"].asInt();
    ruleset.skillCost = init["SKILL_COST"].asInt();
    return Maze(width, height, bits, ruleset);
}

// Reads the first position of init data.
//
// Example:
//     const auto init = json::Value::parse("{\"content\": [[1, 16, 0, 2], [0, 0, 0, 0], [4, 32, 0, 8]]}");
//     assert(readStart(exampleMaze(), init).cells[2] == 8);
inline Position readStart(const Maze &maze, const json::Value &init) {
    std::uint8_t content[maxCells];
    for (int cell = 0; cell < maze.cells(); ++cell)
        content[cell] = static_cast<std::uint8_t>(init["content"][cell / maze.width()][cell % maze.width()].asInt() & 63);
    return Position::start(maze, content);
}

// Reads the actions of a turn from the request after it. Players without one are dead; they get `stay`.
//
// Example:
//     const auto request = json::Value::parse("{\"0\": {\"action\": 2}, \"1\": null, \"2\": {\"action\": -10}}");
//     const Actions actions = readActions(request);
//     assert(actions[0] == Action::down && actions[1] == Action::stay && actions[2] == Action::illegal);
inline Actions readActions(const json::Value &request) {
    Actions actions;
    for (int seat = 0; seat < seats; ++seat) {
        const json::Value &action = request[std::to_string(seat)]["action"];
        actions[static_cast<std::size_t>(seat)] = action.isNumber() ? actionOf(action.asInt()) : Action::stay;
    }
    return actions;
}

// A game up to now: its maze, its positions and the actions between them.
struct Game {
    Maze maze;
    // The first position and that after each turn; one more than there are actions.
    std::vector<Position> positions;
    std::vector<Actions> actions;

    // Begins a game.
    //
    // Example:
    //     Game game(exampleMaze(), examplePosition());
    //     game.play({Action::stay, Action::stay, Action::up, Action::stay});
    //     assert(game.position().turn == 1 && game.positions.size() == 2 && game.actions[0][2] == Action::up);
    Game(const Maze &itsMaze, const Position &start) : maze(itsMaze), positions{start} {}

    // Returns the latest position.
    //
    // Example:
    //     assert(Game(exampleMaze(), examplePosition()).position() == examplePosition());
    const Position &position() const { return positions.back(); }

    // Plays a turn and keeps it. After the end of the game it does nothing.
    //
    // Example:
    //     Game game(exampleMaze(), examplePosition());
    //     game.play({Action::right, Action::left, Action::stay, Action::stay});
    //     assert(game.position().strength[0] == 2);
    void play(const Actions &played) {
        Position next = position();
        if (next.isOver(maze))
            return;
        next.play(maze, played);
        positions.push_back(next);
        actions.push_back(played);
    }
};

// The conversation with Botzone, one process per turn or a process that keeps running.
//
// Example:
//     std::istringstream in("{\"requests\": [{\"id\": 1, \"width\": 2, \"height\": 1, \"SKILL_COST\": 4, \"GENERATOR_INTERVAL\": 20,"
//                           "\"LARGE_FRUIT_DURATION\": 10, \"LARGE_FRUIT_ENHANCEMENT\": 10,"
//                           "\"static\": [[13, 7]], \"content\": [[13, 2]]}], \"data\": \"plan\"}\n");
//     std::ostringstream out;
//     Session session(in, out);
//     while (session.next()) {
//         assert(session.seat() == 1 && session.data() == "plan");
//         session.answer(session.position().legalActions(session.maze(), session.seat())[0]);
//     }
//     assert(out.str() == "{\"response\":{\"action\":-1,\"tauntText\":\"\"},\"debug\":\"\",\"data\":\"\",\"globaldata\":\"\"}\n");
class Session {
public:
    // Talks over these streams.
    explicit Session(std::istream &in = std::cin, std::ostream &out = std::cout) : in_(in), out_(out) {}

    // Reads what the next decision is about. Returns whether there is one. Throws std::runtime_error if the input is no game.
    //
    // Example:
    //     std::istringstream in("{\"0\": {\"action\": 1}}\n");
    //     Session session(in);
    //     std::string complaint;
    //     try {
    //         session.next();
    //     } catch (const std::runtime_error &error) {
    //         complaint = error.what();
    //     }
    //     assert(complaint == "expected init data in the first request");
    bool next() {
        std::string line;
        while (std::getline(in_, line))
            if (line.find_first_not_of(" \t\r") != std::string::npos) {
                read(json::Value::parse(line));
                return true;
            }
        return false;
    }

    const Game &game() const { return *game_; }
    const Maze &maze() const { return game_->maze; }
    const Position &position() const { return game_->position(); }
    // Returns the bot's own seat.
    int seat() const { return seat_; }
    // Returns what the bot stored for this turn, and for this game.
    const std::string &data() const { return data_; }
    const std::string &globalData() const { return globalData_; }

    // Answers. `debug` appears in the log of the match.
    //
    // Example:
    //     // A program that keeps running is sent only the last turn.
    //     std::istringstream in("{\"requests\": [{\"id\": 0, \"width\": 2, \"height\": 1, \"SKILL_COST\": 4, \"GENERATOR_INTERVAL\": 20,"
    //                           "\"LARGE_FRUIT_DURATION\": 10, \"LARGE_FRUIT_ENHANCEMENT\": 10,"
    //                           "\"static\": [[13, 7]], \"content\": [[13, 18]]}]}\n"
    //                           "{\"0\": {\"action\": -1}, \"1\": {\"action\": -1}, \"2\": {\"action\": -1}, \"3\": {\"action\": -1}}\n");
    //     std::ostringstream out;
    //     Session session(in, out);
    //     session.keepRunning = true;
    //     while (session.next())
    //         session.answer(Action::stay, "hello");
    //     assert(session.position().turn == 1 && session.position().strength[1] == 2 && session.game().actions.size() == 1);
    //     assert(out.str().find("\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n{\"response\":{\"action\":-1,\"tauntText\":\"hello\"}") != std::string::npos);
    void answer(Action action, const std::string &taunt = "", const std::string &debug = "", const std::string &data = "",
                const std::string &globalData = "") {
        using json::quote;
        out_ << "{\"response\":{\"action\":" << actionNumber(action) << ",\"tauntText\":" << quote(taunt) << "},\"debug\":" << quote(debug)
             << ",\"data\":" << quote(data) << ",\"globaldata\":" << quote(globalData) << "}\n";
        if (keepRunning)
            out_ << ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n";
        out_.flush();
    }

    // Whether to ask Botzone to keep the program running for the next turn.
    bool keepRunning = false;

private:
    void read(const json::Value &input) {
        const json::Value &requests = input["requests"];
        const json::Value &first = requests.isArray() ? requests[0] : input;
        if (first["static"].isArray()) {
            game_.emplace(readMaze(first), Position());
            game_->positions[0] = readStart(game_->maze, first);
            seat_ = first["id"].asInt();
            if (seat_ < 0 || seat_ >= seats)
                throw std::runtime_error("expected an id from 0 to 3, got " + std::to_string(seat_));
            for (std::size_t turn = 1; turn < requests.size(); ++turn)
                game_->play(readActions(requests[turn]));
        } else {
            // A program that keeps running gets only the last turn.
            if (!game_)
                throw std::runtime_error("expected init data in the first request");
            game_->play(readActions(requests.isArray() && requests.size() > 0 ? requests[requests.size() - 1] : input));
        }
        data_ = input["data"].asString();
        globalData_ = input["globaldata"].asString();
    }

    std::istream &in_;
    std::ostream &out_;
    std::optional<Game> game_;
    int seat_ = 0;
    std::string data_, globalData_;
};

} // namespace pacman2
#endif
// [pacman2:end io]

// [pacman2:section compat needs: base, json, core; names: Pacman, Helpers, FIELD_MAX_HEIGHT, FIELD_MAX_WIDTH]
// [pacman2:names MAX_GENERATOR_COUNT, MAX_PLAYER_COUNT, MAX_TURN]
#if !defined(PACMAN2_NO_COMPAT)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

// The random numbers of the GNU library, drawn here. In random playouts, its std::rand takes up to a quarter of the time, since it locks. So
// the header defines rand and srand, and random and srandom, which are the same: with the same numbers, but for one thread. A program's own
// definition replaces the library's, also in its other sources. Each number is the sum of those 3 and 31 before it, without the lowest bit.
#if defined(__GLIBC__) && !defined(PACMAN2_NO_RAND)
namespace pacman2 {
namespace detail {

struct RandState {
    std::uint32_t words[31];
    unsigned front, rear;
    bool seeded;

    PACMAN2_INLINE std::uint32_t next() {
        if (PACMAN2_UNLIKELY(!seeded))
            seed(1);
        const std::uint32_t sum = words[front] += words[rear];
        front = front == 30 ? 0 : front + 1;
        rear = rear == 30 ? 0 : rear + 1;
        return sum >> 1;
    }

    // Fills the words with the numbers of a simpler generator, and lets the first 310 sums go.
    void seed(unsigned number) {
        std::int64_t word = static_cast<std::int32_t>(number == 0 ? 1 : number);
        for (int i = 0; i < 31; ++i) {
            words[i] = static_cast<std::uint32_t>(word);
            word = 16807 * (word % 127773) - 2836 * (word / 127773);
            word += word < 0 ? 2147483647 : 0;
        }
        front = 3;
        rear = 0;
        seeded = true;
        for (int i = 0; i < 310; ++i)
            next();
    }
};

// One for the whole program, which C++11 has no other way to define in a header.
template <typename Any>
struct RandOf {
    static RandState state;
};
template <typename Any>
RandState RandOf<Any>::state;

} // namespace detail
} // namespace pacman2

extern "C" {
// Example:
//     const int first = (std::srand(7), std::rand());
//     struct random_data library = {};
//     char words[128];
//     std::int32_t number;
//     initstate_r(7, words, sizeof words, &library);
//     assert(random_r(&library, &number) == 0 && number == first);
inline int rand() noexcept { return static_cast<int>(pacman2::detail::RandOf<void>::state.next()); }
inline void srand(unsigned number) noexcept { pacman2::detail::RandOf<void>::state.seed(number); }
inline long random() noexcept { return rand(); }
inline void srandom(unsigned number) noexcept { srand(number); }
}
#endif

// The sample program's constants. They are macros because bots define them again.
#ifndef FIELD_MAX_HEIGHT
#define FIELD_MAX_HEIGHT 20
#endif
#ifndef FIELD_MAX_WIDTH
#define FIELD_MAX_WIDTH 20
#endif
#ifndef MAX_GENERATOR_COUNT
#define MAX_GENERATOR_COUNT 4
#endif
#ifndef MAX_PLAYER_COUNT
#define MAX_PLAYER_COUNT 4
#endif
#ifndef MAX_TURN
#define MAX_TURN 100
#endif

// The drop-in layer: the names of the wiki's sample program, with its behaviour.
//
// Three things are better: undo is exact for odd costs of a shot, too; input that is not a game throws std::runtime_error with a
// sentence that says why; and a turn after the last one changes nothing.
namespace Pacman {

const std::time_t seed = std::time(nullptr);

// By direction: the step of the column and of the row; then those of the diagonals.
const int dx[] = {0, 1, 0, -1, 1, 1, -1, -1};
const int dy[] = {-1, 0, 1, 0, -1, 1, 1, -1};

// What can change in a cell; a cell has any of these bits.
enum GridContentType : int {
    empty = 0,
    player1 = 1,
    player2 = 2,
    player3 = 4,
    player4 = 8,
    playerMask = 15,
    smallFruit = 16,
    largeFruit = 32
};

// What never changes in a cell; a cell has any of these bits.
enum GridStaticType : int {
    emptyWall = 0,
    wallNorth = 1,
    wallEast = 2,
    wallSouth = 4,
    wallWest = 8,
    generator = 16
};

// Actions. The first four are directions, too.
enum Direction : int {
    stay = -1,
    up = 0,
    right = 1,
    down = 2,
    left = 3,
    shootUp = 4,
    shootRight = 5,
    shootDown = 6,
    shootLeft = 7
};

const GridContentType playerID2Mask[] = {player1, player2, player3, player4};
const std::string playerID2str[] = {"0", "1", "2", "3"};
const GridStaticType direction2OpposingWall[] = {wallNorth, wallEast, wallSouth, wallWest};

// Operators on values of one enumeration.
//
// Example:
//     Pacman::GridContentType content = Pacman::smallFruit;
//     content |= Pacman::player1;
//     assert(content & Pacman::playerMask & ~Pacman::player2);
template <typename T>
using IfEnum = typename std::enable_if<std::is_enum<T>::value, T>::type;

template <typename T>
inline IfEnum<T> operator|(const T &a, const T &b) {
    return static_cast<T>(static_cast<int>(a) | static_cast<int>(b));
}
template <typename T>
inline IfEnum<T> operator&(const T &a, const T &b) {
    return static_cast<T>(static_cast<int>(a) & static_cast<int>(b));
}
template <typename T>
inline IfEnum<T> operator-(const T &a, const T &b) {
    return static_cast<T>(static_cast<int>(a) - static_cast<int>(b));
}
template <typename T>
inline IfEnum<T> operator~(const T &a) {
    return static_cast<T>(~static_cast<int>(a));
}
template <typename T>
inline IfEnum<T> operator|=(T &a, const T &b) {
    return a = a | b;
}
template <typename T>
inline IfEnum<T> operator&=(T &a, const T &b) {
    return a = a & b;
}
template <typename T>
inline IfEnum<T> operator++(T &a) {
    return a = static_cast<T>(static_cast<int>(a) + 1);
}

struct FieldProp {
    int row, col;
};

struct Player : FieldProp {
    int strength;
    int powerUpLeft;
    bool dead;
};

// The fruit of one spawn.
struct NewFruits {
    FieldProp newFruits[MAX_GENERATOR_COUNT * 8 + 1];
    int newFruitCount;
};

// All spawns so far; NextTurn adds to them and PopState removes the last one.
PACMAN2_VARIABLE NewFruits newFruits[MAX_TURN];
PACMAN2_VARIABLE int newFruitsCount = 0;

// What a turn changed, as the judge's log has it.
struct TurnStateTransfer {
    enum StatusChange { none = 0, ateSmall = 1, ateLarge = 2, powerUpDrop = 4, die = 8, error = 16 };

    Direction actions[MAX_PLAYER_COUNT];
    StatusChange change[MAX_PLAYER_COUNT];
    int strengthDelta[MAX_PLAYER_COUNT];
};

// A list of actions.
struct ActionList {
    int count;
    Direction actions[9];
};

// Details of the drop-in layer.
namespace detail {

// The legal actions by bits: bits 0 to 3 are the open sides, bit 4 is set if the player can shoot.
struct ActionTable {
    ActionList rows[32];

    ActionTable() : rows() {
        for (int bits = 0; bits < 32; ++bits) {
            ActionList &row = rows[bits];
            row.actions[row.count++] = stay;
            for (int action = up; action <= shootLeft; ++action)
                if (bits >> (action < shootUp ? action : 4) & 1)
                    row.actions[row.count++] = static_cast<Direction>(action);
        }
    }
};

} // namespace detail

// One game. As in the sample program, a program has one object.
//
// Example:
//     Pacman::GameField &field = exampleField();
//     field.actions[0] = Pacman::right;
//     field.actions[1] = field.actions[2] = field.actions[3] = Pacman::stay;
//     const int before = field.players[0].col;
//     field.NextTurn();
//     assert(field.turnID == 1 && field.players[0].col == before + 1);
//     field.PopState();
//     assert(field.turnID == 0 && field.players[0].col == before);
class GameField {
public:
    int height, width;
    int generatorCount;
    int GENERATOR_INTERVAL, LARGE_FRUIT_DURATION, LARGE_FRUIT_ENHANCEMENT, SKILL_COST;

    GridStaticType fieldStatic[FIELD_MAX_HEIGHT][FIELD_MAX_WIDTH];
    GridContentType fieldContent[FIELD_MAX_HEIGHT][FIELD_MAX_WIDTH];
    // Turns until fruit spawns, the next turn included.
    int generatorTurnLeft;
    int aliveCount;
    int smallFruitCount;
    int turnID;
    FieldProp generators[MAX_GENERATOR_COUNT];
    Player players[MAX_PLAYER_COUNT];
    // The actions for NextTurn. Frightened players' actions become `stay` there.
    Direction actions[MAX_PLAYER_COUNT];

    GameField()
        : height(0), width(0), generatorCount(0), GENERATOR_INTERVAL(0), LARGE_FRUIT_DURATION(0), LARGE_FRUIT_ENHANCEMENT(0),
          SKILL_COST(0), fieldStatic(), fieldContent(), generatorTurnLeft(0), aliveCount(0), smallFruitCount(0), turnID(0),
          generators(), players(), actions(), history_(), settings_(), static_(), content_(), places_() {
        if (constructed())
            throw std::runtime_error("a second GameField was created: expected one in the whole program");
        constructed() = true;
    }
    GameField(const GameField &) = delete;
    GameField &operator=(const GameField &) = delete;

    // Returns whether an action is legal: a move needs an open side, a shot more strength than it costs.
    inline bool ActionValid(int playerID, const Direction &dir) const {
        const Player &player = players[playerID];
        const unsigned open = (~static_cast<unsigned>(fieldStatic[player.row][player.col]) & 15U) << 1;
        const unsigned valid = open | 1U | (player.strength > SKILL_COST ? 0x1E0U : 0U);
        const unsigned code = static_cast<unsigned>(static_cast<int>(dir) + 1);
        return code < 32U && (valid >> code & 1U);
    }

    // Returns the actions for which ActionValid returns true, in the order of their numbers. This is not in the sample program;
    // it is faster than to try all nine.
    //
    // Example:
    //     const Pacman::ActionList &valid = exampleField().ValidActions(0);
    //     assert(valid.count >= 1 && valid.actions[0] == Pacman::stay);
    inline const ActionList &ValidActions(int playerID) const {
        static const detail::ActionTable table;
        const Player &player = players[playerID];
        const unsigned open = ~static_cast<unsigned>(fieldStatic[player.row][player.col]) & 15U;
        return table.rows[open | (player.strength > SKILL_COST ? 16U : 0U)];
    }

    // Plays one turn with `actions`. Returns whether the game goes on.
    //
    // The fields are public and may have been changed since the last turn, so everything is read from them again.
    bool NextTurn() {
        if (turnID < 0 || turnID >= MAX_TURN)
            return false;
        readFields();
        Turn &turn = history_[turnID];
        turn = Turn();
        turn.before = position_;
        pacman2::Actions played;
        for (std::size_t i = 0; i < MAX_PLAYER_COUNT; ++i)
            played[i] = pacman2::actionOf(actions[i]);
        Watcher watcher = {*this, turn};
        const bool goesOn = position_.play(*maze_, played, watcher);
        std::memcpy(turn.actions, actions, sizeof actions);
        writeFields(turn.before);
        return goesOn;
    }

    // Takes the last turn back, exactly. Returns whether there was one.
    bool PopState() {
        if (turnID <= 0)
            return false;
        const pacman2::Position after = position_;
        const Turn &turn = history_[turnID - 1];
        position_ = turn.before;
        newFruitsCount -= turn.spawned;
        writeFields(after);
        return true;
    }

    // Returns the position in the fast layer. This is not in the sample program.
    //
    // Example:
    //     Pacman::GameField &field = exampleField();
    //     assert(field.FastPosition() == examplePosition() && field.FastMaze().width() == 4);
    const pacman2::Position &FastPosition() {
        readFields();
        return position_;
    }

    // Returns the maze of FastPosition, which has to be called before.
    const pacman2::Maze &FastMaze() const { return *maze_; }

    // Reads the input of one decision, plays the game up to now, and returns the bot's own seat.
    //
    // With _BOTZONE_ONLINE defined, the input is one line of std::cin. Otherwise it ends with an empty line and comes from
    // `localFileName`, or from std::cin if that is null or cannot be opened. `obtainedData` and `obtainedGlobalData` receive
    // what the bot stored. Throws std::runtime_error if the input is not a game.
    int ReadInput(const char *localFileName, std::string &obtainedData, std::string &obtainedGlobalData) {
        const pacman2::json::Value input = pacman2::json::Value::parse(readText(localFileName));
        const pacman2::json::Value &requests = input["requests"], &init = requests[0];
        if (!init["static"].isArray() || !init["content"].isArray())
            throw std::runtime_error("input is not a game: expected init data in requests[0]");
        height = init["height"].asInt();
        width = init["width"].asInt();
        GENERATOR_INTERVAL = init["GENERATOR_INTERVAL"].asInt();
        LARGE_FRUIT_DURATION = init["LARGE_FRUIT_DURATION"].asInt();
        LARGE_FRUIT_ENHANCEMENT = init["LARGE_FRUIT_ENHANCEMENT"].asInt();
        SKILL_COST = init["SKILL_COST"].asInt();
        // Small enough that no strength overflows.
        bool inRange = GENERATOR_INTERVAL > 0;
        for (const int setting : {GENERATOR_INTERVAL, LARGE_FRUIT_DURATION, LARGE_FRUIT_ENHANCEMENT, SKILL_COST})
            inRange &= setting >= 0 && setting <= 10000;
        if (!inRange)
            throw std::runtime_error("expected settings from 0 to 10000, GENERATOR_INTERVAL from 1");
        PrepareInitialField(init["static"], init["content"]);
        for (std::size_t turn = 1; turn < requests.size(); ++turn) {
            for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
                if (!players[i].dead)
                    actions[i] = static_cast<Direction>(requests[turn][playerID2str[i]]["action"].asInt());
            NextTurn();
        }
        obtainedData = input["data"].asString();
        obtainedGlobalData = input["globaldata"].asString();
        return init["id"].asInt();
    }

    // Sets up the start of a game from the matrices of its init data; height, width and the constants are already set. The
    // matrices are of jsoncpp's Json::Value, of pacman2::json::Value, or of any type with the same `[row][col].asInt()`.
    template <typename Json>
    void PrepareInitialField(const Json &staticField, const Json &contentField) {
        checkSize();
        turnID = generatorCount = aliveCount = smallFruitCount = newFruitsCount = 0;
        generatorTurnLeft = GENERATOR_INTERVAL;
        for (Player &player : players) {
            player = Player();
            player.dead = true;
        }
        for (int row = 0; row < height; ++row)
            for (int col = 0; col < width; ++col)
                prepareCell(row, col, staticField[row][col].asInt(), contentField[row][col].asInt());
    }

    // Writes the decision to std::cout, as JSON: one line if _BOTZONE_ONLINE is defined, otherwise indented. `data` and
    // `globalData` are stored for the next decision and for later games.
    void WriteOutput(Direction action, std::string tauntText = "", std::string data = "", std::string globalData = "") const {
        using pacman2::json::quote;
#ifdef _BOTZONE_ONLINE
        const char *const open = "{", *const key = "\"", *const colon = "\":", *const next = ",\"", *const inner = "{\"",
                          *const innerNext = ",\"", *const innerEnd = "}", *const end = "}\n";
#else
        const char *const open = "{\n", *const key = "   \"", *const colon = "\" : ", *const next = ",\n   \"",
                          *const inner = "{\n      \"", *const innerNext = ",\n      \"", *const innerEnd = "\n   }", *const end = "\n}\n";
#endif
        std::cout << open << key << "data" << colon << quote(data) << next << "debug" << colon << static_cast<int>(seed) << next
                  << "globaldata" << colon << quote(globalData) << next << "response" << colon << inner << "action" << colon
                  << static_cast<int>(action) << innerNext << "tauntText" << colon << quote(tauntText) << innerEnd << end << std::endl;
    }

    // Prints the position to standard output, unless _BOTZONE_ONLINE is defined: the maze with the players 0 to 3 (* for several), small fruit (.),
    // large fruit (o) and generators (G), then a line for each player.
    inline void DebugPrint() const {
#ifndef _BOTZONE_ONLINE
        std::printf("turn %d/%d, %d alive, fruit in %d\n", turnID, MAX_TURN, aliveCount, generatorTurnLeft);
        for (int row = 0; row < height; ++row) {
            printWalls(row, wallNorth);
            for (int col = 0; col < width; ++col) {
                const char west = fieldStatic[row][col] & wallWest ? '|' : ' ';
                std::printf("%c %c ", west, symbol(row, col));
            }
            std::printf("%c\n", fieldStatic[row][width - 1] & wallEast ? '|' : ' ');
        }
        printWalls(height - 1, wallSouth);
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            const Player &player = players[i];
            std::printf("%d: %d", i, player.strength);
            if (player.powerUpLeft > 0)
                std::printf(" +%d", player.powerUpLeft);
            std::printf(" %s %d,%d\n", player.dead ? "dead at" : "at", player.row, player.col);
        }
#endif
    }

    // Returns what the last turn changed.
    TurnStateTransfer LastTurnChange() const {
        TurnStateTransfer result = TurnStateTransfer();
        if (turnID < 1)
            return result;
        const Turn &turn = history_[turnID - 1];
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            result.actions[i] = turn.actions[i];
            result.change[i] = static_cast<TurnStateTransfer::StatusChange>(turn.change[i]);
            result.strengthDelta[i] = players[i].strength - turn.before.strength[static_cast<std::size_t>(i)] + turn.rounding[i];
        }
        return result;
    }

// Only if jsoncpp was included before this header.
#if defined(JSON_JSON_H_INCLUDED) || defined(JSON_VALUE_H_INCLUDED) || defined(CPPTL_JSON_H_INCLUDED) ||                              \
    defined(JSON_AMALGAMATED_H_INCLUDED) || defined(JSON_AMALGATED_H_INCLUDED)
    // Returns what the last turn changed, as the judge's log has it.
    Json::Value SerializeCurrentTurnChange() {
        const TurnStateTransfer last = LastTurnChange();
        Json::Value result;
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            result["actions"][i] = static_cast<int>(last.actions[i]);
            result["strengthDelta"][i] = last.strengthDelta[i];
            result["change"][i] = static_cast<int>(last.change[i]);
        }
        return result;
    }
#endif

private:
    // What a turn needs to be taken back and reported.
    struct Turn {
        pacman2::Position before;
        Direction actions[MAX_PLAYER_COUNT];
        unsigned char change[MAX_PLAYER_COUNT];
        // What the changes of strength in the judge's log differ by from the strengths, for lights of odd cost.
        int rounding[MAX_PLAYER_COUNT];
        bool spawned;
    };

    // Notes what happens in a turn, as the judge's log has it.
    struct Watcher {
        GameField &field;
        Turn &turn;

        PACMAN2_INLINE void note(int i, int change) { turn.change[i] = static_cast<unsigned char>(turn.change[i] | change); }
        void forfeits(int i) { note(i, TurnStateTransfer::error); }
        void isFrightened(int i) {
            if (field.actions[i] < shootUp)
                field.actions[i] = stay;
        }
        void dies(int i) { note(i, TurnStateTransfer::die); }
        // The change in the log is rounded, too, but separately.
        void isLit(int i, int strength, int halves) {
            const int start = turn.before.strength[static_cast<std::size_t>(i)], delta = strength - start + turn.rounding[i];
            turn.rounding[i] = (2 * delta + halves) / 2 - ((2 * strength + halves) / 2 - start);
        }
        void spawns(const pacman2::CellSet &cells) {
            turn.spawned = true;
            field.listNewFruits(cells);
        }
        PACMAN2_INLINE void eats(int i, bool large) { note(i, large ? TurnStateTransfer::ateLarge : TurnStateTransfer::ateSmall); }
        void boostFades(int i) { note(i, TurnStateTransfer::powerUpDrop); }
    };

    Turn history_[MAX_TURN];
    // The position of the last turn, its maze, and the fields of which they were made.
    pacman2::Position position_;
    std::unique_ptr<pacman2::Maze> maze_;
    int settings_[6];
    GridStaticType static_[FIELD_MAX_HEIGHT][FIELD_MAX_WIDTH];
    GridContentType content_[FIELD_MAX_HEIGHT][FIELD_MAX_WIDTH];
    // By cell: its row and column.
    FieldProp places_[pacman2::maxCells];

    static bool &constructed() {
        static bool value = false;
        return value;
    }

    // Makes the position of the fields.
    void readFields() {
        const int settings[] = {height, width, GENERATOR_INTERVAL, LARGE_FRUIT_DURATION, LARGE_FRUIT_ENHANCEMENT, SKILL_COST};
        const std::size_t used = static_cast<std::size_t>(height) * sizeof fieldStatic[0];
        const bool sameMaze = maze_ && std::memcmp(settings_, settings, sizeof settings) == 0 && std::memcmp(static_, fieldStatic, used) == 0;
        if (PACMAN2_UNLIKELY(!sameMaze)) {
            makeMaze();
            std::memcpy(settings_, settings, sizeof settings);
            readFruit();
        } else if (PACMAN2_UNLIKELY(std::memcmp(content_, fieldContent, used) != 0)) {
            readFruit();
        }
        position_.turn = static_cast<std::uint32_t>(turnID);
        position_.generatorTurnsLeft = static_cast<std::uint32_t>(generatorTurnLeft);
        position_.alive = 0;
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            const Player &player = players[i];
            const std::size_t seat = static_cast<std::size_t>(i);
            position_.alive |= player.dead ? 0 : pacman2::detail::top(i);
            position_.cells[seat] = static_cast<pacman2::Cell>(player.row * width + player.col);
            position_.strength[seat] = player.strength;
            position_.boostTurnsLeft[seat] = static_cast<std::uint32_t>(player.powerUpLeft);
        }
    }

    void checkSize() const {
        if (height < 1 || height > std::min(FIELD_MAX_HEIGHT, 11) || width < 1 || width > std::min(FIELD_MAX_WIDTH, 11))
            throw std::runtime_error("expected 1 to 11 rows and columns, got " + std::to_string(height) + " and " + std::to_string(width));
    }

    PACMAN2_NOINLINE void makeMaze() {
        checkSize();
        pacman2::Ruleset ruleset;
        ruleset.generatorInterval = GENERATOR_INTERVAL;
        ruleset.largeFruitDuration = LARGE_FRUIT_DURATION;
        ruleset.largeFruitEnhancement = LARGE_FRUIT_ENHANCEMENT;
        ruleset.skillCost = SKILL_COST;
        ruleset.turnLimit = MAX_TURN;
        std::uint8_t fixed[pacman2::maxCells] = {};
        for (int cell = 0; cell < height * width; ++cell) {
            places_[cell].row = cell / width;
            places_[cell].col = cell % width;
            fixed[cell] = static_cast<std::uint8_t>(fieldStatic[cell / width][cell % width] & 31);
        }
        maze_.reset(new pacman2::Maze(width, height, fixed, ruleset));
        std::memcpy(static_, fieldStatic, sizeof fieldStatic);
    }

    PACMAN2_NOINLINE void readFruit() {
        position_.smallFruits = position_.largeFruits = pacman2::CellSet();
        for (int cell = 0; cell < maze_->cells(); ++cell) {
            const int content = fieldContent[places_[cell].row][places_[cell].col];
            if (content & smallFruit)
                position_.smallFruits.insert(static_cast<pacman2::Cell>(cell));
            if (content & largeFruit)
                position_.largeFruits.insert(static_cast<pacman2::Cell>(cell));
        }
        std::memcpy(content_, fieldContent, sizeof fieldContent);
    }

    // Shows the position in the fields, which show `shown`.
    PACMAN2_INLINE void writeFields(const pacman2::Position &shown) {
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
            change(players[i], playerID2Mask[i], 0);
        const pacman2::CellSet &small = position_.smallFruits, &large = position_.largeFruits;
        for (pacman2::Cell cell : pacman2::CellSet(small.low ^ shown.smallFruits.low, small.high ^ shown.smallFruits.high)) {
            const int there = small.contains(cell);
            change(places_[cell], smallFruit, there * smallFruit);
            smallFruitCount += 2 * there - 1;
        }
        for (pacman2::Cell cell : pacman2::CellSet(large.low ^ shown.largeFruits.low, large.high ^ shown.largeFruits.high))
            change(places_[cell], largeFruit, large.contains(cell) * largeFruit);
        aliveCount = 0;
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            Player &player = players[i];
            const std::size_t seat = static_cast<std::size_t>(i);
            static_cast<FieldProp &>(player) = places_[position_.cells[seat]];
            player.strength = position_.strength[seat];
            player.powerUpLeft = static_cast<int>(position_.boostTurnsLeft[seat]);
            const int alive = position_.isAlive(i);
            player.dead = !alive;
            aliveCount += alive;
            change(player, 0, alive * playerID2Mask[i]);
        }
        turnID = static_cast<int>(position_.turn);
        generatorTurnLeft = static_cast<int>(position_.generatorTurnsLeft);
    }

    // Changes bits of a cell, also in what the position was made of.
    PACMAN2_INLINE void change(const FieldProp &at, int removed, int added) {
        GridContentType &field = fieldContent[at.row][at.col], &read = content_[at.row][at.col];
        field = static_cast<GridContentType>((field & ~removed) | added);
        read = static_cast<GridContentType>((read & ~removed) | added);
    }

    // Lists new fruit as the sample program does: generator by generator.
    PACMAN2_NOINLINE void listNewFruits(pacman2::CellSet cells) {
        NewFruits &spawned = newFruits[newFruitsCount++];
        spawned.newFruitCount = 0;
        for (int i = 0; i < generatorCount; ++i)
            for (int direction = 0; direction < 8; ++direction) {
                const pacman2::Cell cell = maze_->cell(generators[i].row + dy[direction], generators[i].col + dx[direction]);
                if (!cells.contains(cell))
                    continue;
                cells.remove(cell);
                spawned.newFruits[spawned.newFruitCount++] = places_[cell];
            }
    }

    void prepareCell(int row, int col, int fixed, int content) {
        fieldStatic[row][col] = static_cast<GridStaticType>(fixed);
        fieldContent[row][col] = static_cast<GridContentType>(content);
        if (fixed & generator) {
            if (generatorCount == MAX_GENERATOR_COUNT)
                throw std::runtime_error("expected at most " + std::to_string(MAX_GENERATOR_COUNT) + " generators, got more");
            generators[generatorCount].row = row;
            generators[generatorCount++].col = col;
        }
        smallFruitCount += (content & smallFruit) != 0;
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
            if (content & playerID2Mask[i]) {
                players[i].row = row;
                players[i].col = col;
                players[i].strength = 1;
                players[i].dead = false;
                ++aliveCount;
            }
    }

    static std::string readText(const char *localFileName) {
        std::string text;
#ifdef _BOTZONE_ONLINE
        (void)localFileName;
        std::ios::sync_with_stdio(false);
        std::getline(std::cin, text);
#else
        std::ifstream file;
        if (localFileName)
            file.open(localFileName);
        std::istream &input = file.is_open() ? static_cast<std::istream &>(file) : std::cin;
        for (std::string line; std::getline(input, line) && !line.empty();)
            text += line;
#endif
        return text;
    }

#ifndef _BOTZONE_ONLINE
    void printWalls(int row, GridStaticType wall) const {
        for (int col = 0; col < width; ++col)
            std::printf("+%s", fieldStatic[row][col] & wall ? "---" : "   ");
        std::printf("+\n");
    }

    char symbol(int row, int col) const {
        const int content = fieldContent[row][col], here = content & playerMask;
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
            if (here == playerID2Mask[i])
                return static_cast<char>('0' + i);
        return here                            ? '*'
               : fieldStatic[row][col] & generator ? 'G'
               : content & smallFruit              ? '.'
               : content & largeFruit              ? 'o'
                                                   : ' ';
    }
#endif

};

} // namespace Pacman

#if !defined(PACMAN2_NO_HELPERS)

// What the sample program has beside its namespace Pacman. Own functions of a bot with the same names in its namespace Helpers
// hide these.
namespace pacman2 {
namespace helpers {

// By action + 1: the sum of the scores of the playouts that began with it.
PACMAN2_VARIABLE double actionScore[9] = {};

// Returns a random number from `a` to `b` - 1, by std::rand; of two equal numbers, that number.
//
// Example:
//     const int number = Helpers::RandBetween(3, 5);
//     assert(number == 3 || number == 4);
inline int RandBetween(int a, int b) {
    return a == b ? a : a < b ? std::rand() % (b - a) + a : std::rand() % (a - b) + b;
}

// Adds the share of all strength that a player has at the end, in percent, to the sum of its first action. A dead player has none.
inline void addScore(int first, int own, int total) {
    if (total != 0 && first >= -1 && first <= 7)
        actionScore[first + 1] += (10000 * own / total) / 100.0;
}

// Plays random legal actions to the end of the game, adds the share of all strength that `myID` has at the end, in percent, to the
// `actionScore` of its first action, and takes everything back.
//
// Example:
//     Pacman::GameField &field = exampleField();
//     for (int i = 0; i < 100; ++i)
//         Helpers::RandomPlay(field, 0);
//     double sum = 0;
//     for (const double score : Helpers::actionScore)
//         sum += score;
//     assert(sum > 0);
inline void RandomPlay(Pacman::GameField &gameField, int myID) {
    Position position = gameField.FastPosition();
    int first = gameField.actions[myID];
    bool begins = true;
    const auto choose = [&](const std::uint8_t *const *choices, std::uint32_t alive, std::uint8_t *aims) {
        for (int seat = 0; seat < seats; ++seat) {
            if (!(alive & detail::top(seat)))
                continue;
            const unsigned drawn = static_cast<unsigned>(std::rand()) % choices[seat][15];
            aims[seat] = choices[seat][drawn];
            if (PACMAN2_UNLIKELY(begins) && seat == myID)
                first = gameField.ValidActions(seat).actions[drawn];
        }
        begins = false;
    };
    position.playWith(gameField.FastMaze(), choose);
    addScore(first, position.strength[static_cast<std::size_t>(myID)],
             position.strength[0] + position.strength[1] + position.strength[2] + position.strength[3]);
}

} // namespace helpers
} // namespace pacman2

namespace Helpers {
using namespace pacman2::helpers;
}
#endif
#endif
// [pacman2:end compat]
#endif // PACMAN2_HPP
