"""`envpickle.explain` beside `ray.util.inspect_serializability` and `dill.detect`, on ten inputs."""
