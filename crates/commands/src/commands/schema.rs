//! `dfrsim schema`

use super::{audit, bench, bound, census, log, policies, results, run, simulate, site, solve, submit};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{self, Written};
use crate::refusal::ErrorAnswer;
use clap::{Args, Subcommand};
use dfrsim_external::protocol;
use dfrsim_lab::{AnyStudy, Registry, schema};
use dfrsim_model::{event, grid_event};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema as Json};
use serde_json::Value;

/// Print JSON Schemas (draft 2020-12) of this program's output
///
/// Schemas are made from the code that writes: rows of a study with the role, unit and meaning of each column, manifests, events
/// files, messages of policies in other processes, and answers of commands with --format json.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim schema rows online > online.schema.json
  dfrsim schema events
  dfrsim schema answer results status")]
pub(crate) struct Schema {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// The rows of a study, as `dfrsim results export --jsonl` writes them, an object on each line
    Rows {
        /// The study, by its name in scenarios
        #[arg(value_name = "STUDY")]
        study: String,
    },
    /// The manifest.toml of results, read as TOML
    Manifest,
    /// The lines of an events file, as `dfrsim simulate --events-out` writes it
    Events,
    /// The lines of an events file of a grid
    GridEvents,
    /// The lines of policies in other processes (`pipe:COMMAND`)
    Pipe {
        /// The line: a message to the policy, or its answer to `begin` or `decide`
        #[arg(value_enum)]
        line: PipeLine,
    },
    /// What a command with --format json prints if it fails before it has an answer
    Error,
    /// The answer of a command with --format json
    Answer {
        /// The command: `simulate`, `results status`
        #[arg(value_name = "COMMAND", required = true, num_args = 1..)]
        command: Vec<String>,
    },
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum PipeLine {
    Message,
    Greeting,
    Answer,
}

/// A command with `--format json`, and the function that makes the schema of its answer.
type Answering = (&'static str, fn() -> Json);

/// All of them.
pub(super) const ANSWERS: [Answering; 32] = [
    ("run", of::<run::Finished<'_>>),
    ("submit", of::<submit::Submission>),
    ("results status", of::<results::status::Progress>),
    ("results merge", of::<run::Finished<'_>>),
    ("results check", of::<results::check::Checked>),
    ("results compare", of::<results::compare::Compared>),
    ("results report", of::<Written>),
    ("results figures", of::<Written>),
    ("results export", of::<Written>),
    ("results archive", of::<Written>),
    ("results verify", of::<results::verify::Verified>),
    ("simulate", of::<simulate::Simulated>),
    ("site", of::<site::Understood>),
    ("audit", of::<audit::Audited>),
    ("explain", of::<dfrsim_audit::explain::Life>),
    ("draw gantt", of::<Written>),
    ("draw page", of::<Written>),
    ("draw timeline", of::<Written>),
    ("draw stretch", of::<Written>),
    ("bound", of::<bound::Bounds>),
    ("census", of::<census::Counted>),
    ("bench", of::<bench::Rated>),
    ("log info", of::<log::info::Described>),
    ("log convert", of::<Written>),
    ("log generate", of::<Written>),
    ("log anonymise", of::<log::anonymise::Anonymised>),
    ("log resample", of::<Written>),
    ("solve pack", of::<solve::pack::Answered>),
    ("solve adapt", of::<solve::adapt::Answered>),
    ("solve plan", of::<solve::plan::Answered>),
    ("solve coallocate", of::<solve::coallocate::Answered>),
    ("policies", of::<policies::Catalogue>),
];

/// The schema of what is written, which has all fields.
fn of<T: JsonSchema>() -> Json {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The schema of what is read, where fields may be left out.
fn read<T: JsonSchema>() -> Json {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>()
}

impl Schema {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let schema = match &self.what {
            What::Rows { study } => schema::rows(known(context.registry, study)?),
            What::Manifest => schema::manifest(),
            What::Events => of::<event::Record<'_>>().to_value(),
            What::GridEvents => of::<grid_event::Record<'_>>().to_value(),
            What::Pipe { line: PipeLine::Message } => of::<protocol::Message>().to_value(),
            What::Pipe { line: PipeLine::Greeting } => read::<protocol::Greeting>().to_value(),
            What::Pipe { line: PipeLine::Answer } => read::<protocol::Answer>().to_value(),
            What::Error => of::<ErrorAnswer>().to_value(),
            What::Answer { command } => answer(&command.join(" "))?,
        };
        output::print(&format!("{schema:#}\n"))
    }
}

fn known<'a>(registry: &'a Registry, name: &str) -> Result<&'a AnyStudy, Failure> {
    registry.study_named(name).ok_or_else(|| {
        let names: Vec<&str> = registry.studies().map(|study| study.name).collect();
        Failure::input(format!("unknown study `{name}`; expected one of {}", names.join(", ")))
    })
}

fn answer(command: &str) -> Result<Value, Failure> {
    let found = ANSWERS.iter().find(|(name, _)| *name == command);
    let titled = |schema: fn() -> Json| {
        let mut schema = schema();
        schema.insert("title".to_owned(), format!("dfrsim {command} --format json").into());
        schema.to_value()
    };
    found.map(|&(_, schema)| titled(schema)).ok_or_else(|| {
        let names = ANSWERS.map(|(name, _)| name);
        Failure::input(format!(
            "`{command}` is not a command with --format json; expected one of {}",
            names.join(", ")
        ))
    })
}
