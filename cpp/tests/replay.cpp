// Replays games on both layers of the header.
//
// Standard input has a game on each line: {"init": init data, "actions": [[a, b, c, d], ...]}, with null for the dead. Standard output
// has a line for each game: for each turn a word, then "undone" if taking all turns back restored every position exactly. A word has,
// with colons between them, a hash by the drop-in layer; then by the fast layer the fingerprint, the evaluation in hundredths of a point,
// and the quick actions, as Botzone's numbers.
//
// A hash is FNV-1a, 64 bits, over all turns so far. Of each turn it covers the line
// [turn,alive,small_fruits,generator_turns_left,continues,players,content,change,strength_delta], as crates/rules/fixtures/make.py
// describes it. With the argument "text" these lines are printed, too.

#include "pacman2.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace {

using pacman2::json::Value;

struct Fnv1a {
    std::uint64_t state = 0xcbf29ce484222325;

    void write(const std::string &text) {
        for (const char byte : text)
            state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }

};

std::string hex(std::uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return text;
}

template <typename Item>
std::string list(int count, Item item) {
    std::string text = "[";
    for (int i = 0; i < count; ++i)
        text += (i > 0 ? "," : "") + item(i);
    return text + "]";
}

std::string opinion(const pacman2::Maze &maze, const pacman2::Distances &distances, const pacman2::Position &position) {
    const pacman2::Values values = pacman2::HandMade(distances)(maze, position);
    std::string text;
    for (std::size_t seat = 0; seat < 4; ++seat)
        text += (seat > 0 ? "," : ":") + std::to_string(std::lround(values[seat] * 100));
    for (int seat = 0; seat < 4; ++seat)
        text += (seat > 0 ? "," : ":") + std::to_string(pacman2::actionNumber(pacman2::quickAction(maze, distances, position, seat)));
    return text;
}

std::string position(const Pacman::GameField &field) {
    std::string text = std::to_string(field.turnID) + "," + std::to_string(field.aliveCount) + "," + std::to_string(field.smallFruitCount) +
                       "," + std::to_string(field.generatorTurnLeft) + ",";
    const bool continues = field.aliveCount > 1 && field.turnID < MAX_TURN;
    text += std::to_string(continues) + ",";
    text += list(4, [&](int i) {
        const Pacman::Player &player = field.players[i];
        const int row[] = {player.row, player.col, player.strength, player.powerUpLeft, player.dead};
        return list(5, [&](int column) { return std::to_string(row[column]); });
    });
    text += "," + list(field.height, [&](int row) {
        return list(field.width, [&](int col) { return std::to_string(static_cast<int>(field.fieldContent[row][col])); });
    });
    return text;
}

std::string line(const Pacman::GameField &field) {
    const Pacman::TurnStateTransfer last = field.LastTurnChange();
    return "[" + position(field) + "," + list(4, [&](int i) { return std::to_string(static_cast<int>(last.change[i])); }) + "," +
           list(4, [&](int i) { return std::to_string(last.strengthDelta[i]); }) + "]\n";
}

std::string replay(Pacman::GameField &field, const Value &game, bool text) {
    const Value &init = game["init"], &actions = game["actions"];
    field.height = init["height"].asInt();
    field.width = init["width"].asInt();
    field.GENERATOR_INTERVAL = init["GENERATOR_INTERVAL"].asInt();
    field.LARGE_FRUIT_DURATION = init["LARGE_FRUIT_DURATION"].asInt();
    field.LARGE_FRUIT_ENHANCEMENT = init["LARGE_FRUIT_ENHANCEMENT"].asInt();
    field.SKILL_COST = init["SKILL_COST"].asInt();
    field.PrepareInitialField(init["static"], init["content"]);

    pacman2::Game fast(pacman2::readMaze(init), pacman2::Position());
    fast.positions[0] = pacman2::readStart(fast.maze, init);
    const pacman2::Distances distances(fast.maze);
    Fnv1a hash;
    std::string out;
    std::vector<std::string> before;
    for (std::size_t turn = 0; turn < actions.size(); ++turn) {
        before.push_back(position(field));
        pacman2::Actions played;
        for (std::size_t i = 0; i < 4; ++i) {
            const int action = actions[turn][i].asInt();
            field.actions[i] = static_cast<Pacman::Direction>(action);
            played[i] = pacman2::actionOf(action);
        }
        fast.play(played);
        const bool goesOn = field.NextTurn(), last = turn + 1 == actions.size();
        if (goesOn == last || fast.position().isOver(fast.maze) != last)
            return out + "ends otherwise";
        hash.write(line(field));
        out += hex(hash.state) + ":" + hex(fast.position().fingerprint()) +
               opinion(fast.maze, distances, fast.position()) + (text ? " " + line(field) : " ");
    }
    while (!before.empty()) {
        if (!field.PopState() || position(field) != before.back())
            return out + "differs after undo to turn " + std::to_string(before.size() - 1);
        before.pop_back();
    }
    return out + (field.PopState() ? "takes back too much" : "undone");
}

} // namespace

int main(int argc, char **) {
    Pacman::GameField field;
    for (std::string game; std::getline(std::cin, game);)
        std::cout << replay(field, Value::parse(game), argc > 1) << std::endl;
}
