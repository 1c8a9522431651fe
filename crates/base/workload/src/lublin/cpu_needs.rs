//! CPU needs of synthetic jobs, which the model itself does not define.

use super::{AssumptionError, fraction};
use dfrsim_model::Share;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU32;

/// CPU needs of the tasks of synthetic jobs.
///
/// The default is that of the on-line study: quad-core nodes, of which a serial job uses one core
/// and each task of any other job uses all (dissertation, section 5.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Given")]
pub struct CpuNeeds {
    cores: NonZeroU32,
    #[serde(serialize_with = "fraction::serialize")]
    serial: Share,
    #[serde(serialize_with = "fraction::serialize")]
    parallel: Share,
}

impl CpuNeeds {
    /// Creates the needs on nodes of `cores` cores. By default a serial job needs one core, and each
    /// task of any other job all of them.
    ///
    /// # Errors
    ///
    /// A need is 0, possibly after rounding (one of more than 943,718,400 cores).
    pub fn new(
        cores: NonZeroU32,
        serial: Option<Share>,
        parallel: Option<Share>,
    ) -> Result<CpuNeeds, AssumptionError> {
        let serial = serial.unwrap_or_else(|| Share::from_ratio(1, cores.get().into()));
        let parallel = parallel.unwrap_or(Share::ONE);
        if serial.min(parallel) == Share::ZERO {
            return Err(AssumptionError::NoNeed);
        }
        Ok(CpuNeeds { cores, serial, parallel })
    }
    /// Returns the CPU need of each task of a job with this number of tasks.
    pub const fn of(&self, tasks: u32) -> Share {
        if tasks == 1 { self.serial } else { self.parallel }
    }
}

impl Default for CpuNeeds {
    fn default() -> CpuNeeds {
        CpuNeeds::new(const { NonZeroU32::new(4).unwrap() }, None, None)
            .expect("a quarter of a node is above 0")
    }
}

impl fmt::Display for CpuNeeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CpuNeeds { cores, serial, parallel } = self;
        let (serial, parallel) = (serial.as_f64(), parallel.as_f64());
        write!(f, "nodes of {cores} cores, of which a serial task needs {serial}, a parallel one {parallel}")
    }
}

/// Fields as they appear in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(default = "study_cores")]
    cores: NonZeroU32,
    #[serde(default, deserialize_with = "fraction::optional")]
    serial: Option<Share>,
    #[serde(default, deserialize_with = "fraction::optional")]
    parallel: Option<Share>,
}

fn study_cores() -> NonZeroU32 {
    CpuNeeds::default().cores
}

impl TryFrom<Given> for CpuNeeds {
    type Error = AssumptionError;

    fn try_from(given: Given) -> Result<CpuNeeds, AssumptionError> {
        CpuNeeds::new(given.cores, given.serial, given.parallel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CpuNeeds, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }
    fn needs(text: &str) -> (f64, f64) {
        let needs = read(text).unwrap();
        assert_eq!(needs.of(2), needs.of(128));
        (needs.of(1).as_f64(), needs.of(2).as_f64())
    }

    #[test]
    fn cores_rule_unless_needs_are_given() {
        assert_eq!(read("").unwrap(), CpuNeeds::default());
        assert_eq!(needs(""), (0.25, 1.0));
        assert_eq!(needs("cores = 2"), (0.5, 1.0));
        assert_eq!(needs("cores = 2\nserial = 1"), (1.0, 1.0));
        assert_eq!(needs("parallel = 0.5"), (0.25, 0.5));
        let thirds = read("cores = 3").unwrap();
        assert_eq!(thirds.of(1), Share::from_ratio(1, 3));
        assert_eq!(read(&toml::to_string(&thirds).unwrap()), Ok(thirds), "all is written, exactly");
    }

    #[test]
    fn wrong_needs_are_refused() {
        assert_eq!(read("serial = 1.5").unwrap_err(), "expected a fraction of a node from 0 to 1, found 1.5");
        assert_eq!(read("serial = nan").unwrap_err(), "expected a fraction of a node from 0 to 1, found NaN");
        for none in ["serial = 0", "parallel = 0.0", "cores = 4294967295"] {
            assert_eq!(read(none).unwrap_err(), AssumptionError::NoNeed.to_string());
        }
        assert!(read("cores = 0").is_err());
        assert!(read("core = 2").is_err());
    }
}
