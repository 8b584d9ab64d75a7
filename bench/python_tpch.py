#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The 22 queries of TPC-H in DuckDB, over .bob files (File.dataset()) and over Parquet with zstd, which DuckDB reads itself.

usage: python_tpch.py OUT.json FOLDER [RUNS]      (needs the package bobbin, pyarrow and duckdb)

FOLDER has the eight tables as Parquet files, such as `tpchgen-cli parquet -s 1 --output-dir FOLDER` makes. Both forms
are written from them into FOLDER/made, once. DuckDB has one thread, and so have the scans. Every figure is the least
CPU time of all threads over RUNS interleaved runs (default: 3), which the machine's other load changes little. The
answers of both must be equal; floats may differ in the last digits.
"""
import json
import math
import os
import pathlib
import platform
import sys
import time

import duckdb
import pyarrow.parquet as parquet

import bobbin as bb

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")

QUERIES = [
    """select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount)),
       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
       from lineitem where l_shipdate <= date '1998-09-02' group by l_returnflag, l_linestatus order by 1, 2""",
    """select s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
       from part, supplier, partsupp, nation, region
       where p_partkey = ps_partkey and s_suppkey = ps_suppkey and p_size = 15 and p_type like '%BRASS'
       and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'EUROPE'
       and ps_supplycost = (select min(ps_supplycost) from partsupp, supplier, nation, region
           where p_partkey = ps_partkey and s_suppkey = ps_suppkey and s_nationkey = n_nationkey
           and n_regionkey = r_regionkey and r_name = 'EUROPE')
       order by s_acctbal desc, n_name, s_name, p_partkey limit 100""",
    """select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate, o_shippriority
       from customer, orders, lineitem
       where c_mktsegment = 'BUILDING' and c_custkey = o_custkey and l_orderkey = o_orderkey
       and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'
       group by l_orderkey, o_orderdate, o_shippriority order by revenue desc, o_orderdate limit 10""",
    """select o_orderpriority, count(*) from orders
       where o_orderdate >= date '1993-07-01' and o_orderdate < date '1993-10-01'
       and exists (select * from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate)
       group by o_orderpriority order by o_orderpriority""",
    """select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
       from customer, orders, lineitem, supplier, nation, region
       where c_custkey = o_custkey and l_orderkey = o_orderkey and l_suppkey = s_suppkey and c_nationkey = s_nationkey
       and s_nationkey = n_nationkey and n_regionkey = r_regionkey and r_name = 'ASIA'
       and o_orderdate >= date '1994-01-01' and o_orderdate < date '1995-01-01'
       group by n_name order by revenue desc""",
    """select sum(l_extendedprice * l_discount) from lineitem
       where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
       and l_discount between 0.05 and 0.07 and l_quantity < 24""",
    """select supp_nation, cust_nation, l_year, sum(volume) from (
           select n1.n_name as supp_nation, n2.n_name as cust_nation, extract(year from l_shipdate) as l_year,
           l_extendedprice * (1 - l_discount) as volume from supplier, lineitem, orders, customer, nation n1, nation n2
           where s_suppkey = l_suppkey and o_orderkey = l_orderkey and c_custkey = o_custkey
           and s_nationkey = n1.n_nationkey and c_nationkey = n2.n_nationkey
           and ((n1.n_name = 'FRANCE' and n2.n_name = 'GERMANY') or (n1.n_name = 'GERMANY' and n2.n_name = 'FRANCE'))
           and l_shipdate between date '1995-01-01' and date '1996-12-31') as shipping
       group by supp_nation, cust_nation, l_year order by supp_nation, cust_nation, l_year""",
    """select o_year, sum(case when nation = 'BRAZIL' then volume else 0 end) / sum(volume) from (
           select extract(year from o_orderdate) as o_year, l_extendedprice * (1 - l_discount) as volume, n2.n_name as nation
           from part, supplier, lineitem, orders, customer, nation n1, nation n2, region
           where p_partkey = l_partkey and s_suppkey = l_suppkey and l_orderkey = o_orderkey and o_custkey = c_custkey
           and c_nationkey = n1.n_nationkey and n1.n_regionkey = r_regionkey and r_name = 'AMERICA'
           and s_nationkey = n2.n_nationkey and o_orderdate between date '1995-01-01' and date '1996-12-31'
           and p_type = 'ECONOMY ANODIZED STEEL') as all_nations
       group by o_year order by o_year""",
    """select nation, o_year, sum(amount) from (
           select n_name as nation, extract(year from o_orderdate) as o_year,
           l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
           from part, supplier, lineitem, partsupp, orders, nation
           where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey
           and o_orderkey = l_orderkey and s_nationkey = n_nationkey and p_name like '%green%') as profit
       group by nation, o_year order by nation, o_year desc""",
    """select c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) as revenue, c_acctbal, n_name, c_address, c_phone, c_comment
       from customer, orders, lineitem, nation
       where c_custkey = o_custkey and l_orderkey = o_orderkey and o_orderdate >= date '1993-10-01'
       and o_orderdate < date '1994-01-01' and l_returnflag = 'R' and c_nationkey = n_nationkey
       group by c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment order by revenue desc limit 20""",
    """select ps_partkey, sum(ps_supplycost * ps_availqty) as value from partsupp, supplier, nation
       where ps_suppkey = s_suppkey and s_nationkey = n_nationkey and n_name = 'GERMANY' group by ps_partkey
       having sum(ps_supplycost * ps_availqty) > (select sum(ps_supplycost * ps_availqty) * 0.0001
           from partsupp, supplier, nation
           where ps_suppkey = s_suppkey and s_nationkey = n_nationkey and n_name = 'GERMANY')
       order by value desc, ps_partkey""",
    """select l_shipmode, sum(case when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH' then 1 else 0 end),
       sum(case when o_orderpriority <> '1-URGENT' and o_orderpriority <> '2-HIGH' then 1 else 0 end)
       from orders, lineitem where o_orderkey = l_orderkey and l_shipmode in ('MAIL', 'SHIP')
       and l_commitdate < l_receiptdate and l_shipdate < l_commitdate and l_receiptdate >= date '1994-01-01'
       and l_receiptdate < date '1995-01-01' group by l_shipmode order by l_shipmode""",
    """select c_count, count(*) as custdist from (
           select c_custkey, count(o_orderkey) as c_count from customer left outer join orders on c_custkey = o_custkey
           and o_comment not like '%special%requests%' group by c_custkey) as c_orders
       group by c_count order by custdist desc, c_count desc""",
    """select 100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice * (1 - l_discount) else 0 end)
       / sum(l_extendedprice * (1 - l_discount)) from lineitem, part
       where l_partkey = p_partkey and l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-10-01'""",
    """with revenue as (select l_suppkey as supplier_no, sum(l_extendedprice * (1 - l_discount)) as total_revenue from lineitem
           where l_shipdate >= date '1996-01-01' and l_shipdate < date '1996-04-01' group by l_suppkey)
       select s_suppkey, s_name, s_address, s_phone, total_revenue from supplier, revenue
       where s_suppkey = supplier_no and total_revenue = (select max(total_revenue) from revenue) order by s_suppkey""",
    """select p_brand, p_type, p_size, count(distinct ps_suppkey) as supplier_cnt from partsupp, part
       where p_partkey = ps_partkey and p_brand <> 'Brand#45' and p_type not like 'MEDIUM POLISHED%'
       and p_size in (49, 14, 23, 45, 19, 3, 36, 9)
       and ps_suppkey not in (select s_suppkey from supplier where s_comment like '%Customer%Complaints%')
       group by p_brand, p_type, p_size order by supplier_cnt desc, p_brand, p_type, p_size""",
    """select sum(l_extendedprice) / 7.0 from lineitem, part
       where p_partkey = l_partkey and p_brand = 'Brand#23' and p_container = 'MED BOX'
       and l_quantity < (select 0.2 * avg(l_quantity) from lineitem where l_partkey = p_partkey)""",
    """select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) from customer, orders, lineitem
       where o_orderkey in (select l_orderkey from lineitem group by l_orderkey having sum(l_quantity) > 300)
       and c_custkey = o_custkey and o_orderkey = l_orderkey
       group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice order by o_totalprice desc, o_orderdate, o_orderkey limit 100""",
    """select sum(l_extendedprice * (1 - l_discount)) from lineitem, part
       where (p_partkey = l_partkey and p_brand = 'Brand#12' and p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
           and l_quantity >= 1 and l_quantity <= 11 and p_size between 1 and 5 and l_shipmode in ('AIR', 'AIR REG')
           and l_shipinstruct = 'DELIVER IN PERSON')
       or (p_partkey = l_partkey and p_brand = 'Brand#23' and p_container in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
           and l_quantity >= 10 and l_quantity <= 20 and p_size between 1 and 10 and l_shipmode in ('AIR', 'AIR REG')
           and l_shipinstruct = 'DELIVER IN PERSON')
       or (p_partkey = l_partkey and p_brand = 'Brand#34' and p_container in ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
           and l_quantity >= 20 and l_quantity <= 30 and p_size between 1 and 15 and l_shipmode in ('AIR', 'AIR REG')
           and l_shipinstruct = 'DELIVER IN PERSON')""",
    """select s_name, s_address from supplier, nation
       where s_suppkey in (select ps_suppkey from partsupp
           where ps_partkey in (select p_partkey from part where p_name like 'forest%')
           and ps_availqty > (select 0.5 * sum(l_quantity) from lineitem where l_partkey = ps_partkey and l_suppkey = ps_suppkey
               and l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'))
       and s_nationkey = n_nationkey and n_name = 'CANADA' order by s_name""",
    """select s_name, count(*) as numwait from supplier, lineitem l1, orders, nation
       where s_suppkey = l1.l_suppkey and o_orderkey = l1.l_orderkey and o_orderstatus = 'F'
       and l1.l_receiptdate > l1.l_commitdate
       and exists (select * from lineitem l2 where l2.l_orderkey = l1.l_orderkey and l2.l_suppkey <> l1.l_suppkey)
       and not exists (select * from lineitem l3 where l3.l_orderkey = l1.l_orderkey and l3.l_suppkey <> l1.l_suppkey
           and l3.l_receiptdate > l3.l_commitdate)
       and s_nationkey = n_nationkey and n_name = 'SAUDI ARABIA'
       group by s_name order by numwait desc, s_name limit 100""",
    """select cntrycode, count(*), sum(c_acctbal) from (
           select substring(c_phone from 1 for 2) as cntrycode, c_acctbal from customer
           where substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17')
           and c_acctbal > (select avg(c_acctbal) from customer where c_acctbal > 0.00
               and substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17'))
           and not exists (select * from orders where o_custkey = c_custkey)) as custsale
       group by cntrycode order by cntrycode""",
]


def make(folder):
    """The tables as .bob and as Parquet with zstd."""
    made = folder / "made"
    made.mkdir(exist_ok=True)
    for name in TABLES:
        if not (made / f"{name}.bob").exists():
            table = parquet.read_table(folder / f"{name}.parquet")
            parquet.write_table(table, made / f"{name}.parquet", compression="zstd")
            bb.write(table, made / f"{name}.bob")
    return made


def connect(made):
    """A connection per form, each with the tables by their names. Files stay open, as a catalogue's would."""
    found = {}
    for form in ("bobbin", "parquet"):
        connection = duckdb.connect()
        connection.execute("set threads = 1")
        for name in TABLES:
            if form == "bobbin":
                connection.register(name, bb.open(made / f"{name}.bob").dataset())
            else:
                connection.execute(f"create view {name} as select * from read_parquet('{made / name}.parquet')")
        found[form] = connection
    return found


def same(a, b):
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return math.isclose(a, b, rel_tol=1e-9) if isinstance(a, float) else a == b


def measure(connections, query, runs):
    """The least CPU seconds of each form, by interleaved runs."""
    seconds, rows = {form: [] for form in connections}, {}
    for _ in range(runs):
        for form, connection in connections.items():
            begin = time.process_time()
            rows[form] = connection.execute(query).fetchall()
            seconds[form].append(time.process_time() - begin)
    if not same(rows["bobbin"], rows["parquet"]):
        raise SystemExit(f"the answers differ: {query}")
    return {form: round(min(each), 4) for form, each in seconds.items()}


def main():
    out, folder, runs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 3
    made = make(folder)
    connections = connect(made)
    lines = []
    for number, query in enumerate(QUERIES, 1):
        seconds = measure(connections, query, runs)
        lines.append({"tpch_query": number, "cpu_seconds": seconds, "ratio": round(seconds["bobbin"] / seconds["parquet"], 3)})
        print(f"Q{number}: bobbin {seconds['bobbin']:.3f} s, parquet {seconds['parquet']:.3f} s, {lines[-1]['ratio']:.2f}", flush=True)
    sums = {form: round(sum(line["cpu_seconds"][form] for line in lines), 3) for form in connections}
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    result = {"machine": {"cpu": cpu, "cores": os.cpu_count(), "gpu": None, "load": os.getloadavg()[0]},
              "commit": os.environ.get("BOBBIN_COMMIT", "none"), "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
              "duckdb": duckdb.__version__, "threads": 1, "runs": runs, "sum_cpu_seconds": sums,
              "ratio": round(sums["bobbin"] / sums["parquet"], 3),
              "bytes": {form: sum((made / f"{name}.{form}").stat().st_size for name in TABLES) for form in ("bob", "parquet")},
              "rows": lines}
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"all: {sums}, {result['ratio']:.2f}")


if __name__ == "__main__":
    main()
