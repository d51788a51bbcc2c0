"""What a data file holds, told by its content, within limits, in a process of its own."""
