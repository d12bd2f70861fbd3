"""Motion of rigid bodies from one contact event to the next (RBDA table 11.1)."""
