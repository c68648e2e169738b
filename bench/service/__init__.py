"""The service's speed: every figure beside a floor that is measured in the same run.

The floor is a bare Flask application under the same gunicorn, over the same store (`floor.py`).
`clients.py` sends requests over kept connections, `games.py` holds the games that are played,
`batches.py` has the figures of a number of equal requests. `masters.py` starts stores of one
server or several and tells what each spends; `commits.py` plays against them without a service.
Each module of `parts/` measures one table.
"""
