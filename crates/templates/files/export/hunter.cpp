// The built-in bot "hunter" for Botzone: one turn ahead against every reply, with the hand-made evaluation.
// Its decisions are those of `pacman2 play "hunter --seed SEED"`.

#include "pacman2.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using pacman2::Action, pacman2::Actions, pacman2::Maze, pacman2::Position, pacman2::Values, pacman2::seats;

constexpr std::int32_t seed = 0; // [seed]
// Turns that the quick policy plays before a position is evaluated.
constexpr int policyTurns = 4;
// The weight of the position right after the turn.
constexpr float immediateWeight = 0.75F;
// The maximum number of joint actions. Beyond it, the farthest players are assumed to follow the quick policy.
constexpr std::size_t maxJoint = 1200;
// Iterations of the quantal response, and the loss in points that makes an action less likely by a factor e.
constexpr int rounds = 8;
constexpr float temperature = 1.4F;
// Actions less likely than this are ignored; the weight of the worst likely reply against the mean.
constexpr float unlikely = 0.05F, caution = 0.05F;
// Random noise on the values, so that copies do not move symmetrically; the noise if the player shares its cell.
constexpr float noise = 0.1F, noiseOnSharedCell = 2.0F;

using Picks = std::array<std::size_t, 4>;
using NineFloats = std::array<float, 9>;
using Probabilities = std::array<NineFloats, 4>;
using Candidates = std::array<std::vector<Action>, 4>;

template <typename Visit>
void forEachJoint(const Candidates &candidates, Visit visit) {
    Picks picks;
    for (picks[0] = 0; picks[0] < candidates[0].size(); ++picks[0])
        for (picks[1] = 0; picks[1] < candidates[1].size(); ++picks[1])
            for (picks[2] = 0; picks[2] < candidates[2].size(); ++picks[2])
                for (picks[3] = 0; picks[3] < candidates[3].size(); ++picks[3])
                    visit(picks);
}

// Approximates e to the power of a number that is not positive.
float expOfNegative(float power) {
    float value = std::max(1.0F + power / 256.0F, 0.0F);
    for (int i = 0; i < 8; ++i)
        value *= value;
    return value;
}

NineFloats softmax(const NineFloats &values, std::size_t count) {
    const float most = *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    NineFloats weights{};
    float total = 0;
    for (std::size_t i = 0; i < count; ++i)
        total += weights[i] = expOfNegative((values[i] - most) / temperature);
    for (float &weight : weights)
        weight /= total;
    return weights;
}

// Returns a seat's expected points for each action.
NineFloats means(const Candidates &candidates, const std::vector<Values> &points, std::size_t seat, const Probabilities &likely) {
    NineFloats found{};
    std::size_t at = 0;
    forEachJoint(candidates, [&](const Picks &picks) {
        float weight = 1;
        for (std::size_t other = 0; other < 4; ++other)
            weight *= other == seat ? 1.0F : likely[other][picks[other]];
        found[picks[seat]] += weight * points[at++][seat];
    });
    return found;
}

// Approximates the quantal response equilibrium: each seat prefers better actions against the others' preferences, imperfectly.
Probabilities quantalResponse(const Candidates &candidates, const std::vector<Values> &points) {
    Probabilities likely{};
    for (std::size_t seat = 0; seat < 4; ++seat)
        std::fill_n(likely[seat].begin(), candidates[seat].size(), 1.0F / static_cast<float>(candidates[seat].size()));
    for (int round = 0; round < rounds; ++round) {
        Probabilities responses;
        for (std::size_t seat = 0; seat < 4; ++seat)
            responses[seat] = softmax(means(candidates, points, seat, likely), candidates[seat].size());
        for (std::size_t seat = 0; seat < 4; ++seat)
            for (std::size_t i = 0; i < 9; ++i)
                likely[seat][i] = 0.5F * likely[seat][i] + 0.5F * responses[seat][i];
    }
    return likely;
}

Candidates candidatesOf(const Maze &maze, const pacman2::Distances &distances, const Position &position, std::size_t own) {
    Candidates candidates;
    for (std::size_t seat = 0; seat < 4; ++seat) {
        const pacman2::ActionList sensible = pacman2::sensibleActions(maze, distances, position, static_cast<int>(seat));
        candidates[seat].assign(sensible.begin(), sensible.end());
    }
    for (;;) {
        std::size_t joint = 1, farthest = own;
        int most = -1;
        for (std::size_t seat = 0; seat < 4; ++seat) {
            joint *= candidates[seat].size();
            const int steps = distances.steps(position.cells[seat], position.cells[own]);
            if (seat != own && candidates[seat].size() > 1 && steps >= most) {
                most = steps;
                farthest = seat;
            }
        }
        if (joint <= maxJoint || farthest == own)
            return candidates;
        candidates[farthest] = {pacman2::quickAction(maze, distances, position, static_cast<int>(farthest))};
    }
}

Action decide(const Maze &maze, const Position &position, int seatNumber) {
    const std::size_t seat = static_cast<std::size_t>(seatNumber);
    const pacman2::Distances distances(maze);
    const pacman2::HandMade evaluate(distances);
    const Candidates candidates = candidatesOf(maze, distances, position, seat);
    const std::vector<Action> &own = candidates[seat];
    if (own.size() == 1)
        return own[0];
    std::vector<Values> points;
    forEachJoint(candidates, [&](const Picks &picks) {
        Actions actions;
        for (std::size_t other = 0; other < 4; ++other)
            actions[other] = candidates[other][picks[other]];
        Position after = position;
        after.play(maze, actions);
        const Values now = evaluate(maze, after);
        pacman2::playGreedily(maze, distances, after, policyTurns);
        const Values then = evaluate(maze, after);
        Values both;
        for (std::size_t other = 0; other < 4; ++other)
            both[other] = immediateWeight * now[other] + (1.0F - immediateWeight) * then[other];
        points.push_back(both);
    });
    const Probabilities likely = quantalResponse(candidates, points);
    const NineFloats mean = means(candidates, points, seat, likely);
    NineFloats worst = mean;
    std::size_t at = 0;
    forEachJoint(candidates, [&](const Picks &picks) {
        const float value = points[at++][seat];
        bool isLikely = true;
        for (std::size_t other = 0; other < 4; ++other)
            isLikely = isLikely && (other == seat || likely[other][picks[other]] >= unlikely);
        if (isLikely)
            worst[picks[seat]] = std::min(worst[picks[seat]], value);
    });
    int sharing = 0;
    for (std::size_t other = 0; other < 4; ++other)
        sharing += position.isAlive(static_cast<int>(other)) && position.cells[other] == position.cells[seat];
    const std::uint64_t number = static_cast<std::uint64_t>(static_cast<std::uint32_t>(seed)) << 32 | position.turn << 2 | static_cast<unsigned>(seatNumber);
    pacman2::Random random(number);
    Action best = own[0];
    float most = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < own.size(); ++i) {
        const float unit = static_cast<float>(random.next() >> 40) / 16777216.0F;
        const float value = mean[i] + caution * (worst[i] - mean[i]) + (sharing > 1 ? noiseOnSharedCell : noise) * unit;
        if (value >= most) {
            most = value;
            best = own[i];
        }
    }
    return best;
}

} // namespace

int main() {
    pacman2::Session session;
    session.keepRunning = true;
    while (session.next())
        session.answer(decide(session.maze(), session.position(), session.seat()));
}
