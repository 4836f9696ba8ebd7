"""Evidence against peers: the same terms asked of fsmj and of others, each in its own process."""
