"""How cost grows: with tools, with classes, and with processes in flight."""
