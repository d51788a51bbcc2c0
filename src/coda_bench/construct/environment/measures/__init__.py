"""Numbers of an environment: signal to noise, copies, look-alikes, similarity of the noise to the targets."""
