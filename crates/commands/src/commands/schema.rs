//! `dfrsim schema`

use super::{audit, bound, forecast, log, policies, results, run, simulate, site, solve, submit};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{self, Written};
use crate::refusal::ErrorAnswer;
use clap::{Args, Subcommand};
use dfrsim_external::protocol;
use dfrsim_lab::{AnyStudy, Registry, schema};
use dfrsim_model::named::nearest;
use dfrsim_model::{event, grid_event};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema as Json};
use serde_json::Value;

/// Print JSON Schemas (draft 2020-12) of this program's output
///
/// Schemas are generated from the types that are written: rows of a study with the role, unit and
/// meaning of each column, manifests, events files, messages of policies in other processes, and
/// answers of commands with --format json.
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
    /// Print the schema of the rows of a study, as written by `dfrsim results export --jsonl`: an
    /// object on each line
    Rows {
        /// Study, by its name in scenarios
        #[arg(value_name = "STUDY")]
        study: String,
    },
    /// Print the schema of the manifest.toml of results, read as TOML
    Manifest,
    /// Print the schema of the lines of an events file, as written by `dfrsim simulate --events-out`
    Events,
    /// Print the schema of the lines of an events file of a grid
    GridEvents,
    /// Print the schema of the lines exchanged with policies in other processes (`pipe:COMMAND`)
    Pipe {
        /// Kind of line: a message to the policy, or its answer to `begin` or `decide`
        #[arg(value_enum)]
        line: PipeLine,
    },
    /// Print the schema of the state of a running system, as `dfrsim forecast --state` reads it
    State,
    /// Print the schema of the error that a command with --format json prints if it fails before it
    /// has an answer
    Error,
    /// Print the schema of the answer of a command with --format json
    Answer {
        /// Name of the command: `simulate`, `results status`
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

/// Command with `--format json`, and the function that generates the schema of its answer.
type AnswerSchema = (&'static str, fn() -> Json);

/// All commands with `--format json`.
pub(super) const ANSWERS: [AnswerSchema; 35] = [
    ("run", output_schema::<run::Finished<'_>>),
    ("submit", output_schema::<submit::Submission>),
    ("results status", output_schema::<results::status::FolderProgress>),
    ("results merge", output_schema::<run::Finished<'_>>),
    ("results check", output_schema::<results::check::Checked>),
    ("results compare", output_schema::<results::compare::Compared>),
    ("results report", output_schema::<Written>),
    ("results figures", output_schema::<Written>),
    ("results export", output_schema::<Written>),
    ("results archive", output_schema::<Written>),
    ("results verify", output_schema::<results::verify::Verified>),
    ("simulate", output_schema::<simulate::Simulated>),
    ("forecast", output_schema::<forecast::Answered>),
    ("site", output_schema::<site::Understood>),
    ("federation", output_schema::<run::Finished<'_>>),
    ("audit", output_schema::<audit::Audited>),
    ("explain", output_schema::<dfrsim_audit::explain::Life>),
    ("draw gantt", output_schema::<Written>),
    ("draw page", output_schema::<Written>),
    ("draw timeline", output_schema::<Written>),
    ("draw power", output_schema::<Written>),
    ("draw stretch", output_schema::<Written>),
    ("draw waits", output_schema::<Written>),
    ("bound", output_schema::<bound::Bounds>),
    ("log info", output_schema::<log::info::DescribedLog>),
    ("log convert", output_schema::<Written>),
    ("log generate", output_schema::<Written>),
    ("log anonymise", output_schema::<log::anonymise::Anonymised>),
    ("log resample", output_schema::<Written>),
    ("solve import", output_schema::<solve::import::ImportAnswer>),
    ("solve pack", output_schema::<solve::pack::PackAnswer>),
    ("solve adapt", output_schema::<solve::adapt::AdaptAnswer>),
    ("solve plan", output_schema::<solve::plan::PlanAnswer>),
    ("solve coallocate", output_schema::<solve::coallocate::CoallocateAnswer>),
    ("policies", output_schema::<policies::Catalogue>),
];

/// Generates the schema of a type that is written, in which all fields are present.
fn output_schema<T: JsonSchema>() -> Json {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// Generates the schema of a type that is read, in which optional fields may be absent.
fn input_schema<T: JsonSchema>() -> Json {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>()
}

impl Schema {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let schema = match &self.what {
            What::Rows { study } => schema::rows(find_study(context.registry, study)?),
            What::Manifest => schema::manifest(),
            What::Events => output_schema::<event::Record<'_>>().to_value(),
            What::GridEvents => output_schema::<grid_event::Record<'_>>().to_value(),
            What::Pipe { line: PipeLine::Message } => output_schema::<protocol::Message>().to_value(),
            What::Pipe { line: PipeLine::Greeting } => input_schema::<protocol::Greeting>().to_value(),
            What::Pipe { line: PipeLine::Answer } => input_schema::<protocol::Answer>().to_value(),
            What::State => input_schema::<dfrsim_forecast::state::StateFile>().to_value(),
            What::Error => output_schema::<ErrorAnswer>().to_value(),
            What::Answer { command } => answer_schema(&command.join(" "))?,
        };
        output::print(&format!("{schema:#}\n"))
    }
}

fn find_study<'a>(registry: &'a Registry, name: &str) -> Result<&'a AnyStudy, Failure> {
    registry.study_named(name).ok_or_else(|| {
        let names: Vec<&str> = registry.studies().map(|study| study.name).collect();
        Failure::input(format!("unknown study `{name}`; expected one of {}", names.join(", ")))
    })
}

fn answer_schema(command: &str) -> Result<Value, Failure> {
    let found = ANSWERS.iter().find(|(name, _)| *name == command);
    let titled = |schema: fn() -> Json| {
        let mut schema = schema();
        schema.insert("title".to_owned(), format!("dfrsim {command} --format json").into());
        schema.to_value()
    };
    found.map(|&(_, schema)| titled(schema)).ok_or_else(|| {
        let names = ANSWERS.map(|(name, _)| name);
        let expected = match nearest(command, names) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("expected one of {}", names.join(", ")),
        };
        Failure::input(format!("`{command}` is not a command with --format json; {expected}"))
    })
}
