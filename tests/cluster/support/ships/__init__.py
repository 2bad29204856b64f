"""Real Ray clusters on this machine: each node a tree of processes of the test's own, ended by their ids; and drivers on them.

::

    from ships.fleet import Fleet

    with Fleet() as fleet:                           # a head, and no other node
        far = fleet.add("far", TMPDIR="/tmp/x")      # a second node, with an environment of its own
        answer = fleet.run(PROGRAM, "argument")      # a driver in a fresh interpreter; what it gave to `voyage.fresh.report`
        far.kill()

In a program, ``ray.init()`` finds the cluster (``RAY_ADDRESS``), and ``@ray.remote(resources={"far": 1})`` runs on that node
(the head's resource is ``"head"``). `ships.driving` has what such programs share.
"""
