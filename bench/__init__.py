"""The benchmarks and the tournament: one command each, one table or JSON object as its answer."""
