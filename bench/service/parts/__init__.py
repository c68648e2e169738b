"""The tables of the service's benchmark, a module each."""
