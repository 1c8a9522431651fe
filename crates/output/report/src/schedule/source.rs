//! What kind of file a schedule is read from.

use super::{OF_A_PAGE, Schedule};
use dfrsim_plots::lives::PlanLanes;
use dfrsim_plots::{EventsError, PlanFigureError, Window};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Why a file cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// An events file is not as it should be, or no file can be read.
    #[error(transparent)]
    Events(#[from] EventsError),
    /// A plan is not as it should be.
    #[error("{}: {fault}", path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// Why.
        fault: PlanFigureError,
    },
    /// A part of a plan is asked for.
    #[error("{}: a plan is shown as a whole: --from and --to are for events files", path.display())]
    PartOfPlan {
        /// The file.
        path: PathBuf,
    },
    /// The file is neither.
    #[error(
        "{}: expected an events file, whose first line is a record `run`, or a plan, a JSON object with `nodes` and `pools` as \
         `dfrsim solve plan --plan-out` writes it",
        path.display()
    )]
    Neither {
        /// The file.
        path: PathBuf,
    },
}

/// What a file begins like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Events,
    Plan,
    Neither,
}

/// The part of a file from which its kind is seen, in bytes; more than the first record of any events file but that of a
/// platform with very many classes of nodes, whose begin is enough.
const BEGIN: u64 = 1 << 16;

/// The longest plan that is read, in bytes: some hundred thousand actions.
const LONGEST_PLAN: u64 = 1 << 26;

/// A record of an events file has the field `event`; a plan is one object over one or more lines.
fn kind(begin: &str) -> Kind {
    let line = begin.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(record)) if record.contains_key("event") => Kind::Events,
        Ok(Value::Object(whole)) if !whole.contains_key("pools") => Kind::Neither,
        Ok(Value::Object(_)) => Kind::Plan,
        // The first record is cut or too long.
        Err(_) if line.starts_with("{\"event\"") => Kind::Events,
        Err(_) if line.starts_with('{') => Kind::Plan,
        Ok(_) | Err(_) => Kind::Neither,
    }
}

impl Schedule {
    /// The schedule of an events file of a cluster or a grid, or of a plan of context switches, which is known by its
    /// content.
    ///
    /// # Errors
    /// If the file cannot be read, is not complete or is neither; no job runs in the window; or there is a window for a plan.
    pub fn read(path: &Path, window: Window) -> Result<Schedule, ScheduleError> {
        let failure = |source: io::Error| EventsError::Io { path: path.to_owned(), source };
        let mut begin = Vec::new();
        File::open(path).map_err(failure)?.take(BEGIN).read_to_end(&mut begin).map_err(failure)?;
        match kind(&String::from_utf8_lossy(&begin)) {
            Kind::Events => Ok(Schedule::of_events(path, window, OF_A_PAGE)?),
            Kind::Neither => Err(ScheduleError::Neither { path: path.to_owned() }),
            Kind::Plan => {
                if fs::metadata(path).map_err(failure)?.len() > LONGEST_PLAN {
                    return Err(ScheduleError::Neither { path: path.to_owned() });
                }
                if window != Window::default() {
                    return Err(ScheduleError::PartOfPlan { path: path.to_owned() });
                }
                let text = fs::read_to_string(path).map_err(failure)?;
                let (plan, lives) = PlanLanes::read(&text).map_err(|fault| {
                    let path = path.to_owned();
                    match serde_json::from_str::<Value>(&text) {
                        Ok(other) if other.get("pools").is_none() => ScheduleError::Neither { path },
                        _ => ScheduleError::Plan { path, fault },
                    }
                })?;
                Ok(Schedule::new(lives, Some(plan)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_first_line() {
        for events in [
            "{\"event\":\"run\"}\n{\"event\":\"submit\"}",
            "{\"at_us\":0, \"event\":\"run\"}",
            "{\"event\":\"ru",
        ] {
            assert_eq!(kind(events), Kind::Events, "{events}");
        }
        for plan in ["{\n\"cost\": 3,", "\n{\"cost\":3,\"pools\":[]}\n", "{\"cost\":3,\"no"] {
            assert_eq!(kind(plan), Kind::Plan, "{plan}");
        }
        for other in ["", "1 2 3 4", "; Version: 2", "[{\"event\":\"run\"}]", "{\"nodes\":[]}", "\u{0}\u{0}"]
        {
            assert_eq!(kind(other), Kind::Neither, "{other}");
        }
    }

    fn message(text: &str, window: Window) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, text).unwrap();
        let message = Schedule::read(&path, window).unwrap_err().to_string();
        message.replace(&path.display().to_string(), "FILE")
    }

    #[test]
    fn errors_name_the_file_and_the_fault() {
        let plan = r#"{"cost":1,"nodes":[{"name":"N1"}],"pools":[[
            {"vm":"A","action":"run","to":"N1","cost":0,"begin_s":0,"end_s":6}]]}"#;
        let whole = Window::default();
        assert_eq!(
            message(&plan.replace("\"to\":\"N1\"", "\"to\":\"N7\""), whole),
            "FILE: the run of `A` names an unknown node, or ends before it begins"
        );
        assert!(message(&plan[..60], whole).starts_with("FILE: not a plan: EOF while parsing"));
        assert!(message(&plan.replace("\"cost\":0,", ""), whole).contains("missing field `cost`"));
        for other in ["1 2 3\n", "{\n\"nodes\": []}"] {
            assert!(message(other, whole).starts_with("FILE: expected an events file"), "{other}");
        }
        let part = Window { from: Some(dfrsim_model::SimTime::from_secs(1)), to: None };
        assert!(message(plan, part).contains("--from and --to are for events files"));
    }
}
