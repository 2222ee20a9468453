"""What both clients share: building, signing and interpreting requests, without sending anything."""
