// Lesson 5: a search of many turns: decoupled UCT, with a deadline.

#define PACMAN2_NO_COMPAT
#include "pacman2.hpp"

using namespace pacman2;

// Simulations per turn. With the largest int, the deadline alone ends the search.
const int simulations = 500;

// A model that expects nothing: all actions are equally likely, and none is drawn.
struct NoModel {
    std::array<float, 9> probabilities(const Maze &, const Position &, int, const ActionList &) const {
        return {1, 1, 1, 1, 1, 1, 1, 1, 1};
    }
    float trust(int) const { return 0; }
};

Action decide(const Game &game, int seat, const Deadline &deadline) {
    const Distances distances(game.maze);
    Searcher<HandMade> searcher(game.maze, distances, HandMade(distances));
    SearchOptions options;
    options.simulations = simulations;
    return searcher.search(game.position(), seat, NoModel(), deadline, options).best;
}

int main() {
    Session session;
    session.keepRunning = true;
    while (session.next())
        session.answer(decide(session.game(), session.seat(), Deadline(0.8)));
}
