"""."""

RIVALS = ()
__all__ = []
