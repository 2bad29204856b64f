"""How long a class made at run time takes to reach another process, beside its peers.

``python -m benchmarks.spawn_roundtrip`` measures; `benchmarks/spawn_roundtrip/README.md` says what and how.
Modules that a measured child imports (`shapes`, `floor`, `builders`, `wrappers`, `child`) stay light.
"""
