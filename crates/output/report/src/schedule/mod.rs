//! Interactive chart of a schedule: jobs on nodes over time, with the history of each job, for pages
//! without network access.

mod columns;
mod markup;
mod source;

pub(crate) use markup::{SCRIPT, STYLE, figure};
pub use source::ScheduleError;

use columns::{clip, common_unit};
use dfrsim_model::{SimTime, counted};
use dfrsim_plots::lives::{JobHistories, Limits, PlanLanes, assign_rows};
use dfrsim_plots::{EventsError, Window};
use serde::Serialize;
use std::path::Path;

/// Data of a chart, ready for a page: the jobs of an events file, or the actions of a plan of
/// context switches on VMs.
///
/// At most a million stays of jobs on nodes are kept from an events file; a longer file is cut
/// there, with a remark.
#[derive(Clone, Debug)]
pub struct Schedule {
    title: String,
    remark: Option<String>,
    /// Data for the script apart from the columns.
    head: Head,
    /// Columns, compressed and encoded in base 64.
    data: String,
}

/// Head of the data. Times are in units of `unit_us`.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Head {
    jobs: usize,
    stays: usize,
    pieces: usize,
    runs: usize,
    queued: usize,
    downs: usize,
    /// Unit of all times, in microseconds.
    unit_us: u64,
    /// Start of the time window.
    from: u64,
    to: u64,
    /// Threshold tau of the bounded stretch; 0 in a grid, for which the bounded stretch is not
    /// defined.
    tau: u64,
    /// Names of groups of lanes with their numbers of lanes: the nodes of a cluster.
    clusters: Vec<(String, u32)>,
    /// Node counts in node order, with the CPU of each node relative to the reference node.
    cpus: Vec<(u32, f64)>,
    /// Meaning of a lane: `node`, or `core` in a grid.
    lane: &'static str,
    /// Names and actions of a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<PlanLanes>,
}

/// Limits of a page: some ten megabytes, which a browser loads in a second or two.
const PAGE_LIMITS: Limits = Limits { stays: 1_000_000, runs: 3_000_000 };

impl Schedule {
    fn of_events(path: &Path, window: Window, limits: Limits) -> Result<Schedule, EventsError> {
        let mut lives = JobHistories::read(path, window, limits)?;
        assign_rows(&mut lives.stays);
        lives.stays.retain(|stay| window.overlaps(stay.from, stay.to));
        Ok(Schedule::new(lives, None))
    }

    fn new(mut lives: JobHistories, plan: Option<PlanLanes>) -> Schedule {
        clip(&mut lives);
        let unit = common_unit(&lives);
        let named = |(number, &nodes): (usize, &u32)| {
            (if lives.is_grid { format!("cluster {number}") } else { String::new() }, nodes)
        };
        let clusters = lives.clusters.iter().enumerate().map(named).collect();
        let lane = if lives.is_grid { "core" } else { "node" };
        let cpus = lives.cpus.parts(lives.clusters.iter().sum());
        let remark = lives.cut.map(SimTime::from_micros).map(|cut| {
            format!("The schedule is too long for a page: events after second {cut} are left out.")
        });
        let JobHistories { jobs, stays, queued, downs, shown: (from, to), tau, .. } = &lives;
        let head = Head {
            jobs: jobs.len(),
            stays: stays.len(),
            pieces: stays.iter().map(|stay| stay.pieces.len()).sum(),
            runs: stays.iter().map(|stay| stay.runs.len()).sum(),
            queued: queued.len(),
            downs: downs.len(),
            unit_us: unit,
            from: from / unit,
            to: to / unit,
            tau: tau / unit,
            clusters,
            cpus,
            lane,
            plan,
        };
        let data = columns::encode(&lives, unit);
        Schedule { title: lives.title, remark, head, data }
    }

    /// Returns the title: policy and nodes of the simulation.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Sets another title.
    #[must_use]
    pub fn with_title(self, title: String) -> Schedule {
        Schedule { title, ..self }
    }

    /// Formats the number of jobs or VMs: `1 job`, `12 VMs`.
    pub fn counted(&self) -> String {
        let (count, of) = match &self.head.plan {
            Some(plan) => (plan.vms, "VM"),
            None => (self.head.jobs, "job"),
        };
        counted(count, of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::SimTime;
    use std::fs;

    /// Events of three jobs. Job 7 waits 2 s, runs on nodes 0 and 1, is paused from 10 s to 20 s,
    /// resumes on node 2 with another yield from 25 s on, and ends at 30 s. Job 8 has node 1 from 12
    /// s to 18 s. Job 9 is rejected.
    const EVENTS: &str = r#"{"event":"run","format":3,"policy":"A<B","nodes":3,"penalty_us":0,"tau_us":10000000}
{"event":"submit","at_us":0,"job":0,"id":7,"tasks":2,"cpu_need":943718400,"memory":0,"run_us":15000000}
{"event":"start","at_us":2000000,"job":0,"on":[[0,1],[1,1]],"yield":1048576}
{"event":"pause","at_us":10000000,"job":0}
{"event":"submit","at_us":12000000,"job":1,"id":8,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":6000000}
{"event":"start","at_us":12000000,"job":1,"on":[[1,1]],"yield":1048576}
{"event":"submit","at_us":13000000,"job":2,"id":9,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":6000000}
{"event":"reject","at_us":13000000,"job":2}
{"event":"complete","at_us":18000000,"job":1}
{"event":"resume","at_us":20000000,"job":0,"on":[[2,2]],"yield":524288}
{"event":"yield","at_us":25000000,"job":0,"yield":262144}
{"event":"complete","at_us":30000000,"job":0}
{"event":"summary","completed":2,"rejected":1,"makespan_us":30000000,"max_stretch":2.0,"max_bounded_stretch":2.0,"mean_bounded_stretch":1.5,"mean_turnaround_s":18.0,"utilisation":0.5,"preemptions":1,"migrations":0,"migrated_tasks":0}
"#;

    const GRID: &str = r#"{"event":"run","format":3,"local":"FCFS","promises":true,"copies":1,"clusters":[{"cores":2,"speed":1000},{"cores":3,"speed":1000}]}
{"event":"arrive","at_us":0,"job":0,"id":4,"width":2,"run_us":5000000,"walltime_us":9000000}
{"event":"submit","at_us":0,"job":0,"cluster":0,"expected_us":9000000}
{"event":"cancel","at_us":1000000,"job":0,"cluster":0}
{"event":"submit","at_us":1000000,"job":0,"cluster":1,"expected_us":9000000}
{"event":"start","at_us":1000000,"job":0,"cluster":1,"on":[[0,1],[1,1]]}
{"event":"complete","at_us":6000000,"job":0,"cluster":1}
{"event":"summary","completed":1,"skipped":0,"moves":1,"cancellations":1,"turnaround_us":6000000}
"#;

    fn schedule(
        events: &str,
        window: (Option<u64>, Option<u64>),
        limits: Limits,
    ) -> Result<Schedule, EventsError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        fs::write(&path, events).unwrap();
        let (from, to) = (window.0.map(SimTime::from_secs), window.1.map(SimTime::from_secs));
        Schedule::of_events(&path, Window { from, to }, limits)
    }

    #[test]
    fn a_schedule_has_the_stays_of_all_jobs() {
        let schedule = schedule(EVENTS, (None, None), PAGE_LIMITS).unwrap();
        assert_eq!(schedule.title(), "A<B, 3 nodes");
        let expected = Head {
            jobs: 3,
            stays: 3,
            pieces: 4,
            runs: 3,
            queued: 0,
            downs: 0,
            unit_us: 1_000_000,
            from: 0,
            to: 30,
            tau: 10,
            clusters: vec![(String::new(), 3)],
            cpus: vec![(3, 1.0)],
            lane: "node",
            plan: None,
        };
        assert_eq!(schedule.head, expected);
        assert_eq!(schedule.remark, None);
        let page = crate::schedule_page(&schedule);
        assert!(page.contains("<h1>A&lt;B, 3 nodes</h1>") && page.contains(&schedule.data));
        for reference in ["http:", "https:", "src=", "@import"] {
            assert!(!page.contains(reference), "{reference} would need a network");
        }
    }

    /// Checks down times: nodes 1 and 2 go down at 4 s, node 1 until 6 s, node 2 until the end; node
    /// 0 is down before the first job, and again after the last.
    #[test]
    fn nodes_that_are_down_are_shown_with_the_jobs() {
        const EVENTS: &str = r#"{"event":"run","format":3,"policy":"A","nodes":3,"penalty_us":0,"tau_us":10000000}
{"event":"platform","interruption":"lose"}
{"event":"down","at_us":1000000,"nodes":[[0,1]]}
{"event":"up","at_us":2000000,"nodes":[[0,1]]}
{"event":"submit","at_us":3000000,"job":0,"id":7,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":5000000}
{"event":"start","at_us":3000000,"job":0,"on":[[0,1]],"yield":1048576}
{"event":"down","at_us":4000000,"nodes":[[1,2]]}
{"event":"up","at_us":6000000,"nodes":[[1,1]]}
{"event":"complete","at_us":8000000,"job":0}
{"event":"down","at_us":9000000,"nodes":[[0,1]]}
{"event":"summary","completed":1,"rejected":0,"makespan_us":5000000,"max_stretch":1.0,"max_bounded_stretch":1.0,"mean_bounded_stretch":1.0,"mean_turnaround_s":5.0,"utilisation":0.33,"preemptions":0,"migrations":0,"migrated_tasks":0,"platform":{"interruptions":0,"lost":0,"lost_work_s":0.0,"availability":0.6,"goodput":0.5}}
"#;
        let shown = schedule(EVENTS, (None, None), PAGE_LIMITS).unwrap();
        assert_eq!((shown.head.downs, shown.head.from, shown.head.to), (2, 3, 8));
        let later = schedule(EVENTS, (Some(7), None), PAGE_LIMITS).unwrap().head;
        assert_eq!((later.downs, later.from), (1, 7));
    }

    #[test]
    fn a_window_has_the_jobs_of_its_time() {
        // Job 8 and the stay of job 7 before its pause have ended; job 7 itself has not.
        let later = schedule(EVENTS, (Some(19), None), PAGE_LIMITS).unwrap().head;
        assert_eq!((later.jobs, later.stays, later.from, later.to), (1, 1, 19, 30));
        // Only job 8 runs then; job 7 is paused.
        let paused = schedule(EVENTS, (Some(11), Some(19)), PAGE_LIMITS).unwrap().head;
        assert_eq!((paused.jobs, paused.stays, paused.from, paused.to), (3, 1, 11, 18));
        let error = schedule(EVENTS, (Some(40), None), PAGE_LIMITS).unwrap_err().to_string();
        assert!(error.ends_with("no job runs in the selected time span"), "{error}");
    }

    #[test]
    fn what_is_too_much_for_a_page_is_left_out_with_a_remark() {
        let limits = Limits { stays: 1, ..PAGE_LIMITS };
        let schedule = schedule(EVENTS, (None, None), limits).unwrap();
        // The first stay ends at 10 s.
        assert_eq!((schedule.head.stays, schedule.head.to), (1, 10));
        assert!(schedule.remark.unwrap().contains("after second 10 "));
    }

    #[test]
    fn a_grid_has_its_cores_cluster_by_cluster_and_queues() {
        let head = schedule(GRID, (None, None), PAGE_LIMITS).unwrap().head;
        assert_eq!(head.clusters, [("cluster 0".to_owned(), 2), ("cluster 1".to_owned(), 3)]);
        assert_eq!((head.lane, head.stays, head.runs, head.queued, head.to), ("core", 1, 1, 2, 6));
    }

    /// Events with down times: nodes 1 and 2 are down from 4 s to 9 s, which interrupts job 7 on
    /// nodes 0 and 1; it starts again on node 0 alone. Node 2 goes down again and stays down.
    const OUTAGES: &str = r#"{"event":"run","format":3,"policy":"EASY","nodes":3,"penalty_us":0,"tau_us":10000000}
{"event":"submit","at_us":0,"job":0,"id":7,"tasks":2,"cpu_need":471859200,"memory":0,"run_us":15000000}
{"event":"start","at_us":0,"job":0,"on":[[0,1],[1,1]],"yield":1048576}
{"event":"down","at_us":4000000,"nodes":[[1,2]]}
{"event":"interrupt","at_us":4000000,"job":0,"kept_us":0}
{"event":"start","at_us":5000000,"job":0,"on":[[0,2]],"yield":1048576}
{"event":"up","at_us":9000000,"nodes":[[1,2]]}
{"event":"down","at_us":15000000,"nodes":[[2,1]]}
{"event":"complete","at_us":20000000,"job":0}
{"event":"summary","completed":1,"rejected":0,"makespan_us":20000000,"max_stretch":2.0,"max_bounded_stretch":2.0,"mean_bounded_stretch":1.5,"mean_turnaround_s":18.0,"utilisation":0.5,"preemptions":0,"migrations":0,"migrated_tasks":0}
"#;

    #[test]
    fn nodes_that_are_down_are_kept_as_spans() {
        let whole = schedule(OUTAGES, (None, None), PAGE_LIMITS).unwrap().head;
        // Nodes 1 and 2 together, then node 2 until the end.
        assert_eq!((whole.stays, whole.downs, whole.to), (2, 2, 20));
        let part = schedule(OUTAGES, (Some(10), None), PAGE_LIMITS).unwrap().head;
        assert_eq!((part.stays, part.downs), (1, 1));
        let beyond = OUTAGES.replacen("[[1,2]]", "[[2,2]]", 1);
        let error = schedule(&beyond, (None, None), PAGE_LIMITS).unwrap_err().to_string();
        assert!(error.contains(":4: "), "{error}");
    }

    const PLAN: &str = r#"{"cost": 9, "nodes": [{"name": "N1"}, {"name": "N2"}],
        "vms": [{"name": "A", "vjob": "alpha"}, {"name": "B"}],
        "pools": [[
            {"vm": "B", "action": "suspend", "from": "N1", "to": "N1", "cost": 3, "begin_s": 0, "end_s": 30},
            {"vm": "A", "action": "migrate", "from": "N1", "to": "N2", "cost": 2, "begin_s": 0, "end_s": 15.5}],
           [{"vm": "B", "action": "resume", "from": "N1", "to": "N2", "cost": 4, "begin_s": 30, "end_s": 40}]]}"#;

    #[test]
    fn a_page_is_of_vms_and_their_names_are_no_markup() {
        let text = PLAN.replace("\"A\"", "\"</script><b>\"");
        let (plan, lives) = PlanLanes::read(&text).unwrap();
        let schedule = Schedule::new(lives, Some(plan));
        assert_eq!(schedule.counted(), "2 VMs");
        let page = crate::schedule_page(&schedule);
        assert!(page.contains("\\u003c/script>\\u003cb>"), "{page}");
        assert!(!page.contains("</script><b>"));
        for words in
            ["3 actions in 2 pools, cost 9 MB", "VM with the largest cost", "next VM, the one before"]
        {
            assert!(page.contains(words), "{words}");
        }
        for reference in ["http:", "https:", "src=", "@import"] {
            assert!(!page.contains(reference), "{reference} would need a network");
        }
    }
}
