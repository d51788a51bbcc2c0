"""Environments: a community laid out as `full_community/`, its files profiled, its noise measured."""
