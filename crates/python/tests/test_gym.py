"""The environment, with gymnasium installed."""
import unittest

import dfrsim

try:
    import gymnasium
    from dfrsim.gym import JobSelection
    from gymnasium.utils.env_checker import check_env
except ImportError:
    gymnasium = None


class Steps(unittest.TestCase):
    def test_a_loop_of_ones_own(self):
        stepper = dfrsim.Stepper(dfrsim.Workload(2, submit=[0, 1], tasks=[2, 2], run_time=[10, 5]))
        view = stepper.begin()
        self.assertEqual([job["job"] for job in view["submitted"]], [0])
        start = {"changes": [{"do": "start", "job": 0, "nodes": [0, 1]}]}
        self.assertEqual(stepper.step(start)["now"], 1.0)
        self.assertEqual(stepper.step()["completed"], [0])
        self.assertIsNone(stepper.result)
        start["changes"][0]["job"] = 1
        self.assertEqual(stepper.step(start)["completed"], [1])
        self.assertIsNone(stepper.step())
        self.assertEqual(stepper.result.jobs["end"], [10.0, 15.0])
        with self.assertRaisesRegex(ValueError, "the simulation is over"):
            stepper.step()

    def test_a_wrong_answer_ends_it(self):
        stepper = dfrsim.Stepper(dfrsim.Workload(2, submit=[0], tasks=[2], run_time=[10]))
        stepper.begin()
        with self.assertRaisesRegex(dfrsim.SimulationError, "it names job 7"):
            stepper.step({"changes": [{"do": "pause", "job": 7}]})

    def test_one_that_is_left_alone_ends_with_its_thread(self):
        for _ in range(200):
            dfrsim.Stepper(dfrsim.lublin(jobs=50, nodes=8, seed=1)).begin()


def in_order(env):
    """The first possible job by arrival, else wait; what the jobs took."""
    _, info = env.reset(seed=7)
    terminated, total = False, 0.0
    while not terminated:
        first = int(info["action_mask"].argmax())
        action = first if first == 0 else env.action_space.n - 1
        _, reward, terminated, _, info = env.step(action)
        total += reward
    return info["summary"], total


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class Environment(unittest.TestCase):
    def test_gymnasium_checks_it(self):
        check_env(JobSelection(nodes=8, jobs=20, slots=4), skip_render_check=True)

    def test_the_order_of_arrival_is_fcfs(self):
        workload = dfrsim.lublin(jobs=300, nodes=32, seed=5, load=0.8)
        summary, total = in_order(JobSelection(workload=workload))
        fcfs = dfrsim.simulate(workload, "FCFS").summary
        self.assertEqual(summary, fcfs)
        self.assertAlmostEqual(total, -fcfs["wait"]["mean"] / 3600)
        summary, total = in_order(JobSelection(workload=workload, reward="bounded_slowdown"))
        self.assertEqual(total, -fcfs["bounded_stretch"]["mean"])

    def test_a_seed_repeats_an_episode(self):
        env = JobSelection(nodes=8, jobs=40)
        self.assertEqual(in_order(env), in_order(env))


if __name__ == "__main__":
    unittest.main()
