//! `dfrsim solve coallocate`

mod answer;

use super::state::{is_csv, open};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFile, OverwriteGuard};
pub(crate) use answer::CoallocateAnswer;
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

/// Find shares of several nodes that are free at the same time for one job, and reserve them
///
/// Prints the start of the job, the amounts reserved on each node, and the resulting utilisation of
/// the chosen nodes: for each property the largest fraction of it that is reserved at any time
/// during the job, and the product of these. The independent checker verifies every answer. With
/// --commit the reservations are added to the file of the state that has reservations, all or none;
/// other processes that commit to the same file wait meanwhile. VMs of the state are ignored.
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
    /// Files of the state (see `dfrsim solve --help`)
    #[arg(value_name = "STATE", value_hint = clap::ValueHint::FilePath)]
    state: Vec<PathBuf>,
    /// Request of the job
    #[arg(long, value_name = "R.toml", value_hint = clap::ValueHint::FilePath)]
    request: PathBuf,
    /// Add the reservations to the file that has reservations
    #[arg(long)]
    commit: bool,
    /// Write the resulting state: JSON, or its reservations if the name ends in .csv
    #[arg(long, value_hint = clap::ValueHint::FilePath, value_name = "STATE", value_hint = clap::ValueHint::AnyPath, conflicts_with = "commit")]
    state_out: Option<PathBuf>,
    /// Time of the request, if it gives no earliest start
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    now: SimTime,
    /// Time from the earliest to the latest start, if the request gives no latest start
    #[arg(long, value_name = "SECONDS", default_value = "86400")]
    patience: SimSpan,
    /// Number of nodes to examine first, as a multiple of those requested (M_init)
    #[arg(long, value_name = "M", default_value = "3")]
    initial: NonZeroUsize,
    /// Largest multiple (M_max): the first one is doubled up to it
    #[arg(long, value_name = "M", default_value = "48")]
    largest: NonZeroUsize,
    /// Exchanges per node towards a feasible set, at each start (L1)
    #[arg(long, value_name = "L", default_value_t = Parameters::default().admission_effort)]
    l1: usize,
    /// Exchanges per node towards a better utilisation (L2)
    #[arg(long, value_name = "L", default_value_t = Parameters::default().improvement_effort)]
    l2: usize,
    /// Seed of random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// State of a cluster, as a grid whose resources can be reserved.
struct ReservableState<'a> {
    state: State<'a>,
    resources: Resources,
    reserved: Vec<Reservation>,
    grid: Grid,
}

impl<'a> ReservableState<'a> {
    /// Reads the files of a state; `file` is the name of the one with reservations, for messages.
    fn read(inputs: &'a [Input], file: &str) -> Result<ReservableState<'a>, Failure> {
        let mut reader = Reader::default();
        let state = State::read(&mut reader, inputs);
        let read = state.and_then(|state| {
            let resources = Resources::of(&mut reader, &state)?;
            let reserved = reservations_of(&mut reader, &state, &resources);
            Some((state, resources, reserved))
        });
        let (state, resources, reserved) = reader.finish(read).map_err(Failure::input)?;
        let grid = file::grid(file, &resources, &reserved).map_err(Failure::input)?;
        Ok(ReservableState { state, resources, reserved, grid })
    }
}

impl Coallocate {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let mut inputs = open(&self.state)?;
        let target = if self.commit { Some(self.target(&inputs)?) } else { None };
        let others = self.state.iter().enumerate().filter(|(number, _)| Some(*number) != target);
        let read =
            others.fold(OverwriteGuard::default(), |places, (_, file)| places.add_input("STATE", file));
        let place = target.map(|target| self.state[target].as_path());
        read.add_input("--request", &self.request).add_output("STATE", place)?;
        // The lock is held until the end, so that no other process reads a file that is about to
        // change.
        let _lock = place.map(lock).transpose()?;
        if place.is_some() {
            inputs = open(&self.state)?;
        }
        let name = self.state[target.unwrap_or(self.state.len() - 1)].display().to_string();
        let ReservableState { mut state, resources, reserved, grid } = ReservableState::read(&inputs, &name)?;
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
            return Err(Failure::Result(format!("the allocation fails the independent check: {fault}")));
        }
        let answer = CoallocateAnswer::new(&grid, &resources, &solution);
        for Reservation { resource, from, until, amounts } in solution.allocation.reservations {
            let amounts = resources.quantities.iter().cloned().zip(amounts).collect();
            let at = state.nodes[resource].at.clone();
            state.reservations.push(Reserved { at, node: resource, from, until, amounts });
        }
        if let Some(path) = place.or(self.state_out.as_deref()) {
            let text = if is_csv(path) { state.reservations_to_csv() } else { state.to_json() };
            // A file that cannot be read would make all later commits fail.
            let again = if is_csv(path) { Ok(Input::csv(&name, &text)) } else { Input::json(&name, &text) };
            let again = again.and_then(|again| {
                let nodes = Input::csv("nodes", &resources.to_csv());
                let mut reader = Reader::default();
                let files = if is_csv(path) { vec![&nodes, &again] } else { vec![&again] };
                let read = State::read(&mut reader, files).map(drop);
                reader.finish(read)
            });
            again.map_err(|fault| {
                Failure::input(format!(
                    "the state is not written, because the result would be invalid: {fault}"
                ))
            })?;
            OutputFile::write_text(path, &text)?;
        }
        context.print(&answer)
    }

    /// Returns the index of the file to which reservations are added.
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
        }
    }
}

/// Locks a file, by any of its names, against other processes that commit to it; waits until it is
/// free. The lock is a separate file next to it, since a commit replaces the file itself.
fn lock(timetables: &Path) -> Result<File, Failure> {
    let failure = |path: &Path, error| Failure::in_file(path, format_args!("cannot be locked: {error}"));
    let place = timetables.canonicalize().map_err(|error| failure(timetables, error))?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&place.metadata().map_err(|error| failure(&place, error))?) > 1 {
        return Err(Failure::in_file(
            timetables,
            "the file has other hard links, which would keep the old reservations; use symbolic links instead",
        ));
    }
    let path = place.with_added_extension("lock");
    if path.is_symlink() {
        return Err(Failure::input(format!(
            "{} is a symbolic link, not a lock file; remove it",
            path.display()
        )));
    }
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| failure(&path, error))?;
    file.lock().map_err(|error| failure(&path, error))?;
    Ok(file)
}
