"""Types for annotations: the names that options may have, and the options of the environments.

    from pacman2.typing import View

    def encoder(view: View) -> Encoder: ...

The names are strings at run time. Type checkers such as mypy and pyright reject others.
"""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias, TypedDict

__all__ = [
    "AutoresetName",
    "Component",
    "Dtype",
    "MapOptions",
    "MaskPlace",
    "ParallelOptions",
    "OpponentsMode",
    "Picture",
    "RenderMode",
    "Reward",
    "Rules",
    "Ruling",
    "SeatChoice",
    "View",
]

View: TypeAlias = Literal[
    "compact",
    "planes",
    "planes_centred",
    "features",
    "action_features",
]
"""What an observation contains: the option `observation`."""

Dtype: TypeAlias = Literal["uint8", "float32"]
"""The type of an observation's numbers: the option `dtype`."""

Reward: TypeAlias = Literal["share", "score", "rank", "zero_sum"]
"""How players are rewarded: the option `reward`."""

Ruling: TypeAlias = Literal["sample", "judge", "prose"]
"""The source of the rules to follow where they disagree: the option `ruling`."""

OpponentsMode: TypeAlias = Literal["seats", "drawn"]
"""How the opponents of a `pacman2.VecEnv` are chosen: the option `opponents_mode`."""

SeatChoice: TypeAlias = Literal["random", "rotate"]
"""How the learner's seat in a `pacman2.VecEnv` is chosen, if it is not a number."""

Component: TypeAlias = Literal["net", "others", "last-turn", "pruning", "promise"]
"""A part of the search of `sage` that it can do without: the option `without` of `pacman2.Bot`."""

MaskPlace: TypeAlias = Literal["observation", "info"]
"""Where PettingZoo's environments put the mask of legal actions: the option `action_mask`."""

AutoresetName: TypeAlias = Literal["NextStep", "SameStep", "Disabled"]
"""When the next game of a `pacman2.VecEnv` starts: the values of Gymnasium's `AutoresetMode`."""

Picture: TypeAlias = Literal["ansi", "rgb_array", "html"]
"""A form of `pacman2.Game.render`."""

RenderMode: TypeAlias = Literal["human", "ansi", "rgb_array", "html"]
"""What `render()` of an environment does: the option `render_mode`."""


class Rules(TypedDict, total=False):
    """The settings of a game; `None` keeps the value of the map, or Botzone's default."""

    turns: SupportsIndex | None
    """After how many turns the game ends."""
    generator_interval: SupportsIndex | None
    """The number of turns between spawns of fruit."""
    large_fruit_duration: SupportsIndex | None
    """The number of turns that a boost lasts."""
    large_fruit_enhancement: SupportsIndex | None
    """The strength that a boost adds."""
    skill_cost: SupportsIndex | None
    """The strength that a light costs."""
    ruling: Ruling
    """Whether light hits a player that forfeits this turn."""


class MapOptions(Rules, total=False):
    """The options that determine the maps and the settings of an environment."""

    size: SupportsIndex | Sequence[SupportsIndex] | None
    """A side of Botzone's maps, or `(width, height)`, 6 to 11."""
    init_data: dict[str, Any] | str | None
    """Botzone's init data, a map for all games."""


class ParallelOptions(MapOptions, total=False):
    """The options of `pacman2.parallel_env` and `pacman2.env`."""

    observation: View
    """The view; see `pacman2.zoo.ParallelEnv` for all options."""
    dtype: Dtype | None
    """The type of the observations' numbers."""
    history: SupportsIndex | None
    """How many of the last turns' actions follow in the observation."""
    window: SupportsIndex | None
    """The side of `planes_centred`."""
    reward: Reward
    """The reward."""
    action_mask: MaskPlace
    """Where the mask of legal actions is."""
    max_cycles: SupportsIndex | None
    """The number of turns after which a game is truncated."""
    black_death: bool | None
    """Whether dead players keep their rows until the game ends."""
    copy: bool
    """Whether returned values never change."""
    render_mode: RenderMode | None
    """What `render()` does."""
