// sage.hpp: the search of the built-in bot sage, for C++ bots.
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// It needs pacman2.hpp, C++17, and the weights of two nets, which `pacman2 export --only-weights` writes. With the same weights, seed
// and number of simulations it decides as sage does, on every machine: all numbers are computed in the same order, with basic
// arithmetic and square roots only. Where sage's sources are changed (crates/bots/src), this file has to follow.
//
// docs/CPP.md describes it. Macros, all optional, to be defined before this file is included:
//
//     PACMAN2_PORTABLE      do without the vectors of GCC and Clang, as other compilers have to

#ifndef PACMAN2_SAGE_HPP
#define PACMAN2_SAGE_HPP

// A fused multiplication and addition rounds once instead of twice, which gives other numbers. Compilers for x86-64 make none
// unless they are told to (-march=native); those for ARM do.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && defined(__FP_FAST_FMAF)
#pragma GCC optimize("fp-contract=off")
#endif

#include "pacman2.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace pacman2 {
namespace sage {

// ---- Arithmetic ----

// A number for each action of a seat; there are nine at most.
using Nine = std::array<float, 9>;

// Approximates e to the power of a number that is not positive.
//
// Example:
//     assert(std::fabs(sage::expOfNegative(-1.0F) - 0.3679F) < 1e-3F);
inline float expOfNegative(float power) {
    float value = std::max(1.0F + power / 256.0F, 0.0F);
    for (int i = 0; i < 8; ++i)
        value *= value;
    return value;
}

// Returns the probabilities of the first `count` values: a value that is smaller by `temperature` is less likely by a factor e.
//
// Example:
//     assert(sage::softmax({2.0F, 2.0F}, 2, 1.0F)[1] == 0.5F);
inline Nine softmax(const Nine &values, std::size_t count, float temperature) {
    const float most = *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    Nine weights{};
    float total = 0;
    for (std::size_t i = 0; i < count; ++i)
        total += weights[i] = expOfNegative((values[i] - most) / temperature);
    for (float &weight : weights)
        weight /= total;
    return weights;
}

// Four numbers, computed at a time.
#if (defined(__GNUC__) || defined(__clang__)) && !defined(PACMAN2_PORTABLE)
typedef float Four __attribute__((vector_size(16)));
#else
struct Four {
    float numbers[4];

    float &operator[](std::size_t lane) { return numbers[lane]; }
    float operator[](std::size_t lane) const { return numbers[lane]; }
    friend Four operator+(const Four &a, const Four &b) { return {{a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}}; }
    friend Four operator*(const Four &a, const Four &b) { return {{a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]}}; }
    friend Four operator*(const Four &a, float factor) { return a * Four{{factor, factor, factor, factor}}; }
};
#endif

// Returns four numbers, with 0 in place of the negative ones.
PACMAN2_INLINE Four positive(const Four &numbers) {
#if (defined(__GNUC__) || defined(__clang__)) && !defined(PACMAN2_PORTABLE)
    return numbers > 0.0F ? numbers : Four{};
#else
    const auto of = [](float number) { return number > 0.0F ? number : 0.0F; };
    return {{of(numbers[0]), of(numbers[1]), of(numbers[2]), of(numbers[3])}};
#endif
}

// So a sum of rows stays in registers.
#if defined(__clang__)
#define PACMAN2_UNROLL_ROW _Pragma("unroll 8")
#elif defined(__GNUC__)
#define PACMAN2_UNROLL_ROW _Pragma("GCC unroll 8")
#else
#define PACMAN2_UNROLL_ROW
#endif

// A row of 4 × `Groups` numbers.
template <std::size_t Groups>
using Row = std::array<Four, Groups>;

// Adds a row to another one.
template <std::size_t Groups>
PACMAN2_INLINE void add(Row<Groups> &sums, const Row<Groups> &row) {
    PACMAN2_UNROLL_ROW
    for (std::size_t group = 0; group < Groups; ++group)
        sums[group] = sums[group] + row[group];
}

// Returns one number of a row.
template <std::size_t Groups>
PACMAN2_INLINE float at(const Row<Groups> &row, std::size_t index) { return row[index / 4][index % 4]; }

// ---- Weights ----

// Reads numbers that were written as base64 of their 32 bits, lowest byte first. Throws std::runtime_error if it is no such text.
//
// Example:
//     assert(sage::unpack("AACAPwAAAMA=") == (std::vector<float>{1.0F, -2.0F}));
inline std::vector<float> unpack(const std::string &text) {
    static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<int, 256> values;
    values.fill(-1);
    for (std::size_t value = 0; value < digits.size(); ++value)
        values[static_cast<unsigned char>(digits[value])] = static_cast<int>(value);
    std::vector<float> numbers;
    std::uint32_t bits = 0, word = 0;
    int bitCount = 0, byteCount = 0;
    for (const char symbol : text) {
        const int value = values[static_cast<unsigned char>(symbol)];
        if (value < 0) {
            if (symbol == '=')
                continue;
            throw std::runtime_error(std::string("expected weights in base64, got '") + symbol + "'");
        }
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        bitCount += 6;
        if (bitCount < 8)
            continue;
        bitCount -= 8;
        word |= (bits >> bitCount & 0xFF) << (8 * byteCount);
        if (++byteCount == 4) {
            float number;
            std::memcpy(&number, &word, sizeof number);
            numbers.push_back(number);
            word = 0;
            byteCount = 0;
        }
    }
    return numbers;
}

// Takes the weights of a net one after the other.
class WeightReader {
public:
    // Throws std::runtime_error if there are more or fewer than `count` weights.
    WeightReader(const std::vector<float> &weights, std::size_t count) : next_(weights.data()) {
        if (weights.size() != count)
            throw std::runtime_error("expected " + std::to_string(count) + " weights, got " + std::to_string(weights.size()));
    }

    float next() { return *next_++; }

    template <std::size_t Groups>
    void next(Row<Groups> &row) {
        for (Four &four : row)
            for (std::size_t lane = 0; lane < 4; ++lane)
                four[lane] = next();
    }

private:
    const float *next_;
};

// ---- The evaluation ----

// The learned evaluation: a small net that corrects the hand-made one, as crates/bots/src/net.rs does. The points of each seat are
// multiplied by e to the power of the net's output, and rescaled so that their sum stays the same. So a net of zeros is the hand-made
// evaluation.
//
// Example:
//     const sage::Net net(exampleDistances(), std::vector<float>(sage::Net::weights));
//     assert(std::fabs(net(exampleMaze(), examplePosition())[0] - HandMade(exampleDistances())(exampleMaze(), examplePosition())[0]) < 1e-4F);
class Net {
public:
    // The inputs of each seat, the neurons of the two layers, and the number of weights with biases.
    static constexpr std::size_t inputs = PlayerFeatures::count, first = 32, second = 16;
    static constexpr std::size_t weights = first * (inputs + 1) + second * (first + 1) + second + 1;

    // Keeps a reference to the distances. Throws std::runtime_error if the number of weights is another one.
    Net(const Distances &distances, const std::vector<float> &numbers) : distances_(&distances), handMade_(distances) {
        WeightReader reader(numbers, weights);
        for (Row<first / 4> &row : first_)
            reader.next(row);
        for (Row<second / 4> &row : second_)
            reader.next(row);
        for (float &weight : last_)
            weight = reader.next();
    }

    // Returns the expected points of all four seats.
    Values operator()(const Maze &maze, const Position &position) const {
        if (position.isOver(maze))
            return finalValues(position);
        const HandMade::Stages stages = handMade_.stages(maze, position);
        const PlayerFeatures features(maze, *distances_, position, stages);
        Values outputs;
        for (int seat = 0; seat < seats; ++seat)
            outputs[static_cast<std::size_t>(seat)] = output(features.of(seat));
        const float most = *std::max_element(outputs.begin(), outputs.end());
        Values weighed;
        for (std::size_t seat = 0; seat < seats; ++seat)
            weighed[seat] = stages.points[seat] * expOfNegative(outputs[seat] - most);
        const float scale = sum(stages.points) / sum(weighed);
        for (float &points : weighed)
            points *= scale;
        return weighed;
    }

private:
    static float sum(const Values &values) { return values[0] + values[1] + values[2] + values[3]; }

    // A layer: for each input the weights of all neurons, then their biases. What is negative becomes 0.
    template <std::size_t In, std::size_t Groups>
    PACMAN2_INLINE static Row<Groups> layer(const std::array<Row<Groups>, In + 1> &weights, const float *inputs) {
        Row<Groups> neurons = weights[In];
        for (std::size_t input = 0; input < In; ++input) {
            PACMAN2_UNROLL_ROW
            for (std::size_t group = 0; group < Groups; ++group)
                neurons[group] = neurons[group] + weights[input][group] * inputs[input];
        }
        for (Four &four : neurons)
            four = positive(four);
        return neurons;
    }

    float output(const std::array<float, inputs> &seen) const {
        const Row<first / 4> once = layer<inputs>(first_, seen.data());
        float between[first];
        std::memcpy(between, &once, sizeof between);
        const Row<second / 4> twice = layer<first>(second_, between);
        float output = last_[second];
        for (std::size_t neuron = 0; neuron < second; ++neuron)
            output += last_[neuron] * at(twice, neuron);
        return output;
    }

    const Distances *distances_;
    HandMade handMade_;
    std::array<Row<first / 4>, inputs + 1> first_;
    std::array<Row<second / 4>, first + 1> second_;
    std::array<float, second + 1> last_;
};

// ---- The policy net ----

// What the players did before the first turn.
inline constexpr Actions noActions{{Action::stay, Action::stay, Action::stay, Action::stay}};

// The ways in which an action can follow the last one of the same player.
inline constexpr int waysToFollow = 11;

// Returns how an action follows the last one.
inline int following(Action action, Action last) {
    if (isMove(action)) {
        if (!isMove(last))
            return isShot(last) ? 3 : 4;
        return action == last ? 0 : std::abs(static_cast<int>(action) - static_cast<int>(last)) == 2 ? 1 : 2;
    }
    if (isShot(action))
        return !isShot(last) ? 7 : action == last ? 5 : 6;
    return isMove(last) ? 8 : isShot(last) ? 9 : 10;
}

// Returns the rows of each of a living seat's actions in the policy net: its features, and how it follows what the seat did in the turn
// before.
inline SeatRows policyRows(const Maze &maze, const Distances &distances, const Position &position, const Actions &last, int seat,
                           const ActionList &actions) {
    SeatRows rows = ActionFeatures(maze, distances, position, seat).rows(actions);
    for (std::size_t i = 0; i < rows.count; ++i)
        rows.actions[i].add(waysToFollow, following(actions.actions[i], last[static_cast<std::size_t>(seat)]));
    return rows;
}

// How likely a player is to choose each of its actions, given its style: a net whose first layer has a row for each property of an
// action and one for each style, as in crates/bots/src/policy_net.rs.
class PolicyNet {
public:
    // The rows of features and of how an action follows the last one, the neurons, the styles, and the number of weights.
    static constexpr std::size_t rows = ActionFeatures::count + waysToFollow, neurons = 32, styles = 16;
    static constexpr std::size_t weights = (rows + styles + 1) * neurons + 2 * styles;
    // The style of sage itself.
    static constexpr std::size_t ownStyle = 0;

    using Neurons = Row<neurons / 4>;
    using StyleWeights = std::array<float, styles>;

    // A player: a style, and how the player differs from what the net says for it.
    struct Player {
        Neurons style, last;
        // What each row adds to a logit.
        std::array<float, rows> additions;
    };

    // Throws std::runtime_error if the number of weights is another one.
    //
    // Example:
    //     const sage::PolicyNet policy(std::vector<float>(sage::PolicyNet::weights, 0.01F));
    //     const ActionList legal = examplePosition().legalActions(exampleMaze(), 0);
    //     const SeatRows rows = sage::policyRows(exampleMaze(), exampleDistances(), examplePosition(), sage::noActions, 0, legal);
    //     const sage::Nine likely = policy.probabilities(rows, policy.player(policy.style(sage::PolicyNet::ownStyle)));
    //     assert(std::fabs(likely[0] + likely[1] + likely[2] - 1.0F) < 1e-5F);
    explicit PolicyNet(const std::vector<float> &numbers) : rows_(rows) {
        WeightReader reader(numbers, weights);
        for (Neurons &row : rows_)
            reader.next(row);
        for (Neurons &style : styles_)
            reader.next(style);
        reader.next(last_);
        for (float &share : shares_)
            share = reader.next();
        for (float &share : ruleFollowers_)
            share = reader.next();
    }

    const Neurons &row(std::size_t row) const { return rows_[row]; }
    const Neurons &style(std::size_t style) const { return styles_[style]; }
    const Neurons &last() const { return last_; }
    // How common each style is.
    const StyleWeights &shares() const { return shares_; }
    // Which share of each style's players follow a fixed rule, and do not look ahead.
    const StyleWeights &ruleFollowers() const { return ruleFollowers_; }

    // Returns a player that acts as the net says for this row of a style or mixture of styles.
    Player player(const Neurons &style) const {
        Player player{style, last_, {}};
        return player;
    }

    // Returns the probability of each action for a player.
    Nine probabilities(const SeatRows &seat, const Player &player) const {
        Nine logits{};
        for (std::size_t i = 0; i < seat.count; ++i) {
            float addition = 0;
            for (const std::uint16_t row : seat.actions[i])
                addition += player.additions[row];
            logits[i] = logit(sum(seat.actions[i], player.style), player.last) + addition;
        }
        return softmax(logits, seat.count, 1.0F);
    }

    // Returns for each style how likely a player of it is to take one of these actions. Sometimes every player slips.
    StyleWeights likelihoods(const SeatRows &seat, std::size_t taken) const {
        std::array<Nine, styles> logits{};
        for (std::size_t i = 0; i < seat.count; ++i) {
            const Neurons sums = sum(seat.actions[i], Neurons{});
            for (std::size_t style = 0; style < styles; ++style) {
                Neurons ofStyle = sums;
                add(ofStyle, styles_[style]);
                logits[style][i] = logit(ofStyle, last_);
            }
        }
        constexpr float slip = 0.05F;
        StyleWeights likely;
        for (std::size_t style = 0; style < styles; ++style)
            likely[style] = (1.0F - slip) * softmax(logits[style], seat.count, 1.0F)[taken] + slip / static_cast<float>(seat.count);
        return likely;
    }

    // Adds the rows of an action to another sum.
    Neurons sum(const ActionRows &action, const Neurons &start) const {
        Neurons sums = start;
        for (const std::uint16_t row : action)
            add(sums, rows_[row]);
        return sums;
    }

private:
    static float logit(const Neurons &sums, const Neurons &last) {
        // Eight sums side by side, as many as sage's sources have.
        Row<2> totals{};
        PACMAN2_UNROLL_ROW
        for (std::size_t group = 0; group < sums.size(); ++group)
            totals[group % 2] = totals[group % 2] + positive(sums[group]) * last[group];
        float logit = 0;
        for (std::size_t lane = 0; lane < 8; ++lane)
            logit += at(totals, lane);
        return logit;
    }

    std::vector<Neurons> rows_;
    std::array<Neurons, styles> styles_;
    Neurons last_;
    StyleWeights shares_, ruleFollowers_;
};

// The policy net in whole numbers, as the search uses it: sums are the same in any order. See crates/bots/src/policy_net/quantised.rs.
//
// Example:
//     const sage::PolicyNet policy(std::vector<float>(sage::PolicyNet::weights, 0.01F));
//     const sage::WholePolicyNet whole(policy);
//     const ActionList legal = examplePosition().legalActions(exampleMaze(), 0);
//     const SeatRows rows = sage::policyRows(exampleMaze(), exampleDistances(), examplePosition(), sage::noActions, 0, legal);
//     const sage::WholePolicyNet::Player player = whole.player(policy.player(policy.style(sage::PolicyNet::ownStyle)));
//     assert(std::fabs(whole.probabilities(rows, player)[0] - 1.0F / 3.0F) < 0.1F);
class WholePolicyNet {
public:
    // A player in whole numbers.
    struct Player {
        std::array<std::int32_t, PolicyNet::neurons> style, last;
        std::array<std::int32_t, PolicyNet::rows> additions;
        // What logits are multiplied by.
        float unit;
    };

    explicit WholePolicyNet(const PolicyNet &net) : rows_(PolicyNet::rows) {
        for (digits_ = 12; !findBounds(net) && digits_ > 0;)
            --digits_;
        for (std::size_t row = 0; row < PolicyNet::rows; ++row)
            for (std::size_t neuron = 0; neuron < PolicyNet::neurons; ++neuron)
                rows_[row][neuron] = whole(at(net.row(row), neuron), digits_);
    }

    Player player(const PolicyNet::Player &player) const {
        Player rounded{};
        for (std::size_t neuron = 0; neuron < PolicyNet::neurons; ++neuron) {
            const std::int32_t limit = 32767 - bounds_[neuron];
            rounded.style[neuron] = std::min(std::max(whole(at(player.style, neuron), digits_), -limit), limit);
        }
        // As many digits as fit, so that no logit is too large.
        int digits = 14;
        std::int64_t most = 0;
        do {
            --digits;
            most = 0;
            for (std::size_t neuron = 0; neuron < PolicyNet::neurons; ++neuron) {
                rounded.last[neuron] = whole(at(player.last, neuron), digits);
                most += std::int64_t{bounds_[neuron] + std::abs(rounded.style[neuron])} * std::abs(rounded.last[neuron]);
            }
        } while (most > std::int64_t{1} << 29 && digits > 0);
        const float scale = static_cast<float>(std::uint32_t{1} << (digits + digits_));
        for (std::size_t row = 0; row < PolicyNet::rows; ++row)
            rounded.additions[row] = static_cast<std::int32_t>(std::round(player.additions[row] * scale));
        rounded.unit = 1.0F / scale;
        return rounded;
    }

    // Returns the probability of each action for a player.
    Nine probabilities(const SeatRows &seat, const Player &player) const {
        std::array<std::int32_t, 9> logits{};
        for (std::size_t i = 0; i < seat.count; ++i) {
            std::array<std::int32_t, PolicyNet::neurons> sums = player.style;
            std::int32_t logit = 0;
            for (const std::uint16_t row : seat.actions[i]) {
                for (std::size_t neuron = 0; neuron < PolicyNet::neurons; ++neuron)
                    sums[neuron] += rows_[row][neuron];
                logit += player.additions[row];
            }
            for (std::size_t neuron = 0; neuron < PolicyNet::neurons; ++neuron)
                logit += std::max(sums[neuron], 0) * player.last[neuron];
            logits[i] = logit;
        }
        const std::int32_t most = *std::max_element(logits.begin(), logits.begin() + static_cast<std::ptrdiff_t>(seat.count));
        Nine weights{};
        float total = 0;
        for (std::size_t i = 0; i < seat.count; ++i)
            total += weights[i] = expOfNegative(static_cast<float>(logits[i] - most) * player.unit);
        for (float &weight : weights)
            weight /= total;
        return weights;
    }

private:
    // Rounds a number to one with this many binary digits after the point, in units of the last of them.
    static std::int32_t whole(float number, int digits) {
        const float rounded = std::round(number * static_cast<float>(std::uint32_t{1} << digits));
        return static_cast<std::int32_t>(std::min(std::max(rounded, -32767.0F), 32767.0F));
    }

    // Finds the largest sums of rows, one for each property. Returns whether they leave enough of 16 bits for a style.
    bool findBounds(const PolicyNet &net) {
        constexpr std::array<std::size_t, 37> bins{{3, 10, 6, 7, 6, 7, 9, 3, 24, 24, 24, 7, 6, 5, 24, 24, 8, 8, 4,
                                                    4, 4, 6, 2, 6, 3, 6, 4, 5, 3, 7, 4, 7, 3, 2, 2, 2, waysToFollow}};
        constexpr std::int32_t mostOfAll = 24000;
        bool areSmall = true;
        for (std::size_t neuron = 0; neuron < PolicyNet::neurons; ++neuron) {
            bounds_[neuron] = 0;
            std::size_t row = 0;
            for (const std::size_t count : bins) {
                std::int32_t most = 0;
                for (const std::size_t end = row + count; row < end; ++row)
                    most = std::max(most, std::abs(whole(at(net.row(row), neuron), digits_)));
                bounds_[neuron] += most;
            }
            areSmall &= bounds_[neuron] <= mostOfAll;
        }
        if (!areSmall)
            bounds_.fill(mostOfAll);
        return areSmall;
    }

    // The binary digits of a neuron after the point.
    int digits_ = 0;
    std::array<std::int32_t, PolicyNet::neurons> bounds_{};
    std::vector<std::array<std::int32_t, PolicyNet::neurons>> rows_;
};

// ---- The opponents ----

// What is known about the players: for each a mixture of the policy net's styles, weighted by how well they predict its actions so far,
// and how the player differs from it. See crates/bots/src/sage/opponent_model.rs.
class Opponents {
public:
    explicit Opponents(const PolicyNet &net) : net_(&net) {
        for (Model &model : models_) {
            model = {net.shares(), {}, {}, {}, {}, {}};
            model.randomShares.fill(1.0F / static_cast<float>(randomShares.size()));
        }
    }

    // Learns from a turn: the position before it, the actions of the turn before, and its own.
    void observe(const Maze &maze, const Distances &distances, const Position &before, const Actions &last, const Actions &actions) {
        for (int seat = 0; seat < seats; ++seat) {
            if (!before.isAlive(seat))
                continue;
            const ActionList &legal = before.legalActions(maze, seat);
            const Action *taken = std::find(legal.begin(), legal.end(), actions[static_cast<std::size_t>(seat)]);
            if (taken == legal.end())
                continue;
            const SeatRows rows = policyRows(maze, distances, before, last, seat, legal);
            learn(models_[static_cast<std::size_t>(seat)], rows, static_cast<std::size_t>(taken - legal.begin()));
        }
    }

    // Returns how likely a seat's player follows a fixed rule, without looking ahead.
    float ruleFollowerProbability(int seat) const {
        const PolicyNet::StyleWeights &weights = models_[static_cast<std::size_t>(seat)].weights;
        float likely = 0;
        for (std::size_t style = 0; style < weights.size(); ++style)
            likely += weights[style] * net_->ruleFollowers()[style];
        return likely;
    }

    // Returns how likely a seat's player searches as sage does.
    float searcherProbability(int seat) const { return models_[static_cast<std::size_t>(seat)].weights[PolicyNet::ownStyle]; }

    // Returns the share of a seat's actions to expect as uniformly random.
    float randomShare(int seat) const {
        const Model &model = models_[static_cast<std::size_t>(seat)];
        float mean = 0;
        for (std::size_t i = 0; i < randomShares.size(); ++i)
            mean += model.randomShares[i] * randomShares[i];
        return std::min(std::max(mean, 0.01F), 0.5F);
    }

    // Returns a seat's player as far as it is known.
    PolicyNet::Player player(int seat) const { return playerOf(models_[static_cast<std::size_t>(seat)]); }

private:
    // The shares of a player's actions that may be uniformly random, of which one is right.
    static constexpr std::array<float, 7> randomShares{{0.01F, 0.03F, 0.06F, 0.12F, 0.25F, 0.5F, 0.9F}};

    // A decision of a player: the rows of its legal actions, and the index of that taken.
    struct Decided {
        SeatRows rows;
        std::size_t taken;
    };

    struct Model {
        // The weights of the styles.
        PolicyNet::StyleWeights weights;
        // What is added to the weights of the net for this player.
        PolicyNet::Neurons style, last;
        std::array<float, PolicyNet::rows> additions;
        // How likely each of the random shares is.
        std::array<float, 7> randomShares;
        // Its decisions among several actions.
        std::vector<Decided> decisions;
    };

    PolicyNet::Player playerOf(const Model &model) const {
        PolicyNet::Neurons mean{};
        for (std::size_t style = 0; style < PolicyNet::styles; ++style)
            for (std::size_t group = 0; group < mean.size(); ++group)
                mean[group] = mean[group] + net_->style(style)[group] * model.weights[style];
        PolicyNet::Player player{mean, net_->last(), model.additions};
        add(player.style, model.style);
        add(player.last, model.last);
        return player;
    }

    void learn(Model &model, const SeatRows &rows, std::size_t taken) const {
        if (rows.count > 1)
            learnRandomShare(model, rows, taken);
        learnDifference(model, rows, taken);
        // The probability that a player changes its style in a turn. It makes old observations fade.
        constexpr float change = 0.01F;
        const PolicyNet::StyleWeights likely = net_->likelihoods(rows, taken);
        float total = 0;
        for (std::size_t style = 0; style < likely.size(); ++style)
            total += model.weights[style] *= likely[style];
        for (std::size_t style = 0; style < likely.size(); ++style)
            model.weights[style] = (1.0F - change) * model.weights[style] / total + change * net_->shares()[style];
    }

    // Learns how much of a player's play is random, before anything else is learned from the decision.
    void learnRandomShare(Model &model, const SeatRows &rows, std::size_t taken) const {
        // The probability that this share changes in a turn, so that one who leaves its style is trusted less soon.
        constexpr float change = 0.02F;
        const float foreseen = net_->probabilities(rows, playerOf(model))[taken];
        const float uniform = 1.0F / static_cast<float>(rows.count);
        float total = 0;
        for (std::size_t i = 0; i < randomShares.size(); ++i)
            total += model.randomShares[i] *= (1.0F - randomShares[i]) * foreseen + randomShares[i] * uniform;
        for (float &likely : model.randomShares)
            likely = (1.0F - change) * likely / total + change / static_cast<float>(randomShares.size());
    }

    // Learns how a player differs from its style, from a decision and again from four earlier ones.
    void learnDifference(Model &model, const SeatRows &rows, std::size_t taken) const {
        adjust(model, rows, taken, 1.0F);
        const std::size_t count = model.decisions.size();
        Random random(count);
        for (std::size_t i = 0; i < std::min(count, std::size_t{4}); ++i) {
            const Decided &earlier = model.decisions[static_cast<std::size_t>(random.uniform() * static_cast<float>(count))];
            adjust(model, earlier.rows, earlier.taken, 0.2F);
        }
        for (std::size_t neuron = 0; neuron < PolicyNet::neurons; ++neuron) {
            model.style[neuron / 4][neuron % 4] = faded(at(model.style, neuron));
            model.last[neuron / 4][neuron % 4] = faded(at(model.last, neuron));
        }
        for (float &addition : model.additions)
            addition = faded(addition);
        if (rows.count > 1)
            model.decisions.push_back({rows, taken});
    }

    // A step of gradient descent on -ln of the probability of the action that the player took. `size` scales it.
    void adjust(Model &model, const SeatRows &rows, std::size_t taken, float size) const {
        constexpr float styleRate = 0.3F, lastRate = 0.05F, additionRate = 0.05F;
        const PolicyNet::Player player = playerOf(model);
        const Nine likely = net_->probabilities(rows, player);
        for (std::size_t i = 0; i < rows.count; ++i) {
            const float slope = size * (likely[i] - (i == taken ? 1.0F : 0.0F));
            const PolicyNet::Neurons sums = net_->sum(rows.actions[i], player.style);
            for (std::size_t neuron = 0; neuron < PolicyNet::neurons; ++neuron) {
                const float sum = at(sums, neuron);
                if (sum > 0) {
                    model.style[neuron / 4][neuron % 4] -= styleRate * slope * at(player.last, neuron);
                    model.last[neuron / 4][neuron % 4] -= lastRate * slope * sum;
                }
            }
            for (const std::uint16_t row : rows.actions[i])
                model.additions[row] -= additionRate * slope;
        }
    }

    // Old differences fade, and none grows beyond a limit.
    static float faded(float difference) { return std::min(std::max(0.99F * difference, -2.0F), 2.0F); }

    const PolicyNet *net_;
    std::array<Model, seats> models_;
};

// ---- The last turn ----

// Returns the value of the last turn: the expected scores if all seats choose among their sensible actions in the quantal response
// equilibrium of the last turn. See crates/bots/src/joint.rs.
class LastTurn {
public:
    LastTurn(const Maze &maze, const Distances &distances, const Position &position) {
        for (std::size_t seat = 0; seat < seats; ++seat)
            choices_[seat] = sensibleActions(maze, distances, position, static_cast<int>(seat));
        forEachJoint([&](const Picks &picks) {
            Position after = position;
            after.play(maze, {choice(0, picks), choice(1, picks), choice(2, picks), choice(3, picks)});
            points_.push_back(finalValues(after));
        });
    }

    // Example:
    //     Position last = examplePosition();
    //     last.turn = 99;
    //     const Values values = sage::LastTurn(exampleMaze(), exampleDistances(), last).values();
    //     assert(values[2] > values[0]); // beside the large fruit
    Values values() const {
        const Likely likely = quantalResponse();
        Values values{};
        for (std::size_t seat = 0; seat < seats; ++seat) {
            const Nine means = this->means(seat, likely);
            for (std::size_t i = 0; i < means.size(); ++i)
                values[seat] += means[i] * likely[seat][i];
        }
        return values;
    }

private:
    using Picks = std::array<std::size_t, seats>;
    using Likely = std::array<Nine, seats>;

    std::size_t count(std::size_t seat) const { return choices_[seat].count; }
    Action choice(std::size_t seat, const Picks &picks) const { return choices_[seat].actions[picks[seat]]; }

    template <typename Visit>
    void forEachJoint(Visit visit) const {
        Picks picks;
        for (picks[0] = 0; picks[0] < count(0); ++picks[0])
            for (picks[1] = 0; picks[1] < count(1); ++picks[1])
                for (picks[2] = 0; picks[2] < count(2); ++picks[2])
                    for (picks[3] = 0; picks[3] < count(3); ++picks[3])
                        visit(picks);
    }

    // Returns a seat's expected points for each action.
    Nine means(std::size_t seat, const Likely &likely) const {
        Nine means{};
        const Values *points = points_.data();
        forEachJoint([&](const Picks &picks) {
            float weight = 1;
            for (std::size_t other = 0; other < seats; ++other)
                weight *= other == seat ? 1.0F : likely[other][picks[other]];
            means[picks[seat]] += weight * (*points++)[seat];
        });
        return means;
    }

    // Each seat prefers better actions against the others' preferences, imperfectly.
    Likely quantalResponse() const {
        // Its iterations, and the loss in points that makes an action less likely by a factor e.
        constexpr int rounds = 8;
        constexpr float temperature = 1.4F;
        Likely likely{};
        for (std::size_t seat = 0; seat < seats; ++seat)
            std::fill_n(likely[seat].begin(), count(seat), 1.0F / static_cast<float>(count(seat)));
        for (int round = 0; round < rounds; ++round) {
            Likely responses;
            for (std::size_t seat = 0; seat < seats; ++seat)
                responses[seat] = softmax(means(seat, likely), count(seat), temperature);
            for (std::size_t seat = 0; seat < seats; ++seat)
                for (std::size_t i = 0; i < likely[seat].size(); ++i)
                    likely[seat][i] = 0.5F * likely[seat][i] + 0.5F * responses[seat][i];
        }
        return likely;
    }

    std::array<ActionList, seats> choices_;
    std::vector<Values> points_;
};

// ---- The tree ----

// The positions of a search: for each, the statistics of every seat's actions. Equal positions share a node. See
// crates/bots/src/sage/tree.rs.
class Tree {
public:
    // The most turns of a simulation in the tree.
    static constexpr std::size_t maxDepth = 60;

    // The statistics of one action of one seat in a node.
    struct Trial {
        std::uint32_t visits;
        float mean;
        // In units of 1/65535.
        std::uint16_t prior;
        Action action;
    };

    // The trials of a seat in a node, by their numbers.
    struct Range {
        std::uint32_t first, end;
        std::uint32_t size() const { return end - first; }
    };

    static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

    void clear() {
        nodes_.clear();
        trials_.clear();
        slots_.assign(1 << 12, 0);
    }

    // Returns the node of a position, or `nothing`.
    std::uint32_t find(std::uint64_t hash) const {
        const std::uint32_t node = slots_[slotOf(hash)];
        return node == 0 ? nothing : node - 1;
    }

    // The limits keep a process of 256 MB from growing too large.
    bool hasRoom() const { return nodes_.size() < 1000000; }
    bool canExpand() const { return trials_.size() + 36 <= 8000000; }

    // Adds a node without actions.
    std::uint32_t add(std::uint64_t hash) {
        nodes_.push_back({hash, 0, {}});
        if (2 * nodes_.size() > slots_.size()) {
            slots_.assign(2 * slots_.size(), 0);
            for (std::uint32_t node = 0; node < nodes_.size(); ++node)
                slots_[slotOf(nodes_[node].hash)] = node + 1;
        } else {
            slots_[slotOf(hash)] = static_cast<std::uint32_t>(nodes_.size());
        }
        return static_cast<std::uint32_t>(nodes_.size()) - 1;
    }

    bool isExpanded(std::uint32_t node) const { return nodes_[node].counts[0] > 0; }

    // Begins to give a node its actions: those of seat 0 first.
    void beginActions(std::uint32_t node) { nodes_[node].first = static_cast<std::uint32_t>(trials_.size()); }
    void addAction(std::uint32_t node, int seat, Action action, float prior) {
        trials_.push_back({0, 0.0F, static_cast<std::uint16_t>(prior * priorScale), action});
        ++nodes_[node].counts[static_cast<std::size_t>(seat)];
    }

    Range range(std::uint32_t node, int seat) const {
        const Node &at = nodes_[node];
        std::uint32_t first = at.first;
        for (std::size_t before = 0; before < static_cast<std::size_t>(seat); ++before)
            first += at.counts[before];
        return {first, first + at.counts[static_cast<std::size_t>(seat)]};
    }

    const Trial &trial(std::uint32_t trial) const { return trials_[trial]; }

    // Selects by PUCT, as AlphaZero does. An action without visits is valued at the mean of the node.
    std::uint32_t select(const Range &range) const {
        // The exploration constant in points, and its growth per doubling of the visits beyond 256: the first visits can mislead.
        constexpr float exploration = 7.0F, growth = 0.15F;
        if (range.size() == 1)
            return range.first;
        std::uint32_t visits = 0;
        bool areAllVisited = true;
        for (std::uint32_t trial = range.first; trial < range.end; ++trial) {
            visits += trials_[trial].visits;
            areAllVisited &= trials_[trial].visits > 0;
        }
        float untried = 0;
        if (visits > 0 && !areAllVisited) {
            for (std::uint32_t trial = range.first; trial < range.end; ++trial)
                untried += static_cast<float>(trials_[trial].visits) * trials_[trial].mean;
            untried /= static_cast<float>(visits);
        }
        int doublings = 0;
        for (std::uint32_t rest = 1 + visits / 256; rest > 1; rest /= 2)
            ++doublings;
        const float grown = exploration * (1.0F + growth * static_cast<float>(doublings));
        const float scale = grown * std::sqrt(static_cast<float>(visits + 1)) / priorScale;
        std::uint32_t best = range.first;
        float most = std::numeric_limits<float>::lowest();
        for (std::uint32_t trial = range.first; trial < range.end; ++trial) {
            const Trial &at = trials_[trial];
            const float value = (at.visits == 0 ? untried : at.mean) + scale * static_cast<float>(at.prior) / static_cast<float>(1 + at.visits);
            if (value > most) {
                most = value;
                best = trial;
            }
        }
        return best;
    }

    // Draws from the priors, with a uniform number from 0 to 1.
    std::uint32_t draw(const Range &range, float chance) const {
        if (range.size() == 1)
            return range.first;
        float sum = 0;
        for (std::uint32_t trial = range.first; trial < range.end; ++trial)
            sum += static_cast<float>(trials_[trial].prior);
        float rest = chance * sum;
        for (std::uint32_t trial = range.first; trial < range.end; ++trial)
            if ((rest -= static_cast<float>(trials_[trial].prior)) < 0)
                return trial;
        return range.end - 1;
    }

    std::uint32_t leastTried(const Range &range) const {
        std::uint32_t least = range.first;
        for (std::uint32_t trial = range.first; trial < range.end; ++trial)
            if (trials_[trial].visits < trials_[least].visits)
                least = trial;
        return least;
    }

    // Backs up the points of a simulation.
    void update(std::uint32_t trial, float points) {
        Trial &at = trials_[trial];
        ++at.visits;
        at.mean += (points - at.mean) / static_cast<float>(at.visits);
    }

private:
    static constexpr float priorScale = 65535.0F;

    struct Node {
        std::uint64_t hash;
        std::uint32_t first;
        std::array<std::uint8_t, seats> counts;
    };

    // Returns the slot of a hash: with the number of its node plus one, or 0.
    std::size_t slotOf(std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = static_cast<std::size_t>(hash) & mask;
        while (slots_[slot] != 0 && nodes_[slots_[slot] - 1].hash != hash)
            slot = (slot + 1) & mask;
        return slot;
    }

    std::vector<Node> nodes_;
    std::vector<Trial> trials_;
    std::vector<std::uint32_t> slots_;
};

// ---- The search ----

// What a decision may spend: simulations, 0 for as many as fit into the time, and time. Only a number of simulations that fits makes
// decisions that do not depend on the machine.
struct Effort {
    std::uint32_t simulations = 0;
    double seconds = 0.8;
};

// A decision, with the points that its seat can expect and the number of simulations.
struct Decision {
    Action action = Action::stay;
    float points = 0;
    std::uint32_t simulations = 0;
};

// The searching bot: decoupled UCT over the actions of all four players, as in crates/bots/src/sage.rs. At a new position,
// `evaluate(maze, position)` returns the values of the four seats, in points. The policy net is the prior of the search and draws some of
// the opponents' actions. One Sage plays one game, since it keeps what it learns about the opponents.
//
// `Evaluate` is Net, HandMade, or any function from Maze and Position to Values.
//
// Example:
//     const sage::PolicyNet policy(std::vector<float>(sage::PolicyNet::weights, 0.01F));
//     sage::Sage<HandMade> bot(exampleMaze(), exampleDistances(), policy, HandMade(exampleDistances()));
//     sage::Effort effort;
//     effort.simulations = 300;
//     const sage::Decision decision = bot.decide(Game(exampleMaze(), examplePosition()), 0, effort);
//     assert(decision.action == Action::right && decision.simulations <= 300 && decision.points > 0);
template <typename Evaluate = Net>
class Sage {
public:
    // Keeps references to the maze, the distances and the policy net, and a copy of `evaluate`.
    Sage(const Maze &maze, const Distances &distances, const PolicyNet &policy, const Evaluate &evaluate)
        : maze_(maze), distances_(distances), policy_(policy), whole_(policy), evaluate_(evaluate), opponents_(policy) {}

    // Returns the action of a living seat in a game that is not over. The game is the one of the calls before, and has gone on since.
    Decision decide(const pacman2::Game &game, int seat, const Effort &effort, std::int32_t seed = 0) {
        const Clock::time_point begin = Clock::now();
        for (; observed_ < game.actions.size(); ++observed_)
            opponents_.observe(maze_, distances_, game.positions[observed_], lastActions(game, observed_), game.actions[observed_]);
        Search search(*this, game.position(), lastActions(game, game.actions.size()), seat, seed);
        return search.run(effort, begin);
    }

    // Returns how many turns it has learned from.
    std::size_t observed() const { return observed_; }

private:
    using Clock = std::chrono::steady_clock;

    // Simulations between two looks at the clock, and between two that begin with the least tried action: the estimate from a few visits
    // can be far off, and selection alone would not return to such an action.
    static constexpr std::uint32_t clockInterval = 32, leastTriedInterval = 16;

    // Returns what the players did in the turn before this one, counted from 0.
    static const Actions &lastActions(const pacman2::Game &game, std::size_t turn) {
        return turn == 0 ? noActions : game.actions[turn - 1];
    }

    // A search in progress.
    class Search {
    public:
        Search(Sage &sage, const Position &root, const Actions &last, int own, std::int32_t seed)
            : sage_(sage), tree_(sage.tree_), root_(root), last_(last), own_(own),
              random_(static_cast<std::uint64_t>(static_cast<std::uint32_t>(seed)) << 32 | std::uint64_t{root.turn} << 2 |
                      static_cast<std::uint64_t>(own)) {
            // How often an opponent's action is drawn from the policy net, instead of searched: who walks by a fixed rule does not answer
            // threats, which the search would expect of it. Who searches as well finds what it finds.
            constexpr float trust = 0.5F, trustRuleFollower = 0.95F, trustSearcher = 0.2F;
            for (int seat = 0; seat < seats; ++seat) {
                const bool isOpponent = seat != own && root.isAlive(seat);
                const PolicyNet::Player player = isOpponent ? sage.opponents_.player(seat) : sage.policy_.player(sage.policy_.style(PolicyNet::ownStyle));
                players_.push_back(sage.whole_.player(player));
                floors_[seat] = isOpponent ? sage.opponents_.randomShare(seat) : 0.2F;
                trust_[seat] = isOpponent ? trust + (trustRuleFollower - trust) * sage.opponents_.ruleFollowerProbability(seat) +
                                                (trustSearcher - trust) * sage.opponents_.searcherProbability(seat)
                                          : 0.0F;
            }
        }

        Decision run(const Effort &effort, Clock::time_point begin) {
            tree_.clear();
            const std::uint32_t root = tree_.add(root_.hash());
            expand(root, root_, last_);
            const std::uint32_t most = effort.simulations > 0 ? effort.simulations : std::numeric_limits<std::uint32_t>::max();
            std::uint32_t simulations = 0;
            for (; simulations < most; ++simulations) {
                if (simulations > 0 && simulations % clockInterval == 0) {
                    const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
                    const std::uint32_t left = std::min(most - simulations, mostLeft(simulations, spent, effort.seconds));
                    if (left == 0 || isSettled(root, left))
                        break;
                }
                simulate(root, simulations);
            }
            Decision decision;
            decision.simulations = simulations;
            std::uint32_t visits = 0;
            const Tree::Range range = tree_.range(root, own_);
            for (std::uint32_t trial = range.first; trial < range.end; ++trial) {
                const Tree::Trial &at = tree_.trial(trial);
                if (at.visits >= visits) {
                    visits = at.visits;
                    decision.action = at.action;
                    decision.points = at.mean;
                }
            }
            return decision;
        }

    private:
        // Returns an upper bound for the simulations that still fit into the time. The search may become faster than it was so far.
        static std::uint32_t mostLeft(std::uint32_t simulations, double spent, double seconds) {
            const double left = seconds - spent;
            if (left <= 0)
                return 0;
            const double most = std::ceil(2.0 * static_cast<double>(simulations) * left / std::max(spent, 1e-6));
            return static_cast<std::uint32_t>(std::min(most, 4294967295.0));
        }

        // Returns whether `left` more simulations cannot change the choice.
        bool isSettled(std::uint32_t root, std::uint32_t left) const {
            const Tree::Range range = tree_.range(root, own_);
            if (range.size() == 1)
                return true;
            std::uint32_t most = 0, second = 0;
            for (std::uint32_t trial = range.first; trial < range.end; ++trial) {
                const std::uint32_t visits = tree_.trial(trial).visits;
                if (visits > most) {
                    second = most;
                    most = visits;
                } else {
                    second = std::max(second, visits);
                }
            }
            return most - second > left;
        }

        void simulate(std::uint32_t root, std::uint32_t number) {
            Position position = root_;
            std::array<std::uint32_t, seats> way[Tree::maxDepth];
            std::size_t depth = 0;
            std::uint32_t node = root;
            Values values;
            for (;;) {
                std::array<std::uint32_t, seats> &picks = way[depth];
                Actions actions;
                for (int seat = 0; seat < seats; ++seat) {
                    std::uint32_t &pick = picks[static_cast<std::size_t>(seat)];
                    pick = pickOf(tree_.range(node, seat), trust_[seat]);
                    if (depth == 0 && seat == own_ && number % leastTriedInterval == 0)
                        pick = tree_.leastTried(tree_.range(node, seat));
                    actions[static_cast<std::size_t>(seat)] = tree_.trial(pick).action;
                }
                ++depth;
                if (!position.play(sage_.maze_, actions)) {
                    values = finalValues(position);
                    break;
                }
                if (depth == Tree::maxDepth) {
                    values = valuesOf(position);
                    break;
                }
                const std::uint64_t hash = position.hash();
                const std::uint32_t next = tree_.find(hash);
                // Most positions are visited once, so a position gets its actions with the second visit.
                if (next == Tree::nothing || !(tree_.isExpanded(next) || tree_.canExpand())) {
                    if (next == Tree::nothing && tree_.hasRoom())
                        tree_.add(hash);
                    values = valuesOf(position);
                    break;
                }
                if (!tree_.isExpanded(next))
                    expand(next, position, actions);
                node = next;
            }
            for (std::size_t at = 0; at < depth; ++at)
                for (std::size_t seat = 0; seat < seats; ++seat)
                    tree_.update(way[at][seat], values[seat]);
        }

        std::uint32_t pickOf(const Tree::Range &range, float trust) {
            if (trust > 0) {
                const float chance = random_.uniform();
                if (chance < trust)
                    return tree_.draw(range, chance / trust);
            }
            return tree_.select(range);
        }

        Values valuesOf(const Position &position) const {
            if (sage_.maze_.ruleset().turnLimit - static_cast<int>(position.turn) == 1)
                return LastTurn(sage_.maze_, sage_.distances_, position).values();
            return sage_.evaluate_(sage_.maze_, position);
        }

        // Gives a node its actions. Their priors depend on what the players did in the turn before.
        void expand(std::uint32_t node, const Position &position, const Actions &last) {
            tree_.beginActions(node);
            for (int seat = 0; seat < seats; ++seat) {
                const ActionList actions = sensibleActions(sage_.maze_, sage_.distances_, position, seat);
                const float count = static_cast<float>(actions.size());
                Nine likely;
                likely.fill(1.0F / count);
                if (actions.size() > 1) {
                    const float floor = floors_[seat];
                    const SeatRows rows = policyRows(sage_.maze_, sage_.distances_, position, last, seat, actions);
                    likely = sage_.whole_.probabilities(rows, players_[static_cast<std::size_t>(seat)]);
                    for (float &part : likely)
                        part = floor / count + (1.0F - floor) * part;
                }
                for (std::size_t i = 0; i < actions.count; ++i) {
                    // A little noise, so that four copies do not move symmetrically.
                    const float noise = random_.uniform() * 0.02F;
                    tree_.addAction(node, seat, actions.actions[i], likely[i] * (0.98F + noise));
                }
            }
        }

        Sage &sage_;
        Tree &tree_;
        const Position root_;
        const Actions last_;
        int own_;
        Random random_;
        // How each seat is expected to play, which part of its prior is uniform, and how often its action is drawn from the prior.
        std::vector<WholePolicyNet::Player> players_;
        float floors_[seats], trust_[seats];
    };

    const Maze &maze_;
    const Distances &distances_;
    const PolicyNet &policy_;
    const WholePolicyNet whole_;
    Evaluate evaluate_;
    Opponents opponents_;
    std::size_t observed_ = 0;
    Tree tree_;
};

} // namespace sage
} // namespace pacman2

#endif // PACMAN2_SAGE_HPP
