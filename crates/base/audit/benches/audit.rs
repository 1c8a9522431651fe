//! Benchmark of the auditor's throughput: `cargo bench -p dfrsim-audit`.

use dfrsim_model::event::{FORMAT_VERSION, Record};
use divan::Bencher;
use divan::counter::BytesCount;

fn main() {
    divan::main();
}

const SECOND: u64 = 1_000_000;

/// Generates an events file of 200,000 jobs and about a million lines, for a cluster of four nodes.
///
/// One job of 60 node-seconds is submitted every minute. It starts at a yield of one half, migrates
/// to another node after 30 s without penalty, gets a yield of 1 after 60 s, and completes after 90
/// s.
fn file() -> Vec<u8> {
    const JOBS: u64 = 200_000;
    let whole = 943_718_400;
    let mut records = Vec::new();
    for job in 0..JOBS {
        let at_us = job * 60 * SECOND;
        let mut push = |rank: u64, record| records.push(((rank, job), record));
        let node = (job % 2) as u32;
        let submit = Record::Submit {
            at_us,
            job,
            id: job,
            tasks: 1,
            cpu_need: whole,
            memory: 1,
            run_us: 60 * SECOND,
            estimate_us: None,
            user: Some(job as u32 % 100),
            group: None,
            queue: None,
            partition: None,
        };
        push(at_us, submit);
        push(
            at_us,
            Record::Start { at_us, job, on: vec![(node, 1)].into(), job_yield: 1 << 19, level: None },
        );
        let at_us = at_us + 30 * SECOND;
        push(
            at_us,
            Record::Migrate { at_us, job, on: vec![(node + 2, 1)].into(), job_yield: 1 << 19, level: None },
        );
        let at_us = at_us + 30 * SECOND;
        // Yield changes follow the submissions of the same time.
        push(at_us + 1, Record::Yield { at_us, job, job_yield: 1 << 20, level: None });
        let at_us = at_us + 30 * SECOND;
        push(at_us - 1, Record::Complete { at_us, job });
    }
    records.sort_by_key(|&(key, _)| key);
    let run = Record::Run {
        format: FORMAT_VERSION,
        policy: "bench".into(),
        nodes: 4,
        penalty_us: 0,
        tau_us: 10 * SECOND,
        options: None,
        period_us: None,
        kills_at_estimates: false,
    };
    let makespan = ((JOBS - 1) * 60 + 90) as f64;
    let summary = Record::Summary {
        completed: JOBS,
        rejected: 0,
        makespan_us: makespan as u64 * SECOND,
        max_stretch: 1.5,
        max_bounded_stretch: 1.5,
        mean_bounded_stretch: 1.5,
        mean_turnaround_s: 90.0,
        utilisation: 60.0 * JOBS as f64 / (4.0 * makespan),
        preemptions: 0,
        migrations: JOBS,
        migrated_tasks: JOBS,
        objectives: None,
        platform: None,
    };
    let mut file = Vec::new();
    let all = [&run].into_iter().chain(records.iter().map(|(_, record)| record)).chain([&summary]);
    for record in all {
        serde_json::to_writer(&mut file, record).expect("a vector takes all");
        file.push(b'\n');
    }
    file
}

#[divan::bench(sample_count = 5)]
fn a_million_lines(bencher: Bencher<'_, '_>) {
    let file = file();
    bencher
        .counter(BytesCount::of_slice(&file))
        .bench(|| dfrsim_audit::audit(&file[..]).map(|report| report.jobs).expect("a valid file"));
}
