"""What `keyword` runs inside the sandbox: standard library and pandas only, bound read-only at `/agent`."""
