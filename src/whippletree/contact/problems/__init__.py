"""Contact problems of rigid bodies: which forces keep them apart (RBDA §11.1-11.5)."""
