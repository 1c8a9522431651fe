//! Tests properties of the Gantt chart of any schedule.

use crate::support::{Residency, events, gantt, stays};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use proptest::prelude::*;

const NODES: u32 = 4;
const POLICIES: [&str; 6] =
    ["FCFS", "EASY", "CONS", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN", "MCB*/per/OPT=AVG"];

fn job() -> impl Strategy<Value = (u64, u32, u64, u64, u64)> {
    (0..2_000_u64, 1..=NODES, 1..=4_u64, 1..=5_u64, 1..3_000_u64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Without a penalty, the areas of a job's rectangles add up to its work, within the rounding of
    /// yields (2^-20 of a yield) and of completions (a microsecond). Rectangles of one node never
    /// overlap.
    #[test]
    fn areas_are_work(
        table in prop::collection::vec(job(), 1..25),
        policy in prop::sample::select(&POLICIES[..]),
    ) {
        let mut list: Vec<Job> = table.iter().zip(1..).map(|(&(submit, tasks, need, memory, run), id)| Job {
            id: JobId(id),
            submit: SimTime::from_secs(submit),
            tasks,
            cpu_need: Share::from_ratio(need, 4),
            memory: Share::from_ratio(memory, 10),
            run_time: SimSpan::from_secs(run),
            ..Job::default()
        }).collect();
        list.sort_by_key(|job| job.submit);
        let stays = stays(&gantt(&events(policy, NODES, SimSpan::ZERO, &list)));
        for job in &list {
            let area = |stay: &Residency| (stay.time[1] - stay.time[0]) * (stay.cpu[1] - stay.cpu[0]);
            let areas: f64 = stays.iter().filter(|stay| stay.job == job.id.0).map(area).sum();
            let work = job.work();
            prop_assert!((areas - work).abs() <= 1e-5 * work, "{policy}, job {}: {areas} for {work}", job.id);
        }
        for (index, one) in stays.iter().enumerate() {
            prop_assert!(one.time[0] < one.time[1] && one.cpu[0] >= 0.0 && one.cpu[1] <= 1.0);
            for other in stays[index + 1..].iter().filter(|other| other.node == one.node) {
                let cross = |a: [f64; 2], b: [f64; 2]| a[0].max(b[0]) < a[1].min(b[1]);
                let overlap = cross(one.time, other.time) && cross(one.cpu, other.cpu);
                prop_assert!(!overlap, "{policy}: {one:?} {other:?}");
            }
        }
    }
}
