// Lesson 6: the same search, with a model of those opponents that it predicts well.

#define PACMAN2_NO_COMPAT
#include "pacman2.hpp"

using namespace pacman2;

// Simulations per turn. With the largest int, the deadline alone ends the search.
const int simulations = 500;

// The header's model for players that walk to fruit as `quickAction` does, and no model for all others. To trust a wrong model is
// worse than to have none.
class CarefulModel {
public:
    explicit CarefulModel(const Distances &distances) : distances_(distances), model_(distances) {}

    void observe(const Maze &maze, const Position &before, const Actions &actions) {
        model_.observe(maze, before, actions);
        for (int seat = 0; seat < seats; ++seat)
            if (before.isAlive(seat)) {
                ++observed_[seat];
                predicted_[seat] += quickAction(maze, distances_, before, seat) == actions[seat];
            }
    }

    std::array<float, 9> probabilities(const Maze &maze, const Position &position, int seat, const ActionList &actions) const {
        if (isKnown(seat))
            return model_.probabilities(maze, position, seat, actions);
        return {1, 1, 1, 1, 1, 1, 1, 1, 1};
    }

    float trust(int seat) const { return isKnown(seat) ? model_.trust(seat) : 0; }

private:
    // Three of four actions were predicted, in five turns or more.
    bool isKnown(int seat) const { return observed_[seat] >= 5 && 4 * predicted_[seat] >= 3 * observed_[seat]; }

    const Distances &distances_;
    OpponentModel model_;
    int observed_[seats] = {}, predicted_[seats] = {};
};

Action decide(const Game &game, int seat, const Deadline &deadline) {
    const Distances distances(game.maze);
    CarefulModel model(distances);
    for (std::size_t turn = 0; turn < game.actions.size(); ++turn)
        model.observe(game.maze, game.positions[turn], game.actions[turn]);
    Searcher<HandMade> searcher(game.maze, distances, HandMade(distances));
    SearchOptions options;
    options.simulations = simulations;
    return searcher.search(game.position(), seat, model, deadline, options).best;
}

int main() {
    Session session;
    session.keepRunning = true;
    while (session.next())
        session.answer(decide(session.game(), session.seat(), Deadline(0.8)));
}
