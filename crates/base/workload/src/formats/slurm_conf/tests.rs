mod cases;

use super::*;
use dfrsim_model::JobId;
use dfrsim_model::site::{BackfillSettings, FairShare, PreemptMode, PriorityWeights, VictimOrder};
use std::fs;

#[test]
fn all_that_is_used_is_read_and_the_rest_listed() {
    let text = include_str!("tests/all.conf");
    let SlurmConf { settings, ignored, .. } = read(text).unwrap();
    settings.check().unwrap();
    let weights = PriorityWeights { age: 1_000, size: 10, fair_share: 0, qos: 20, partition: 30 };
    assert_eq!(settings.weights, weights);
    assert_eq!((settings.max_age_s, settings.calc_period_s, settings.favor_small), (1_209_600, 600, true));
    let backfill = BackfillSettings {
        max_job_test: Some(500),
        interval_s: 60,
        window_s: 172_800,
        resolution_s: 300,
        ..BackfillSettings::default()
    };
    assert_eq!(settings.backfill, backfill);
    let limits: Vec<_> =
        settings.partitions.iter().map(|it| (it.priority, it.max_time_s, it.max_nodes)).collect();
    assert_eq!(limits, [(1, None, Some(4)), (100, Some(1_800), None)]);
    assert_eq!(settings.tres_weights.get("cpu"), Some(&1));
    assert_eq!(ignored, ["SlurmctldHost", "PriorityUsageResetPeriod", "SchedulerParameters=defer"]);
}

#[test]
fn weights_of_resources_and_orders_of_preemption_are_read() {
    let of = |text: &str| read(text).map(|conf| (conf.settings, conf.ignored));
    let (settings, ignored) = of("PriorityWeightTRES=CPU=5,GRES/gpu:a100=7,Mem=1,billing=3\n").unwrap();
    let weights: Vec<(&str, u64)> =
        settings.tres_weights.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
    assert_eq!(weights, [("cpu", 5), ("gpu_a100", 7), ("mem", 1)]);
    assert_eq!(
        (ignored, settings.victims),
        (vec!["PriorityWeightTRES=billing".to_owned()], VictimOrder::Smallest)
    );
    let error = of("PriorityWeightTRES=CPU\n").unwrap_err().to_string();
    assert!(error.contains("whole weights such as CPU=1000") && error.contains("found `CPU`"), "{error}");
    let (settings, ignored) = of(
        "SchedulerParameters=preempt_youngest_first,preempt_strict_order,preempt_reorder_count=4,bf_window_linear=60\n",
    )
    .unwrap();
    assert_eq!((settings.victims, ignored.len()), (VictimOrder::SlurmYoungest, 0));
    assert_eq!((settings.preempt_strict_order, settings.preempt_reorders), (true, 4));
    assert_eq!(settings.backfill.window_linear_s, 60);
}

#[test]
fn licences_node_lists_and_shared_cores_are_those_of_the_jobs() {
    let folder = Folder::new();
    let more = "Licenses=matlab:2,ansys\nPartitionName=open Nodes=o1 OverSubscribe=FORCE:2 MaxCPUsPerNode=3\n\
                PartitionName=mixed Nodes=g1 OverSubscribe=FORCE:2\nNodeName=o1 CPUs=4\n";
    folder.write("slurm.conf", &format!("{CONF}{more}"));
    let site = folder.read().unwrap();
    let given = [
        (1, vec![("~matlab", 1), ("@nodelist-n1", 1)]),
        (2, vec![("~matlab", 2), ("@exclude-n1", 1)]),
        (3, vec![("~idl", 1), ("@partition-open", 1)]),
    ];
    let given = given.map(|(job, asked)| {
        (JobId(job), asked.into_iter().map(|(name, count)| (name.to_owned(), count)).collect())
    });
    let of_log =
        site.for_log(&Header::default(), &given.into_iter().collect(), &JobCounts::default()).unwrap();
    let kinds: Vec<_> = of_log
        .kinds
        .iter()
        .map(|it| format!("{} {} {} {}", it.name, it.nodes, it.cores, it.features.join(" ")))
        .collect();
    assert_eq!(
        kinds,
        ["n1 1 8 nodelist-n1", "n2 2 8 exclude-n1", "g1 2 16 exclude-n1", "o1 1 8 partition-open exclude-n1"]
    );
    assert_eq!(of_log.licences, [("matlab".to_owned(), 2)]);
    assert!(of_log.settings.licences.is_empty() && of_log.settings.backfill.skips_unlicensed);
    let open = of_log.settings.partitions.iter().find(|it| it.name == "open").unwrap();
    assert_eq!(open.max_cores_per_node, Some(3));
    assert!(of_log.ignored.to_string().contains("PartitionName=mixed OverSubscribe"), "{}", of_log.ignored);
    assert!(!of_log.ignored.to_string().contains("PartitionName=open"), "{}", of_log.ignored);
    let notes: Vec<String> = of_log.notes.iter().map(Note::to_string).collect();
    let has = |text: &str| notes.iter().any(|note| note == text);
    assert!(
        has(
            "jobs with licences that neither `Licenses` nor `scontrol show licenses` (--licenses) has (idl), simulated without these: 1"
        ),
        "{notes:?}"
    );
    assert!(
        has(
            "PartitionName=open: up to 2 jobs share a core, so its nodes are simulated with 2 times their cores"
        ),
        "{notes:?}"
    );
}

/// Names with the host of a licence server are no names of a platform.
#[test]
fn licences_have_names_of_the_platform() {
    let folder = Folder::new();
    folder
        .write("slurm.conf", &format!("{CONF}Licenses=cae@lic.site.org:4,matlab@27000@lm-1:2,W10F0,idl:9\n"));
    let given = |names: &[&str]| {
        let asked = (1..).zip(names).map(|(job, name)| (JobId(job), vec![((*name).to_owned(), 1)]));
        let asked = asked.collect();
        let of_log = folder.read().unwrap().for_log(&Header::default(), &asked, &JobCounts::default());
        let of_log = of_log.unwrap();
        let notes: Vec<String> = of_log.notes.iter().map(Note::to_string).collect();
        let found: Vec<String> =
            of_log.licences.iter().map(|(name, count)| format!("{name} {count}")).collect();
        (found.join(", "), notes.into_iter().filter(|note| note.contains("licence")).collect::<Vec<_>>())
    };
    let (found, notes) = given(&["~cae_lic_site_org", "~idl", "~matlab_27000_lm-1", "~w10f0"]);
    assert_eq!(found, "cae_lic_site_org 4, idl 9, matlab_27000_lm-1 2, w10f0 1");
    assert_eq!(
        notes,
        [
            "licences with other names in the platform: cae@lic.site.org is cae_lic_site_org, matlab@27000@lm-1 is matlab_27000_lm-1, W10F0 is w10f0"
        ]
    );
    // Those of the database are added; those of the file remain.
    folder.write(
        "licences.txt",
        "LicenseName=idl Total=7 Remote=no\nLicenseName=W10F0 Total=1\nLicenseName=h8@houston Total=2400 Remote=yes\n",
    );
    let (found, notes) = given(&["~h8_houston", "~idl"]);
    assert_eq!(found, "h8_houston 2400, idl 9");
    assert_eq!(
        notes,
        [
            "licence idl: 9 as in slurm.conf; `scontrol show licenses` has 7 of idl",
            "licences with other names in the platform: h8@houston is h8_houston"
        ]
    );
    fs::remove_file(folder.path("licences.txt")).unwrap();
    let (found, notes) = given(&["~W10F0", "~w10f0", "~a", "~b", "~c", "~d", "~e", "~f"]);
    assert_eq!(found, "W10F0 1");
    assert_eq!(
        notes,
        [
            "jobs with licences that neither `Licenses` nor `scontrol show licenses` (--licenses) has (a, b, c, d, e and 2 others), simulated without these: 7"
        ]
    );
    folder.write("slurm.conf", &format!("{CONF}Licenses=a.b:4,a@b:2\n"));
    let error = folder.read().map(drop).unwrap_err();
    assert!(error.contains("licences a.b and a@b would have the same name in the platform, a_b"), "{error}");
}

/// Jobs in a reservation of licences alone may run on all nodes.
#[test]
fn reservations_without_nodes_take_no_node() {
    let folder = Folder::new();
    let reserved = "ReservationName=cae StartTime=2026-03-02T08:00:00 EndTime=2026-03-02T12:00:00\n   Nodes=(null) NodeCnt=0 Flags=LICENSE_ONLY\n   Licenses=cae:90\n";
    folder.write("reservations.txt", reserved);
    let given = [(JobId(1), vec![("@reservation-cae".to_owned(), 1), ("@reservation-other".to_owned(), 1)])];
    let of_log = folder.read().unwrap();
    let of_log =
        of_log.for_log(&Header::default(), &given.into_iter().collect(), &JobCounts::default()).unwrap();
    assert_eq!(of_log.unavailable, ["@reservation-other"]);
    assert!(of_log.settings.reservations.is_empty());
    assert!(of_log.ignored.to_string().contains("reservations: cae licenses"), "{}", of_log.ignored);
}

/// A partition charges 0.25 for a gigabyte; the largest node has 64,000 MB, of which a job holds thousandths.
#[test]
fn memory_is_billed_by_the_largest_node() {
    let folder = Folder::new();
    let more = "NodeName=big CPUs=4 RealMemory=64000\nPartitionName=large Nodes=big TRESBillingWeights=CPU=1,Mem=0.25G\n";
    folder.write("slurm.conf", &format!("{CONF}{more}"));
    let of_log =
        folder.read().unwrap().for_log(&Header::default(), &Asks::new(), &JobCounts::default()).unwrap();
    let large = of_log.settings.partitions.iter().find(|it| it.name == "large").unwrap();
    assert_eq!((large.billing["cpu"], large.billing["mem"]), (1_000, 16));
    assert!(!of_log.ignored.to_string().contains("TRESBilling"), "{}", of_log.ignored);
    folder.write("slurm.conf", &format!("{CONF}{}", more.replace("0.25G", "much")));
    assert!(folder.read().unwrap_err().contains("found `Mem=much`"));
}

#[test]
fn requeued_jobs_wait_for_their_credential() {
    let of = |text: &str| read(text).map(|conf| (conf.settings.requeue_delay_s, conf.ignored));
    assert_eq!(of("").unwrap(), (121, vec![]));
    assert_eq!(of("AuthInfo=socket=/run/munge,cred_expire=300").unwrap(), (301, vec!["AuthInfo".to_owned()]));
    let error = of("AuthInfo=cred_expire=soon").unwrap_err().to_string();
    assert!(error.contains("line 1: AuthInfo") && error.contains("soon"), "{error}");
}

#[test]
fn partitions_have_the_numbers_of_the_log() {
    let conf = read("PartitionName=all MaxNodes=4\nPartitionName=debug MaxTime=30\n").unwrap();
    let mut header = Header::default();
    header.push("Partition", "3 debug");
    let of_log = conf.clone().of_log(&header);
    assert_eq!(of_log.settings.partitions[1].partitions, [3]);
    assert_eq!(of_log.settings.partitions[0].partitions, [u32::MAX]);
    assert_eq!(of_log.notices(), ["partitions without jobs in the log: all"]);
    let only = read("PartitionName=all MaxNodes=4\n").unwrap().of_log(&Header::default());
    assert_eq!((only.settings.partitions.len(), only.absent.len()), (1, 0));
}

#[test]
fn defaults_of_partitions_are_those_of_the_lines_behind_them() {
    let conf = read(
        "PartitionName=a\nPartitionName=DEFAULT MaxTime=7-0 PriorityJobFactor=5\nPartitionName=b PriorityTier=9\n\
         PartitionName=DEFAULT MaxTime=1\nPartitionName=c\n",
    );
    let found: Vec<_> = conf
        .unwrap()
        .settings
        .partitions
        .into_iter()
        .map(|it| (it.name, it.priority, it.max_time_s, it.tier))
        .collect();
    let name = str::to_owned;
    let expected =
        [(name("a"), 1, None, None), (name("b"), 5, Some(604_800), Some(9)), (name("c"), 5, Some(60), None)];
    assert_eq!(found, expected);
}

#[test]
fn the_fair_share_is_a_tree_unless_a_flag_says_otherwise() {
    let read = |text: &str| read(text).unwrap();
    assert_eq!(read("").settings.fair_share, FairShare::FairTree);
    let classic = read("PriorityFlags=MAX_TRES,NO_FAIR_TREE\n");
    assert_eq!(classic.settings.fair_share, FairShare::ClassicOfUsers);
    assert_eq!(classic.ignored, ["PriorityFlags=MAX_TRES"]);
}

#[test]
fn basic_priorities_have_no_weights() {
    let conf = read("PriorityWeightAge=5\nPriorityType=priority/basic\n").unwrap();
    assert_eq!(conf.settings.weights, PriorityWeights::default());
}

const TIERS: &str = include_str!("tests/tiers.conf");

#[test]
fn partitions_preempt_those_of_lower_tiers() {
    let SlurmConf { settings, ignored, .. } = read(TIERS).unwrap();
    settings.check().unwrap();
    assert_eq!((settings.preempt_mode, settings.preempt_exempt_time_s), (PreemptMode::Requeue, 5));
    let found: Vec<_> =
        settings.partitions.iter().map(|it| (it.preempt.join(" "), it.preempt_mode)).collect();
    let expected = [
        ("low middle".to_owned(), Some(PreemptMode::Off)),
        ("low".to_owned(), Some(PreemptMode::Suspend)),
        (String::new(), None),
    ];
    assert_eq!(found, expected);
    assert_eq!(settings.partitions.iter().map(|it| it.grace_s).collect::<Vec<_>>(), [None, Some(10), None]);
    assert_eq!(ignored, ["PreemptMode=GANG"]);
    assert_eq!(settings.partitions.iter().map(JobClass::tier).collect::<Vec<_>>(), [3, 2, 1]);
}

#[test]
fn without_a_type_no_partition_preempts() {
    let none = read(&TIERS.replace("partition_prio", "none")).unwrap();
    assert!(none.settings.preempting_classes().is_none());
    assert!(none.ignored.contains(&"PartitionName=high PreemptMode".to_owned()));
    assert_eq!(none.settings.partitions[0].tier, Some(3));
    let off = read(&TIERS.replace("PreemptMode=REQUEUE,GANG", "")).unwrap().settings;
    assert_eq!(off.preempt_mode, PreemptMode::Off);
    let qos = read("PreemptType=preempt/qos\nPreemptMode=CANCEL\nPreemptExemptTime=-1\n").unwrap();
    assert_eq!(qos.settings.preempt_mode, PreemptMode::Cancel);
    assert_eq!(qos.notices(), ["not used: PreemptType=preempt/qos (its lists are in Slurm's database)"]);
}

#[test]
fn wrong_values_have_their_place() {
    for row in include_str!("tests/wrong.txt").lines() {
        let (text, message) = row.split_once(" => ").unwrap();
        assert_eq!(read(&text.replace("\\n", "\n")).unwrap_err().to_string(), message);
    }
}

/// A temporary folder with the files of a small site.
struct Folder(tempfile::TempDir);

const CONF: &str = include_str!("tests/slurm.conf");
const ASSOC: &str = include_str!("tests/assoc.txt");
const QOS: &str = "Name|Priority|Preempt|MaxJobsPU|MaxTRESPU\nnormal|0|||\nhigh|10|normal|5|gres/gpu=4\n";

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in [("slurm.conf", CONF), ("assoc.txt", ASSOC), ("qos.txt", QOS)] {
            folder.write(name, text);
        }
        folder
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }
    fn read(&self) -> Result<SlurmSite, String> {
        let files = SiteFiles {
            conf: self.path("slurm.conf"),
            gres: None,
            associations: Some(self.path("assoc.txt")),
            qos: Some(self.path("qos.txt")),
            reservations: Some(self.path("reservations.txt")).filter(|path| path.exists()),
            events: None,
            usage: None,
            burst_buffers: Vec::new(),
            licences: Some(self.path("licences.txt")).filter(|path| path.exists()),
        };
        SlurmSite::read(&files).map_err(|error| self.shown(&error))
    }
    /// Formats a message without the path of the folder.
    fn shown(&self, error: &ConfErrors) -> String {
        error.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn header(names: &[(Naming, u32, &str)]) -> Header {
    let mut header = Header::default();
    names.iter().for_each(|&(of, number, name)| header.name(of, number, name));
    header
}

#[test]
fn a_site_has_the_names_of_the_log() {
    let site = Folder::new().read().unwrap();
    let header = header(&[
        (Naming::Partition, 1, "gpu"),
        (Naming::Partition, 2, "gpu,cpu"),
        (Naming::Group, 1, "biology"),
        (Naming::Queue, 1, "high"),
    ]);
    let given = [
        (3, "@partition-gpu"),
        (4, "%3"),
        (5, "%3"),
        (7, "%3"),
        (8, "%8"),
        (9, "+9"),
        (10, "+9"),
        (11, "+11"),
    ];
    let given = given.into_iter().map(|(job, name)| (JobId(job), vec![(name.to_owned(), 2)])).collect();
    let of_log = site.for_log(&header, &given, &JobCounts::default()).unwrap();
    let array = |jobs: &[(u64, u64)]| JobArray { jobs: jobs.to_vec(), running: 2 };
    assert_eq!(of_log.settings.arrays, [array(&[(4, 5), (7, 7)]), array(&[(8, 8)])]);
    assert_eq!(of_log.settings.together, [[9, 10]]);
    let kinds: Vec<_> =
        of_log.kinds.iter().map(|it| (it.name.as_str(), it.nodes, it.features.join(" "))).collect();
    assert_eq!(kinds, [("n1", 3, String::new()), ("g1", 2, "partition-gpu".to_owned())]);
    let settings = of_log.settings;
    settings.check().unwrap();
    let partitions: Vec<_> = settings.partitions.iter().map(|it| it.partitions.clone()).collect();
    assert_eq!(partitions, [vec![NO_JOBS], vec![1, 2]]);
    let accounts: Vec<_> =
        settings.accounts.iter().map(|it| (it.name.as_str(), it.shares, it.groups.clone())).collect();
    assert_eq!(accounts, [("physics", 70, vec![]), ("biology", 30, vec![1]), ("biology/ben", 1, vec![])]);
    let qos: Vec<_> =
        settings.qos.iter().map(|it| (it.priority, it.queues.clone(), it.max_running_per_user)).collect();
    assert_eq!(qos, [(0, vec![NO_JOBS], None), (10, vec![1], Some(5))]);
    assert_eq!(of_log.absent, ["cpu", "normal"]);
    assert!(settings.preempting_classes().is_none());
    assert_eq!(
        of_log.ignored.to_string(),
        "\
not used, may change which jobs may start: PartitionName=cpu AllowAccounts
not used, may change run times, and which jobs run again: QOS high Preempt
not used, may change no figure: ClusterName"
    );
}

#[test]
fn names_that_other_files_lack_are_answered_with_the_nearest() {
    let site = Folder::new().read().unwrap();
    for (of, name, message) in [
        (Naming::Partition, "gpus", "partition `gpus`; did you mean `gpu`?"),
        (Naming::Group, "biologie", "account `biologie`; did you mean `biology`?"),
        (Naming::Queue, "norml", "QOS `norml`; did you mean `normal`?"),
    ] {
        let error = site
            .for_log(&header(&[(of, 1, name)]), &Asks::new(), &JobCounts::default())
            .unwrap_err()
            .to_string();
        assert!(error.ends_with(&format!("slurm.conf: the log has jobs of an unknown {message}")), "{error}");
    }
    let folder = Folder::new();
    folder.write("slurm.conf", &CONF.replace("=physics", "=phisics"));
    assert_eq!(
        folder.read().unwrap_err(),
        "slurm.conf: line 7: PartitionName=cpu: unknown account `phisics`; did you mean `physics`?"
    );
    folder.write("slurm.conf", CONF);
    folder.write("qos.txt", &QOS.replace("|normal|", "|low|"));
    assert_eq!(
        folder.read().unwrap_err(),
        "qos.txt: line 3: QOS high Preempt: unknown QOS `low`; expected normal or high"
    );
    fs::remove_file(folder.path("qos.txt")).unwrap();
    assert!(folder.read().unwrap_err().starts_with("qos.txt: "));
}

#[test]
fn a_site_may_be_another_one() {
    let folder = Folder::new();
    let changed = |changes: &[&str]| {
        let mut site = folder.read().unwrap();
        changes.iter().try_for_each(|change| site.change(change))?;
        site.for_log(&Header::default(), &Asks::new(), &JobCounts::default())
    };
    let of = |change: &str| changed(&[change]).unwrap_or_else(|error| panic!("{error}")).settings;
    assert_eq!(of("bf_interval=60").backfill.interval_s, 60);
    assert_eq!(of("PriorityWeightFairshare=0").weights.fair_share, 0);
    assert_eq!(of("PriorityFlags=NO_FAIR_TREE").fair_share, FairShare::ClassicOfUsers);
    assert_eq!(of("partition.gpu.MaxTime=1-0").partitions[1].max_time_s, Some(86_400));
    assert_eq!(of("qos.normal.MaxJobsPU=20").qos[0].max_running_per_user, Some(20));
    let gpus = |settings: &SiteSettings| settings.qos[1].limits.per_user.get("gpu").copied();
    assert_eq!((gpus(&of("bf_interval=60")), gpus(&of("qos.high.MaxTRESPU=gres/gpu=8"))), (Some(4), Some(8)));
    assert!(of("qos.high.MaxTRESPU=gres/tape=8").qos[1].limits.per_user.is_empty());
    let limited = &of("partition.gpu.QOS=high").partitions[1];
    assert_eq!((limited.limits.per_user.get("gpu"), limited.max_running_per_user), (Some(&4), Some(5)));
    assert_eq!(of("account.physics.GrpTRES=cpu=16").accounts[0].limits.total.get("cpu"), Some(&16));
    assert_eq!(of("account.physics.Fairshare=10").accounts[0].shares, 10);
    let nodes =
        |changes: &[&str]| changed(changes).unwrap().kinds.iter().map(|it| it.nodes).collect::<Vec<_>>();
    assert_eq!(nodes(&["nodes.gpu=+20", "nodes.cpu=-1"]), [2, 22]);
    let by_qos = of("preemption=on");
    assert_eq!(
        (by_qos.qos[1].preempt.join(" "), by_qos.preempt_mode),
        ("normal".to_owned(), PreemptMode::Requeue)
    );
    for row in include_str!("tests/changes.txt").lines() {
        let (change, message) = row.split_once(" => ").unwrap();
        assert_eq!(changed(&[change]).unwrap_err().to_string(), format!("--what-if: {message}"));
    }
}
