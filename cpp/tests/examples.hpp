// What the examples in the comments of pacman2.hpp and sage.hpp use. `cargo xtask cpp examples` puts this file before them.

#undef NDEBUG
#include "sage.hpp"

#include <cassert>
#include <sstream>

namespace {

using namespace pacman2;

// +---+---+---+---+
// | 0   .   .   1 |
// +   +---+---+   +
// |   | G |       |
// +   +---+   +   +
// | 2   o     | 3 |
// +---+---+---+---+
const std::uint8_t exampleFixed[] = {9, 5, 5, 3, 10, 31, 9, 2, 12, 5, 6, 14};
const std::uint8_t exampleContent[] = {1, 16, 16, 2, 0, 0, 0, 0, 4, 32, 0, 8};

[[maybe_unused]] const Maze &exampleMaze() {
    static const Maze maze(4, 3, exampleFixed);
    return maze;
}

[[maybe_unused]] Position examplePosition() { return Position::start(exampleMaze(), exampleContent); }

[[maybe_unused]] const Distances &exampleDistances() {
    static const Distances distances(exampleMaze());
    return distances;
}

// A program has one GameField, so every example begins it anew.
[[maybe_unused]] Pacman::GameField &exampleField() {
    static Pacman::GameField field;
    const auto matrix = [](const std::uint8_t *bits) {
        std::string text = "[";
        for (int cell = 0; cell < 12; ++cell)
            text += (cell == 0 ? "[" : cell % 4 == 0 ? "],[" : ",") + std::to_string(bits[cell]);
        return json::Value::parse(text + "]]");
    };
    field.height = 3;
    field.width = 4;
    field.GENERATOR_INTERVAL = 20;
    field.LARGE_FRUIT_DURATION = field.LARGE_FRUIT_ENHANCEMENT = 10;
    field.SKILL_COST = 4;
    field.PrepareInitialField(matrix(exampleFixed), matrix(exampleContent));
    return field;
}

} // namespace
