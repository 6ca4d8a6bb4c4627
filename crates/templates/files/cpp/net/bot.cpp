// A bot for Botzone's Pacman2 that searches as the built-in bot sage does: it evaluates positions with a learned net, and another net
// learns while it plays how the others act.
// Botzone 吃豆人2 的程序：像内置程序 sage 一样搜索，用学来的网络给局面估值，另一个网络边下边学其他人的走法。
//
// sage.hpp is the search, weights.hpp the weights of the nets; pacman2.hpp knows the rules and talks with Botzone. To upload, make one
// file of all:
// sage.hpp 是搜索，weights.hpp 是网络的权重，pacman2.hpp 里有规则和与 Botzone 的对话。上传之前合成一个文件：
//     pacman2 bundle bot.cpp -o upload.cpp
// To train a net of your own: 训练自己的网络：
//     pacman2 train --out run
//     pacman2 export --net run/sage.net --lang cpp --only-weights -o weights.hpp

#define PACMAN2_NO_COMPAT // without the names of the wiki's sample program 不要 wiki 样例程序的那些名字
#include "sage.hpp"
#include "weights.hpp"

#include <string>

using namespace pacman2;

// Botzone gives a second for each turn, and starting the program takes a part of it. 每回合一秒，启动程序也要占用一部分。
constexpr double SECONDS = 0.7;
// The number is fixed, so that the same position has the same answer. 次数固定，同样的局面就有同样的回答。
constexpr unsigned SIMULATIONS = 20000;

// What a position is worth for each player, in points. Change this! 局面对每个玩家值多少分。从这里改起！
struct Evaluation {
    sage::Net net;

    Values operator()(const Maze& maze, const Position& position) const {
        Values values = net(maze, position);
        // An idea to begin with: what does the net overlook in the games that you lost?
        // 可以从这里想起：输掉的那几局里，网络忽略了什么？
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
    const sage::PolicyNet policy(sage::unpack(sage::policyWeights));
    const Evaluation evaluation{sage::Net(distances, sage::unpack(sage::netWeights))};
    sage::Sage<Evaluation> bot(game.maze, distances, policy, evaluation);
    do {
        const sage::Decision found = bot.decide(game, session.seat(), {SIMULATIONS, SECONDS});
        // debug is for you: the bot's view of the position, to compare with the viewer. debug 供调试，可与播放器对照。
        const Position& now = game.position();
        session.answer(found.action, "", "strengths " + list(now.strength) + " cells " + list(now.cells));
    } while (session.next());
}
