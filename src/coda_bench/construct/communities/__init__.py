"""Communities: found in the graph, described, chosen."""
