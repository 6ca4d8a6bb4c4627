"""Self-play with PPO in one file: one policy plays all four seats, with centred views and masks.

    pip install "pacman2[examples]"
    python ppo.py --updates 300

It regularly reports how the policy performs against three built-in bots, and which shares of the CPU
time the environment, the decisions of the policy (inference) and learning take.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import pacman2

VIEW = "planes_centred"
SHAPE = (18, 11, 11)
# Walls, fruit and generators; the other three players.
CELLS, OTHERS = slice(0, 7 * 121), slice(10 * 121, 16 * 121)
# These planes have one number: the strength and the boost of the player in the middle, and two
# counters of turns, which are the same in all cells.
OWN = (8, 9, 16, 17)
INPUTS = 13 * 121 + len(OWN)
ACTIONS = 9


class Policy(nn.Module):
    """Maps planes to the logits of nine actions and the expected return.

    The width decides the speed: with 128, which learns hardly better, decisions take 1.7 times as
    long.
    """

    def __init__(self, width=64):
        super().__init__()
        self.body = nn.Sequential(
            *(nn.Linear(INPUTS, width), nn.ReLU()),
            *(nn.Linear(width, width), nn.ReLU()),
        )
        self.actor = nn.Linear(width, ACTIONS)
        self.critic = nn.Linear(width, 1)
        # Small weights make the initial policy nearly uniform over the legal actions.
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(self, inputs):
        seen = self.body(inputs)
        return self.actor(seen), self.critic(seen).squeeze(-1)


def inputs_of(planes, out=None):
    """Converts planes into inputs of the policy, in `out` if given: new memory for each turn would
    take a tenth of the time of a decision.

    Numbers that fill a plane are one input. With all 18 planes, a decision takes a fifth longer.
    """
    inputs = torch.empty(len(planes), INPUTS) if out is None else out
    flat = planes.flatten(1)
    inputs[:, : 7 * 121] = flat[:, CELLS]
    inputs[:, 7 * 121 : 13 * 121] = flat[:, OTHERS]
    inputs[:, 13 * 121 :] = planes[:, OWN, 5, 5]
    # Strengths reach 255, but most are small, and the logarithm resolves small differences. The
    # square root does, too, but takes PyTorch five times as long: as long as the net.
    inputs[:, 7 * 121 :].log1p_()
    return inputs


def distribution(logits, mask):
    return Categorical(logits=logits.masked_fill(~mask, -1e9), validate_args=False)


class Stopwatch:
    """CPU time by what it was spent on."""

    def __init__(self):
        self.seconds = {"environment": 0.0, "inference": 0.0, "learning": 0.0}
        self.last = time.process_time()

    def skip(self):
        self.last = time.process_time()

    def charge(self, purpose):
        now = time.process_time()
        self.seconds[purpose] += now - self.last
        self.last = now

    def report(self, turns):
        total = sum(self.seconds.values())
        shares = ", ".join(f"{name} {part / total:.0%}" for name, part in self.seconds.items())
        collecting = total - self.seconds["learning"]
        speeds = f"collecting {turns / collecting:,.0f}, with learning {turns / total:,.0f}"
        return f"{shares}; turns per CPU second: {speeds}"


class Rollout:
    """The data of `steps` steps of all games; each tensor has shape (steps, rows, …)."""

    def __init__(self, steps, rows):
        self.planes = torch.zeros((steps, rows, *SHAPE), dtype=torch.uint8)
        self.masks = torch.zeros((steps, rows, ACTIONS), dtype=torch.bool)
        self.alive = torch.zeros((steps, rows), dtype=torch.bool)
        self.actions = torch.zeros((steps, rows), dtype=torch.int64)
        self.log_probs, self.values, self.rewards, self.over = torch.zeros((4, steps, rows))
        self.inputs = torch.zeros((rows, INPUTS))

    @torch.no_grad()
    def play(self, envs, policy, watch):
        """Continues all games with the policy; returns the advantage of every action."""
        # The arrays of `envs` change with every step, so the rollout copies them.
        arrays = {name: torch.from_numpy(array) for name, array in envs.arrays.items()}
        for t in range(len(self.actions)):
            self.planes[t] = arrays["observations"]
            self.masks[t] = arrays["action_mask"]
            self.alive[t] = arrays["alive"]
            watch.charge("environment")
            logits, self.values[t] = policy(inputs_of(self.planes[t], self.inputs))
            watch.charge("inference")
            # The environment applies the masks and writes into the rollout. PyTorch's `Categorical`
            # would take as long as a quarter of the net.
            envs.sample(logits.numpy(), self.actions[t].numpy(), self.log_probs[t].numpy())
            envs.step(self.actions[t].numpy())
            # Shares change by hundredths; larger rewards speed up learning the value.
            self.rewards[t] = 10 * arrays["rewards"]
            self.over[t] = arrays["terminations"]
        watch.charge("environment")
        last_value = policy(inputs_of(arrays["observations"], self.inputs))[1]
        watch.charge("inference")
        return self.advantages(last_value)

    def advantages(self, value, gamma=0.99, trace=0.9):
        """Computes generalised advantage estimates. They stop at the end of a game, since the next
        game follows in the same row. They continue for dead players, whose share still changes."""
        advantages = torch.zeros_like(self.rewards)
        advantage = torch.zeros_like(value)
        for t in reversed(range(len(self.rewards))):
            goes_on = 1 - self.over[t]
            surprise = self.rewards[t] + gamma * value * goes_on - self.values[t]
            advantage = surprise + gamma * trace * goes_on * advantage
            advantages[t], value = advantage, self.values[t]
        return advantages


def learn(policy, optimiser, rollout, advantages, epochs=3, batch=1024, clip=0.2, entropy=0.01):
    """Does one PPO update: the value learns from every row, the policy only from living players."""
    returns = (advantages + rollout.values).flatten()
    living = advantages[rollout.alive]
    advantages = ((advantages - living.mean()) / (living.std() + 1e-8)).flatten()
    flat = {
        name: tensor.flatten(0, 1) for name, tensor in vars(rollout).items() if name != "inputs"
    }
    for rows in [part for _ in range(epochs) for part in torch.randperm(len(returns)).split(batch)]:
        logits, values = policy(inputs_of(flat["planes"][rows]))
        choices = distribution(logits, flat["masks"][rows])
        alive = flat["alive"][rows].float()
        ratio = (choices.log_prob(flat["actions"][rows]) - flat["log_probs"][rows]).exp()
        clipped = ratio.clamp(1 - clip, 1 + clip)
        gain = torch.min(ratio * advantages[rows], clipped * advantages[rows])
        gain = ((gain + entropy * choices.entropy()) * alive).sum() / alive.sum().clamp(min=1)
        loss = 0.5 * (values - returns[rows]).square().mean() - gain
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        optimiser.step()


@torch.no_grad()
def measure(policy, opponent, games, first_seed=1_000_000):
    """Returns the mean points of the policy against three copies of a bot, the mean points of these
    three, and the share of games in which no player was stronger than the policy. The seats rotate;
    the maps are Botzone's."""
    playing = [pacman2.Game(first_seed + number) for number in range(games)]
    seats = [number % 4 for number in range(games)]
    bots = [[pacman2.Bot(opponent, game.seed) for _ in range(4)] for game in playing]
    while going := [number for number in range(games) if not playing[number].is_over]:
        seen = np.stack([playing[number].observe(VIEW, seats[number]) for number in going])
        masks = np.stack([playing[number].action_mask()[seats[number]] for number in going])
        logits, _ = policy(inputs_of(torch.from_numpy(seen)))
        chosen = distribution(logits, torch.from_numpy(masks)).sample().tolist()
        for number, action in zip(going, chosen):
            game, own = playing[number], seats[number]
            actions = [
                bots[number][seat].act(game, seat) if game.alive[seat] and seat != own else 0
                for seat in range(4)
            ]
            actions[own] = action
            game.step(actions)
    points = np.array([game.scores for game in playing])
    own = points[range(games), seats]
    won = np.mean([max(game.strength) == game.strength[seat] for game, seat in zip(playing, seats)])
    return own.mean(), (points.sum(axis=1) - own).mean() / 3, won


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--games", type=int, default=64, help="games side by side")
    parser.add_argument("--steps", type=int, default=32, help="turns per game and update")
    parser.add_argument("--measure-every", type=int, default=50, metavar="UPDATES")
    parser.add_argument("--measure-games", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch [default: 1]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="FILE", help="save the policy's weights")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    # A small net gains nothing from more threads, which wait for each other.
    torch.set_num_threads(args.threads)
    envs = pacman2.VecEnv(
        args.games,
        observation=VIEW,
        reward="share",
        autoreset_mode="SameStep",
        copy=False,
        seed=args.seed,
    )
    envs.reset()
    policy = Policy()
    optimiser = torch.optim.Adam(policy.parameters(), lr=5e-4, eps=1e-5)
    rollout = Rollout(args.steps, envs.num_envs)
    watch = Stopwatch()
    for update in range(1, args.updates + 1):
        watch.skip()
        advantages = rollout.play(envs, policy, watch)
        learn(policy, optimiser, rollout, advantages)
        watch.charge("learning")
        if update % args.measure_every == 0 or update == args.updates:
            turns = update * args.steps * args.games
            print(f"update {update}: {turns:,} turns; {watch.report(turns)}", flush=True)
            for opponent in ("random", "greedy"):
                own, theirs, won = measure(policy, opponent, args.measure_games)
                told = f"{own:.1f} points, theirs {theirs:.1f}; nobody stronger in {won:.0%}"
                print(f"  against {opponent}: {told}", flush=True)
    if args.save:
        torch.save(policy.state_dict(), args.save)


if __name__ == "__main__":
    main()
