"""From scores to tables, figures and the report."""
