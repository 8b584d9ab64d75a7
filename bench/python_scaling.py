#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the time of questions to many files goes down with the number of processes: Dask workers on one machine.

usage: python_scaling.py OUT.json FOLDER [PROCESSES ...]      (needs the package bobbin, dask and distributed)

FOLDER holds TPC-H's lineitem in many .bob files, for example made by
  tpchgen-cli csv -s 10 --tables lineitem --parts 64 --output-dir T
  for part in T/lineitem/*.csv; do bobbin compress "$part"; done
Each worker has one core. Two questions on encoded data (the parts of TPC-H's Q1 and Q6 that need no expressions), with
a warm page cache; the answers must equal those of one process without Dask. The median and the least of several runs are given: on a busy machine the least is the figure to compare.
"""
import datetime
import decimal
import json
import os
import platform
import statistics
import sys
import time

import distributed

import bobbin as bb
import bobbin.dask

RUNS = 7


def q1(source, ask):
    return ask(source, ["l_returnflag", "l_linestatus"], where=bb.col("l_shipdate") <= datetime.date(1998, 9, 2),
               order="l_returnflag, l_linestatus", quantity=bb.sum("l_quantity"), price=bb.sum("l_extendedprice"),
               discount=bb.avg("l_discount"), orders=bb.count())


def q6(source, ask):
    col = bb.col
    where = ((col("l_shipdate") >= datetime.date(1994, 1, 1)) & (col("l_shipdate") < datetime.date(1995, 1, 1))
             & col("l_discount").between(decimal.Decimal("0.05"), decimal.Decimal("0.07")) & (col("l_quantity") < 24))
    return ask(source, [], where=where, price=bb.sum("l_extendedprice"), lines=bb.count())


def here(source, keys, *, where, order="", **aggregates):
    scan = source.scan((), where, threads=1)
    return scan.group_by(keys, order=order, **aggregates) if keys else [scan.aggregate(**aggregates)]


def by_dask(source, keys, *, where, order="", **aggregates):
    return bobbin.dask.group_by(source, keys, where=where, order=order, **aggregates).compute()


def seconds_of(work):
    times = []
    for _ in range(RUNS + 1):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return {"median_s": statistics.median(times[1:]), "least_s": min(times[1:])}


def pin(number):
    """To one core of those that this process may use."""
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[number % os.cpu_count()]})


def main():
    out, folder = sys.argv[1], sys.argv[2]
    counts = [int(count) for count in sys.argv[3:]] or [1, 2]
    data = bb.dataset(folder)
    rows = []
    for name, question in {"Q1": q1, "Q6": q6}.items():
        expected = question(data, here)
        rows.append({"question": name, "processes": 0, **seconds_of(lambda: question(data, here))})
        print(rows[-1], expected[0])
    for count in counts:
        with distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster, \
                distributed.Client(cluster) as client:
            for number, worker in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
                client.run(pin, number, workers=[worker])
            for name, question in {"Q1": q1, "Q6": q6}.items():
                assert question(data, by_dask) == question(data, here), name
                rows.append({"question": name, "processes": count, **seconds_of(lambda: question(data, by_dask))})
                print(rows[-1])
    result = {"machine": {"cpu": platform.processor(), "cores": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()[0]},
              "commit": os.environ.get("BOBBIN_COMMIT", "none"),
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "files": len(data.paths), "table_rows": data.num_rows, "rows": rows}
    with open(out, "w") as file:
        json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
