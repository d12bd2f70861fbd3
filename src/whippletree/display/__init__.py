"""Pictures of mechanisms and their motion."""
