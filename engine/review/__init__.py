"""The review of a finished game: what each move of a seat gave away, and what was luck.

    repetition  the game once more, move by move, from its secret and its events
    measure     what each possible move leaves, in points, by the expert's own measure
    judgement   one move beside the expert's choice, from the view that its seat had then
    summary     all moves of a seat, their sums by round and in the whole game

A judgement knows the view alone: no card that the seat could not see enters it.
"""
