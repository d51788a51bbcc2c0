"""Repair: source that used what libraries have removed since, by rules; what it computes must stay what was stored."""
