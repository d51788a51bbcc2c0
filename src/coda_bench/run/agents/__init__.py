"""One adapter a file: how each agent is started and where its answer comes from."""
