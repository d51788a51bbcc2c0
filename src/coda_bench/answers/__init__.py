"""When two answers are the same: the released matchers, the paper's normalisation, and the typed comparison."""
