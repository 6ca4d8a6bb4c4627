// A bot that searches. docs/CPP.md shows it, too.

#define PACMAN2_NO_COMPAT
#include "pacman2.hpp"

int main() {
    using namespace pacman2;
    const Deadline deadline(0.8);
    Session session;
    if (!session.next())
        return 1;
    const Game &game = session.game();
    const Distances distances(game.maze);
    OpponentModel model(distances);
    for (std::size_t turn = 0; turn < game.actions.size(); ++turn)
        model.observe(game.maze, game.positions[turn], game.actions[turn]);
    Searcher<HandMade> searcher(game.maze, distances, HandMade(distances));
    const SearchResult result = searcher.search(game.position(), session.seat(), model, deadline);
    session.answer(result.best, "", std::to_string(result.simulations) + " simulations");
}
