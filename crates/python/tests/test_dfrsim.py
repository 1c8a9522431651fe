"""python -m unittest discover crates/python/tests, with the package installed."""
import ast
import doctest
import gc
import inspect
import os
import pickle
import signal
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dfrsim
import dfrsim._policies

try:
    import numpy
except ImportError:
    numpy = None
try:
    import polars
except ImportError:
    polars = None

sys.path.insert(0, str(Path(__file__).parents[2] / "simulator/external/clients"))
from easy import Easy as Client  # noqa: E402

EXAMPLE = Path(__file__).parents[1] / "examples/easy.py"
Listed, _ = dfrsim._policies.load(str(EXAMPLE), "Easy")


class Easy:
    """The example of the pipe, called directly."""

    def begin(self, view):
        self.client = Client(view["nodes"])

    def decide(self, view):
        return self.client.decide(view)


class Answers:
    """Answers the first moment with this."""

    def __init__(self, answer):
        self.answer = answer

    def decide(self, view):
        return self.answer


WORKLOAD = dfrsim.lublin(jobs=2000, nodes=64, seed=1, load=0.9)


class Texts(unittest.TestCase):
    def test_the_page(self):
        self.assertEqual(doctest.testmod(dfrsim).failed, 0)

    def test_what_help_prints_is_what_the_stub_says(self):
        stub = ast.parse(Path(dfrsim.__file__).with_name("_dfrsim.pyi").read_text())
        native, compared = dfrsim._dfrsim, 0
        for node in stub.body:
            own = getattr(native, getattr(node, "name", ""), None)
            if own is None:
                continue
            self.assertEqual(inspect.getdoc(own), ast.get_docstring(node), node.name)
            compared += 1
            for member in getattr(node, "body", []):
                if isinstance(node, ast.ClassDef) and isinstance(member, ast.FunctionDef) and member.name[0] != "_":
                    text = inspect.getdoc(getattr(own, member.name))
                    self.assertEqual(text, ast.get_docstring(member), f"{node.name}.{member.name}")
                    compared += 1
        self.assertGreaterEqual(compared, 19)

    def test_notebooks_show_tables(self):
        self.assertIn("<th>nodes</th><td>64</td>", WORKLOAD._repr_html_())
        self.assertIn("<th>jobs</th><td>2000</td>", dfrsim.simulate(WORKLOAD, "EASY")._repr_html_())

    def test_the_version_is_that_of_the_package(self):
        self.assertRegex(dfrsim.__version__, r"^\d+\.\d+\.\d+$")


class Workloads(unittest.TestCase):
    def test_a_pickled_workload_is_the_same(self):
        some = dfrsim.Workload(2, [0, 0.1], [1, 2], [1e-6, 7.7], requested_time=[None, 3], cpu_need=0.3, memory=[0.1, 1])
        for workload in (some, WORKLOAD):
            again = pickle.loads(pickle.dumps(workload))
            self.assertEqual((again.nodes, again.notes), (workload.nodes, workload.notes))
            self.assertEqual(again.columns(), workload.columns())

    def test_a_slice_is_a_workload(self):
        jobs = WORKLOAD.columns()["job_id"]
        for part in (slice(10, 20), slice(None, None, 3), slice(-5, None), slice(5, 2)):
            self.assertEqual(WORKLOAD[part].columns()["job_id"], jobs[part])
        self.assertEqual(WORKLOAD[:5].nodes, 64)
        with self.assertRaisesRegex(ValueError, "the step of a slice must be at least 1"):
            WORKLOAD[::-1]


    def test_first_counts_the_lines_of_the_log_as_the_command_line_does(self):
        line = "{} {} -1 {} 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log.swf")
            log.write_text("".join(line.format(job, job, 0 if job == 2 else 10) for job in range(1, 6)))
            self.assertEqual(dfrsim.read_swf(log, 4, first=3).columns()["job_id"], [1, 3])


class Simulations(unittest.TestCase):
    def test_state_may_have_the_name_of_a_hook(self):
        class Own(Easy):
            def begin(self, view):
                super().begin(view)
                self.end = {}

        self.assertEqual(dfrsim.simulate(WORKLOAD, Own()).jobs, dfrsim.simulate(WORKLOAD, "EASY").jobs)

    def test_a_pickled_result_is_the_same(self):
        result = dfrsim.simulate(WORKLOAD, "GreedyPM*/OPT=MIN", events=True)
        again = pickle.loads(pickle.dumps(result))
        for name in ("summary", "jobs", "stays", "nodes", "events_text", "__repr__", "_repr_html_"):
            found, expected = getattr(again, name), getattr(result, name)
            self.assertEqual(found() if callable(found) else found, expected() if callable(expected) else expected, name)

    def test_orders_by_a_formula(self):
        sjf = dfrsim.simulate(WORKLOAD, "EASY/ORDER=SJF").jobs
        self.assertEqual(dfrsim.simulate(WORKLOAD, "EASY/ORDER='estimate'").jobs, sjf)
        self.assertNotEqual(dfrsim.simulate(WORKLOAD, "EASY/ORDER=F1").jobs, sjf)
        with self.assertRaisesRegex(ValueError, "character 1: unknown name `estimates`; did you mean `estimate`?"):
            dfrsim.simulate(WORKLOAD, "EASY/ORDER='estimates'")
        with self.assertRaisesRegex(dfrsim.SimulationError, r"the order '1 / \(width - width\)' is inf for job \d+"):
            dfrsim.simulate(WORKLOAD, "EASY/ORDER='1 / (width - width)'")

    def test_easy_in_python_has_the_schedule_of_easy(self):
        self.assertEqual(dfrsim.simulate(WORKLOAD, "EASY").jobs, dfrsim.simulate(WORKLOAD, Easy()).jobs)
        for estimates in ("exact", "factor:3", "random:5", "none"):
            own = dfrsim.simulate(WORKLOAD, "EASY", estimates=estimates)
            self.assertEqual(own.jobs, dfrsim.simulate(WORKLOAD, Listed(), estimates=estimates).jobs)

    def test_lists_serve_a_policy_under_all_conditions(self):
        with tempfile.TemporaryDirectory() as folder:
            platform, site = Path(folder, "platform.toml"), Path(folder, "site.toml")
            platform.write_text(
                "classes = [{ name = 'a', nodes = 40, cores = 4, memory_gb = 8 },\n"
                "{ name = 'b', nodes = 40, cores = 4, memory_gb = 8, resources = { gpu = 2 } }]"
            )
            site.write_text("weights = { age = 5 }\nmax_running_per_user = 3\n")
            options = {
                "platform": platform, "request": ["gpu:0.3:1+2:0.3-1:max20"], "failures": "exponential:1e6,exponential:3600",
                "maintenance": "100000:1000000:9000", "interruption": "checkpoint:600:10", "priority": site,
            }
            seen = set()

            class Listing(Listed):
                def begin(self, view):
                    seen.update(view)

                def decide(self, view):
                    seen.update(view)
                    for job in view["submitted"]:
                        seen.update(job)
                    return super().decide(view)

            result = dfrsim.simulate(WORKLOAD, Listing(), events=True, **options)
            self.assertEqual(result.nodes, 80)
            self.assertIn("no violations", dfrsim.audit(result.events_text))
            self.assertLessEqual({"classes", "site", "seed", "resources", "interrupted", "windows", "down"}, seen)
            native = dfrsim.simulate(WORKLOAD, "EASY", **dict(options, priority=None))
            self.assertGreater(native.summary["jobs"], 1900)

    def test_a_result_has_the_nodes_of_jobs(self):
        workload = dfrsim.Workload(4, submit=[0, 1], tasks=[3, 2], run_time=[10, 5])
        result = dfrsim.simulate(workload, "EASY")
        self.assertEqual(result.stays, {
            "job_id": [0, 1], "from": [0.0, 10.0], "until": [10.0, 15.0], "nodes": ["0-2", "0-1"], "yield": [1.0, 1.0],
        })

    def test_options_are_those_of_the_command_line(self):
        with self.assertRaisesRegex(ValueError, "a similar argument exists: '--penalty'"):
            dfrsim.simulate(WORKLOAD, "EASY", penalti=3)
        with self.assertRaisesRegex(ValueError, "--nodes cannot be used here"):
            dfrsim.simulate(WORKLOAD, "EASY", nodes=3)
        warm = dfrsim.simulate(WORKLOAD, "EASY", warm_up=100_000).summary["jobs"]
        self.assertLess(warm, 2000)

    @unittest.skipUnless(os.environ.get("DFRSIM_TRACES"), "no logs: DFRSIM_TRACES is not set")
    def test_easy_in_python_on_logs(self):
        for log, nodes in [("KTH-SP2-1996-2.1-cln", 100), ("HPC2N-2002-2.1-cln", 240)]:
            workload = dfrsim.read_swf(Path(os.environ["DFRSIM_TRACES"], log + ".swf.gz"), nodes, first=10_000)
            for estimates in ("exact", "requested"):
                own = dfrsim.simulate(workload, "EASY", estimates=estimates)
                for policy in (Easy(), Listed()):
                    self.assertEqual(own.jobs, dfrsim.simulate(workload, policy, estimates=estimates).jobs)

    def test_events_pass_the_audit_and_altered_ones_do_not(self):
        result = dfrsim.simulate(WORKLOAD, Easy(), events=True)
        self.assertIn("no violations", dfrsim.audit(result.events_text))
        self.assertEqual(next(dfrsim.events(result))["nodes"], 64)
        with self.assertRaisesRegex(dfrsim.AuditFault, "line"):
            dfrsim.audit(result.events_text.replace('"tasks":1,', '"tasks":2,', 1))

    @unittest.skipUnless(polars, "polars is not installed")
    def test_tables_are_streams_of_arrow(self):
        result = dfrsim.simulate(WORKLOAD, "EASY")
        frame = polars.DataFrame(result)
        self.assertEqual(frame.to_dict(as_series=False), result.jobs)
        self.assertEqual(frame["start"].dtype, polars.Float64)
        self.assertEqual(polars.DataFrame(WORKLOAD).to_dict(as_series=False), WORKLOAD.columns())
        few = dfrsim.Workload(2, submit=[0, 1], tasks=[1, 2], run_time=[3, 4], requested_time=[None, 9])
        self.assertEqual(polars.DataFrame(few)["requested_time"].to_list(), [None, 9.0])

    @unittest.skipUnless(polars, "polars is not installed")
    def test_a_table_lives_longer_than_its_result(self):
        frame = polars.DataFrame(dfrsim.simulate(WORKLOAD, "EASY"))
        gc.collect()
        self.assertEqual(frame["end"].to_list(), dfrsim.simulate(WORKLOAD, "EASY").jobs["end"])

    def test_own_jobs_and_fractional_decisions(self):
        workload = dfrsim.Workload(2, submit=[0, 0], tasks=[2, 2], run_time=[10, 5])
        half = [{"do": "start", "job": job, "nodes": [0, 1], "yield": 0.5} for job in (0, 1)]

        class Halves:
            def decide(self, view):
                return {"changes": half} if view["now"] == 0 else {"changes": [{"do": "yield", "job": 0, "yield": 1}]}\
                    if view["completed"] == [1] else None

        self.assertEqual(dfrsim.simulate(workload, Halves()).jobs["end"], [15.0, 10.0])

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_policies_see_users_and_what_they_requested(self):
        line = "{0} {0} -1 10 1 -1 -1 1 {1} -1 1 {2} 3 -1 {3} 2 -1 -1\n"
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log.swf")
            log.write_text(line.format(1, 60, 7, 1) + line.format(2, -1, -1, -1))
            workload = dfrsim.read_swf(log, 4)
        for arrays in (False, True):
            stepper = dfrsim.Stepper(workload, arrays=arrays)
            first = stepper.begin()["submitted"]
            second = stepper.step()["submitted"]
            if arrays:
                first, second = ({name: column.tolist()[0] for name, column in jobs.items()} for jobs in (first, second))
            else:
                first, second = first[0], second[0]
            found = {name: first.get(name) for name in ("requested_time", "user", "group", "queue", "partition")}
            self.assertEqual(found, {"requested_time": 60.0, "user": 7, "group": 3, "queue": 1, "partition": 2})
            self.assertEqual({"requested_time", "user", "queue"} & set(second), set())

    def test_views_as_arrays(self):
        lists, arrays = [], []

        class Lists(Easy):
            def begin(self, view):
                super().begin(view)
                return {"progress": True}

            def decide(self, view):
                lists.append(view)
                return super().decide(view)

        class Arrays(Lists):
            arrays = True

            def decide(self, view):
                arrays.append(view)
                columns = {name: column.tolist() for name, column in view["submitted"].items()}
                rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
                return Easy.decide(self, dict(view, submitted=rows, completed=view["completed"].tolist()))

        self.assertEqual(dfrsim.simulate(WORKLOAD, Lists()).jobs, dfrsim.simulate(WORKLOAD, Arrays()).jobs)
        for one, other in zip(lists, arrays, strict=True):
            self.assertEqual((one["now"], one["tick"]), (other["now"], other["tick"]))
            self.assertEqual(one["completed"], other["completed"].tolist())
            for field in ("submitted", "progress"):
                for name, column in other[field].items():
                    self.assertEqual([job[name] for job in one[field]], column.tolist())
        stepper = dfrsim.Stepper(WORKLOAD, estimates="none", arrays=True)
        self.assertTrue(numpy.isnan(stepper.begin()["submitted"]["estimate"]).all())

    def test_faults_are_exceptions_with_the_whole_text(self):
        one = dfrsim.Workload(2, submit=[0], tasks=[2], run_time=[10])
        start = {"do": "start", "job": 0, "nodes": [0, 1]}
        for answer, error, text in [
            ({"changes": [dict(start, nodes=[0, 9])]}, dfrsim.SimulationError, "node 9 does not exist"),
            ({"changes": [dict(start, nodes=[0])]}, dfrsim.SimulationError, "placed 1 tasks of a job with 2"),
            ({"changes": [start, start]}, dfrsim.SimulationError, "job named twice in one decision"),
            ({"changes": [dict(start, job=7)]}, dfrsim.SimulationError, "it names job 7"),
            ({"error": "lost"}, dfrsim.SimulationError, "it says: lost"),
            ({"change": []}, ValueError, "unknown field `change`"),
            (17, ValueError, "the value that decide returns is invalid"),
            (None, dfrsim.SimulationError, "simulation stalled"),
        ]:
            with self.subTest(answer=answer), self.assertRaisesRegex(error, text):
                dfrsim.simulate(one, Answers(answer))
        with self.assertRaisesRegex(ValueError, "did you mean `EASY`"):
            dfrsim.simulate(one, "EAZY")
        with self.assertRaisesRegex(ValueError, "a method decide"):
            dfrsim.simulate(one, 17)
        with self.assertRaisesRegex(ValueError, "--penalty"):
            dfrsim.simulate(one, "EASY", penalty=-1)
        with self.assertRaisesRegex(ValueError, "all columns must have 1 values"):
            dfrsim.Workload(2, submit=[0], tasks=[2, 3], run_time=[10])
        with self.assertRaisesRegex(ValueError, "job 0: cpu_need is 2"):
            dfrsim.Workload(2, submit=[0], tasks=[2], run_time=[10], cpu_need=2)
        for tasks, run_time in [(0, 10), (1, 0)]:
            with self.assertRaisesRegex(ValueError, f"job 1: .* above 0, found {tasks} and {run_time}"):
                dfrsim.Workload(2, submit=[0, 1], tasks=[2, tasks], run_time=[10, run_time])

    def test_a_start_on_a_node_that_is_down_is_refused(self):
        one = dfrsim.Workload(2, submit=[0], tasks=[2], run_time=[10])
        start = {"changes": [{"do": "start", "job": 0, "nodes": [0, 1]}]}
        with tempfile.TemporaryDirectory() as folder:
            outages = Path(folder, "outages.csv")
            outages.write_text("nodes,from_s,until_s\n1,0,100\n")
            with self.assertRaisesRegex(dfrsim.SimulationError, "node 1 is down"):
                dfrsim.simulate(one, Answers(start), failures=outages)

    def test_what_a_policy_raises_is_raised(self):
        class Broken:
            def decide(self, view):
                return view["no such key"]

        with self.assertRaisesRegex(KeyError, "no such key") as raised:
            dfrsim.simulate(WORKLOAD, Broken())
        if sys.version_info >= (3, 11):
            self.assertRegex(raised.exception.__notes__[0], r"in decide at [\d.]+ s")

    def test_threads_run_side_by_side_with_the_same_results(self):
        alone = dfrsim.simulate(WORKLOAD, "/per/OPT=MIN", penalty=300).jobs
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(lambda _: dfrsim.simulate(WORKLOAD, "/per/OPT=MIN", penalty=300).jobs, range(4)))
        self.assertTrue(all(jobs == alone for jobs in both))

    def test_ctrl_c_ends_a_native_simulation(self):
        # A process in the background of a shell ignores it.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        large = dfrsim.lublin(jobs=3_000_000, nodes=128, seed=3, load=0.8)
        timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            dfrsim.simulate(large, "EASY")
        timer.join()

    def test_a_scenario_runs(self):
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            scenario = Path(folder, "few.toml")
            scenario.write_text(
                'study = "online"\npolicies = ["FCFS", "EASY"]\n[[workloads]]\nname = "few"\nnodes = 16\n'
                "lublin = { replications = 3, jobs = 50 }\n"
            )
            self.assertEqual(dfrsim.run(scenario, Path(folder, "out"), audit=True), (6, 0))
            self.assertEqual(len(Path(folder, "out/rows.csv").read_text().splitlines()), 7)
            scenario.write_text("study = 1")
            with self.assertRaises(ValueError):
                dfrsim.run(scenario, Path(folder, "out"))


SCENARIO = """study = "online"
policies = ["EASY", "%s"]
[[workloads]]
name = "few"
nodes = 16
lublin = { replications = 3, jobs = 50 }
"""


class Once(Listed):
    """Raises in its second simulation."""

    made = 0

    def __init__(self):
        Once.made += 1
        if Once.made == 2:
            raise RuntimeError("no second time")


class Sweeps(unittest.TestCase):
    def test_classes_are_swept_resumed_and_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario, out = Path(folder, "few.toml"), Path(folder, "out")
            scenario.write_text(SCENARIO % "MINE")
            begun = []

            class Mine(Listed):
                def begin(self, view):
                    begun.append(view["seed"])

            for _ in range(2):
                self.assertEqual(dfrsim.run(scenario, out, audit=True, policies={"MINE": Mine}), (6, 0))
            self.assertEqual(len(begun), 3)
            rows = dfrsim.rows(out)
            by_policy = {policy: [rows["degradation"][at] for at, name in enumerate(rows["policy"]) if name == policy] for policy in ("EASY", "MINE")}
            self.assertEqual(by_policy["EASY"], by_policy["MINE"])
            with self.assertRaisesRegex(ValueError, "cannot be the name of a policy"):
                dfrsim.run(scenario, out, policies={"EASY": Mine})

    def test_functions_make_jobs_and_metrics_of_a_sweep(self):
        def serial(nodes, seed):
            return dfrsim.Workload(nodes, [0, 0], [nodes, nodes], [10, 1 + seed % 7])

        def last_end(jobs):
            return max(jobs["end"])

        with tempfile.TemporaryDirectory() as folder:
            scenario, out = Path(folder, "mine.toml"), Path(folder, "out")
            scenario.write_text(SCENARIO.replace("lublin = { replications = 3, jobs = 50 }", "own = { source = 'S', replications = 2 }") % "FCFS")
            arguments = {"sources": {"S": serial}, "metrics": {"last_end": last_end}}
            self.assertEqual(dfrsim.run(scenario, out, set=["metrics=['last_end']"], audit=True, **arguments), (4, 0))
            rows = dfrsim.rows(out)
            self.assertEqual(rows["last_end"], rows["makespan_s"])
            arguments["metrics"]["last_end"] = lambda jobs: jobs["no"]
            self.assertEqual(dfrsim.run(scenario, out, set=["metrics=['last_end']"], **arguments), (4, 4))
            self.assertIn("KeyError", Path(out, "rows.csv").read_text())

    def test_what_a_class_raises_ends_its_run_only(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario, out = Path(folder, "few.toml"), Path(folder, "out")
            scenario.write_text(SCENARIO % "ONCE")
            self.assertEqual(dfrsim.run(scenario, out, threads=1, policies={"ONCE": Once}), (6, 1))
            self.assertRegex(Path(out, "rows.csv").read_text(), r"no second time \(.*test_dfrsim.py, line \d+, in __init__\)")

    def test_classes_of_files_have_names(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario, out = Path(folder, "few.toml"), Path(folder, "out")
            scenario.write_text(SCENARIO % f"python:{EXAMPLE}:Easy")
            with self.assertRaisesRegex(dfrsim.commands.CommandError, "allow-commands"):
                dfrsim.commands.run(scenario, out=out)
            answer = dfrsim.commands.run(scenario, out=out, allow_commands=True)
            self.assertTrue(answer)
            easy = dfrsim.simulate(WORKLOAD, f"python:{EXAMPLE}:Easy").jobs
            self.assertEqual(easy, dfrsim.simulate(WORKLOAD, "EASY").jobs)
            for wrong, fault in (("absent.py:Easy", "absent.py"), (f"{EXAMPLE}:Hard", "has no Hard"), ("easy", "expected python:FILE")):
                with self.assertRaisesRegex(ValueError, fault):
                    dfrsim.simulate(WORKLOAD, f"python:{wrong}")


class Commands(unittest.TestCase):
    def test_forecasts_are_tables(self):
        with tempfile.TemporaryDirectory() as place:
            log = os.path.join(place, "past.swf")
            with open(log, "w") as file:
                file.write("; UnixStartTime: 1772323200\n; MaxNodes: 8\n")
                for number in range(40):
                    file.write(f"{number + 1} {3600 * number} 0 1800 8 -1 -1 8 7200 -1 1 {number % 3} 1 -1 -1 -1 -1 -1\n")
            running = {"job_id": 51, "job_state": "RUNNING", "user_name": "1", "node_count": 8, "time_limit": 120}
            running |= {"submit_time": 1772535600, "start_time": 1772537400}
            waiting = {"job_id": 52, "job_state": "PENDING", "user_name": "2", "node_count": 4, "time_limit": 60, "submit_time": 1772538000}
            moment = "2026-03-03T12:00"
            table = dfrsim.forecast([running, waiting], log, policy="EASY", at=moment, draws=50)
            self.assertEqual(table["job"], ["52"])
            self.assertLessEqual(table["wait_10_s"][0], table["wait_90_s"][0])
            text = "JOBID|USER|STATE|NODES|TIME_LIMIT|TIME|SUBMIT_TIME\n51|1|RUNNING|8|2:00:00|30:00|2026-03-03T11:00:00\n"
            text += "52|2|PENDING|4|1:00:00|0:00|2026-03-03T11:40:00\n"
            self.assertEqual(dfrsim.forecast(text, log, policy="EASY", at=moment, draws=50), table)
            with self.assertRaisesRegex(dfrsim.commands.CommandError, "node_count|NumNodes"):
                dfrsim.forecast([waiting | {"node_count": 0}], log, policy="EASY", at=moment)

    def test_backtests_are_tables(self):
        with tempfile.TemporaryDirectory() as place:
            log = os.path.join(place, "log.swf")
            dfrsim.commands.log.generate(jobs=200, nodes=8, seed=1, load=0.9, out=log)
            table = dfrsim.backtest(log, policy="EASY", moments=5, draws=10)
            self.assertIn("plan by requests", table["prediction"])
            self.assertTrue(all(wait >= 0 for wait in table["wait_s"]))
            self.assertEqual(len({len(column) for column in table.values()}), 1)

    def test_commands_answer_with_dictionaries(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "week.swf")
            dfrsim.commands.log.generate(jobs=100, nodes=16, seed=1, out=log)
            self.assertEqual(dfrsim.commands.log.info(log)["lines"]["jobs"], 100)
            workload = dfrsim.read_log(log, nodes=16)
            own = dfrsim.simulate(workload, "EASY", tau=20).summary
            answer = dfrsim.commands.simulate(workload=log, nodes=16, policy="EASY", tau=20)
            self.assertEqual(answer["jobs"], own["jobs"])
            self.assertIn("simulating", answer.notices)
            self.assertIn("EASY", dfrsim.commands.policies(format="text"))
            with self.assertRaisesRegex(dfrsim.commands.CommandError, "did you mean") as raised:
                dfrsim.commands.simulate(workload=log, nodes=16, policy="EASYY")
            self.assertEqual(raised.exception.exit_code, 2)

    def test_functions_have_the_texts_and_options_of_the_program(self):
        simulate = dfrsim.commands.simulate
        self.assertIn("penalty: Time without progress after a job is resumed or migrated (default: 0)", simulate.__doc__)
        self.assertIn("failures", inspect.signature(simulate).parameters)
        for name in ("simulate", "run", "bound", "results.compare", "results.report", "audit", "log.convert", "draw.gantt", "site"):
            place = dfrsim.commands
            for part in name.split("."):
                place = getattr(place, part)
            self.assertTrue(place.__doc__)


class Limits(unittest.TestCase):
    def test_what_the_command_line_refuses_is_a_value_error(self):
        jobs = dfrsim.lublin(jobs=5, nodes=4, seed=1)
        for period in (0, 1e-7, 0.5):
            with self.assertRaisesRegex(ValueError, "period of at least 1 s"):
                dfrsim.simulate(jobs, "MCB*/per/OPT=MIN", period=period)
        for size in ({"jobs": 10**12, "nodes": 4}, {"jobs": 10, "nodes": 4294967295}, {"jobs": 10, "nodes": 0}):
            with self.assertRaises(ValueError):
                dfrsim.lublin(seed=1, **size)


if __name__ == "__main__":
    unittest.main()
