"""Running notebooks and parts of them in sandboxes, with what they display noted as values."""
