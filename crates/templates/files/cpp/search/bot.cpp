// A bot for Botzone's Pacman2 that searches: it plays on from the position in its mind, thousands of times, and takes the action
// that turns out best.
// Botzone 吃豆人2 的程序：从当前局面在脑中试走数千次，选出结果最好的动作。
//
// pacman2.hpp knows the rules, distances and the search, and talks with Botzone. To upload, make one file of both:
// pacman2.hpp 里有规则、距离、搜索和与 Botzone 的对话。上传之前合成一个文件：
//     pacman2 bundle bot.cpp -o upload.cpp

#define PACMAN2_NO_COMPAT // without the names of the wiki's sample program 不要 wiki 样例程序的那些名字
#include "pacman2.hpp"

#include <array>
#include <cstddef>
#include <string>

using namespace pacman2;

// Botzone gives a second for each turn, and starting the program takes a part of it. 每回合一秒，启动程序也要占用一部分。
constexpr double SECONDS = 0.7;
// The number is fixed, so that the same position has the same answer. 次数固定，同样的局面就有同样的回答。
constexpr int SIMULATIONS = 20000;

// What a position is worth for each player, in points. Change this! 局面对每个玩家值多少分。从这里改起！
struct Evaluation {
    HandMade handMade; // the evaluation of the built-in bot sage 内置程序 sage 的估值

    Values operator()(const Maze& maze, const Position& position) const {
        Values values = handMade(maze, position);
        // An idea to begin with: how much is it worth to you that a player is boosted, or that nobody is near?
        // 可以从这里想起：某个玩家有增益，或者附近没有别人，在你看来值多少分？
        return values;
    }
};

template <typename Numbers>
std::string list(const Numbers& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "[" : ", ") + std::to_string(number);
    return text + "]";
}

int main() {
    Session session;
    session.keepRunning = true; // the process stays for the next turns 请求长时运行，进程留到后面的回合
    if (!session.next()) return 1;
    const Game& game = session.game(); // the maze, and all positions and actions so far 迷宫，以及到目前为止的局面和动作
    const Distances distances(game.maze);
    Searcher<Evaluation> searcher(game.maze, distances, Evaluation{HandMade(distances)});
    OpponentModel model(distances); // learns how the others play 学习其他人的走法
    std::size_t learned = 0;
    do {
        const Deadline deadline(SECONDS);
        for (; learned < game.actions.size(); learned++)
            model.observe(game.maze, game.positions[learned], game.actions[learned]);
        SearchOptions options;
        options.simulations = SIMULATIONS;
        const SearchResult found = searcher.search(game.position(), session.seat(), model, deadline, options);
        // debug is for you: the bot's view of the position, to compare with the viewer. debug 供调试，可与播放器对照。
        const Position& now = game.position();
        session.answer(found.best, "", "strengths " + list(now.strength) + " cells " + list(now.cells));
    } while (session.next());
}
