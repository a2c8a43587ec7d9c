"""Text with offsets: tokens and sentences that know their place in it, and documents with spans of characters."""
