"""More episodes at once than the environment's server has room for."""

import good


def kwargs():
    given = good.kwargs()
    given["args"]["max_inflight_tasks"] = 9
    return given
