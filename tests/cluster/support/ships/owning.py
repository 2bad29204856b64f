"""What the drivers of the tests of owners begin with; their first argument is a directory in which sessions are files."""

HEAD = """
import os, pickle, signal, sys, threading, time
from pathlib import Path
import envpickle
from harbour import berths
from ships import driving, hands
from ships.driving import until
from voyage.fresh import report

home = sys.argv[1]

def sessions():
    return len(list(Path(home).glob("session_*")))

def beacons():
    import ray
    from ray.util import list_named_actors
    return [one["name"] for one in list_named_actors(all_namespaces=True) if one["namespace"] == "envpickle"]

def start():
    import ray
    driving.connect()
    driving.await_nodes(2)
    return ray
"""
