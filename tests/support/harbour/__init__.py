"""A user's installed package: builders, bases and tasks that the tests send through processes."""
