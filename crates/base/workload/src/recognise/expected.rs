//! Messages for files of another kind than a command expects.

use super::foreign::{self, Foreign};
use super::kind::Kind;
use crate::formats::table::Form;

/// Kind of file that a command expects, other than a log of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A `slurm.conf`.
    SlurmConf,
    /// A `gres.conf`.
    GresConf,
    /// Associations, as `sacctmgr` lists or dumps them.
    Associations,
    /// Qualities of service, as `sacctmgr` lists them.
    Qos,
    /// Reservations, as `scontrol` or `sacctmgr` lists them.
    Reservations,
    /// Events of nodes, as `sacctmgr` lists them.
    NodeEvents,
    /// Usage of accounts, as `sshare` lists it.
    Usage,
    /// Burst buffers, as `scontrol` lists them, or their configuration.
    BurstBuffer,
    /// Licences, as `scontrol` lists them.
    Licences,
    /// An events file of dfrsim.
    Events,
    /// A folder of results.
    Results,
    /// A state of a cluster.
    State,
}

impl Expected {
    fn description(self) -> &'static str {
        match self {
            Expected::SlurmConf => "a slurm.conf",
            Expected::GresConf => "a gres.conf",
            Expected::Associations => "the output of `sacctmgr --parsable2 show assoc`",
            Expected::Qos => "the output of `sacctmgr --parsable2 show qos`",
            Expected::Reservations => "the output of `scontrol show reservation`",
            Expected::NodeEvents => "the output of `sacctmgr --parsable2 show event`",
            Expected::Usage => "the output of `sshare --all --parsable2`",
            Expected::BurstBuffer => "the output of `scontrol show burst`, or a burst_buffer.conf",
            Expected::Licences => "the output of `scontrol show licenses`",
            Expected::Events => "an events file of dfrsim, as written by `--events-out`",
            Expected::Results => "a folder of results, as written by `dfrsim run`",
            Expected::State => "a state of a cluster",
        }
    }

    /// Returns whether a file of this kind may be the expected one; its reader has the last word.
    fn may_be(self, kind: &Kind) -> bool {
        let allowed: &[&Foreign] = match self {
            Expected::Results => return false,
            Expected::SlurmConf | Expected::GresConf => {
                &[&foreign::SLURM_CONF, &foreign::TOML, &foreign::EMPTY]
            }
            Expected::Associations => &[
                &foreign::SACCTMGR_ASSOC,
                &foreign::SACCTMGR_DUMP,
                &foreign::SACCTMGR_OTHER,
                &foreign::EMPTY,
            ],
            Expected::Qos => &[&foreign::SACCTMGR_QOS, &foreign::SACCTMGR_OTHER, &foreign::EMPTY],
            Expected::Reservations | Expected::NodeEvents | Expected::Usage => {
                &[&foreign::SACCTMGR_OTHER, &foreign::EMPTY]
            }
            Expected::BurstBuffer => &[&foreign::BURST_BUFFER, &foreign::TOML, &foreign::EMPTY],
            Expected::Licences => &[&foreign::LICENCES, &foreign::EMPTY],
            Expected::Events => &[&foreign::EVENTS, &foreign::JSON, &foreign::EMPTY],
            Expected::State => &[
                &foreign::STATE,
                &foreign::JSON,
                &foreign::TOML,
                &foreign::PLATFORM,
                &foreign::LIBVIRT,
                &foreign::XML,
                &foreign::EMPTY,
            ],
        };
        match kind {
            Kind::Swf | Kind::Gwf | Kind::Slurm | Kind::Pbs | Kind::Batsim => false,
            Kind::Text(_) => true,
            Kind::Foreign(foreign) => allowed.contains(foreign),
            Kind::Table(shape) => match self {
                Expected::SlurmConf
                | Expected::GresConf
                | Expected::BurstBuffer
                | Expected::Licences
                | Expected::Results => false,
                Expected::Events => matches!(shape.form, Form::JsonLines | Form::JsonList),
                Expected::State => true,
                Expected::Associations
                | Expected::Qos
                | Expected::Reservations
                | Expected::NodeEvents
                | Expected::Usage => shape.form == Form::Delimited(b'|'),
            },
        }
    }
}

impl Kind {
    /// Returns the message for a file of this kind where another kind is expected, with the option or
    /// command that takes it; `None` if it may be what is expected.
    pub fn refusal_as(&self, expected: Expected) -> Option<String> {
        if expected.may_be(self) {
            return None;
        }
        let advice: &str = match self {
            Kind::Swf | Kind::Gwf | Kind::Slurm | Kind::Pbs | Kind::Batsim => {
                "; a log is given with `--workload`, or with `--sacct` if it is a listing"
            }
            Kind::Foreign(foreign) if foreign::is_input(foreign) => &format!("; {}", foreign.advice),
            Kind::Foreign(_) | Kind::Table(_) | Kind::Text(_) => "",
        };
        Some(format!("found {}, expected {}{advice}", self.description(), expected.description()))
    }
}
