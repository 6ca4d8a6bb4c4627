"""Botzone's game Pacman2: the rules for search, and environments for learning."""
