"""What a token is: the rule, and texts cut by it into terms."""

from fsmj.tokens.rule import TokenRule

__all__ = ["TokenRule"]
