"""Adapters for agent frameworks. Each imports its framework, which the extra of the same name installs."""
