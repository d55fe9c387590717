"""What random networks are grown of: a network under construction, and steps by subject."""
