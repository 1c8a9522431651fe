#!/usr/bin/env python3
"""Which variants are best in the results of any study, and do pandas and Polars agree?

Needs Python 3.11, pandas, polars and dfrsim; seconds.

    scripts/compare/notebook.py results/quickstart results/grid_quick results/offline_quick

The script does not depend on the study: it finds the primary metric, its direction and unit, labels, instances and variants by their roles
in the schema of the rows (`dfrsim schema rows STUDY`).
"""

import json
import math
import sys
import tempfile
import tomllib
from pathlib import Path

import pandas
import polars

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import common  # noqa: E402

PANDAS = {"string": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean"}
POLARS = {"string": polars.String, "integer": polars.Int64, "number": polars.Float64, "boolean": polars.Boolean}


def kind(column):
    """The type of a column's values that is not null."""
    if "type" not in column:
        return "string"
    return next(name for name in column["type"] if name != "null")


class Rows:
    """One type of the rows of results, as their schema describes it."""

    def __init__(self, schema):
        # In the order of the file.
        self.columns = {name: schema["properties"][name] for name in schema["required"]}
        self.constants = {name: column["const"] for name, column in self.columns.items() if "const" in column}
        self.primary = next((name for name, column in self.columns.items() if column["x-role"] == "primary"), None)

    def of_role(self, *roles):
        return [name for name, column in self.columns.items() if column["x-role"] in roles]

    def heading(self):
        column = self.columns[self.primary]
        unit = f" in {column['x-unit']}" if "x-unit" in column else ""
        return f"{self.primary}{unit}, {column['x-better']} is better: {column['description']}"

    def sign(self):
        return 1 if self.columns[self.primary]["x-better"] == "less" else -1

    def with_pandas(self, path, types):
        """The number of instances; and of each variant how many rows have a value, and their mean."""
        rows = pandas.read_json(path, lines=True, dtype=False)
        rows = rows.astype({name: PANDAS[kind] for name, kind in types.items()})
        for name, value in self.constants.items():
            rows = rows[rows[name] == value]
        rows = rows[rows["status"] == "ok"]
        instances = len(rows[self.of_role("label", "instance")].drop_duplicates())
        variants = rows.groupby(self.of_role("variant"), dropna=False)[self.primary].agg(["count", "mean"])
        found = {}
        for variant, count, mean in variants.itertuples():
            variant = variant if isinstance(variant, tuple) else (variant,)
            key = tuple(None if pandas.isna(value) else value for value in variant)
            if count > 0:
                found[key] = (int(count), float(mean))
        return instances, found

    def with_polars(self, path, types):
        """The same."""
        rows = polars.read_ndjson(path, schema={name: POLARS[kind] for name, kind in types.items()})
        for name, value in self.constants.items():
            rows = rows.filter(polars.col(name) == value)
        rows = rows.filter(polars.col("status") == "ok")
        instances = rows.select(self.of_role("label", "instance")).unique().height
        metric = polars.col(self.primary)
        groups = rows.group_by(self.of_role("variant")).agg(metric.count().alias("count"), metric.mean().alias("mean"))
        return instances, {tuple(key): (count, mean) for *key, count, mean in groups.iter_rows() if count > 0}


def same(left, right):
    """Whether both have the same variants, numbers of values and means, but for the order of additions."""
    return left.keys() == right.keys() and all(
        left[key][0] == right[key][0] and math.isclose(left[key][1], right[key][1], rel_tol=1e-9) for key in left
    )


def rank(folder):
    manifest = tomllib.loads((Path(folder) / "manifest.toml").read_text())
    schema = json.loads(common.dfrsim("schema", "rows", manifest["study"]).stdout)
    kinds = [Rows(each) for each in schema["oneOf"]]
    types = {name: kind(column) for each in kinds for name, column in each.columns.items()}
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "rows.jsonl"
        common.dfrsim("results", "export", folder, "--jsonl", path)
        for rows in (each for each in kinds if each.primary and each.of_role("variant")):
            instances, ranking = rows.with_pandas(path, types)
            if (instances, True) != ((other := rows.with_polars(path, types))[0], same(ranking, other[1])):
                sys.exit(f"{folder}: pandas finds {instances, ranking}, Polars {other}")
            if not ranking:
                continue
            print(f"\n{manifest['study']} {' '.join(rows.constants.values())}: {rows.heading()}")
            print(f"{instances} instances, by {', '.join(rows.of_role('label', 'instance'))}")
            best = sorted(ranking.items(), key=lambda item: rows.sign() * item[1][1])
            # What is the same for all variants does not name them.
            varied = [len({variant[place] for variant in ranking}) > 1 for place in range(len(best[0][0]))]
            print("           mean     values")
            for place, (variant, (count, mean)) in enumerate(best[:10], 1):
                names = zip(rows.of_role("variant"), variant, varied)
                name = ", ".join(f"{column} {value}" for column, value, is_varied in names if is_varied and value is not None)
                print(f"{place:3}  {mean:10.4f}  {count:9}  {name}")
            if len(best) > 10:
                print(f"     and {len(best) - 10} more")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for folder in sys.argv[1:]:
        rank(folder)
    print("\npandas and Polars agree")
