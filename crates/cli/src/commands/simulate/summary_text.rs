//! The figures of a simulation, for people and for programs.

use dfrsim_cluster::{Distribution, Summary};
use dfrsim_policies::Policy;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Aligned text.
pub(super) fn table(policy: Policy, summary: &Summary) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        writeln!(text, "{name:<22} {value}").expect("writing to a string cannot fail");
    };
    line("policy", policy.to_string());
    line("jobs", summary.jobs.to_string());
    for (name, count) in [
        ("trimmed", summary.trimmed as u64),
        ("killed", summary.killed),
        ("rejected", summary.rejected),
        ("preemptions", summary.preemptions),
        ("migrations", summary.migrations),
    ] {
        if count > 0 {
            line(name, count.to_string());
        }
    }
    line("makespan [s]", summary.makespan.to_string());
    line("utilisation", format!("{:.4}", summary.utilisation));
    line("", format!("{:>14}{:>14}{:>14}{:>14}{:>14}", "mean", "median", "95 %", "99 %", "max"));
    let bounded = summary.bounded_stretch.iter();
    let bounded = bounded.map(|(tau, values)| (format!("bounded stretch, {tau} s"), values));
    let rows = [
        ("wait [s]".to_owned(), &summary.wait),
        ("turnaround [s]".to_owned(), &summary.turnaround),
        ("stretch".to_owned(), &summary.stretch),
    ];
    for (name, values) in rows.into_iter().chain(bounded) {
        let Distribution { mean, median, p95, p99, max } = values;
        line(&name, format!("{mean:>14.2}{median:>14.2}{p95:>14.2}{p99:>14.2}{max:>14.2}"));
    }
    line("", String::new());
    line(
        "tasks and run time",
        format!("{:>14}{:>14}{:>14}{:>14}", "jobs", "mean wait [s]", "mean b. str.", "max b. str."),
    );
    for class in &summary.classes {
        line(
            &format!("{:>6} {:>8}", class.size.name(), class.length.name()),
            format!(
                "{:>14}{:>14.2}{:>14.2}{:>14.2}",
                class.jobs, class.mean_wait, class.mean_bounded_stretch, class.max_bounded_stretch
            ),
        );
    }
    text
}

/// The same figures and more as a JSON object; times in seconds.
pub(super) fn json(policy: Policy, summary: &Summary) -> Value {
    let distribution = |values: &Distribution| {
        let Distribution { mean, median, p95, p99, max } = values;
        json!({ "mean": mean, "median": median, "p95": p95, "p99": p99, "max": max })
    };
    json!({
        "policy": policy.to_string(),
        "jobs": summary.jobs,
        "trimmed": summary.trimmed,
        "killed": summary.killed,
        "rejected": summary.rejected,
        "makespan_s": summary.makespan.as_secs_f64(),
        "utilisation": summary.utilisation,
        "wait_s": distribution(&summary.wait),
        "turnaround_s": distribution(&summary.turnaround),
        "stretch": distribution(&summary.stretch),
        "bounded_stretch": summary.bounded_stretch.iter().map(|(tau, values)| {
            json!({ "tau_s": tau.as_secs_f64(), "distribution": distribution(values) })
        }).collect::<Vec<_>>(),
        "classes": summary.classes.iter().map(|class| json!({
            "tasks": class.size.name(),
            "run_time": class.length.name(),
            "jobs": class.jobs,
            "mean_wait_s": class.mean_wait,
            "mean_bounded_stretch": class.mean_bounded_stretch,
            "max_bounded_stretch": class.max_bounded_stretch,
        })).collect::<Vec<_>>(),
        "preemptions": summary.preemptions,
        "migrations": summary.migrations,
        "migrated_tasks": summary.migrated_tasks,
        "paused_memory_nodes": summary.paused_memory,
        "migrated_memory_nodes": summary.migrated_memory,
    })
}
