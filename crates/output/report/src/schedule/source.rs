//! Detection of the file format of a schedule.

use super::{PAGE_LIMITS, Schedule};
use dfrsim_plots::lives::PlanLanes;
use dfrsim_plots::{EventsError, PlanFigureError, Window};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Reason why a file cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The file cannot be read, or is an invalid events file.
    #[error(transparent)]
    Events(#[from] EventsError),
    /// The file is an invalid plan.
    #[error("{}: {fault}", path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// The error in the plan.
        fault: PlanFigureError,
    },
    /// A time window was given for a plan.
    #[error("{}: --from and --to apply to events files only; a plan is always shown as a whole", path.display())]
    PartOfPlan {
        /// The file.
        path: PathBuf,
    },
    /// The file is neither an events file nor a plan.
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

/// Format of a file, as detected from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileFormat {
    Events,
    Plan,
    Neither,
}

/// Number of bytes from which the format is detected. Only the first record of a platform with very
/// many node classes is longer, and its beginning suffices.
const PREFIX_BYTES: u64 = 1 << 16;

/// Largest size of a plan in bytes: some hundred thousand actions.
const MAX_PLAN_BYTES: u64 = 1 << 26;

/// Determines the format: a record of an events file has the field `event`; a plan is one object on
/// one or more lines.
fn detect_format(begin: &str) -> FileFormat {
    let line = begin.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(record)) if record.contains_key("event") => FileFormat::Events,
        Ok(Value::Object(whole)) if !whole.contains_key("pools") => FileFormat::Neither,
        Ok(Value::Object(_)) => FileFormat::Plan,
        // The first record may be cut off.
        Err(_) if line.starts_with("{\"event\"") => FileFormat::Events,
        Err(_) if line.starts_with('{') => FileFormat::Plan,
        Ok(_) | Err(_) => FileFormat::Neither,
    }
}

impl Schedule {
    /// Reads the schedule of an events file of a cluster or a grid, or of a plan of context
    /// switches; the format is detected from the content.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is incomplete or has neither format; if no job
    /// runs in the window; or if a window is given for a plan.
    pub fn read(path: &Path, window: Window) -> Result<Schedule, ScheduleError> {
        let failure = |source: io::Error| EventsError::Io { path: path.to_owned(), source };
        let mut begin = Vec::new();
        File::open(path).map_err(failure)?.take(PREFIX_BYTES).read_to_end(&mut begin).map_err(failure)?;
        match detect_format(&String::from_utf8_lossy(&begin)) {
            FileFormat::Events => Ok(Schedule::of_events(path, window, PAGE_LIMITS)?),
            FileFormat::Neither => Err(ScheduleError::Neither { path: path.to_owned() }),
            FileFormat::Plan => {
                if fs::metadata(path).map_err(failure)?.len() > MAX_PLAN_BYTES {
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
            assert_eq!(detect_format(events), FileFormat::Events, "{events}");
        }
        for plan in ["{\n\"cost\": 3,", "\n{\"cost\":3,\"pools\":[]}\n", "{\"cost\":3,\"no"] {
            assert_eq!(detect_format(plan), FileFormat::Plan, "{plan}");
        }
        for other in ["", "1 2 3 4", "; Version: 2", "[{\"event\":\"run\"}]", "{\"nodes\":[]}", "\u{0}\u{0}"]
        {
            assert_eq!(detect_format(other), FileFormat::Neither, "{other}");
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
        assert!(message(plan, part).contains("--from and --to apply to events files only"));
    }
}
