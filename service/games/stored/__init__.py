"""The forms in which a game is stored beside its state of play."""
