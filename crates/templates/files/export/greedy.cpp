// The built-in bot "greedy" for Botzone: it walks to the nearest fruit, out of reach of stronger players, and never shoots.
// Its decisions are those of `pacman2 play "greedy --seed SEED"`.

#include "pacman2.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace {

using pacman2::Action, pacman2::Cell, pacman2::CellSet, pacman2::Direction, pacman2::Maze, pacman2::Position;

constexpr std::int32_t seed = 0; // [seed]
// The extra length of a path through danger, in steps.
constexpr int danger = 100;
constexpr int none = 1000;

struct Option {
    Action action;
    Cell cell;
};

struct Path {
    Cell from;
    int steps;
};

Cell cellOf(const Position &position, int seat) { return position.cells[static_cast<std::size_t>(seat)]; }

// Returns the actions with the cells to which they lead: moves first, in random order.
std::vector<Option> optionsOf(const Maze &maze, const Position &position, int seat) {
    const std::uint64_t number = static_cast<std::uint64_t>(static_cast<std::uint32_t>(seed)) << 32 | position.turn << 2 | static_cast<unsigned>(seat);
    const std::uint64_t first = pacman2::Random(number).next();
    const Cell here = cellOf(position, seat);
    std::vector<Option> options;
    for (std::uint64_t turn = 0; turn < 4; ++turn) {
        const Direction direction = static_cast<Direction>((first + turn) % 4);
        if (maze.isOpen(here, direction))
            options.push_back({pacman2::moveTo(direction), maze.neighbour(here, direction)});
    }
    options.push_back({Action::stay, here});
    return options;
}

// Returns the cells on which a stronger player could stand after this turn.
CellSet reachOfTheStronger(const Maze &maze, const Position &position, int seat) {
    CellSet reach;
    for (int other = 0; other < pacman2::seats; ++other)
        if (position.isAlive(other) && position.strength[static_cast<std::size_t>(other)] > position.strength[static_cast<std::size_t>(seat)]) {
            const Cell cell = cellOf(position, other);
            reach.insert(cell);
            for (int direction = 0; direction < 4; ++direction)
                if (maze.isOpen(cell, static_cast<Direction>(direction)))
                    reach.insert(maze.neighbour(cell, static_cast<Direction>(direction)));
        }
    return reach;
}

// Returns the shortest path from one of the starts, the earliest if several are equal, to a target that enters no barred cell.
Path shortest(const Maze &maze, const std::vector<Cell> &starts, CellSet targets, CellSet barred) {
    struct Reached {
        Cell cell, from;
        int steps;
    };
    std::vector<Reached> queue;
    CellSet closed = barred, reached;
    for (const Cell from : starts) {
        if (targets.contains(from))
            return {from, 0};
        if (!reached.contains(from))
            queue.push_back({from, from, 0});
        reached.insert(from);
    }
    closed = closed | reached;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const Reached at = queue[head];
        bool isThere = false;
        for (int direction = 0; direction < 4; ++direction) {
            const Cell next = maze.neighbour(at.cell, static_cast<Direction>(direction));
            if (!maze.isOpen(at.cell, static_cast<Direction>(direction)) || closed.contains(next))
                continue;
            closed.insert(next);
            queue.push_back({next, at.from, at.steps + 1});
            isThere = isThere || targets.contains(next);
        }
        if (isThere)
            return {at.from, at.steps + 1};
    }
    return {0, none};
}

// Returns the first of the cells with the shortest path to a target, around danger if possible.
Cell nearest(const Maze &maze, const std::vector<Cell> &cells, CellSet targets, CellSet dangerous) {
    const Path path = shortest(maze, cells, targets, dangerous);
    if (path.steps <= danger)
        return path.from;
    if (path.steps == none) {
        const Path through = shortest(maze, cells, targets, CellSet());
        return through.steps == none ? cells.front() : through.from;
    }
    const auto steps = [&](Cell cell) {
        const int around = shortest(maze, {cell}, targets, dangerous).steps;
        const int through = around == none ? shortest(maze, {cell}, targets, CellSet()).steps : around;
        return around != none ? around : through == none ? 255 : through + danger;
    };
    return *std::min_element(cells.begin(), cells.end(), [&](Cell one, Cell other) { return steps(one) < steps(other); });
}

Action decide(const Maze &maze, const Position &position, int seat) {
    const CellSet dangerous = reachOfTheStronger(maze, position, seat);
    const std::vector<Option> options = optionsOf(maze, position, seat);
    CellSet taken, targets = position.smallFruits | position.largeFruits;
    for (int other = 0; other < pacman2::seats; ++other)
        if (other != seat && position.isAlive(other))
            taken.insert(cellOf(position, other));
    if (targets.empty())
        targets = maze.spawnCells();
    std::vector<Cell> cells;
    for (const Option &option : options)
        cells.push_back(option.cell);
    // Players that share a cell eat nothing there.
    for (const CellSet avoided : {dangerous, taken}) {
        std::vector<Cell> preferred;
        for (const Cell cell : cells)
            if (!avoided.contains(cell))
                preferred.push_back(cell);
        cells = preferred.empty() ? cells : preferred;
    }
    const Cell cell = nearest(maze, cells, targets, dangerous);
    for (const Option &option : options)
        if (option.cell == cell)
            return option.action;
    return Action::stay;
}

} // namespace

int main() {
    pacman2::Session session;
    session.keepRunning = true;
    while (session.next())
        session.answer(decide(session.maze(), session.position(), session.seat()));
}
