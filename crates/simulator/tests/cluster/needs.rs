//! Tests schedulers that know wrong CPU needs: the CPU that jobs get, computed by hand.

use crate::support::{Do, Script, ends};
use dfrsim_cluster::{Decision, NeedModel, Options, Scheduler, Situation, simulate};
use dfrsim_model::{Job, JobId, NodeId, NodeTasks, Share, SimSpan, SimTime, Yield};

fn job(id: u64, need_tenths: u64, seconds: u64) -> Job {
    Job {
        id: JobId(id),
        cpu_need: Share::from_ratio(need_tenths, 10),
        memory: Share::from_ratio(1, 10),
        run_time: SimSpan::from_secs(seconds),
        ..Job::default()
    }
}

fn ends_of(jobs: &[Job], needs: NeedModel, start: Vec<Do>) -> Vec<f64> {
    let options = Options { needs, ..Options::default() };
    ends(&options, jobs.to_vec(), &mut Script::new(vec![(0, start)])).unwrap()
}

/// Starts the only job on node 0, wakes up at 59 s and 60 s, and records the need and the yield that
/// it sees.
struct Diary {
    share: Yield,
    seen: Vec<(Share, Yield)>,
}

impl Scheduler for Diary {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        for &job in situation.submitted {
            decision.start(job, [NodeTasks { node: NodeId(0), tasks: 1 }], self.share);
        }
        for &job in view.jobs() {
            self.seen.push((view.job(job).cpu_need(), view.job(job).current_yield()));
        }
        let wake_ups = [59, 60].map(SimTime::from_secs);
        if let Some(time) = wake_ups.into_iter().find(|&time| time > view.now()) {
            decision.wake_at(time);
        }
    }
}

/// Needs of 0.2 and 0.8 are stated as whole nodes, each at yield 1/2. The first job leaves 0.3 of
/// its half unused, which the other one can use: 0.5 + 0.3 is all that it needs.
#[test]
fn what_is_left_unused_goes_to_those_that_need_more() {
    let half = Yield::from_ratio(1, 2);
    let start = vec![Do::Start(0, vec![(0, 1)], half), Do::Start(1, vec![(0, 1)], half)];
    let jobs = [job(1, 2, 100), job(2, 8, 100)];
    assert_eq!(ends_of(&jobs, NeedModel::Whole, start), [100.0, 100.0]);
}

/// Three tasks need whole nodes, stated as halves. At yields of 1, 1/2 and 0 they are entitled to
/// 1/2, 1/4 and 0. A quarter is left, a twelfth for each: 7/12, 4/12, 1/12. The first job ends its
/// 70 s at 120 s; the others have done 40 s and 10 s by then, at a third and a twelfth. Three
/// quarters are left then, 3/8 for each of the two: 5/8 and 3/8. The second job has 30 s left and
/// ends at 168 s. The third one has done 10 + 18 s of 35 s by then, gets the whole node, and ends at
/// 175 s.
#[test]
fn cpu_without_an_entitlement_is_shared_equally() {
    let yields = [Yield::ONE, Yield::from_ratio(1, 2), Yield::ZERO];
    let start = (0..3).map(|at| Do::Start(at, vec![(0, 1)], yields[at])).collect();
    let jobs = [job(1, 10, 70), job(2, 10, 70), job(3, 10, 35)];
    let ends = ends_of(&jobs, NeedModel::Factor(0.5), start);
    for (found, expected) in ends.iter().zip([120.0, 168.0, 175.0]) {
        assert!((found - expected).abs() < 1e-3, "{ends:?}");
    }
}

/// A need of 0.4 is stated as a whole node and discovered at 60 s: half a node at yield 1/2 then
/// becomes a need of 0.4 at yield 1. A need of 0.4 that is stated as 0.2 is discovered too, and its
/// entitlement stays at 0.2.
#[test]
fn needs_are_found_while_jobs_run() {
    let seen = |needs, tenths, share| {
        let options = Options { needs, discovery: Some(SimSpan::from_secs(60)), ..Options::default() };
        let mut diary = Diary { share, seen: Vec::new() };
        simulate(1, &options, [job(1, tenths, 100)], &mut diary, &mut ()).unwrap();
        diary.seen
    };
    let tenths = |tenths| Share::from_ratio(tenths, 10);
    let half = Yield::from_ratio(1, 2);
    let over = seen(NeedModel::Whole, 4, half);
    assert_eq!(over[..3], [(Share::ONE, Yield::ZERO), (Share::ONE, half), (tenths(4), Yield::ONE)]);
    let under = seen(NeedModel::Factor(0.5), 4, Yield::ONE);
    assert_eq!(under[..3], [(tenths(2), Yield::ZERO), (tenths(2), Yield::ONE), (tenths(4), half)]);
    let exact = seen(NeedModel::Exact, 4, half);
    assert_eq!(exact[2], (tenths(4), half), "what is exact stays");
}
