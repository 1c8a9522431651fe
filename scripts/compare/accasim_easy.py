"""How long does EASY take in AccaSim? Run by scripts/compare/side-by-side, which measures it: accasim_easy.py LOG PROCESSORS FOLDER.

Needs accasim 1.1.3 from PyPI.
"""

import collections
import collections.abc
import json
import sys

# AccaSim 1.1.3 still looks for these where Python had them before 3.10.
for name in ("Mapping", "MutableMapping", "Iterable", "Callable", "Sequence"):
    setattr(collections, name, getattr(collections.abc, name))

from accasim.base.allocator_class import FirstFit  # noqa: E402
from accasim.base.scheduler_class import EASYBackfilling  # noqa: E402
from accasim.base.simulator_class import Simulator  # noqa: E402

log, processors, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
system = {
    "groups": {"processors": {"core": 1, "mem": 1}},
    "resources": {"processors": processors},
    "equivalence": {"processor": {"core": 1}},
}
with open(f"{folder}/system.json", "w") as file:
    json.dump(system, file)
simulator = Simulator(
    log,
    f"{folder}/system.json",
    EASYBackfilling(FirstFit()),
    RESULTS_FOLDER_PATH=folder,
    scheduling_output=False,
    statistics_output=False,
    benchmark_output=False,
    pprint_output=False,
)
simulator.start_simulation()
