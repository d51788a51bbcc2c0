"""The nouns of the project and the files they are stored in; pydantic only, frozen, versioned."""
