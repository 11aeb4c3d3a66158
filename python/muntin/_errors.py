class MuntinError(RuntimeError):
    """Muntin cannot be used as asked; the message says why and what to do."""
