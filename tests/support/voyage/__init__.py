"""What the tests travel with: fresh interpreters, round trips, and reports written for the test that waits."""
