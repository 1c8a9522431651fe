//! The commands of `dfrsim`.

mod audit;
mod bound;
mod completions;
mod distribution;
mod draw;
mod examples;
mod explain;
mod federation;
mod files;
mod forecast;
mod log;
mod man;
mod offline;
mod policies;
mod quoted;
mod results;
mod run;
mod schema;
mod short_help;
mod simulate;
mod site;
mod solve;
mod submit;

use crate::arguments::gigabytes;
use crate::context::{Context, commands};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::memory::Limit;
use crate::output::Printing;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser};
use dfrsim_lab::Registry;
pub(crate) use simulate::Simulate;
use std::ffi::OsString;

/// Largest width of help, in characters.
const MAX_WIDTH: usize = 110;

/// Simulate cluster scheduling with fractional (DFRS) and batch policies, on logs of real machines and generated
/// workloads
#[derive(Parser, Debug)]
#[command(name = "dfrsim", version, max_term_width = MAX_WIDTH)]
pub(crate) struct Cli {
    /// Maximum memory to use, in GB; by default nine tenths of the free memory, and at most 0.8
    /// for `results verify`
    #[arg(long, global = true, value_name = "GB", value_parser = gigabytes, help_heading = "Limits")]
    max_memory: Option<f64>,
    #[command(subcommand)]
    command: Command,
    /// Format of the answer, for commands that have one.
    #[arg(skip)]
    printing: Printing,
}

const EXAMPLES: &str = "\
Examples:
  dfrsim run                                  the quick start: a degradation table in under a minute
  dfrsim run scenarios/hpc2n.toml             FCFS and EASY on 182 weeks of a real log
  dfrsim results compare results/quickstart --variant EASY --with CONS
  dfrsim results check results/quickstart --baseline baseline.toml --tolerance 2%
  dfrsim results figures results/quickstart   pictures of the results of a run
  dfrsim simulate --workload CTC-SP2-1996-3.1-cln.swf.gz --nodes 338 --unit processor --policy EASY
  dfrsim log generate --jobs 1000 --nodes 128 --seed 1 --out week.swf
  dfrsim run scenarios/offline_quick.toml     packing jobs onto nodes: the off-line study
  dfrsim site --sacct march.sacct --slurm-conf slurm.conf --out march   a Slurm site as it is, and with other settings
  dfrsim federation north/ south/ --out federation   which users of two Slurm sites would wait less in a federation
  dfrsim solve pack nodes.csv vms.csv         one packing of a cluster of VMs
  dfrsim run scenarios/coallocation_quick.toml  co-allocation: collective and simple requests
  dfrsim solve plan current.json --states states.json     moving VMs: the cheapest context switch
  dfrsim solve adapt scenarios/adapt/cluster.json --budget 25%  better yields within a migration budget
  dfrsim policies                             all policies with a description of each
  dfrsim schema rows online                   the schema of the rows of a study, for programs";

commands! {
    enum Command {
        Run(run::Run),
        Submit(submit::Submit),
        #[command(subcommand)]
        Results(results::Results),
        Simulate(Box<Simulate>),
        Forecast(Box<forecast::Forecast>),
        #[command(name = "site")]
        MakeSite(Box<site::MakeSite>),
        Federation(Box<federation::Federation>),
        Audit(audit::Audit),
        Explain(explain::Explain),
        #[command(subcommand)]
        Draw(draw::Draw),
        Bound(bound::Bound),
        #[command(subcommand)]
        Log(log::Log),
        #[command(subcommand)]
        Solve(solve::Solve),
        #[command(subcommand)]
        Offline(offline::Offline),
        Policies(policies::Policies),
        Schema(schema::Schema),
        Completions(completions::Completions),
        Man(man::Man),
    }
}

impl Cli {
    /// Returns the complete clap command of the program, with its help text.
    pub(crate) fn full_command() -> clap::Command {
        with_format_option(Cli::command().after_help(format!("{EXAMPLES}\n\n{}", Exit::help())), "")
    }

    /// Parses the arguments; wrong ones end the process with a message.
    ///
    /// # Errors
    /// Returns an error if a file that would be written is also another file of the command.
    pub(crate) fn from_arguments(arguments: &[OsString]) -> Result<Cli, Failure> {
        // The command is leaked on purpose: dropping it would take as long as parsing with it.
        let mut program = Cli::full_command();
        if short_help::is_requested(arguments) {
            program = short_help::shorten(program);
        }
        if examples::are_shown(&program, arguments) {
            program = examples::fit(program, examples::width(MAX_WIDTH));
        }
        let program = Box::leak(Box::new(program));
        let matches = program.try_get_matches_from_mut(arguments);
        let matches = matches
            .unwrap_or_else(|error| crate::refusal::end(&crate::hints::complete(error, program, arguments)));
        let (command, arguments) = selected_command(program, &matches);
        files::check(command, arguments)?;
        let program = Cli::from_arg_matches(&matches).unwrap_or_else(|error| crate::refusal::end(&error));
        Ok(Cli { printing: Printing::of(arguments), ..program })
    }

    pub(crate) fn run(self, registry: &Registry) -> Result<(), Failure> {
        let memory = match &self.command {
            Command::Results(results::Results::Verify(_)) => Limit::for_received_files(self.max_memory),
            _ => Limit::new(self.max_memory),
        };
        memory.guard();
        self.command.run(&Context { registry, memory, printing: self.printing })
    }
}

/// Returns the options of each command that is not a group of commands, as pairs of the command and
/// `--option`.
pub(crate) fn all_options() -> Vec<(String, String)> {
    fn add(command: &clap::Command, name: &str, found: &mut Vec<(String, String)>) {
        let options =
            command.get_arguments().filter(|option| !option.is_global_set()).filter_map(clap::Arg::get_long);
        if !command.has_subcommands() {
            found.extend(options.map(|option| (name.to_owned(), format!("--{option}"))));
        }
        for below in command.get_subcommands() {
            add(below, format!("{name} {}", below.get_name()).trim_start(), found);
        }
    }
    let mut found = Vec::new();
    add(&Cli::full_command(), "", &mut found);
    found
}

/// Adds the option for the output format to the command of this name, or to all its subcommands.
/// Negative numbers are accepted as values rather than as options, so that the parser of the value
/// can report the expected range.
fn with_format_option(command: clap::Command, name: &str) -> clap::Command {
    let command = command.mut_args(|argument| {
        let has_values = argument.get_action().takes_values();
        argument.allow_negative_numbers(has_values)
    });
    if schema::ANSWERS.iter().any(|(known, _)| *known == name) {
        return command.arg(Printing::option());
    }
    command.mut_subcommands(|below| {
        let name = format!("{name} {}", below.get_name());
        with_format_option(below, name.trim_start())
    })
}

/// Returns the selected command, inside all groups, and its arguments.
fn selected_command<'a>(
    mut command: &'a clap::Command,
    mut matches: &'a ArgMatches,
) -> (&'a clap::Command, &'a ArgMatches) {
    while let Some((name, below)) = matches.subcommand() {
        (command, matches) =
            (command.find_subcommand(name).expect("clap has matched this subcommand"), below);
    }
    (command, matches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_commands_are_consistent() {
        Cli::full_command().debug_assert();
    }

    /// Commands without an answer: they print a file of its own format.
    const WITHOUT_ANSWER: [&str; 3] = ["completions", "man", "offline instance"];

    /// The commands that help lists, except groups of commands, each with a flag that is true if it
    /// takes `--format text|json`.
    fn leaves(command: &clap::Command, name: &str, found: &mut Vec<(String, bool)>) {
        for below in command.get_subcommands() {
            let name = format!("{name} {}", below.get_name()).trim_start().to_owned();
            if below.has_subcommands() {
                leaves(below, &name, found);
                continue;
            }
            let values = |argument: &clap::Arg| {
                argument.get_possible_values().iter().any(|it| it.get_name() == "json")
            };
            let has = below.get_arguments().any(|it| it.get_long() == Some("format") && values(it));
            found.push((name, has));
        }
    }

    #[test]
    fn every_command_with_an_answer_has_it_as_json_too() {
        let mut found = Vec::new();
        leaves(&Cli::full_command(), "", &mut found);
        found.retain(|(name, _)| !name.starts_with("schema "));
        for (name, has) in &found {
            assert_eq!(schema::ANSWERS.iter().any(|(known, _)| known == name), *has, "{name}");
            assert_ne!(WITHOUT_ANSWER.contains(&name.as_str()), *has, "{name}");
        }
        assert_eq!(found.len(), schema::ANSWERS.len() + WITHOUT_ANSWER.len());
    }
}
