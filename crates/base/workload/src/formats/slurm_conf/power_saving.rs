//! Power saving of `slurm.conf`: nodes without jobs are suspended, and resumed for the next job.
//!
//! Source: Slurm's manual, pages `slurm.conf` and "Power Saving Guide"
//! (<https://slurm.schedmd.com/power_save.html>).

use super::lines::{ConfLine, Location};
use super::names::{expand_hosts, listed};
use super::{ConfError, Note, unknown};
use dfrsim_model::platform::classes::SleepFields;
use rustc_hash::{FxHashMap, FxHashSet};

/// Parameters of power saving, in lower case.
const PARAMETERS: [&str; 10] = [
    "suspendtime",
    "suspendtimeout",
    "suspendrate",
    "suspendprogram",
    "suspendexcnodes",
    "suspendexcparts",
    "suspendexcstates",
    "resumetimeout",
    "resumerate",
    "resumeprogram",
];

/// Slurm's defaults: seconds until a node is suspended, seconds until it is resumed, and the numbers of
/// nodes a minute.
const SUSPEND_TIMEOUT: u64 = 30;
const RESUME_TIMEOUT: u64 = 60;
const SUSPEND_RATE: u32 = 60;
const RESUME_RATE: u32 = 300;

/// States of `SuspendExcStates` in which nodes wait for certain jobs.
const STATES_OF_WAITING: [&str; 3] = ["PLANNED", "RESERVED", "MAINTENANCE"];

/// States that Slurm knows in `SuspendExcStates`.
const STATES: [&str; 12] = [
    "CLOUD",
    "DOWN",
    "DRAIN",
    "DYNAMIC_FUTURE",
    "DYNAMIC_NORM",
    "FAIL",
    "INVALID_REG",
    "MAINTENANCE",
    "NOT_RESPONDING",
    "PERFCTRS",
    "PLANNED",
    "RESERVED",
];

/// Power saving as a file configures it.
#[derive(Clone, Debug)]
pub(super) struct PowerSaving {
    has_suspend_program: bool,
    has_resume_program: bool,
    /// Seconds without jobs after which a node is suspended; `None` if it never is.
    suspend: Option<u64>,
    /// Seconds in which a node is suspended and resumed.
    falls: u64,
    wakes: u64,
    /// Numbers of nodes that are suspended and resumed in a minute; 0 for any number.
    suspend_rate: u32,
    resume_rate: u32,
    /// Sets of nodes of which some stay awake: a number of them, or all.
    kept: Vec<KeptNodes>,
    /// Partitions whose nodes stay awake.
    kept_partitions: Vec<(Location, String)>,
    /// States in which nodes stay awake, in upper case.
    kept_states: Vec<String>,
}

/// Set of nodes of which some stay awake.
#[derive(Clone, Debug)]
struct KeptNodes {
    at: Location,
    text: String,
    hosts: Vec<String>,
    /// Number of usable nodes that stay awake; `None` for all of the set.
    count: Option<usize>,
}

/// Power saving of a partition; `None` where it has the settings of the cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PartitionPower {
    /// Seconds without jobs after which a node is suspended; `Some(None)` if it never is.
    suspend: Option<Option<u64>>,
    falls: Option<u64>,
    wakes: Option<u64>,
    /// True if nodes are suspended as soon as they have no jobs.
    at_once: bool,
}

impl Default for PowerSaving {
    fn default() -> PowerSaving {
        PowerSaving {
            has_suspend_program: false,
            has_resume_program: false,
            suspend: None,
            falls: SUSPEND_TIMEOUT,
            wakes: RESUME_TIMEOUT,
            suspend_rate: SUSPEND_RATE,
            resume_rate: RESUME_RATE,
            kept: Vec::new(),
            kept_partitions: Vec::new(),
            kept_states: Vec::new(),
        }
    }
}

/// Node as power saving sees it.
#[derive(Debug)]
pub(super) struct SavingNode<'a> {
    pub(super) name: &'a str,
    /// True if it takes jobs.
    pub(super) is_usable: bool,
    /// True if its state is `CLOUD`.
    pub(super) is_cloud: bool,
    /// Places of its partitions.
    pub(super) partitions: Vec<usize>,
    /// Seconds without jobs after which it is suspended, if it has a time of its own.
    pub(super) suspend: Option<Option<u64>>,
}

/// Names that lists of nodes may have, other than those of nodes.
#[derive(Debug)]
pub(super) struct OtherNames<'a> {
    /// Nodes that what-if changes removed.
    pub(super) removed: &'a FxHashSet<String>,
    /// Node sets with their nodes.
    pub(super) sets: &'a FxHashMap<String, Vec<String>>,
}

impl OtherNames<'_> {
    fn has(&self, name: &str) -> bool {
        self.removed.contains(name) || self.sets.contains_key(name)
    }
}

/// Rules of the nodes, and statements about them.
#[derive(Debug, Default)]
pub(super) struct SleepOfNodes {
    /// Rule of each node; `None` if it stays awake. Empty if there is no power saving.
    pub(super) rules: Vec<Option<SleepFields>>,
    pub(super) notes: Vec<Note>,
}

impl PowerSaving {
    /// Sets a parameter; returns whether it is one of power saving.
    pub(super) fn set(&mut self, name: &str, value: &str, at: &Location) -> Result<bool, ConfError> {
        let name = name.to_ascii_lowercase();
        if !PARAMETERS.contains(&name.as_str()) {
            return Ok(false);
        }
        match name.as_str() {
            "suspendtime" => self.suspend = at.suspend_time(value)?,
            "suspendtimeout" => self.falls = at.number(value)?.into(),
            "resumetimeout" => self.wakes = at.number(value)?.into(),
            "suspendrate" => self.suspend_rate = at.number(value)?,
            "resumerate" => self.resume_rate = at.number(value)?,
            "suspendprogram" => self.has_suspend_program = is_given(value),
            "resumeprogram" => self.has_resume_program = is_given(value),
            "suspendexcnodes" => self.kept = at.kept_nodes(value)?,
            "suspendexcparts" => {
                let names = value.split(',').map(str::trim).filter(|name| is_given(name));
                self.kept_partitions = names.map(|name| (at.clone(), name.to_owned())).collect();
            }
            _ => {
                let states = value.split(',').map(str::trim).filter(|name| is_given(name));
                self.kept_states = states.map(str::to_ascii_uppercase).collect();
                if let Some(state) = self.kept_states.iter().find(|it| !STATES.contains(&it.as_str())) {
                    return Err(at.error(unknown("state", state, &mut STATES.into_iter())));
                }
            }
        }
        Ok(true)
    }

    /// Returns whether both programs are configured, without which Slurm saves no power.
    pub(super) fn has_programs(&self) -> bool {
        self.has_suspend_program && self.has_resume_program
    }

    /// Determines the rule of each node, given the names of the partitions with their power saving.
    /// Settings of several partitions of a node are the largest of them.
    pub(super) fn rules(
        &self,
        nodes: &[SavingNode<'_>],
        others: &OtherNames<'_>,
        partitions: &[(String, PartitionPower)],
    ) -> Result<SleepOfNodes, ConfError> {
        self.check_names(nodes, others, partitions)?;
        let is_wanted = self.suspend.is_some()
            || partitions.iter().any(|(_, it)| it.suspend.flatten().is_some())
            || nodes.iter().any(|node| node.suspend.flatten().is_some());
        let mut all = SleepOfNodes::default();
        if !self.has_programs() {
            if is_wanted {
                let missing = match (self.has_suspend_program, self.has_resume_program) {
                    (false, false) => "SuspendProgram and ResumeProgram",
                    (false, true) => "SuspendProgram",
                    _ => "ResumeProgram",
                };
                let text = format!("SuspendTime without {missing}: Slurm saves no power, and no node sleeps");
                all.notes.push(Note::noted(text));
            }
            return Ok(all);
        }
        let kept = self.kept_nodes(nodes, others, partitions, &mut all.notes);
        let rule = |node: &SavingNode<'_>| {
            let of = |part: &usize| partitions[*part].1;
            let own = || node.partitions.iter().map(of);
            let suspend = own().filter_map(|it| it.suspend).reduce(|a, b| Some(a?.max(b?)));
            let suspend = node.suspend.or(suspend).unwrap_or(self.suspend)?;
            let falls = own().filter_map(|it| it.falls).max().unwrap_or(self.falls);
            let wakes = own().filter_map(|it| it.wakes).max().unwrap_or(self.wakes);
            let is_at_once = !node.partitions.is_empty() && own().all(|it| it.at_once);
            let after = if is_at_once { 1 } else { suspend.max(1) };
            (!kept.contains(node.name)).then_some(SleepFields { after, falls, wakes })
        };
        all.rules = nodes.iter().map(|node| rule(node).filter(|_| node.is_usable)).collect();
        self.note_rules(nodes, partitions, &mut all);
        Ok(all)
    }

    /// Checks that the excepted nodes and partitions exist.
    fn check_names(
        &self,
        nodes: &[SavingNode<'_>],
        others: &OtherNames<'_>,
        partitions: &[(String, PartitionPower)],
    ) -> Result<(), ConfError> {
        let known: FxHashSet<&str> = nodes.iter().map(|node| node.name).collect();
        for KeptNodes { at, hosts, .. } in &self.kept {
            let is_unknown = |host: &&String| !known.contains(host.as_str()) && !others.has(host);
            if let Some(host) = hosts.iter().find(is_unknown) {
                return Err(at.error(unknown("node", host, &mut nodes.iter().map(|node| node.name))));
            }
        }
        let is_unknown = |(_, name): &&(Location, String)| !partitions.iter().any(|(it, _)| it == name);
        match self.kept_partitions.iter().find(is_unknown) {
            Some((at, name)) => {
                let choices = &mut partitions.iter().map(|(name, _)| name.as_str());
                Err(at.error(unknown("partition", name, choices)))
            }
            None => Ok(()),
        }
    }

    /// Collects the nodes that stay awake.
    fn kept_nodes<'a>(
        &self,
        nodes: &[SavingNode<'a>],
        others: &OtherNames<'_>,
        partitions: &[(String, PartitionPower)],
        notes: &mut Vec<Note>,
    ) -> FxHashSet<&'a str> {
        let is_of_partition = |node: &&SavingNode<'a>| {
            let is_kept = |part: &usize| self.kept_partitions.iter().any(|it| it.1 == partitions[*part].0);
            node.partitions.iter().any(is_kept)
        };
        let is_of_state =
            |node: &&SavingNode<'a>| node.is_cloud && self.kept_states.iter().any(|state| state == "CLOUD");
        let mut kept: FxHashSet<&'a str> = nodes
            .iter()
            .filter(|node| is_of_partition(node) || is_of_state(node))
            .map(|it| it.name)
            .collect();
        for KeptNodes { text, hosts, count, .. } in &self.kept {
            let of_sets = hosts.iter().filter_map(|host| others.sets.get(host)).flatten();
            let hosts: FxHashSet<&str> = hosts.iter().chain(of_sets).map(String::as_str).collect();
            let own = nodes.iter().filter(|node| hosts.contains(node.name));
            let own = own.filter(|node| count.is_none() || node.is_usable).map(|node| node.name);
            kept.extend(own.take(count.unwrap_or(usize::MAX)));
            if let Some(count) = count {
                notes.push(Note::changed(format!(
                    "SuspendExcNodes={text}: the first {count} usable nodes of the set stay awake; in Slurm any {count} idle ones do"
                )));
            }
        }
        for state in self.kept_states.iter().filter(|state| STATES_OF_WAITING.contains(&state.as_str())) {
            notes.push(Note::changed(format!(
                "SuspendExcStates={state} is not simulated: nodes in this state fall asleep like others"
            )));
        }
        kept
    }

    /// Adds statements about the nodes that sleep.
    fn note_rules(
        &self,
        nodes: &[SavingNode<'_>],
        partitions: &[(String, PartitionPower)],
        all: &mut SleepOfNodes,
    ) {
        let sleeping: Vec<(&SavingNode<'_>, SleepFields)> =
            nodes.iter().zip(&all.rules).filter_map(|(node, rule)| Some((node, (*rule)?))).collect();
        if sleeping.is_empty() {
            all.notes.push(Note::noted("power saving: no node sleeps"));
            return;
        }
        let mut distinct: Vec<SleepFields> = Vec::new();
        for (_, rule) in &sleeping {
            if !distinct.contains(rule) {
                distinct.push(*rule);
            }
        }
        for rule in distinct {
            let SleepFields { after, falls, wakes } = rule;
            let own: Vec<&str> = sleeping.iter().filter(|it| it.1 == rule).map(|it| it.0.name).collect();
            all.notes.push(Note::noted(format!(
                "nodes that sleep after {after} s without jobs, fall asleep in {falls} s and wake up in {wakes} s: {}",
                listed(&own)
            )));
        }
        all.notes.push(Note::guessed(
            "each wake-up takes the whole ResumeTimeout, within which nodes may be ready earlier",
        ));
        let cloud: Vec<&str> =
            sleeping.iter().map(|it| it.0).filter(|it| it.is_cloud).map(|it| it.name).collect();
        if !cloud.is_empty() {
            all.notes.push(Note::changed(format!(
                "nodes of State=CLOUD that are awake at the beginning, and powered down in Slurm: {}",
                listed(&cloud)
            )));
        }
        let is_split = |node: &SavingNode<'_>| {
            let at_once = |part: &usize| partitions[*part].1.at_once;
            node.partitions.iter().any(at_once) && !node.partitions.iter().all(at_once)
        };
        let split = sleeping.iter().filter(|it| is_split(it.0)).count();
        if split > 0 {
            all.notes.push(Note::changed(format!(
                "nodes with PowerDownOnIdle in some of their partitions, which sleep after SuspendTime: {split}"
            )));
        }
        for (name, rate, what, effect) in [
            ("SuspendRate", self.suspend_rate, "fall asleep", "later, and sleep less"),
            ("ResumeRate", self.resume_rate, "wake up", "later, and jobs on many nodes wait longer for them"),
        ] {
            if rate > 0 && sleeping.len() > rate as usize {
                all.notes.push(Note::changed(format!(
                    "{name}={rate} is not simulated: with more than {rate} nodes in a minute, the others {what} {effect}"
                )));
            }
        }
    }
}

impl PartitionPower {
    /// Sets a parameter of a partition, in lower case; returns whether it is one of power saving.
    pub(super) fn set(&mut self, key: &str, value: &str, at: &Location) -> Result<bool, ConfError> {
        match key {
            "suspendtime" => self.suspend = Some(at.suspend_time(value)?),
            "suspendtimeout" => self.falls = Some(at.number(value)?.into()),
            "resumetimeout" => self.wakes = Some(at.number(value)?.into()),
            "powerdownonidle" => self.at_once = at.yes_or_no(value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Returns whether a value is given at all.
fn is_given(value: &str) -> bool {
    !value.is_empty() && !value.eq_ignore_ascii_case("(null)")
}

/// Adds the programs without which Slurm saves no power, if a file lacks them.
pub(super) fn add_programs(lines: &mut Vec<ConfLine>, at: &Location) {
    for program in ["SuspendProgram", "ResumeProgram"] {
        let is_there = |line: &ConfLine| {
            line.pairs.iter().any(|(name, value)| name.eq_ignore_ascii_case(program) && is_given(value))
        };
        if !lines.iter().any(is_there) {
            lines.push(ConfLine::of_pair(at, program, "what-if"));
        }
    }
}

impl Location {
    /// Parses a time without jobs in seconds; `None` if nodes are never suspended.
    pub(super) fn suspend_time(&self, text: &str) -> Result<Option<u64>, ConfError> {
        if matches!(text.to_ascii_uppercase().as_str(), "INFINITE" | "NONE" | "-1") {
            return Ok(None);
        }
        let seconds = text.parse::<u32>().map_err(|_| self.unexpected(text, "seconds, INFINITE or -1"))?;
        Ok(Some(seconds.into()))
    }

    /// Parses lists of nodes, each of which may have a number: `n[1-8]:2,login`.
    fn kept_nodes(&self, text: &str) -> Result<Vec<KeptNodes>, ConfError> {
        let mut depth = 0;
        let is_between = |letter: char| {
            depth += i32::from(letter == '[') - i32::from(letter == ']');
            letter == ',' && depth == 0
        };
        let parts = text.split(is_between).map(str::trim).filter(|part| is_given(part));
        let part = |part: &str| {
            let (list, count) =
                match part.rsplit_once(':') {
                    Some((list, count)) => {
                        let count = count.parse().ok().filter(|count| *count > 0);
                        (
                            list,
                            Some(count.ok_or_else(|| {
                                self.unexpected(part, "nodes with a number, such as n[1-8]:2")
                            })?),
                        )
                    }
                    None => (part, None),
                };
            Ok(KeptNodes { at: self.clone(), text: part.to_owned(), hosts: expand_hosts(list, self)?, count })
        };
        parts.map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::parse_lines;
    use super::super::parameters;
    use super::*;

    /// Returns the rules of nodes by name, and the notes.
    fn of(text: &str) -> Result<(Vec<String>, Vec<String>), String> {
        let lines = parse_lines(text, "slurm.conf");
        let mut nodes = super::super::nodes::read(&lines, &[]).map_err(|error| error.to_string())?;
        let parameters = parameters::read(&lines).map_err(|error| error.to_string())?;
        assert_eq!(parameters.ignored, [""; 0], "{text}");
        nodes
            .save_power(&parameters.power, &parameters.partition_power())
            .map_err(|error| error.to_string())?;
        let rule = |kind: &super::super::NodeKind| match kind.sleep {
            Some(SleepFields { after, falls, wakes }) => {
                format!("{}*{} {after} {falls} {wakes}", kind.name, kind.nodes)
            }
            None => format!("{}*{} awake", kind.name, kind.nodes),
        };
        let kinds = nodes.kinds(Some(&FxHashSet::default()), true);
        Ok((kinds.iter().map(rule).collect(), nodes.notes().iter().map(Note::to_string).collect()))
    }

    const PROGRAMS: &str = "SuspendProgram=/s\nResumeProgram=/r\n";
    const NODES: &str = "NodeName=n[1-6] RealMemory=9\nNodeName=c[1-2] State=CLOUD RealMemory=9\n";

    #[test]
    fn nodes_sleep_by_the_settings_of_the_cluster_and_of_their_partitions() {
        let text = format!(
            "{PROGRAMS}SuspendTime=600\nResumeTimeout=90\n{NODES}PartitionName=a Nodes=n[1-4],c[1-2]\n\
             PartitionName=b Nodes=n[3-5] SuspendTime=300 SuspendTimeout=10\n\
             PartitionName=c Nodes=n[4-5] SuspendTime=900 ResumeTimeout=120\nPartitionName=d Nodes=n[6] SuspendTime=INFINITE\n"
        );
        let (rules, notes) = of(&text).unwrap();
        // The largest value of the partitions counts.
        assert_eq!(
            rules,
            ["n1*2 600 30 90", "n3*1 300 10 90", "n4*2 900 10 120", "n6*1 awake", "c1*2 600 30 90"]
        );
        let has = |text: &str| notes.iter().any(|note| note.contains(text));
        assert!(has("fall asleep in 30 s and wake up in 90 s: 4 (n1, n2, c1, c2)"), "{notes:?}");
        assert!(has("awake at the beginning, and powered down in Slurm: 2 (c1, c2)"), "{notes:?}");
        assert!(has("each wake-up takes the whole ResumeTimeout") && !has("Rate"), "{notes:?}");
        // A time of the node itself comes first.
        let own = text.replace("NodeName=c[1-2] State", "NodeName=c[1-2] SuspendTime=5 State");
        assert_eq!(of(&own).unwrap().0[4], "c1*2 5 30 90");
        let never = text.replace("SuspendTime=300", "SuspendTime=-1");
        assert_eq!(of(&never).unwrap().0[1..2], ["n3*4 awake"].map(str::to_owned));
    }

    #[test]
    fn exceptions_stay_awake() {
        let of = |more: &str| {
            of(&format!(
                "{PROGRAMS}SuspendTime=60\n{more}\n{NODES}PartitionName=a Nodes=ALL\nPartitionName=b Nodes=n[5-6]\n"
            ))
        };
        let rules = |more| of(more).unwrap().0;
        assert_eq!(
            rules("SuspendExcNodes=n[1-2],c1"),
            ["n1*2 awake", "n3*4 60 30 60", "c1*1 awake", "c2*1 60 30 60"]
        );
        let (counted, notes) = of("SuspendExcNodes=n[2-4]:2,c[1-2]:1").unwrap();
        assert_eq!(counted, ["n1*1 60 30 60", "n2*2 awake", "n4*3 60 30 60", "c1*1 awake", "c2*1 60 30 60"]);
        assert!(
            notes.iter().any(|note| note.starts_with("SuspendExcNodes=n[2-4]:2: the first 2")),
            "{notes:?}"
        );
        assert_eq!(rules("SuspendExcParts=b"), ["n1*4 60 30 60", "n5*2 awake", "c1*2 60 30 60"]);
        let (states, notes) = of("SuspendExcStates=down,cloud,PLANNED").unwrap();
        assert_eq!(states, ["n1*6 60 30 60", "c1*2 awake"]);
        assert!(notes.iter().any(|note| note.starts_with("SuspendExcStates=PLANNED is not")), "{notes:?}");
        let (_, notes) = of("SuspendRate=3\nResumeRate=0").unwrap();
        let rates: Vec<_> = notes.iter().filter(|note| note.contains("Rate=")).collect();
        assert_eq!(rates.len(), 1, "{notes:?}");
        assert!(rates[0].starts_with("SuspendRate=3 is not simulated: with more than 3 nodes"), "{notes:?}");
        assert_eq!(
            rules("NodeSet=some Nodes=n[1-2]\nSuspendExcNodes=some,c[1-2]"),
            ["n1*2 awake", "n3*4 60 30 60", "c1*2 awake"]
        );
        for (wrong, message) in [
            ("SuspendExcNodes=n9", "SuspendExcNodes: unknown node `n9`"),
            ("SuspendExcNodes=n[1-2]:0", "expected nodes with a number, such as n[1-8]:2"),
            ("SuspendExcParts=x", "SuspendExcParts: unknown partition `x`"),
            ("SuspendExcStates=IDLE", "SuspendExcStates: unknown state `IDLE`"),
            ("ResumeTimeout=x", "ResumeTimeout: expected a whole number"),
            ("SuspendTime=1:00", "SuspendTime: expected seconds, INFINITE or -1, found `1:00`"),
        ] {
            let error = of(wrong).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn without_programs_no_node_sleeps() {
        let (rules, notes) =
            of(&format!("SuspendTime=60\nResumeProgram=/r\n{NODES}PartitionName=a Nodes=ALL\n")).unwrap();
        assert_eq!(rules, ["n1*8 awake"]);
        assert!(
            notes.iter().any(|note| note.starts_with("SuspendTime without SuspendProgram: Slurm saves no")),
            "{notes:?}"
        );
        assert!(
            notes.iter().any(|note| note.contains("without a delay for their start: 2 (c1, c2)")),
            "{notes:?}"
        );
        let (rules, _) = of(&format!("{PROGRAMS}{NODES}PartitionName=a Nodes=n[1-4]\nPartitionName=b Nodes=n[5-6] SuspendTime=0 PowerDownOnIdle=YES\n")).unwrap();
        assert_eq!(rules, ["n1*4 awake", "n5*2 1 30 60"]);
    }
}
