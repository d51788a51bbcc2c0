"""The audit: rules that find defects in any task file, without running or trusting anything in it."""
