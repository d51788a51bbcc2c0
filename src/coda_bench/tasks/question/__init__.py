"""Questions without a model: what a slice computes, said in words, with guideline, answer and reference program."""
