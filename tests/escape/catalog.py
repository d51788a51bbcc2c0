"""Every attempt, by subject."""

from escape import bombs, change, handover, network, reach

ATTEMPTS = (*reach.ATTEMPTS, *network.ATTEMPTS, *change.ATTEMPTS, *bombs.ATTEMPTS, *handover.ATTEMPTS)
