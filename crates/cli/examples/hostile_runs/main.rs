//! Runs mutated cases over all commands: `hostile_runs DFRSIM N [SEED [FIRST]]`, which
//! `scripts/check/hostile` calls.
//!
//! Each case is a command with small inputs, mutated according to their structure, and is determined
//! by the seed and its number alone. It may take 10 seconds, and has the 2 GB of address space that
//! the script leaves to this program. Failures are panics, termination by a signal, undocumented
//! exit codes, errors without a message and time-outs without output; a run that reports its
//! progress may take long.

mod bases;
mod cases;
mod mutation;
mod options;
mod outcome;
mod scheduler;

use bases::Bases;
use cases::Case;
use outcome::{Outcome, Verdict};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Number of cases that run in parallel.
const AT_ONCE: usize = 2;

/// Parameters of a series of cases.
struct Plan {
    /// Path of the program.
    program: PathBuf,
    /// Number of cases.
    cases: u64,
    /// Seed of all cases.
    seed: u64,
    /// Number of the first case.
    first: u64,
}

impl Plan {
    fn of_arguments() -> Option<Plan> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let number = |at: usize, default: Option<u64>| match arguments.get(at) {
            Some(text) => text.parse().ok(),
            None => default,
        };
        let program = std::path::absolute(arguments.first()?).ok()?;
        Some(Plan { program, cases: number(1, None)?, seed: number(2, Some(1))?, first: number(3, Some(0))? })
    }
}

/// Builds a case, runs it, and deletes its folder unless it failed.
fn run(
    plan: &Plan,
    bases: &Bases,
    [folder, printed]: [&Path; 2],
    number: u64,
) -> std::io::Result<(Case, Outcome)> {
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    random.set_stream(number);
    let case = cases::draw(bases, &mut random);
    let of_case = folder.join(format!("{}-{number}", plan.seed));
    if of_case.exists() {
        std::fs::remove_dir_all(&of_case)?;
    }
    case.write(&of_case)?;
    let outcome = outcome::run(&plan.program, &of_case, &case.arguments, printed)?;
    if outcome.is_bad() {
        let command = outcome::quoted(&plan.program, &case.arguments);
        println!(
            "case {number}: {}\n  repeat: scripts/check/hostile 1 {} {number}",
            outcome.verdict, plan.seed
        );
        println!("  or: cd {} && {command}", of_case.display());
        outcome.last_lines().for_each(|line| println!("  | {line}"));
    } else {
        std::fs::remove_dir_all(&of_case)?;
    }
    Ok((case, outcome))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|it| [scheduler::RECORD, scheduler::REPLAY].contains(&it.as_str())) {
        return ExitCode::from(u8::from(scheduler::run(&arguments).is_err()));
    }
    let Some(plan) = Plan::of_arguments() else {
        eprintln!("usage: hostile_runs DFRSIM N [SEED [FIRST]]");
        return ExitCode::from(2);
    };
    let begin = Instant::now();
    let folder = plan.program.with_file_name("hostile");
    let base = tempfile::tempdir().expect("a folder for the inputs can be made");
    let bases = Bases::new(&plan.program, base.path());
    let next = AtomicU64::new(plan.first);
    let outcomes: Mutex<BTreeMap<Verdict, u64>> = Mutex::default();
    let readers: Mutex<BTreeMap<String, u64>> = Mutex::default();
    let commands: Mutex<BTreeMap<String, (u64, f64)>> = Mutex::default();
    std::thread::scope(|scope| {
        for worker in 0..AT_ONCE {
            let printed = base.path().join(format!("printed-{worker}"));
            let (plan, bases, folder, next) = (&plan, &bases, &folder, &next);
            let readers = &readers;
            let (outcomes, commands) = (&outcomes, &commands);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= plan.first + plan.cases {
                        break;
                    }
                    let (case, outcome) =
                        run(plan, bases, [folder, &printed], number).expect("a case can be written and run");
                    *outcomes.lock().unwrap().entry(outcome.verdict).or_default() += 1;
                    let mut commands = commands.lock().unwrap();
                    let of_command = commands.entry(case.command).or_default();
                    of_command.0 += 1;
                    of_command.1 += outcome.seconds;
                    let mut readers = readers.lock().unwrap();
                    case.changed.into_iter().for_each(|name| *readers.entry(name).or_default() += 1);
                }
            });
        }
    });
    for (command, (runs, seconds)) in commands.into_inner().unwrap() {
        println!("{command:<18} {runs:>7} runs {:>7.1} ms each", 1e3 * seconds / runs as f64);
    }
    for (name, runs) in readers.into_inner().unwrap() {
        println!("{name:<26} {runs:>7} runs with a changed one");
    }
    let outcomes = outcomes.into_inner().unwrap();
    let bad: u64 = outcomes.iter().filter(|(verdict, _)| verdict.is_bad()).map(|(_, count)| count).sum();
    for (verdict, count) in &outcomes {
        println!("{count:>8} {verdict}");
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "hostile-runs: {} runs with seed {} in {seconds:.0} s, {bad} of them bad",
        plan.cases, plan.seed
    );
    ExitCode::from(u8::from(bad > 0))
}
