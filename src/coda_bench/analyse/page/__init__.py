"""The report as one HTML page, section by section."""
