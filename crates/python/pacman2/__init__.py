"""Botzone's game Pacman2: the rules for search, and environments for learning."""

from pacman2._engine import Bot, Game, Report, __version__, bot_names

__all__ = ["Bot", "Game", "Report", "__version__", "bot_names"]
