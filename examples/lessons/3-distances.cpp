// Lesson 3: the same search, with a value for fruit that is farther away. Only fruit counts that no other player reaches sooner.

#define PACMAN2_NO_COMPAT
#include "pacman2.hpp"

using namespace pacman2;

// What a position is worth to a seat: strength, and fruit that it reaches first, less for each step.
double valueOf(const Distances &distances, const Position &position, int seat) {
    if (!position.isAlive(seat))
        return -20;
    double value = position.strength[seat], nearest = 0;
    for (int other = 0; other < seats; ++other)
        if (other != seat)
            value -= position.strength[other] / 3.0;
    for (Cell fruit : position.smallFruits | position.largeFruits) {
        const int steps = distances.steps(position.cells[seat], fruit);
        bool isFirst = true;
        for (int other = 0; other < seats; ++other)
            if (other != seat && position.isAlive(other) && distances.steps(position.cells[other], fruit) < steps)
                isFirst = false;
        const double worth = position.largeFruits.contains(fruit) ? 4 : 1;
        if (isFirst)
            nearest = std::max(nearest, worth * std::pow(0.8, steps));
    }
    return value + nearest;
}

// Returns the mean value after an action, over all legal replies of the others.
double meanAfter(const Maze &maze, const Distances &distances, const Position &position, int seat, Action action) {
    double sum = 0;
    int replies = 0;
    const int first = (seat + 1) % seats, second = (seat + 2) % seats, third = (seat + 3) % seats;
    Actions actions;
    actions[seat] = action;
    for (Action a : position.legalActions(maze, first))
        for (Action b : position.legalActions(maze, second))
            for (Action c : position.legalActions(maze, third)) {
                actions[first] = a;
                actions[second] = b;
                actions[third] = c;
                Position next = position;
                next.play(maze, actions);
                sum += valueOf(distances, next, seat);
                ++replies;
            }
    return sum / replies;
}

Action decide(const Game &game, int seat) {
    const Distances distances(game.maze);
    const Position &position = game.position();
    Random random(4 * position.turn + static_cast<unsigned>(seat) + 1);
    Action best = Action::stay;
    double most = -1e9;
    for (Action action : position.legalActions(game.maze, seat)) {
        // A little chance decides between equal actions.
        const double value = meanAfter(game.maze, distances, position, seat, action) + 0.01 * random.uniform();
        if (value > most) {
            most = value;
            best = action;
        }
    }
    return best;
}

int main() {
    Session session;
    session.keepRunning = true;
    while (session.next())
        session.answer(decide(session.game(), session.seat()));
}
