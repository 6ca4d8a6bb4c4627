// pacman2.hpp: the rules of Botzone's game Pacman2, for C++ bots.
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// One header without dependencies, in two layers:
//
// - The drop-in layer (section compat, C++11 or later) has the names of the wiki's sample program: delete `namespace Pacman { … }`
//   from your bot, write `#include "pacman2.hpp"` in its place, and the bot plays as before, faster, with exact undo.
// - The fast layer (C++17, namespace pacman2) has positions of 80 bytes, playouts, distances and a searcher.
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
    double asDouble() const { return number_; }

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

// [pacman2:section compat needs: base, json; names: Pacman, Helpers, FIELD_MAX_HEIGHT, FIELD_MAX_WIDTH]
// [pacman2:names MAX_GENERATOR_COUNT, MAX_PLAYER_COUNT, MAX_TURN]
#if !defined(PACMAN2_NO_COMPAT)
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <type_traits>

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

// Returns a coordinate that is at most one step outside, wrapped around.
PACMAN2_INLINE int wrapped(int place, int side) {
    place += place < 0 ? side : 0;
    return place - (place >= side ? side : 0);
}

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
          generators(), players(), actions(), history_(), places_(), neighbours_(), neighboursHeight_(0), neighboursWidth_(0) {
        if (constructed())
            throw std::runtime_error("a second GameField was created: expected one in the whole program");
        constructed() = true;
    }
    GameField(const GameField &) = delete;
    GameField &operator=(const GameField &) = delete;

    // Returns whether an action is legal: a move needs an open side, a shot more strength than it costs.
    inline bool ActionValid(int playerID, const Direction &dir) const {
        const Player &player = players[playerID];
        if (dir >= shootUp)
            return dir <= shootLeft && player.strength > SKILL_COST;
        return dir == stay || (dir >= up && !(fieldStatic[player.row][player.col] & (1 << dir)));
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
        if (PACMAN2_UNLIKELY(neighboursHeight_ != height || neighboursWidth_ != width))
            findNeighbours();
        Turn &turn = history_[turnID];
        std::memcpy(turn.before, players, sizeof players);
        std::memset(turn.change, 0, sizeof turn.change);
        turn.aliveCount = aliveCount;
        turn.smallFruitCount = smallFruitCount;
        turn.generatorTurnLeft = generatorTurnLeft;
        turn.spawned = turn.rounded = false;

        const int fruit = move(turn);
        if (shootersAmong(actions[0], actions[1], actions[2], actions[3]))
            shoot(turn);
        removeDead(turn);
        const bool spawns = --generatorTurnLeft == 0;
        if (PACMAN2_UNLIKELY(spawns))
            spawn(turn);
        if (fruit | spawns)
            eat(turn);
        if (players[0].powerUpLeft | players[1].powerUpLeft | players[2].powerUpLeft | players[3].powerUpLeft) {
            expireBoosts(turn);
            removeDead(turn);
        }

        std::memcpy(turn.actions, actions, sizeof actions);
        ++turnID;
        if (PACMAN2_UNLIKELY(aliveCount <= 1)) {
            for (Player &player : players)
                if (!player.dead)
                    player.strength += smallFruitCount;
            return false;
        }
        return turnID < MAX_TURN;
    }

    // Takes the last turn back, exactly. Returns whether there was one.
    bool PopState() {
        if (turnID <= 0)
            return false;
        const Turn &turn = history_[--turnID];
        GridContentType *const contents = &fieldContent[0][0];
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            // A player ate where it is at the end of the turn. The bits for what it ate are those of the fruit, shifted.
            GridContentType &content = contents[cellOf(players[i])];
            const int eaten = (turn.change[i] & (TurnStateTransfer::ateSmall | TurnStateTransfer::ateLarge)) << 4;
            content = static_cast<GridContentType>((content & ~playerID2Mask[i]) | eaten);
        }
        if (PACMAN2_UNLIKELY(turn.spawned)) {
            const NewFruits &spawned = newFruits[--newFruitsCount];
            for (int i = 0; i < spawned.newFruitCount; ++i)
                fieldContent[spawned.newFruits[i].row][spawned.newFruits[i].col] &= ~smallFruit;
        }
        std::memcpy(players, turn.before, sizeof players);
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
            contents[cellOf(players[i])] |= mark(i);
        aliveCount = turn.aliveCount;
        smallFruitCount = turn.smallFruitCount;
        generatorTurnLeft = turn.generatorTurnLeft;
        return true;
    }

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
        if (height < 1 || height > FIELD_MAX_HEIGHT || width < 1 || width > FIELD_MAX_WIDTH)
            throw std::runtime_error("expected at most " + std::to_string(FIELD_MAX_HEIGHT) + " rows and " + std::to_string(FIELD_MAX_WIDTH) +
                                     " columns, got " + std::to_string(height) + " and " + std::to_string(width));
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
            result.strengthDelta[i] = players[i].strength - turn.before[i].strength + (turn.rounded ? turn.rounding[i] : 0);
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
        Player before[MAX_PLAYER_COUNT];
        Direction actions[MAX_PLAYER_COUNT];
        unsigned char change[MAX_PLAYER_COUNT];
        // What the changes of strength in the judge's log differ by from the strengths, for lights of odd cost.
        int rounding[MAX_PLAYER_COUNT];
        int aliveCount, smallFruitCount, generatorTurnLeft;
        bool spawned, rounded;
    };

    Turn history_[MAX_TURN];
    // By cell: its row and column, and by action + 1 the cell that a move leads to; that of 0 is itself.
    FieldProp places_[FIELD_MAX_HEIGHT * FIELD_MAX_WIDTH];
    unsigned short neighbours_[FIELD_MAX_HEIGHT * FIELD_MAX_WIDTH][8];
    // The size that `neighbours_` is made for.
    int neighboursHeight_, neighboursWidth_;

    static bool &constructed() {
        static bool value = false;
        return value;
    }

    PACMAN2_INLINE GridContentType &at(const FieldProp &prop) { return fieldContent[prop.row][prop.col]; }

    PACMAN2_INLINE static unsigned cellOf(const FieldProp &prop) {
        return static_cast<unsigned>(prop.row) * FIELD_MAX_WIDTH + static_cast<unsigned>(prop.col);
    }

    // Returns bits: bit `action + 1` is set if the action is legal.
    PACMAN2_INLINE unsigned legalCodes(const Player &player) const {
        const unsigned open = ~static_cast<unsigned>(fieldStatic[player.row][player.col]) & 15U;
        return 1U | open << 1 | (player.strength > SKILL_COST ? 0x1E0U : 0U);
    }

    void die(Turn &turn, int i, TurnStateTransfer::StatusChange how) {
        GridContentType &content = at(players[i]);
        content &= ~playerID2Mask[i];
        players[i].dead = true;
        turn.change[i] = static_cast<unsigned char>(turn.change[i] | how);
        --aliveCount;
    }

    PACMAN2_INLINE static bool shootersAmong(int a, int b, int c, int d) {
        return (a >= shootUp) | (b >= shootUp) | (c >= shootUp) | (d >= shootUp);
    }

    // Where the players are and go, as indices of cells.
    struct Steps {
        unsigned from[MAX_PLAYER_COUNT], to[MAX_PLAYER_COUNT];
    };

    // Removes forfeiting players, frightens, moves, and lets players that meet fight. Returns whether there is fruit where the
    // players are.
    PACMAN2_INLINE int move(Turn &turn) {
        Steps steps;
        if (PACMAN2_UNLIKELY(aim(steps) != 0)) {
            checkInOrder(turn);
            aim(steps);
        }
        // Without branches on who lives: the dead stay where they are and leave no mark.
        GridContentType *const contents = &fieldContent[0][0];
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
            contents[steps.from[i]] &= ~mark(i);
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            contents[steps.to[i]] |= mark(i);
            static_cast<FieldProp &>(players[i]) = places_[steps.to[i]];
        }
        int others = 0, all = 0;
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            const int content = contents[steps.to[i]];
            all |= content;
            others |= content & playerMask & ~playerID2Mask[i] & living(i);
        }
        if (PACMAN2_UNLIKELY(others != 0))
            fight(turn);
        return all & (smallFruit | largeFruit);
    }

    // Returns all bits for a living player, none for a dead one.
    PACMAN2_INLINE int living(int i) const { return static_cast<int>(players[i].dead) - 1; }

    // Returns the bit of a living player, none for a dead one.
    PACMAN2_INLINE GridContentType mark(int i) const { return static_cast<GridContentType>(playerID2Mask[i] & living(i)); }

    // Finds where the players go. Returns other than 0 if an action is illegal or a player stands ahead of another.
    PACMAN2_INLINE unsigned aim(Steps &steps) const {
        const GridContentType *const contents = &fieldContent[0][0];
        const GridStaticType *const fixed = &fieldStatic[0][0];
        unsigned trouble = 0;
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            const Player &player = players[i];
            const unsigned from = cellOf(player);
            const unsigned code = static_cast<unsigned>((static_cast<int>(actions[i]) + 1) & living(i));
            const unsigned forbidden = (static_cast<unsigned>(fixed[from]) & 15U) << 1 | (player.strength > SKILL_COST ? 0U : 0x1E0U);
            const unsigned to = neighbours_[from][code <= 4 ? code : 0];
            trouble |= (forbidden >> (code & 15) & 1U) | (code > 8 ? 1U : 0U);
            trouble |= static_cast<unsigned>(contents[to] & playerMask & ~playerID2Mask[i] & living(i));
            steps.from[i] = from;
            steps.to[i] = to;
        }
        return trouble;
    }

    PACMAN2_NOINLINE void findNeighbours() {
        neighboursHeight_ = height;
        neighboursWidth_ = width;
        for (int row = 0; row < height; ++row)
            for (int col = 0; col < width; ++col)
                {
                    const int cell = row * FIELD_MAX_WIDTH + col;
                    places_[cell].row = row;
                    places_[cell].col = col;
                    neighbours_[cell][0] = static_cast<unsigned short>(cell);
                    for (int direction = 0; direction < 4; ++direction)
                        neighbours_[cell][direction + 1] = static_cast<unsigned short>(
                            detail::wrapped(row + dy[direction], height) * FIELD_MAX_WIDTH + detail::wrapped(col + dx[direction], width));
                }
    }

    // Goes through the players in the order of their seats: an illegal action forfeits, a stronger player ahead frightens.
    PACMAN2_NOINLINE void checkInOrder(Turn &turn) {
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            Player &player = players[i];
            if (player.dead)
                continue;
            if (!ActionValid(i, actions[i])) {
                die(turn, i, TurnStateTransfer::error);
                player.strength = 0;
            } else if (actions[i] >= up && actions[i] < shootUp) {
                const int ahead = (&fieldContent[0][0])[neighbours_[cellOf(player)][actions[i] + 1]] & playerMask;
                for (int other = 0; ahead >> other != 0; ++other)
                    if ((ahead & playerID2Mask[other]) && players[other].strength > player.strength)
                        actions[i] = stay;
            }
        }
    }

    // In each cell with several players, the strongest eat the others.
    PACMAN2_NOINLINE void fight(Turn &turn) {
        int fought = 0;
        for (int first = 0; first < MAX_PLAYER_COUNT; ++first) {
            const int here = at(players[first]) & playerMask;
            if (players[first].dead || here == playerID2Mask[first] || (fought & playerID2Mask[first]))
                continue;
            fought |= here;
            int most = players[first].strength;
            for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
                if ((here & playerID2Mask[i]) && players[i].strength > most)
                    most = players[i].strength;
            int count = 0, loot = 0;
            for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
                if (!(here & playerID2Mask[i]))
                    continue;
                if (players[i].strength == most) {
                    ++count;
                } else {
                    const int lost = players[i].strength / 2;
                    loot += lost;
                    players[i].strength -= lost;
                    die(turn, i, TurnStateTransfer::die);
                }
            }
            if (loot == 0)
                continue;
            for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
                if ((here & playerID2Mask[i]) && !players[i].dead)
                    players[i].strength += loot / count;
        }
    }

    // Fires the lights, seat by seat. Players without strength die only after the last one.
    PACMAN2_INLINE void shoot(Turn &turn) {
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            Player &player = players[i];
            if (player.dead || actions[i] < shootUp)
                continue;
            player.strength -= SKILL_COST;
            const int direction = actions[i] - shootUp;
            const int wall = 1 << direction, rowStep = dy[direction], colStep = dx[direction];
            int row = player.row, col = player.col;
            while (!(fieldStatic[row][col] & wall)) {
                row = detail::wrapped(row + rowStep, height);
                col = detail::wrapped(col + colStep, width);
                if (row == player.row && col == player.col)
                    break;
                if (PACMAN2_UNLIKELY((fieldContent[row][col] & playerMask) != 0))
                    hitAll(turn, i, fieldContent[row][col]);
            }
        }
    }

    // Hits the players of a cell.
    void hitAll(Turn &turn, int shooter, int content) {
        for (int victim = 0; victim < MAX_PLAYER_COUNT; ++victim)
            if (content & playerID2Mask[victim]) {
                addHalves(turn, victim, -3 * SKILL_COST);
                addHalves(turn, shooter, 3 * SKILL_COST);
            }
    }

    // Adds halves to a strength, which is rounded towards zero. The change in the log is rounded, too, but separately.
    PACMAN2_INLINE void addHalves(Turn &turn, int i, int halves) {
        int &strength = players[i].strength;
        if (halves % 2 != 0) {
            if (!turn.rounded)
                std::memset(turn.rounding, 0, sizeof turn.rounding);
            turn.rounded = true;
            const int start = turn.before[i].strength, delta = strength - start + turn.rounding[i];
            strength = (2 * strength + halves) / 2;
            turn.rounding[i] = (2 * delta + halves) / 2 - (strength - start);
        } else {
            strength += halves / 2;
        }
    }

    // Removes players without strength.
    PACMAN2_INLINE void removeDead(Turn &turn) {
        int weak = 0;
        PACMAN2_UNROLL
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
            weak |= static_cast<int>(players[i].strength <= 0) & static_cast<int>(!players[i].dead);
        if (PACMAN2_UNLIKELY(weak != 0))
            removeWeak(turn);
    }

    PACMAN2_NOINLINE void removeWeak(Turn &turn) {
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
            if (!players[i].dead && players[i].strength <= 0) {
                die(turn, i, TurnStateTransfer::die);
                players[i].strength = 0;
            }
    }

    // Puts small fruit around the generators, where there is neither fruit nor generator.
    PACMAN2_NOINLINE void spawn(Turn &turn) {
        generatorTurnLeft = GENERATOR_INTERVAL;
        turn.spawned = true;
        NewFruits &spawned = newFruits[newFruitsCount++];
        // Without branches on what is there, which cannot be predicted.
        int count = 0;
        for (int i = 0; i < generatorCount; ++i)
            for (int direction = 0; direction < 8; ++direction) {
                const int row = detail::wrapped(generators[i].row + dy[direction], height);
                const int col = detail::wrapped(generators[i].col + dx[direction], width);
                GridContentType &content = fieldContent[row][col];
                const int taken = (fieldStatic[row][col] & generator) | (content & (smallFruit | largeFruit));
                const int free = taken == 0;
                content = static_cast<GridContentType>(content | free * smallFruit);
                spawned.newFruits[count].row = row;
                spawned.newFruits[count].col = col;
                count += free;
            }
        spawned.newFruitCount = count;
        smallFruitCount += count;
    }

    // Players alone on a fruit eat it, the small one first.
    PACMAN2_INLINE void eat(Turn &turn) {
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            Player &player = players[i];
            GridContentType &content = at(player);
            if (!(content & (smallFruit | largeFruit)) || player.dead || (content & playerMask & ~playerID2Mask[i]))
                continue;
            if (content & smallFruit) {
                content &= ~smallFruit;
                ++player.strength;
                --smallFruitCount;
                turn.change[i] |= TurnStateTransfer::ateSmall;
            } else {
                content &= ~largeFruit;
                player.strength += player.powerUpLeft == 0 ? LARGE_FRUIT_ENHANCEMENT : 0;
                player.powerUpLeft += LARGE_FRUIT_DURATION;
                turn.change[i] |= TurnStateTransfer::ateLarge;
            }
        }
    }

    // Each boost has one turn less, and ends at 0.
    void expireBoosts(Turn &turn) {
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i) {
            Player &player = players[i];
            if (player.dead || player.powerUpLeft <= 0)
                continue;
            turn.change[i] |= TurnStateTransfer::powerUpDrop;
            player.strength -= --player.powerUpLeft == 0 ? LARGE_FRUIT_ENHANCEMENT : 0;
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

// Returns a random number from `a` to `b` - 1, by std::rand.
inline int RandBetween(int a, int b) { return a < b ? std::rand() % (b - a) + a : std::rand() % (a - b) + b; }

// Plays random legal actions to the end of the game, adds the share of all strength that `myID` has at the end, in percent, to the
// `actionScore` of its first action, and takes everything back.
inline void RandomPlay(Pacman::GameField &gameField, int myID) {
    int turns = 0, first = 0;
    for (bool goesOn = true; goesOn; ++turns) {
        for (int i = 0; i < MAX_PLAYER_COUNT; ++i)
            if (!gameField.players[i].dead) {
                const Pacman::ActionList &valid = gameField.ValidActions(i);
                gameField.actions[i] = valid.actions[std::rand() % valid.count];
            }
        if (turns == 0)
            first = gameField.actions[myID];
        goesOn = gameField.NextTurn();
    }
    int total = 0;
    for (const Pacman::Player &player : gameField.players)
        total += player.strength;
    if (total != 0)
        actionScore[first + 1] += (10000 * gameField.players[myID].strength / total) / 100.0;
    for (; turns > 0; --turns)
        gameField.PopState();
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
