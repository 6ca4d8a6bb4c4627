// Lesson 4: one turn ahead with a better value: the hand-made evaluation of the header, in points. Actions that make no sense are left out.

#define PACMAN2_NO_COMPAT
#include "pacman2.hpp"

using namespace pacman2;

// How much the worst reply counts, from 0 to 1.
const double caution = 0.3;

// Returns what an action is worth: the mean over all sensible replies, lowered towards the worst of them.
double worthOf(const Maze &maze, const Distances &distances, const Position &position, int seat, Action action) {
    const HandMade evaluate(distances);
    double sum = 0, worst = 1e9;
    int replies = 0;
    const int first = (seat + 1) % seats, second = (seat + 2) % seats, third = (seat + 3) % seats;
    const ActionList firsts = sensibleActions(maze, distances, position, first);
    const ActionList seconds = sensibleActions(maze, distances, position, second);
    const ActionList thirds = sensibleActions(maze, distances, position, third);
    Actions actions;
    actions[seat] = action;
    for (Action a : firsts)
        for (Action b : seconds)
            for (Action c : thirds) {
                actions[first] = a;
                actions[second] = b;
                actions[third] = c;
                Position next = position;
                next.play(maze, actions);
                const double value = evaluate(maze, next)[seat];
                sum += value;
                worst = std::min(worst, value);
                ++replies;
            }
    return (1 - caution) * sum / replies + caution * worst;
}

Action decide(const Game &game, int seat) {
    const Position &position = game.position();
    const Distances distances(game.maze);
    Random random(4 * position.turn + static_cast<unsigned>(seat) + 1);
    Action best = Action::stay;
    double most = -1e9;
    for (Action action : sensibleActions(game.maze, distances, position, seat)) {
        const double worth = worthOf(game.maze, distances, position, seat, action) + 0.01 * random.uniform();
        if (worth > most) {
            most = worth;
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
