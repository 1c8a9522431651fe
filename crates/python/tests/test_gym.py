"""The environment, with gymnasium installed."""
import unittest
import warnings

import dfrsim

try:
    import gymnasium
    import numpy
    from dfrsim.gym import JobSelection, JobSelections, NodeShares
    from gymnasium.utils.env_checker import check_env
except ImportError:
    gymnasium = None
try:
    from stable_baselines3.common.env_checker import check_env as check_env_of_sb3
except ImportError:
    check_env_of_sb3 = None


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

    def test_a_view_is_answered_once(self):
        stepper = dfrsim.Stepper(dfrsim.Workload(2, submit=[0], tasks=[2], run_time=[10]))
        with self.assertRaisesRegex(ValueError, "begin returns the first one"):
            stepper.step()
        self.assertEqual(stepper.begin()["now"], 0)
        with self.assertRaisesRegex(ValueError, "use step to answer its last view"):
            stepper.begin()

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

    @unittest.skipUnless(check_env_of_sb3, "stable-baselines3 is not installed")
    def test_stable_baselines3_checks_it(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env_of_sb3(JobSelection(nodes=8, jobs=20, slots=4))

    def test_the_order_of_arrival_is_fcfs(self):
        workload = dfrsim.lublin(jobs=300, nodes=32, seed=5, load=0.8)
        summary, total = in_order(JobSelection(workload=workload))
        fcfs = dfrsim.simulate(workload, "FCFS").summary
        self.assertEqual(summary, fcfs)
        self.assertAlmostEqual(total, -fcfs["wait"]["mean"] / 3600)
        summary, total = in_order(JobSelection(workload=workload, reward="bounded_slowdown"))
        self.assertEqual(total, -fcfs["bounded_stretch"]["mean"])
        summary, total = in_order(JobSelection(workload=workload, reward="utilisation"))
        self.assertEqual(total, fcfs["utilisation"])

    def test_run_times_are_shown_only_if_they_are_asked_for(self):
        def shown(**options):
            workload = dfrsim.Workload(4, [0, 0], [1, 1], [3477, 100], requested_time=[53940, None])
            observation, _ = JobSelection(workload=workload, slots=2, **options).reset(seed=1)
            week = numpy.log1p(7 * 86400)
            return [float(numpy.expm1(part * week)) for part in observation[[3, 7]]]

        for options, seconds in [
            ({}, [53940, 604800]),
            ({"estimates": "exact"}, [3477, 100]),
            ({"estimates": "factor:2"}, [6954, 200]),
            ({"estimates": "none"}, [604800, 604800]),
        ]:
            numpy.testing.assert_allclose(shown(**options), seconds, rtol=1e-5)

    def test_jobs_that_overrun_their_estimates_are_killed_if_asked_for(self):
        workload = dfrsim.Workload(1, [0], [1], [100], requested_time=[40])
        for overrun, makespan in [("extend", 100), ("kill", 40)]:
            summary, _ = in_order(JobSelection(workload=workload, overrun=overrun))
            self.assertEqual((summary["makespan"], summary["killed"]), (makespan, int(overrun == "kill")))

    def test_the_job_that_came_first_with_backfilling_behind_it_is_easy(self):
        columns = dfrsim.lublin(jobs=300, nodes=32, seed=5, load=0.9).columns()
        factors = [(1, 3, 0.5, 20)[job % 4] for job in range(300)]
        requested = [time * factor for time, factor in zip(columns["run_time"], factors)]
        workload = dfrsim.Workload(32, columns["submit"], columns["tasks"], columns["run_time"], requested_time=requested)
        for backfill, policy in [(True, "EASY"), (False, "FCFS")]:
            for overrun in ("extend", "kill"):
                env = JobSelection(workload=workload, backfill=backfill, overrun=overrun)
                _, info = env.reset(seed=1)
                terminated, choices = False, 0
                while not terminated:
                    self.assertTrue(info["action_mask"][0] and not info["action_mask"][-1])
                    *_, terminated, _, info = env.step(0)
                    choices += 1
                own = dfrsim.simulate(workload, policy, estimates="requested", overrun=overrun)
                self.assertEqual(info["summary"], own.summary, policy)
                self.assertLessEqual(choices, 301)

    def test_windows_are_of_their_part_of_the_log(self):
        # Of the last 20 jobs each takes both nodes.
        workload = dfrsim.Workload(2, range(5, 105), [1] * 80 + [2] * 20, range(1, 101))
        for part, size in [((0, 0.8), 0.5), ((0.8, 1), 1.0)]:
            firsts = set()
            for seed in range(20):
                env = JobSelection(workload=workload, window=10, part=part, slots=1, estimates="exact")
                observation, info = env.reset(seed=seed)
                first, end = info["window"]
                self.assertEqual(end - first, 10)
                self.assertTrue(100 * part[0] <= first and end <= 100 * part[1])
                numpy.testing.assert_array_equal(env.reset(seed=seed)[0], observation)
                self.assertEqual(observation[2], size)
                firsts.add(float(observation[3]))
                self.assertEqual(in_order(env)[0]["jobs"], 10)
            self.assertGreater(len(firsts), 5)

    def test_running_jobs_and_when_they_end_are_seen(self):
        workload = dfrsim.Workload(4, [0, 0, 3], [1, 2, 1], [50, 20, 1])
        env = JobSelection(workload=workload, slots=1, running=3, estimates="exact")
        env.reset(seed=1)
        env.step(0)
        observation, *_ = env.step(0)  # until 3
        week = numpy.log1p(7 * 86400)
        expected = [0.5, numpy.log1p(17) / week, 0.25, numpy.log1p(47) / week, 0, 0]
        numpy.testing.assert_allclose(observation[5:], expected, rtol=1e-5)

    def test_slowdowns_are_rewarded_as_jobs_complete(self):
        workload = dfrsim.lublin(jobs=300, nodes=32, seed=5, load=0.8)
        env = JobSelection(workload=workload, reward="each_bounded_slowdown")
        summary, total = in_order(env)
        self.assertAlmostEqual(total, -summary["bounded_stretch"]["mean"], places=9)
        env.reset(seed=7)
        terminated, steps = False, 0
        while not terminated:
            _, reward, terminated, *_ = env.step(0)
            steps += reward < 0
        self.assertGreater(steps, 100)

    def test_a_seed_repeats_an_episode(self):
        env = JobSelection(nodes=8, jobs=40)
        first = in_order(env)
        env.reset()
        self.assertEqual(in_order(env), first)

    def test_an_action_that_is_not_possible_is_another_one(self):
        # Job 1 does not fit beside job 0; job 2 never does.
        workload = dfrsim.Workload(2, submit=[0, 1, 2], tasks=[1, 2, 3], run_time=[10, 5, 1])
        env = JobSelection(workload=workload, slots=2)
        _, info = env.reset(seed=1)
        self.assertEqual(list(info["action_mask"]), [True, False, True])
        observation, _, _, _, info = env.step(1)  # waits for job 1
        self.assertEqual(list(info["action_mask"]), [True, True, True])
        numpy.testing.assert_allclose(observation[[0, 1, 2, 5, 6]], [1, 1, 0.5, 1, 1])
        *_, info = env.step(0)
        self.assertEqual(list(info["action_mask"]), [True, False, False])
        _, _, terminated, _, info = env.step(2)  # job 2 is rejected, and no event is left: job 1 starts
        self.assertTrue(terminated)
        self.assertEqual((info["summary"]["jobs"], info["summary"]["rejected"]), (2, 1))

    def test_wrong_use_has_messages(self):
        env = JobSelection(nodes=8, jobs=20)
        with self.assertRaises(gymnasium.error.ResetNeeded):
            env.step(0)
        env.reset(seed=1)
        with self.assertRaisesRegex(ValueError, "found action 17, expected 0 to 16"):
            env.step(17)
        for wrong, text in [({"reward": "speed"}, "unknown reward `speed`"), ({"nodes": 0}, "expected 1 to 10000000 nodes, found 0")]:
            with self.assertRaisesRegex(ValueError, text):
                JobSelection(**wrong)
        few = dfrsim.Workload(2, [0, 1], [1, 1], [1, 1])
        for wrong, text in [
            ({"slots": 129}, "slots=129, running=0: expected 1 to 128 slots and 0 to 128 running jobs"),
            ({"window": 5}, "window requires a workload"),
            ({"part": (0, 0.5)}, "part requires window, the number of jobs of an episode"),
            ({"workload": few, "window": 3}, "window=3: expected 1 to 2, the number of jobs in the part of the log"),
            ({"workload": few, "window": 1, "part": (0.5, 0.2)}, r"part=\(0.5, 0.2\): expected 0 <= from < to <= 1"),
            ({"estimates": "good"}, "good"),
            ({"overrun": "stop"}, "invalid value 'stop' for '--overrun"),
            ({"load": -1}, "expected a positive target load, found -1"),
            ({"jobs": 0}, "the load is undefined: all 0 jobs are submitted at one time"),
            ({"workload": few[:0]}, "there is no job to choose; expected jobs that fit on 2 nodes"),
            ({"workload": dfrsim.Workload(2, [0], [3], [1])}, "there is no job to choose; expected jobs that fit on 2 nodes"),
        ]:
            with self.assertRaisesRegex(ValueError, text):
                JobSelection(**wrong)
        for wrong, text in [({"load": -1}, "expected a positive target load, found -1"), ({"workload": few[:0]}, "the workload has no jobs")]:
            with self.assertRaisesRegex(ValueError, text):
                NodeShares(**wrong)


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class Environments(unittest.TestCase):
    def test_each_is_like_a_single_one(self):
        for threads in (1, 3):
            envs = JobSelections(5, nodes=16, jobs=30, slots=4, threads=threads)
            observations, infos = envs.reset(seed=7)
            singles = [JobSelection(nodes=16, jobs=30, slots=4) for _ in range(5)]
            firsts = [env.reset(seed=7 + place) for place, env in enumerate(singles)]
            numpy.testing.assert_array_equal(observations, [observation for observation, _ in firsts])
            random, over, ended = numpy.random.default_rng(3), [False] * 5, 0
            for _ in range(300):
                actions = random.integers(0, 5, size=5)
                observations, rewards, terminations, truncations, infos = envs.step(actions)
                self.assertFalse(truncations.any())
                for place, env in enumerate(singles):
                    if over[place]:
                        (observation, info), reward, over[place] = env.reset(), 0.0, False
                    else:
                        observation, reward, over[place], _, info = env.step(actions[place])
                    numpy.testing.assert_array_equal(observations[place], observation)
                    numpy.testing.assert_array_equal(infos["action_mask"][place], info["action_mask"])
                    self.assertEqual((rewards[place], terminations[place]), (reward, over[place]))
                    if over[place]:
                        ended += 1
                        self.assertEqual(infos["summary"]["makespan"][place], info["summary"]["makespan"])
            self.assertGreater(ended, 5)

    def test_arrays_are_copied_unless_the_caller_wants_none(self):
        for copy in (True, False):
            envs = JobSelections(2, nodes=8, jobs=20, copy=copy)
            before, _ = envs.reset(seed=1)
            after, *_ = envs.step(numpy.zeros(2))
            self.assertEqual(before is after, not copy)

    def test_gymnasium_makes_and_wraps_them(self):
        envs = gymnasium.make_vec("dfrsim/JobSelection-v0", num_envs=3, nodes=8, jobs=20)
        envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
        observations, _ = envs.reset(seed=[1, 2, 3])
        self.assertTrue(envs.observation_space.contains(observations))
        ended = 0
        for _ in range(200):
            *_, infos = envs.step(envs.action_space.sample())
            ended += infos.get("_episode", numpy.zeros(3)).sum()
        self.assertGreater(ended, 3)
        check_env(gymnasium.make("dfrsim/JobSelection-v0", nodes=8, jobs=20).unwrapped, skip_render_check=True)

    def test_wrong_use_has_messages(self):
        envs = JobSelections(2, nodes=8, jobs=20)
        with self.assertRaises(gymnasium.error.ResetNeeded):
            envs.step([0, 0])
        with self.assertRaisesRegex(ValueError, "found 3 seeds, expected 2"):
            envs.reset(seed=[1, 2, 3])
        envs.reset()
        with self.assertRaisesRegex(ValueError, "found 3 actions, expected 2"):
            envs.step([0, 0, 0])


@unittest.skipIf(gymnasium is None, "gymnasium is not installed")
class Shares(unittest.TestCase):
    def total(self, env, action):
        """The sum of the rewards of an episode, and its summary."""
        env.reset(seed=3)
        terminated, total = False, 0.0
        while not terminated:
            _, reward, terminated, _, info = env.step(action(env))
            total += reward
        return total, info["summary"]

    def test_it_is_an_environment(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(NodeShares(nodes=8, jobs=20, load=0.9).unwrapped, skip_render_check=True)

    def test_any_numbers_give_valid_shares_and_rewards_add_up(self):
        env = NodeShares(nodes=8, jobs=60, load=1.2, slots=6, penalty=30)
        env.action_space.seed(1)
        total, summary = self.total(env, lambda env: env.action_space.sample())
        self.assertEqual(summary["jobs"], 60)
        self.assertAlmostEqual(total, -summary["turnaround"]["mean"] / 3600, places=6)

    def test_two_jobs_share_a_node_as_the_agent_says(self):
        workload = dfrsim.Workload(1, submit=[0, 0], tasks=[1, 1], run_time=[10, 10])
        _, summary = self.total(NodeShares(workload, slots=2, period=1e5), lambda env: numpy.array([0.75, 0.25]))
        # The first one has three quarters of the node until 13.33; then the other one, which has done a third, is the first, and has as much.
        self.assertAlmostEqual(summary["turnaround"]["max"], 10 / 0.75 + (10 - 10 / 3) / 0.75, places=1)


if __name__ == "__main__":
    unittest.main()
