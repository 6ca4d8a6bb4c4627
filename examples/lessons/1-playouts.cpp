// Lesson 1: the sample program's idea on the drop-in layer. With how much of all strength do random games end, for each first action?

#include "pacman2.hpp"

const int playouts = 1000;

int main() {
    Pacman::GameField field;
    std::string data, globalData;
    const int seat = field.ReadInput(nullptr, data, globalData);

    // The seed depends on the turn and the seat alone, so matches are repeatable.
    std::srand(static_cast<unsigned>(4 * field.turnID + seat + 1));
    for (int i = 0; i < playouts; ++i)
        Helpers::RandomPlay(field, seat);

    // The sum of the scores of an action stands at its number plus one.
    int best = 0;
    for (int i = 1; i < 9; ++i)
        if (Helpers::actionScore[i] > Helpers::actionScore[best])
            best = i;
    field.WriteOutput(static_cast<Pacman::Direction>(best - 1), "", data, globalData);
}
