//! `dfrsim solve coallocate`

mod answer;

use super::state::{is_csv, open};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, Places};
pub(crate) use answer::Answered;
use clap::Args;
use dfrsim_coallocation::check::check_allocation;
use dfrsim_coallocation::file::{self, Resources, Window, reservations_of};
use dfrsim_coallocation::{Coallocator, Grid, Parameters};
use dfrsim_input::{Input, Reader, read_text};
use dfrsim_model::coallocation::Reservation;
use dfrsim_model::{Seed, SimSpan, SimTime};
use dfrsim_state::{Reserved, State};
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Find parts of several nodes that are free at the same time for one job, and reserve them
///
/// Prints when the job starts, what each node gives, and how well the chosen nodes are then used: for each property the
/// part of it that is reserved at the worst moment of the job, and the product of these. The independent checker
/// verifies every answer. With --commit the reservations are added to the file of the state that has reservations, all or none;
/// other processes that commit to the same file wait meanwhile. VMs of the state do not count.
#[derive(Args, Debug)]
#[command(after_help = "\
Example of a request:
  duration = 7200            # seconds
  resources = 10
  earliest = 0               # the start; --now if it is not given
  latest = 50000             # --patience after the earliest if it is not given
  whole = [\"cores\"]          # of these, nodes give whole units, at least one
  [minimum]                  # of each node
  cores = 1
  [total]                    # of all nodes together; N times the minimum if it is not given
  ram_gb = 40
  [labels]
  os = \"Linux\"

Examples:
  dfrsim solve coallocate nodes.csv reserved.csv --request request.toml --commit
  dfrsim solve coallocate state.json --request request.toml --state-out after.json")]
pub(crate) struct Coallocate {
    /// The files of the state (see `dfrsim solve --help`)
    #[arg(value_name = "STATE", value_hint = clap::ValueHint::FilePath)]
    state: Vec<PathBuf>,
    /// The request
    #[arg(long, value_name = "R.toml", value_hint = clap::ValueHint::FilePath)]
    request: PathBuf,
    /// Add the reservations to the file that has reservations
    #[arg(long)]
    commit: bool,
    /// Write the state afterwards: JSON, or with the ending .csv its reservations
    #[arg(long, value_hint = clap::ValueHint::FilePath, value_name = "STATE", value_hint = clap::ValueHint::AnyPath, conflicts_with = "commit")]
    state_out: Option<PathBuf>,
    /// When the request is made, if it names no earliest start
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    now: SimTime,
    /// How long after the earliest start the latest is, if the request names none
    #[arg(long, value_name = "SECONDS", default_value = "86400")]
    patience: SimSpan,
    /// How many nodes are examined first, as a multiple of those requested (M_init)
    #[arg(long, value_name = "M", default_value = "3")]
    initial: NonZeroUsize,
    /// The largest multiple (M_max): the first one is doubled up to it
    #[arg(long, value_name = "M", default_value = "48")]
    largest: NonZeroUsize,
    /// Exchanges per node towards an admissible set, at each start (L1)
    #[arg(long, value_name = "L", default_value_t = Parameters::default().admission_effort)]
    l1: usize,
    /// Exchanges per node towards a better utilisation (L2)
    #[arg(long, value_name = "L", default_value_t = Parameters::default().improvement_effort)]
    l2: usize,
    /// The seed of random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// A state as a grid of which parts can be reserved.
struct Booked<'a> {
    state: State<'a>,
    resources: Resources,
    reserved: Vec<Reservation>,
    grid: Grid,
}

impl<'a> Booked<'a> {
    /// Reads the files of a state; `file` is what messages call the one with reservations.
    fn read(inputs: &'a [Input], file: &str) -> Result<Booked<'a>, Failure> {
        let mut reader = Reader::default();
        let state = State::read(&mut reader, inputs);
        let read = state.and_then(|state| {
            let resources = Resources::of(&mut reader, &state)?;
            let reserved = reservations_of(&mut reader, &state, &resources);
            Some((state, resources, reserved))
        });
        let (state, resources, reserved) = reader.finish(read).map_err(Failure::input)?;
        let grid = file::grid(file, &resources, &reserved).map_err(Failure::input)?;
        Ok(Booked { state, resources, reserved, grid })
    }
}

impl Coallocate {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let mut inputs = open(&self.state)?;
        let target = if self.commit { Some(self.target(&inputs)?) } else { None };
        let others = self.state.iter().enumerate().filter(|(number, _)| Some(*number) != target);
        let read = others.fold(Places::default(), |places, (_, file)| places.reads("STATE", file));
        let place = target.map(|target| self.state[target].as_path());
        read.reads("--request", &self.request).writes("STATE", place)?;
        // Held until the end: no other process reads what is about to change.
        let _lock = place.map(lock).transpose()?;
        if place.is_some() {
            inputs = open(&self.state)?;
        }
        let name = self.state[target.unwrap_or(self.state.len() - 1)].display().to_string();
        let Booked { mut state, resources, reserved, grid } = Booked::read(&inputs, &name)?;
        let (name, window) =
            (self.request.display().to_string(), Window { now: self.now, patience: self.patience });
        let text = read_text(&self.request).map_err(Failure::input)?;
        let request = file::request(&name, &text, &resources, window).map_err(Failure::input)?;
        file::check_request(&name, &grid, &resources, &request).map_err(Failure::input)?;
        let solution = Coallocator::new(self.parameters())
            .search(&grid, &request, Seed::new(self.seed))
            .map_err(|rejection| Failure::Result(format!("rejected: {rejection}")))?;
        let faults = check_allocation(&resources.resources, &reserved, &request, &solution.allocation);
        if let Some(fault) = faults.first() {
            return Err(Failure::Result(format!("the answer is wrong: {fault}")));
        }
        let answer = Answered::new(&grid, &resources, &solution);
        for Reservation { resource, from, until, amounts } in solution.allocation.reservations {
            let amounts = resources.quantities.iter().cloned().zip(amounts).collect();
            let at = state.nodes[resource].at.clone();
            state.reservations.push(Reserved { at, node: resource, from, until, amounts });
        }
        if let Some(path) = place.or(self.state_out.as_deref()) {
            let text = if is_csv(path) { state.reservations_to_csv() } else { state.to_json() };
            // What cannot be read again would end all later commits.
            let again = if is_csv(path) { Ok(Input::csv(&name, &text)) } else { Input::json(&name, &text) };
            let again = again.and_then(|again| {
                let nodes = Input::csv("nodes", &resources.to_csv());
                let mut reader = Reader::default();
                let files = if is_csv(path) { vec![&nodes, &again] } else { vec![&again] };
                let read = State::read(&mut reader, files).map(drop);
                reader.finish(read)
            });
            again.map_err(|fault| {
                Failure::input(format!("not committed, because it could not be read again: {fault}"))
            })?;
            OutputFile::write_text(path, &text)?;
        }
        context.print(&answer)
    }

    /// Returns the number of the file to which reservations are added.
    fn target(&self, inputs: &[Input]) -> Result<usize, Failure> {
        let is_target = |input: &Input| match input.columns() {
            Some(columns) => ["from", "until"].iter().all(|name| columns.iter().any(|column| column == name)),
            None => true,
        };
        let found = inputs.iter().position(is_target);
        found.ok_or_else(|| {
            Failure::input(
                "--commit: no file has reservations: expected CSV with node, from and until, or JSON",
            )
        })
    }

    fn parameters(&self) -> Parameters {
        Parameters {
            initial_multiple: self.initial.get(),
            largest_multiple: self.largest.get(),
            admission_effort: self.l1,
            improvement_effort: self.l2,
            ..Parameters::default()
        }
    }
}

/// Waits for other processes that commit to this file, by any of its names, and keeps others waiting. The lock is
/// another file beside it, since a commit puts a new file in its place.
fn lock(timetables: &Path) -> Result<File, Failure> {
    let failure = |path: &Path, error| Failure::of(path, format_args!("cannot be locked: {error}"));
    let place = timetables.canonicalize().map_err(|error| failure(timetables, error))?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&place.metadata().map_err(|error| failure(&place, error))?) > 1 {
        return Err(Failure::of(
            timetables,
            "the file has other names (hard links), which would keep the timetables as they are; use symbolic links",
        ));
    }
    let path = place.with_added_extension("lock");
    if path.is_symlink() {
        return Err(Failure::input(format!("{} is a symbolic link, not a lock; remove it", path.display())));
    }
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| failure(&path, error))?;
    file.lock().map_err(|error| failure(&path, error))?;
    Ok(file)
}
