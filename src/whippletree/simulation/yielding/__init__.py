"""Motion of bodies whose surfaces give way, with their patches as states (RBDA §11.8)."""
