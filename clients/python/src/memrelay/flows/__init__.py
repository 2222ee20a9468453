"""Each operation of a client, as a flow (core/effects.py) that both clients run."""
