"""From tasks to attempts: agents in sandboxes on Inspect AI, journalled and resumable."""
