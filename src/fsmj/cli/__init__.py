"""The command `fsmj`: one subcommand for each public call."""
