//! Settings of a site that are not simulated, grouped by their likely effect on results.

use dfrsim_model::named;
use std::collections::BTreeMap;
use std::fmt;

named! {
    /// Likely effect of a setting that is not simulated, ordered from the most to the least serious.
    pub enum Consequence as "consequence" {
        /// Limits and permissions: simulated jobs may start earlier than at the site, or at all.
        Starts = "which jobs may start",
        /// Job priorities.
        Order = "the order of jobs",
        /// Node selection.
        Nodes = "the nodes that jobs get",
        /// Times and depth of the scheduling cycles.
        Moments = "when the scheduler starts jobs",
        /// Run times, requeues and interruptions.
        RunTimes = "run times, and which jobs run again",
        /// No effect on results: ports, paths, logging.
        NoFigure = "no figure",
    }
}

/// Settings in the files of a site that are not simulated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ignored(BTreeMap<Consequence, Vec<String>>);

impl Ignored {
    /// Groups parameters by their likely effect.
    pub fn new(names: Vec<String>) -> Ignored {
        let mut sorted = BTreeMap::<Consequence, Vec<String>>::new();
        names.into_iter().for_each(|name| sorted.entry(consequence_of(&name)).or_default().push(name));
        Ignored(sorted)
    }

    /// Iterates over the effects, the most serious first, with the names of the parameters.
    pub fn iter(&self) -> impl Iterator<Item = (Consequence, &[String])> {
        self.0.iter().map(|(consequence, names)| (*consequence, names.as_slice()))
    }
}

impl fmt::Display for Ignored {
    /// Writes one line per effect.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (consequence, names)) in self.iter().enumerate() {
            let end = if place + 1 < self.0.len() { "\n" } else { "" };
            write!(f, "not used, may change {consequence}: {}{end}", names.join(", "))?;
        }
        Ok(())
    }
}

/// Prefixes of parameter names by effect, in lower case and without the partition or QOS to which
/// they belong.
const PREFIXES: [(Consequence, &[&str]); 5] = [
    (
        Consequence::Starts,
        &[
            "grp",
            "max",
            "min",
            "allow",
            "deny",
            "accountingstorageenforce",
            "enforcepartlimits",
            "defmem",
            "disablerootjobs",
            "qos",
            "exclusiveuser",
            "licenses",
            "burstbuffer",
            "state",
            "downnodes",
            "lln",
            "reqresv",
            "associations with",
            "reservations",
            "limitfactor",
            "usagethres",
            "jobsubmitplugins",
        ],
    ),
    (
        Consequence::Order,
        &["priority", "tresbilling", "usagefactor", "share=", "the tree", "flags", "nice", "fairshare"],
    ),
    (
        Consequence::Nodes,
        &[
            "select",
            "oversubscribe",
            "shared",
            "topology",
            "corespec",
            "memspec",
            "cpuspec",
            "exclusivetopo",
            "routeplugin",
            "cpubind",
        ],
    ),
    (Consequence::Moments, &["scheduler", "fastschedule", "federation"]),
    (
        Consequence::RunTimes,
        &[
            "jobrequeue",
            "kill",
            "overtimelimit",
            "prolog",
            "epilog",
            "preempt",
            "grace",
            "waittime",
            "suspen",
            "resume",
            "batchstarttimeout",
            "inactivelimit",
            "completewait",
            "returntoservice",
            "slurmdtimeout",
            "unkillable",
            "power",
        ],
    ),
];

/// Returns the likely effect of a parameter that is not simulated.
pub(super) fn consequence_of(name: &str) -> Consequence {
    // Examples: `PartitionName=debug MaxCPUsPerSocket`, `QOS high Flags`, `NodeName CpuSpecList`,
    // `MaxJobs of users`, `SchedulerParameters=defer`.
    let words: Vec<&str> = name.split(' ').collect();
    let parameter = match words[..] {
        [first, parameter, ..] if first.starts_with("PartitionName=") || first == "NodeName" => parameter,
        ["QOS", _, parameter, ..] => parameter,
        // The others are paths, and times of staging.
        ["burst_buffer.conf", parameter] => {
            let parameter = parameter.to_ascii_lowercase();
            return match parameter.as_str() {
                "allowusers" | "denyusers" | "jobsizelimit" | "usersizelimit" => Consequence::Starts,
                "stageintimeout" | "stageouttimeout" => Consequence::Moments,
                _ => Consequence::NoFigure,
            };
        }
        _ => name,
    };
    let parameter = parameter.to_ascii_lowercase();
    let begins =
        |(_, begins): &&(Consequence, &[&str])| begins.iter().any(|begin| parameter.starts_with(begin));
    // These limits concern the database, logs and messages, not jobs.
    let is_technical = [
        "maxarraysize",
        "maxdbdmsgs",
        "maxstepcount",
        "maxtaskspernode",
        "minjobage",
        "selecttypeparametersdebug",
        "statesavelocation",
        "resumetimeout",
        "suspendtimeout",
        "resumeprogram",
        "suspendprogram",
        "resumefailprogram",
        "prologflags",
        "prologslurmctld",
        "epilogslurmctld",
        "prologepilogtimeout",
        "srunprolog",
        "srunepilog",
        "taskprolog",
        "taskepilog",
        "schedulertimeslice",
        "schedulerport",
        "schedulerrootfilter",
        "killonbadexit",
        "selecttype",
    ]
    .contains(&parameter.as_str());
    match PREFIXES.iter().find(begins) {
        Some((consequence, _)) if !is_technical => *consequence,
        _ => Consequence::NoFigure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_change_most_is_first() {
        let names = [
            "SlurmctldPort",
            "SchedulerParameters=defer",
            "NodeName CpuSpecList",
            "PartitionName=debug AllowAccounts",
            "QOS high MaxTRESPU",
            "TRESBillingWeights",
            "MaxJobs of users",
            "MaxArraySize",
            "KillWait",
            "reservations of jobs (3)",
            "suspensions of jobs (1)",
        ];
        let ignored = Ignored::new(names.map(str::to_owned).to_vec());
        assert_eq!(
            ignored.to_string(),
            "\
not used, may change which jobs may start: PartitionName=debug AllowAccounts, QOS high MaxTRESPU, MaxJobs of users, reservations of jobs (3)
not used, may change the order of jobs: TRESBillingWeights
not used, may change the nodes that jobs get: NodeName CpuSpecList
not used, may change when the scheduler starts jobs: SchedulerParameters=defer
not used, may change run times, and which jobs run again: KillWait, suspensions of jobs (1)
not used, may change no figure: SlurmctldPort, MaxArraySize"
        );
    }
}
