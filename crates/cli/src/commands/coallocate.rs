//! `dfrsim coallocate`

mod answer;

use crate::failure::Failure;
use crate::output::{OutputFile, Printing};
pub(super) use answer::Answered;
use clap::Args;
use dfrsim_audit::coallocation::check_allocation;
use dfrsim_coallocation::file::{self, Resources, Window};
use dfrsim_coallocation::{Coallocator, Parameters};
use dfrsim_model::coallocation::Reservation;
use dfrsim_model::{Seed, SimSpan, SimTime};
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Find parts of several nodes that are free at the same time for one job, and reserve them
///
/// Prints when the job starts, what each node gives, and how well the chosen nodes are then used: for each property the
/// part of it that is reserved at the worst moment of the job, and the product of these. The independent checker
/// verifies every answer. With --commit the reservations are added to the timetables, all or none; other processes that
/// commit to the same file wait meanwhile.
///
/// Nodes are a CSV file: `node`, then a column for each property; those whose names begin with `label.` hold labels.
/// Timetables are a CSV file with `node`, `from`, `until` (seconds) and the amounts. The request is a TOML file.
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

Example:
  dfrsim coallocate --resources nodes.csv --timetables timetables.csv --request request.toml --commit")]
pub(crate) struct Coallocate {
    /// The nodes
    #[arg(long, value_name = "NODES.csv", value_hint = clap::ValueHint::FilePath)]
    resources: PathBuf,
    /// The existing reservations
    #[arg(long, value_name = "T.csv", value_hint = clap::ValueHint::AnyPath)]
    timetables: PathBuf,
    /// The request
    #[arg(long, value_name = "R.toml", value_hint = clap::ValueHint::FilePath)]
    request: PathBuf,
    /// Add the reservations to the timetables
    #[arg(long)]
    commit: bool,
    /// When the request is made, if it names no earliest start
    #[arg(long, value_name = "SECONDS", value_parser = moment, default_value = "0")]
    now: SimTime,
    /// How long after the earliest start the latest is, if the request names none
    #[arg(long, value_name = "SECONDS", value_parser = crate::arguments::seconds, default_value = "86400")]
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
    #[command(flatten)]
    printing: Printing,
}

fn moment(text: &str) -> Result<SimTime, String> {
    text.parse().map_err(|error: dfrsim_model::ParseTimeError| error.to_string())
}

impl Coallocate {
    pub(crate) fn run(self) -> Result<(), Failure> {
        // Held until the end: no other process reads what is about to change.
        let _lock = self.commit.then(|| lock(&self.timetables)).transpose()?;
        let name = |path: &Path| path.display().to_string();
        let resources =
            Resources::parse(&name(&self.resources), &read(&self.resources)?).map_err(Failure::input)?;
        let table = read(&self.timetables)?;
        let reserved =
            file::reservations(&name(&self.timetables), &table, &resources).map_err(Failure::input)?;
        let grid = file::grid(&name(&self.timetables), &resources, &reserved).map_err(Failure::input)?;
        let window = Window { now: self.now, patience: self.patience };
        let request = file::request(&name(&self.request), &read(&self.request)?, &resources, window)
            .map_err(Failure::input)?;
        file::check_request(&name(&self.request), &grid, &resources, &request).map_err(Failure::input)?;
        let mut coallocator = Coallocator::new(self.parameters());
        let solution = coallocator
            .search(&grid, &request, Seed::new(self.seed))
            .map_err(|rejection| Failure::Result(format!("rejected: {rejection}")))?;
        let faults = check_allocation(&resources.resources, &reserved, &request, &solution.allocation);
        if let Some(fault) = faults.first() {
            return Err(Failure::Result(format!("the answer is wrong: {fault}")));
        }
        if self.commit {
            let table = with_lines(table, &resources, &solution.allocation.reservations);
            // What cannot be read again would end all later commits.
            file::reservations(&name(&self.timetables), &table, &resources).map_err(|fault| {
                Failure::input(format!("not committed, because it could not be read again: {fault}"))
            })?;
            OutputFile::write_text(&self.timetables, &table)?;
        }
        self.printing.print(&Answered::new(&grid, &resources, &solution))
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

fn read(path: &Path) -> Result<String, Failure> {
    dfrsim_model::read_text(path)
        .map_err(|error| Failure::input(format!("{}: cannot be read: {error}", path.display())))
}

/// Waits for other processes that commit to this file, by any of its names, and keeps others waiting. The lock is
/// another file beside it, since a commit puts a new file in its place.
fn lock(timetables: &Path) -> Result<File, Failure> {
    let failure =
        |path: &Path, error| Failure::input(format!("{}: cannot be locked: {error}", path.display()));
    let place = timetables.canonicalize().map_err(|error| failure(timetables, error))?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&place.metadata().map_err(|error| failure(&place, error))?) > 1 {
        return Err(Failure::input(format!(
            "{}: the file has other names (hard links), which would keep the timetables as they are; use symbolic links",
            timetables.display()
        )));
    }
    let mut path = place.into_os_string();
    path.push(".lock");
    let path = PathBuf::from(path);
    if path.is_symlink() {
        return Err(Failure::input(format!("{} is a symbolic link, not a lock; remove it", path.display())));
    }
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|error| failure(&path, error))?;
    file.lock().map_err(|error| failure(&path, error))?;
    Ok(file)
}

/// The file as it was, with these reservations behind.
fn with_lines(mut table: String, resources: &Resources, more: &[Reservation]) -> String {
    if !table.ends_with('\n') {
        table.push('\n');
    }
    table + &file::reservation_lines(resources, more, false)
}
