// Measures random playouts: `playouts MODE NUMBER` with the input of a decision on standard input. It prints the nanoseconds of CPU time for a
// turn, or for a playout where turns are not counted, and a checksum. Modes:
//
//     loop      the names of the wiki's sample program: ActionValid, NextTurn, PopState, std::rand; for a turn
//     list      the same with ValidActions, which only the header has
//     helpers   Helpers::RandomPlay; for a playout
//
// With SAMPLE defined as the path of the sample program, with its own engine or on the header, loop and helpers measure that program.

#ifdef SAMPLE
#define main sampleMain
#include SAMPLE
#undef main
#else
#include "pacman2.hpp"
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

struct Measured {
    long count;
    std::uint64_t checksum;
};

Pacman::Direction tried(const Pacman::GameField &field, int player) {
    Pacman::Direction legal[9];
    int count = 0;
    for (int number = -1; number < 8; ++number) {
        Pacman::Direction action = static_cast<Pacman::Direction>(number);
        if (field.ActionValid(player, action))
            legal[count++] = action;
    }
    return legal[std::rand() % count];
}

template <typename Choose>
Measured loop(Pacman::GameField &field, long playouts, Choose choose) {
    Measured measured = {0, 0};
    for (; playouts > 0; --playouts) {
        const int start = field.turnID;
        bool goesOn = true;
        while (goesOn) {
            for (int player = 0; player < MAX_PLAYER_COUNT; ++player)
                if (!field.players[player].dead)
                    field.actions[player] = choose(field, player);
            goesOn = field.NextTurn();
            ++measured.count;
        }
        for (const Pacman::Player &player : field.players)
            measured.checksum = measured.checksum * 31 + static_cast<std::uint64_t>(player.strength);
        while (field.turnID > start)
            field.PopState();
    }
    return measured;
}

Measured helpers(Pacman::GameField &field, int seat, long playouts) {
    for (long played = 0; played < playouts; ++played)
        Helpers::RandomPlay(field, seat);
    Measured measured = {playouts, static_cast<std::uint64_t>(std::rand())};
    for (const double score : Helpers::actionScore)
        measured.checksum = measured.checksum * 31 + static_cast<std::uint64_t>(score * 100);
    return measured;
}

#ifndef SAMPLE
Pacman::Direction listed(const Pacman::GameField &field, int player) {
    const Pacman::ActionList &valid = field.ValidActions(player);
    return valid.actions[std::rand() % valid.count];
}
#endif

} // namespace

int main(int argc, char **argv) {
    if (argc != 3)
        return std::fprintf(stderr, "usage: playouts MODE NUMBER\n"), 2;
    const std::string mode = argv[1];
    const long playouts = std::atol(argv[2]);
    Pacman::GameField field;
    std::string data, globalData;
#ifdef SAMPLE
    const int seat = field.ReadInput(nullptr, data, globalData);
#else
    std::string input;
    std::getline(std::cin, input);
    const pacman2::json::Value init = pacman2::json::Value::parse(input)["requests"][0];
    const pacman2::Maze maze = pacman2::readMaze(init);
    field.height = maze.height();
    field.width = maze.width();
    field.GENERATOR_INTERVAL = maze.ruleset().generatorInterval;
    field.LARGE_FRUIT_DURATION = maze.ruleset().largeFruitDuration;
    field.LARGE_FRUIT_ENHANCEMENT = maze.ruleset().largeFruitEnhancement;
    field.SKILL_COST = maze.ruleset().skillCost;
    field.PrepareInitialField(init["static"], init["content"]);
    const int seat = init["id"].asInt();
#endif
    std::srand(1);
    const std::clock_t begin = std::clock();
    const Measured measured = mode == "loop"      ? loop(field, playouts, tried)
                              : mode == "helpers" ? helpers(field, seat, playouts)
#ifndef SAMPLE
                              : mode == "list" ? loop(field, playouts, listed)
#endif
                                                  : Measured{1, 0};
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%.3f %llx\n", seconds * 1e9 / static_cast<double>(measured.count), static_cast<unsigned long long>(measured.checksum));
}
