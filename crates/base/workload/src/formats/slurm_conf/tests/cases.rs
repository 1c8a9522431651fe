//! Files that a real slurmctld (22.05.8) accepts or refuses, with the nodes that it then has.

use super::*;

/// Reads a `slurm.conf` with this text.
fn site(text: &str) -> Result<SimulatedSite, String> {
    site_with(text, "", "")
}

/// Reads a `slurm.conf` and listings of accounts and QOS, which may be empty.
fn site_with(text: &str, associations: &str, qos: &str) -> Result<SimulatedSite, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        (!text.is_empty()).then_some(path)
    };
    let files = SiteFiles {
        conf: file("slurm.conf", text).unwrap(),
        associations: file("assoc.txt", associations),
        qos: file("qos.txt", qos),
        ..SiteFiles::default()
    };
    let shown = |errors: ConfErrors| errors.to_string().replace(&format!("{}/", folder.path().display()), "");
    let site = SlurmSite::read(&files).map_err(shown)?;
    site.for_log(&Header::default(), &Asks::new(), &JobCounts::default()).map_err(shown)
}

/// Formats the partitions as `name:nodes/CPUs`.
fn partitions(text: &str) -> String {
    let site = site(text).unwrap_or_else(|error| panic!("{error}"));
    let of = |it: &PartitionSize| format!("{}:{}/{}", it.name, it.nodes, it.cpus);
    site.partitions.iter().map(of).collect::<Vec<_>>().join(" ")
}

#[test]
fn blanks_and_commas_are_read() {
    let text = "PriorityType = priority/multifactor\nPriorityWeightAge =\t500\nNodeName = n[1-2] CPUs =8\nPartitionName=cpu Nodes= n[1-2], Default=YES\n";
    assert_eq!(partitions(text), "cpu:2/16");
    assert_eq!(site(text).unwrap().settings.weights.age, 500);
}

#[test]
fn node_sets_are_names_and_features_together() {
    let text = "\
NodeName=n[1-4] CPUs=8 Feature=BIG
NodeName=k[1-2] CPUs=8 Feature=SMALL,x.y
NodeSet=bigs Feature=BIG
NodeSet=some Nodes=k1 Feature=BIG
PartitionName=big Nodes=bigs
PartitionName=some Nodes=some,k2
PartitionName=small Nodes=dots
PartitionName=all Nodes=all
NodeSet=dots Feature=x.y
";
    assert_eq!(partitions(text), "big:4/32 some:6/48 small:2/16 all:6/48");
    assert_eq!(
        site(&text.replace("Feature=x.y", "Feature=x.z")).unwrap_err(),
        "slurm.conf: line 9: NodeSet=dots Feature: unknown feature `x.z`; did you mean `x.y`?"
    );
}

#[test]
fn names_that_do_not_exist_are_errors_all_at_once() {
    let text = "\
NodeName=n[1-3] CPUs=8
PartitionName=cpu Nodes=n[1-6]
PartitionName=gpu Nodes=m1 MaxTimes=5
NodeName=k1 CPU=3
DownNodes=n9
Orphan
";
    let errors = site(text).unwrap_err();
    let expected = "\
slurm.conf: line 2: PartitionName=cpu Nodes: unknown node or node set `n4`; expected n1, n2, n3 or k1; 2 more are unknown: n5, n6
slurm.conf: line 3: PartitionName=gpu: unknown parameter `maxtimes`; did you mean `maxtime`?
slurm.conf: line 3: PartitionName=gpu Nodes: unknown node or node set `m1`; expected n1, n2, n3 or k1
slurm.conf: line 4: NodeName: unknown parameter `cpu`; did you mean `cpus`?
slurm.conf: line 5: DownNodes: unknown node `n9`; expected n1, n2, n3 or k1
slurm.conf: line 6: Orphan: expected NAME=VALUE, found `Orphan`";
    let sorted = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    assert_eq!(sorted(&errors), sorted(expected));
}

#[test]
fn files_that_slurmctld_refuses_are_refused() {
    for (text, message) in [
        ("NodeName=n1\n", "slurm.conf: expected lines with PartitionName, found none"),
        ("PartitionName=p Nodes=ALL\n", "slurm.conf: expected lines with NodeName, found none"),
        (
            "NodeName=n1\nPartitionName=p Nodes=n1\nPartitionName=p\n",
            "slurm.conf: line 3: PartitionName: partition p is defined twice",
        ),
        (
            "NodeName=n1 State=WHAT\nPartitionName=p Nodes=n1\n",
            "slurm.conf: line 1: NodeName State: expected UNKNOWN, DOWN, DRAIN, FAIL, FUTURE or CLOUD, found `WHAT`",
        ),
        (
            "NodeName=n1 CPUs=4 Sockets=4 CoresPerSocket=2\nPartitionName=p Nodes=n1\n",
            "slurm.conf: line 1: NodeName: CPUs=4 is neither the number of cores, 8, nor that of threads, 8",
        ),
        (
            "NodeName=n[1-2]\nPartitionName=p Nodes=n1, n2\n",
            "slurm.conf: line 2: PartitionName: expected NAME=VALUE, found `n2`",
        ),
    ] {
        assert_eq!(site(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn nodes_that_are_down_take_no_jobs() {
    let text = "\
NodeName=n[1-2] CPUs=8 State=DOWN Reason=\"memory\"
NodeName=k1 CPUs=8 State=drain
NodeName=m[1-2] CPUs=8 State=CLOUD
NodeName=later CPUs=8 State=FUTURE
NodeName=login
DownNodes=m2 State=DOWN Reason=\"disk\"
PartitionName=cpu Nodes=n[1-2],k1,m[1-2],later
PartitionName=none Nodes=later
";
    let site = site(text).unwrap();
    assert_eq!(site.kinds.iter().flat_map(|kind| kind.hosts.clone()).collect::<Vec<_>>(), ["m1"]);
    let idle: Vec<_> = site.partitions.iter().map(|it| (it.nodes, it.idle)).collect();
    assert_eq!(idle, [(6, 5), (1, 1)]);
    let notes = site.notes.iter().map(Note::to_string).collect::<Vec<_>>().join("\n");
    for note in [
        "nodes that are down, drained or failing in the file take no jobs: 4 (n1, n2, k1, m2)",
        "nodes of State=FUTURE do not exist yet and take no jobs: 1 (later)",
        "nodes of State=CLOUD count as up, without a delay for their start: 1 (m1)",
        "nodes of no partition take no jobs: 1 (login)",
        "nodes without RealMemory, on which memory is not limited: 1 (m1)",
    ] {
        assert!(notes.contains(note), "{note} is not in:\n{notes}");
    }
}

#[test]
fn memory_counts_only_where_slurm_counts_it() {
    let of = |parameters: &str| {
        let text = format!(
            "{parameters}\nNodeName=n1 RealMemory=16000 MemSpecLimit=1000\nPartitionName=p Nodes=n1\n"
        );
        let site = site(&text).unwrap();
        (site.kinds[0].memory_mb, site.settings.partitions[0].whole_nodes)
    };
    assert_eq!(of("SelectType=select/cons_tres"), (Some(15_000), false));
    assert_eq!(of("SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory"), (Some(15_000), false));
    assert_eq!(of("SelectType=select/cons_res\nSelectTypeParameters=CR_Core"), (None, false));
    assert_eq!(of("SelectType=select/linear"), (None, true));
}

/// Slurm lets `Priority` set both, also where `PriorityTier` and `PriorityJobFactor` are given.
#[test]
fn priorities_of_partitions_set_tier_and_factor() {
    let text = "\
NodeName=n1
PartitionName=a Nodes=n1 Priority=9
PartitionName=b Nodes=n1 Priority=8 PriorityJobFactor=2
PartitionName=DEFAULT Priority=7
PartitionName=c Nodes=n1 PriorityTier=3 OverSubscribe=EXCLUSIVE
PartitionName=d Nodes=n1 Shared=FORCE:2
";
    let site = site(text).unwrap();
    let found: Vec<_> =
        site.settings.partitions.iter().map(|it| (it.priority, it.tier, it.whole_nodes)).collect();
    assert_eq!(found, [(9, Some(9), false), (8, Some(8), false), (7, Some(7), true), (7, Some(7), false)]);
    assert_eq!(
        site.ignored.to_string(),
        "not used, may change the nodes that jobs get: PartitionName=d Shared"
    );
}

#[test]
fn builtin_scheduling_has_no_backfilling() {
    let of = |value: &str| site(&format!("SchedulerType={value}\nNodeName=n1\nPartitionName=p Nodes=n1\n"));
    assert!(of("sched/builtin").unwrap().settings.backfill.off);
    assert!(!of("sched/backfill").unwrap().settings.backfill.off);
}

#[test]
fn limits_are_kept_only_if_they_are_enforced() {
    let conf = "NodeName=n1\nPartitionName=p Nodes=n1 QOS=small MaxTime=60\n";
    let associations = "Account|User|Par Name|GrpJobs\nroot|||\nscience||root|5\n";
    let qos =
        "Name|MaxJobsPU|MaxWall|LimitFactor|MinPrioThresh|Preempt\nsmall|3|00:30:00|2.0|5|big\nbig|||||\n";
    let of = |enforce: &str| site_with(&format!("{enforce}{conf}"), associations, qos).unwrap();
    let limits = |site: &SimulatedSite| {
        let SiteSettings { partitions, qos, accounts, .. } = &site.settings;
        let (partition, qos) = (&partitions[0], &qos[0]);
        (partition.max_running_per_user, partition.max_time_s, qos.max_time_s, accounts[0].limits.jobs)
    };
    assert_eq!(
        limits(&of("AccountingStorageEnforce=limits,qos\n")),
        (Some(3), Some(1_800), Some(1_800), Some(5))
    );
    let none = of("AccountingStorageEnforce=associations\n");
    assert_eq!(limits(&none), (None, Some(3_600), None, None));
    let note = "limits of accounts and QOS that are not used, as AccountingStorageEnforce has no `limits`: 3";
    assert!(none.notes.iter().any(|it| it.text == note), "{:?}", none.notes);
    let ignored = none.ignored.to_string();
    for name in ["QOS small LimitFactor", "QOS small MinPrioThresh", "QOS small Preempt"] {
        assert!(ignored.contains(name), "{name} is not in {ignored}");
    }
}

#[test]
fn parameters_are_used_without_effect_or_change_jobs() {
    let text = "\
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
StateSaveLocation=/var/spool
JobSubmitPlugins=lua
NodeName=n1
PartitionName=p Nodes=n1 MaxCPUsPerSocket=4
PartitionName=q Nodes=n1 MaxCPUsPerSocket=4
";
    let folder = tempfile::tempdir().unwrap();
    let conf = folder.path().join("slurm.conf");
    fs::write(&conf, text).unwrap();
    let site = SlurmSite::read(&SiteFiles { conf, ..SiteFiles::default() }).unwrap();
    let jobs = JobCounts { all: 10, of_partition: [(1, 7)].into_iter().collect(), ..JobCounts::default() };
    let site = site.for_log(&header(&[(Naming::Partition, 1, "p")]), &Asks::new(), &jobs).unwrap();
    let found: Vec<String> = site.fields.iter().map(|it| format!("{} {:?}", it.name, it.effect)).collect();
    assert_eq!(
        found,
        [
            "SelectType Used",
            "SelectTypeParameters Used",
            "NodeName Used",
            "PartitionName Used",
            "StateSaveLocation NoEffect",
            "JobSubmitPlugins WouldChange(10)",
            "PartitionName=p MaxCPUsPerSocket WouldChange(7)",
            "PartitionName=q MaxCPUsPerSocket NoEffect"
        ]
    );
}

/// Everything that is told otherwise is refused with its line.
#[test]
fn strictly_read_files_have_nothing_that_is_not_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let conf = folder.path().join("slurm.conf");
    let strict = |text: &str| {
        fs::write(&conf, text).unwrap();
        let site = SlurmSite::read(&SiteFiles { conf: conf.clone(), ..SiteFiles::default() }).unwrap();
        let jobs = JobCounts { all: 3, ..JobCounts::default() };
        let of_log = site.for_log(&Header::default(), &Asks::new(), &jobs).unwrap();
        let errors = site.check_strictly(&of_log);
        errors.map_err(|errors| errors.to_string().replace(&format!("{}/", folder.path().display()), ""))
    };
    let exact = "\
SlurmctldPort=6817
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n[1-2] CPUs=8 RealMemory=1000
PartitionName=DEFAULT MaxTime=60
PartitionName=p Nodes=n[1-2]
";
    assert_eq!(strict(exact), Ok(()));
    let text = exact
        .replace("SelectTypeParameters=CR_Core_Memory", "SchedulerParameters=bf_interval=60,defer")
        .replace("RealMemory=1000", "State=CLOUD")
        .replace("MaxTime", "LLN=YES MaxTime")
        + "OverTimeLimit=5\n";
    assert_eq!(
        strict(&text).unwrap_err(),
        "\
slurm.conf: line 3: SchedulerParameters=defer: this is not simulated and may change when the scheduler starts jobs; jobs concerned: 3
slurm.conf: line 5: PartitionName=DEFAULT LLN: this is not simulated and may change which jobs may start; jobs concerned: 3
slurm.conf: line 7: OverTimeLimit: this is not simulated and may change run times, and which jobs run again; jobs concerned: 3
slurm.conf: SelectTypeParameters is not set: CR_Core_Memory is assumed, Slurm's default
slurm.conf: nodes of State=CLOUD count as up, without a delay for their start: 2 (n1, n2)
slurm.conf: nodes without RealMemory, on which memory is not limited: 2 (n1, n2)"
    );
}

/// Nodes that a what-if change removes may still be named by events and reservations.
#[test]
fn removed_nodes_may_have_events_and_reservations() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let conf = "NodeName=n[1-4] CPUs=8 RealMemory=1000\nPartitionName=p Nodes=n[1-4]\n";
    let events = "NodeName|TimeStart|TimeEnd|State\nn4|1970-01-01T00:00:10|1970-01-01T00:00:20|DOWN\n\
                  n1|1970-01-01T00:00:10|1970-01-01T00:00:20|DOWN\n";
    let reservations = "ReservationName=r StartTime=1970-01-01T00:01:00 EndTime=1970-01-01T00:02:00 Nodes=n[3-4] \
                        Users=anna\n";
    let files = SiteFiles {
        conf: file("slurm.conf", conf),
        events: Some(file("events.txt", events)),
        reservations: Some(file("reservations.txt", reservations)),
        ..SiteFiles::default()
    };
    let mut site = SlurmSite::read(&files).unwrap();
    site.change("nodes.p=-1").unwrap();
    let of_log = site.for_log(&Header::default(), &Asks::new(), &JobCounts::default()).unwrap();
    assert_eq!((of_log.outages.failures.len(), of_log.outages.drains.len()), (1, 0));
    let note = "events of nodes that a what-if change removed, left out: 1";
    assert!(of_log.notes.iter().any(|it| it.text == note), "{:?}", of_log.notes);
    assert_eq!(of_log.kinds.iter().map(|kind| kind.nodes).collect::<Vec<_>>(), [2, 1]);
}
