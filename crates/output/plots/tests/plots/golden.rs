//! Tests schedules derived by hand, and the rectangles that are drawn for them. In the sketches a
//! column is a second, a row is a node, and a digit is the job that runs there (0 is job 10).

use crate::support::{Residency, events, file, gantt, stays};
use dfrsim_model::{Job, JobId, SimSpan, SimTime};
use dfrsim_plots::FigureSize;

/// Ten jobs that use whole nodes: submit time, nodes and run time in seconds.
const JOBS: [(u64, u32, u64); 10] = [
    (0, 2, 6),
    (0, 1, 3),
    (1, 4, 2),
    (1, 1, 2),
    (2, 1, 4),
    (2, 2, 5),
    (3, 1, 1),
    (9, 3, 4),
    (9, 2, 3),
    (10, 1, 1),
];

fn jobs() -> Vec<Job> {
    let job = |(&(submit, tasks, run), id): (&(u64, u32, u64), u64)| Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        run_time: SimSpan::from_secs(run),
        ..Job::default()
    };
    JOBS.iter().zip(1..).map(job).collect()
}

/// Returns the rectangles of a sketch in which every job has one run on each of its nodes.
fn sketched(sketch: &[&str]) -> Vec<Residency> {
    let mut stays = Vec::new();
    for (row, node) in sketch.iter().zip(0..) {
        for digit in "1234567890".chars().filter(|digit| row.contains(*digit)) {
            let (from, to) = (row.find(digit).unwrap(), row.rfind(digit).unwrap() + 1);
            stays.push(Residency {
                job: if digit == '0' { 10 } else { u64::from(digit.to_digit(10).unwrap()) },
                node,
                tasks: 1,
                time: [from as f64, to as f64],
                cpu: [0.0, 1.0],
                job_yield: 1.0,
                edges: ["start".to_owned(), "complete".to_owned()],
            });
        }
    }
    stays.sort_by(|a, b| a.time[0].total_cmp(&b.time[0]).then(a.node.cmp(&b.node)));
    stays
}

/// Job 3 needs all nodes, so its reservation is at 6 s, when job 1 ends. Job 4 ends before that and
/// starts at 1 s on the idle node; so does job 7 at 3 s. Jobs 5 and 6 are too long and start when
/// job 3 has ended, at 8 s. Job 8 needs three nodes and gets its reservation at 13 s, when job 6
/// ends: there is one extra node. Job 9 needs two; job 10 starts at 10 s on the idle one.
#[test]
fn easy() {
    let expected =
        sketched(&["111111335555 8888999", "11111133666668888999", "2227  33666668888", " 44   33  0"]);
    assert_eq!(stays(&gantt(&events("EASY", 4, SimSpan::ZERO, &jobs()))), expected);
}

/// No job overtakes another. At 8 s, jobs 4, 5 and 6 start. Job 7 finds no free node then, and gets
/// the node of job 4 at 10 s. Job 8 needs three nodes, which are free at 13 s. Job 9 waits for two
/// until 17 s, and job 10 waits for job 9.
#[test]
fn fcfs() {
    let expected =
        sketched(&["11111133447  8888999", "111111335555 8888999", "222   336666688880", "      3366666"]);
    assert_eq!(stays(&gantt(&events("FCFS", 4, SimSpan::ZERO, &jobs()))), expected);
}

/// One node. A (10 s) is alone until B (2 s) arrives at 4 s. Both get half of the node, so B ends at
/// 8 s, when A has done 6 s, and A ends at 12 s. B is drawn above A.
#[test]
fn shared_nodes_are_split_by_cpu() {
    let mut list = jobs();
    list.truncate(2);
    (list[0].tasks, list[0].run_time) = (1, SimSpan::from_secs(10));
    (list[1].submit, list[1].run_time) = (SimTime::from_secs(4), SimSpan::from_secs(2));
    let stay = |job, time, cpu, job_yield, edges: [&str; 2]| Residency {
        job,
        node: 0,
        tasks: 1,
        time,
        cpu,
        job_yield,
        edges: edges.map(str::to_owned),
    };
    let expected = [
        stay(1, [0.0, 4.0], [0.0, 1.0], 1.0, ["start", "yield"]),
        stay(1, [4.0, 8.0], [0.0, 0.5], 0.5, ["yield", "yield"]),
        stay(2, [4.0, 8.0], [0.5, 1.0], 0.5, ["start", "complete"]),
        stay(1, [8.0, 12.0], [0.0, 1.0], 1.0, ["yield", "complete"]),
    ];
    assert_eq!(stays(&gantt(&events("EQUIPARTITION", 1, SimSpan::ZERO, &list))), expected);
}

/// Clusters of two cores and of one. B waits for A on the first, and moves at 2 s; C takes the first
/// core that is free.
/// ```text
/// 012345
/// AAAAC
/// AAAA
///   BBB
/// ```
#[test]
fn clusters_of_a_grid_are_stacked() {
    let events = file(include_str!("golden_moves.jsonl"));
    let expected = "job_id,node,tasks,from_s,to_s,cpu_from,cpu_to,yield,begin,end\n\
        11,0,1,0,4,0,1,1,start,complete\n\
        11,1,1,0,4,0,1,1,start,complete\n\
        12,2,1,2,5,0,1,1,migrate,complete\n\
        13,0,1,4,5,0,1,1,start,complete\n";
    assert_eq!(gantt(&events).csv, expected);
    let text = std::fs::read_to_string(events.path()).unwrap();
    let error = |text: &str| {
        dfrsim_plots::draw_gantt(
            file(text).path(),
            dfrsim_plots::Window::default(),
            dfrsim_plots::ColourBy::Job,
            FigureSize::default(),
        )
        .unwrap_err()
        .to_string()
    };
    let crowded = text.replace("\"id\":12,\"width\":1", "\"id\":12,\"width\":2");
    assert!(error(&crowded).contains(":9: too few cores of cluster 1 are free"), "{}", error(&crowded));
    let cut = text.lines().take(15).map(|line| format!("{line}\n")).collect::<String>();
    assert!(error(&cut).contains("ends without a `summary`"), "{}", error(&cut));
}

/// Clusters of one core; the first one fails at 2 s with A, which restarts on the second one.
#[test]
fn a_job_that_is_lost_begins_again() {
    let events = file(include_str!("golden_lost.jsonl"));
    let expected = "job_id,node,tasks,from_s,to_s,cpu_from,cpu_to,yield,begin,end\n\
        11,0,1,0,2,0,1,1,start,pause\n\
        11,1,1,2,6,0,1,1,migrate,complete\n";
    assert_eq!(gantt(&events).csv, expected);
}

/// Two nodes; half a node is 471,859,200 share units. A (half a node) is paused at 2 s and resumed
/// on the other node at 4 s. B (half a node), which is drawn above A, then moves down. It migrates
/// to the other node at 6 s, above A, and moves down again when A ends at 7 s.
/// ```text
/// 0123456789
/// AA  BB         (above: B in 0 and 1, too)
///     AAABB
/// ```
#[test]
fn pauses_migrations_and_shifts_cut_stays() {
    let events = file(include_str!("golden_paused.jsonl"));
    let figure = gantt(&events);
    let expected = include_str!("golden_pauses.csv");
    assert_eq!(figure.csv, expected);

    // CPU in use: 2 halves of 2 nodes, then 1, then 2 again from 4 s to 7 s, then 1. The paused job
    // counts from 2 s to 4 s.
    let timeline = dfrsim_plots::draw_timeline(events.path(), FigureSize::default()).unwrap();
    let expected = "series,from_s,value\n\
        CPU in use,0,0.5\nCPU in use,2,0.25\nCPU in use,4,0.5\nCPU in use,7,0.25\nCPU in use,9,0\n\
        running,0,2\nrunning,2,1\nrunning,4,2\nrunning,7,1\nrunning,9,0\n\
        waiting,0,0\n\
        paused,0,0\npaused,2,1\npaused,4,0\n";
    assert_eq!(timeline.csv, expected);
    // Turnarounds are 7 s and 9 s for run times of 5 s and 9 s.
    let stretch = dfrsim_plots::draw_stretch(
        &[events.path().to_owned()],
        dfrsim_plots::StretchForm::Ecdf,
        FigureSize::default(),
    );
    assert_eq!(stretch.unwrap().csv, "policy,value,part_no_larger\nnone,1,0.5\nnone,1.4,1\n");
}

/// Node 1 has twice the CPU of node 0. A (two tasks of a whole reference node) uses all of it, B
/// half, and C all of node 0.
#[test]
fn parts_are_those_of_the_node() {
    let events = file(include_str!("golden_parts.jsonl"));
    let expected = "job_id,node,tasks,from_s,to_s,cpu_from,cpu_to,yield,begin,end\n\
        11,1,2,0,2,0,1,1,start,complete\n\
        12,1,1,2,5,0,0.5,1,start,complete\n\
        13,0,1,3,4,0,1,1,start,complete\n";
    assert_eq!(gantt(&events).csv, expected);
    let timeline = dfrsim_plots::draw_timeline(events.path(), FigureSize::default()).unwrap();
    let cpu: Vec<&str> = timeline.csv.lines().filter_map(|line| line.strip_prefix("CPU in use,")).collect();
    assert_eq!(cpu.len(), 5, "{cpu:?}");
    assert_eq!([cpu[0], cpu[4]], ["0,0.6666666666666666", "5,0"]);
    let crowded = std::fs::read_to_string(events.path()).unwrap().replace("\"on\":[[1,2]]", "\"on\":[[1,3]]");
    let error =
        dfrsim_plots::draw_timeline(file(&crowded).path(), FigureSize::default()).unwrap_err().to_string();
    assert!(error.contains(":6: the CPU of node 1 is over-committed"), "{error}");
}
