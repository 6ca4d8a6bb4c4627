// The built-in bot "sage" for Botzone: it searches the actions of all four players, evaluates with a learned net, and models its
// opponents. With a fixed number of simulations, its decisions are those of `pacman2 play "sage --simulations N --seed SEED"`.

#define PACMAN2_NO_COMPAT
#include "sage.hpp"
#include "weights.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace {

using namespace pacman2;

constexpr std::int32_t seed = 0; // [seed]
// The most simulations per turn; 0: as many as fit into the time.
constexpr std::uint32_t simulations = 0; // [simulations]
// The most milliseconds per turn, on a clock that never goes back. Botzone gives a second.
constexpr int milliseconds = 800; // [time]

// What lasts for a game.
struct Bot {
    Distances distances;
    sage::PolicyNet policy;
    sage::Sage<sage::Net> sage;

    explicit Bot(const Maze &maze)
        : distances(maze), policy(sage::unpack(sage::policyWeights)),
          sage(maze, distances, policy, sage::Net(distances, sage::unpack(sage::netWeights))) {}
};

} // namespace

int main() {
    const sage::Effort effort{simulations, milliseconds / 1000.0};
    Session session;
    session.keepRunning = true;
    std::optional<Bot> bot;
    while (session.next()) {
        // A process that keeps running is asked turn by turn; anything else is another game.
        if (!bot || session.game().actions.size() != bot->sage.observed() + 1)
            bot.emplace(session.maze());
        const sage::Decision decision = bot->sage.decide(session.game(), session.seat(), effort, seed);
        session.answer(decision.action, "", std::to_string(decision.points) + " points, " + std::to_string(decision.simulations) + " simulations");
    }
}
