"""Programs as text: the strings that code can build, read off it without running anything."""
