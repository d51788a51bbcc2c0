"""From notebook results to tasks, and the audit of any task file."""
