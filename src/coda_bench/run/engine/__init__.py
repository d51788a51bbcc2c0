"""The only place that knows Inspect AI: our sandbox as its provider, a release as its task, samples as attempts."""
