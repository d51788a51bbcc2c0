"""From predictions to verdicts: validation, execution accuracy, discovery accuracy."""
