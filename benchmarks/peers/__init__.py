"""The ways that neighbours have of handing a run-time class to a worker, beside envpickle."""
