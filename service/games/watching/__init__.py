"""Who watches games: streams of events, and calls that wait for the next one."""
