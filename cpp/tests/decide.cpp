// Decides as the wiki's sample program does, for many inputs: each line of standard input is the input of one decision.
//
// By default the playouts use the sample program's names alone: ActionValid, NextTurn, PopState. With the argument "helpers" they
// are the header's own Helpers::RandomPlay. Both give the same answers.

#define _BOTZONE_ONLINE
#include "pacman2.hpp"

#include "fixed_time.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

namespace {

using Pacman::Direction;

double scores[9];

Direction randomAction(const Pacman::GameField &field, int player) {
    Direction legal[9];
    int count = 0;
    for (Direction action = Pacman::stay; action <= Pacman::shootLeft; ++action)
        if (field.ActionValid(player, action))
            legal[count++] = action;
    return legal[std::rand() % count];
}

void playOut(Pacman::GameField &field, int seat) {
    const int start = field.turnID;
    int first = -2;
    do {
        for (int player = 0; player < MAX_PLAYER_COUNT; ++player)
            if (!field.players[player].dead)
                field.actions[player] = randomAction(field, player);
        if (first == -2)
            first = field.actions[seat];
    } while (field.NextTurn());
    int total = 0;
    for (const Pacman::Player &player : field.players)
        total += player.strength;
    if (total != 0)
        scores[first + 1] += (10000 * field.players[seat].strength / total) / 100.0;
    while (field.turnID > start)
        field.PopState();
}

} // namespace

int main(int argc, char **) {
    // Before the first look at the input: ReadInput does the same, which discards what was buffered.
    std::ios::sync_with_stdio(false);
    const bool helpers = argc > 1;
    double(&sums)[9] = helpers ? Helpers::actionScore : scores;
    Pacman::GameField field;
    std::string data, globalData;
    while (std::cin.peek() != EOF) {
        const int seat = field.ReadInput(nullptr, data, globalData);
        std::srand(static_cast<unsigned>(Pacman::seed + seat));
        for (double &sum : sums)
            sum = 0;
        for (int i = 0; i < 1000; ++i) {
            if (helpers)
                Helpers::RandomPlay(field, seat);
            else
                playOut(field, seat);
        }
        // The sample program never looks at the last action.
        int best = 0;
        for (int i = 1; i < 8; ++i)
            best = sums[i] > sums[best] ? i : best;
        const bool silent = std::rand() % 6 != 0;
        field.WriteOutput(static_cast<Direction>(best - 1), silent ? "" : "Hello, cruel world", data, globalData);
    }
}
