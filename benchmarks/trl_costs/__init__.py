"""What envpickle costs a training run, and an honest comparison with the ten-line cloudpickle wrapper.

Run with `python -m benchmarks.trl_costs`; see README.md.
"""
