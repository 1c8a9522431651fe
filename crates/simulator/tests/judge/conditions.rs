//! Clusters and workloads for the audit of policies: conditions alone and several at once.

use dfrsim_audit::{Auditor, CheckedPolicy, Faults, Report};
use dfrsim_cluster::{
    CommonMetrics, EnergyMetrics, EstimateModel, Followers, Metrics, Observer, Occurrence, Options, Overrun,
    PlatformChange, Scheduler, SummaryOptions, records, simulate_with,
};
use dfrsim_model::event::{FORMAT_VERSION, Record};
use dfrsim_model::platform::classes::{
    DISTINCT_NODES, Demands, PlatformFields, REQUESTED_CORES, REQUESTED_NODES, UnequalNodes,
};
use dfrsim_model::platform::{FailureModel, Maintenance, NodeSet, Outages, series};
use dfrsim_model::site::{
    Account, BackfillSettings, FairShare, JobArray, JobClass, Licence, Limits, MainSettings, PreemptMode,
    PriorityWeights, Reservation, SiteSettings, SizeFactor, Tres, Unlisted, VictimOrder,
};
use dfrsim_model::{Dependencies, Job, Origin, Rng, Seed, Share, SimSpan, SimTime, UserId};
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::load;
use dfrsim_workload::lublin::{LublinParameters, generate};
use rand::RngExt;
use std::num::NonZeroU32;
use std::sync::Arc;

const NODES: u32 = 16;

/// Features that a simulated case has in addition to the plainest cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) name: &'static str,
    pub(crate) classes: bool,
    /// Use of GPUs, if they are devices of the classes.
    pub(crate) devices: Option<DeviceParts>,
    /// True if nodes without tasks fall asleep.
    pub(crate) sleep: bool,
    /// True if the cluster has licences, and a power cap that changes.
    pub(crate) cap: bool,
    /// True if the classes have speed levels, and their power a cap.
    pub(crate) levels: bool,
    pub(crate) failures: bool,
    pub(crate) maintenance: bool,
    /// True if tasks need fractions of nodes.
    pub(crate) parts: bool,
    pub(crate) site: bool,
    pub(crate) preemption: bool,
    /// True if the site has accounts, partitions, limits on any resource, and billing.
    pub(crate) whole_site: bool,
    /// Restriction of the site's settings to priorities or to limits.
    pub(crate) only: Only,
    /// True if classes have weights.
    pub(crate) weights: bool,
    /// True if jobs are killed at their estimates.
    pub(crate) kill: bool,
    /// True if policies know no run times.
    pub(crate) no_estimates: bool,
    /// True if jobs depend on others.
    pub(crate) sessions: bool,
}

/// Use of parts of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceParts {
    Held,
    ByYield,
}

/// Policies that run jobs at full speed or not at all.
pub(crate) const FULL_SPEED: [&str; 5] = ["RANKED", "SRPT", "LAS", "EDF/STRETCH=3", "GANG"];

/// Returns whether a policy at full speed needs estimates.
pub(crate) fn needs_estimates(policy: &str) -> bool {
    policy == "SRPT" || policy.starts_with("EDF")
}

impl Condition {
    /// Returns whether one of [`FULL_SPEED`] runs under the condition: they know no site, and `SRPT` and
    /// `EDF` need the estimates that jobs have wherever they are killed at them.
    pub(crate) fn is_of_full_speed(&self, policy: &str) -> bool {
        let Condition { site, weights, kill, .. } = *self;
        !site && !weights && (!needs_estimates(policy) || kill)
    }
}

pub(crate) const PLAIN: Condition = Condition {
    name: "plain",
    classes: false,
    devices: None,
    sleep: false,
    cap: false,
    levels: false,
    failures: false,
    maintenance: false,
    parts: false,
    site: false,
    preemption: false,
    whole_site: false,
    only: Only::All,
    weights: false,
    kill: false,
    no_estimates: false,
    sessions: false,
};

/// Part of a site's settings that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Only {
    All,
    SiteSettings,
    Limits,
}

/// Conditions with one feature each, for all policies; tasks need fractions of nodes.
pub(crate) const ALONE: [Condition; 11] = {
    let plain = Condition { parts: true, ..PLAIN };
    [
        plain,
        Condition { name: "kill", kill: true, ..plain },
        Condition { name: "no estimates", no_estimates: true, ..plain },
        Condition { name: "sessions", sessions: true, ..plain },
        Condition { name: "classes with GPUs", classes: true, ..plain },
        Condition { name: "failures", failures: true, ..plain },
        Condition { name: "maintenance", maintenance: true, ..plain },
        Condition { name: "fair share", site: true, only: Only::SiteSettings, ..plain },
        Condition { name: "limits", site: true, only: Only::Limits, ..plain },
        Condition { name: "preemption", site: true, preemption: true, ..plain },
        Condition { name: "weights", weights: true, ..plain },
    ]
};

pub(crate) const CONDITIONS: [Condition; 20] = [
    PLAIN,
    Condition { name: "classes", classes: true, ..PLAIN },
    Condition { name: "failures", failures: true, ..PLAIN },
    Condition { name: "maintenance", maintenance: true, ..PLAIN },
    Condition { name: "classes that fail", classes: true, failures: true, maintenance: true, ..PLAIN },
    Condition { name: "parts", parts: true, ..PLAIN },
    Condition { name: "parts of classes", parts: true, classes: true, ..PLAIN },
    Condition {
        name: "parts of classes that fail",
        parts: true,
        classes: true,
        failures: true,
        maintenance: true,
        ..PLAIN
    },
    Condition { name: "site", site: true, ..PLAIN },
    Condition { name: "site of classes", site: true, parts: true, classes: true, ..PLAIN },
    Condition { name: "site that fails", site: true, failures: true, maintenance: true, ..PLAIN },
    Condition { name: "preemption", site: true, preemption: true, ..PLAIN },
    Condition {
        name: "preemption on classes",
        site: true,
        preemption: true,
        parts: true,
        classes: true,
        ..PLAIN
    },
    Condition {
        name: "all",
        site: true,
        preemption: true,
        parts: true,
        classes: true,
        failures: true,
        maintenance: true,
        ..PLAIN
    },
    Condition { name: "devices", parts: true, classes: true, devices: Some(DeviceParts::Held), ..PLAIN },
    Condition {
        name: "shared devices that fail",
        parts: true,
        classes: true,
        devices: Some(DeviceParts::ByYield),
        failures: true,
        ..PLAIN
    },
    Condition {
        name: "site with devices",
        site: true,
        preemption: true,
        parts: true,
        classes: true,
        devices: Some(DeviceParts::Held),
        maintenance: true,
        ..PLAIN
    },
    Condition { name: "sleep", classes: true, sleep: true, ..PLAIN },
    Condition {
        name: "cap on classes that sleep",
        parts: true,
        classes: true,
        sleep: true,
        cap: true,
        ..PLAIN
    },
    Condition {
        name: "cap on devices that fail and sleep",
        parts: true,
        classes: true,
        devices: Some(DeviceParts::Held),
        sleep: true,
        cap: true,
        failures: true,
        ..PLAIN
    },
];

/// A simulated case.
#[derive(Clone)]
pub(crate) struct Case {
    condition: Condition,
    options: Options,
    priorities: Option<Arc<SiteSettings>>,
    jobs: Vec<Job>,
    followers: Followers,
}

impl Condition {
    /// Generates a cluster, a site and a workload.
    pub(crate) fn case(self, seed: u64, jobs: usize) -> Case {
        let seed = Seed::new(seed);
        let mut rng = seed.fork("case").rng();
        let mut jobs = workload(self, seed, jobs, &mut rng);
        let until = jobs.last().map_or(SimTime::ZERO, |job| job.submit);
        let estimates = ["requested", "requested", "requested", "exact", "none"][rng.random_range(0..5)];
        let estimates = if self.no_estimates { "none" } else { estimates };
        let estimates = if self.kill { "requested" } else { estimates };
        let outages = outages(self, seed, until, &mut rng);
        let options = Options {
            penalty: SimSpan::from_secs(30),
            estimates: estimates.parse::<EstimateModel>().unwrap(),
            overrun: if self.kill { Overrun::Kill } else { Overrun::Extend },
            outages: (self.failures || self.maintenance).then(|| Arc::new(outages)),
            unequal: self.classes.then(|| Arc::new(unequal(self, seed, &jobs))),
            ..Options::default()
        };
        let mut priorities = self.site.then(|| site(self.preemption, &mut rng));
        if self.whole_site {
            priorities = Some(whole_site(self.preemption, &mut rng));
        }
        if let Some(settings) = &mut priorities {
            self.only.restrict(settings, &mut rng);
            settings.epilog_s = seed.fork("epilog").rng().random_range(0_u64..600).saturating_sub(300);
        }
        if self.weights {
            weigh(priorities.get_or_insert_default(), &mut rng);
        }
        for group in priorities.iter().flat_map(|settings| &settings.together) {
            let has = |job: &Job| group.contains(&job.id.0);
            let submit = jobs.iter().find(|job| has(job)).map_or(SimTime::ZERO, |job| job.submit);
            jobs.iter_mut().filter(|job| has(job)).for_each(|job| job.submit = submit);
        }
        let (jobs, followers) = sessions(self, jobs, &mut rng);
        Case { condition: self, options, priorities: priorities.map(Arc::new), jobs, followers }
    }
}

impl Case {
    /// Sets the first submit time to zero, as in a log.
    pub(crate) fn beginning_at_zero(mut self) -> Case {
        self.jobs[0].submit = SimTime::ZERO;
        self
    }
}

fn workload(condition: Condition, seed: Seed, jobs: usize, rng: &mut Rng) -> Vec<Job> {
    let nodes = NonZeroU32::new(NODES).unwrap();
    let mut jobs = generate(&LublinParameters { nodes, jobs, ..LublinParameters::default() }, seed);
    load::scale_to_load(&mut jobs, NODES, 1.0).unwrap();
    for job in &mut jobs {
        let factor = [0.25, 5.0, 1.0, 0.9, 1.5, 2.0][rng.random_range(0..6)];
        // Whole minutes, so that many jobs are expected to end at equal times.
        let minutes = (job.run_time.as_secs_f64() * factor / 60.0).ceil().max(1.0);
        job.requested_time = (rng.random_range(0..7) > 0).then(|| SimSpan::from_secs(60 * minutes as u64));
        let origin = |rng: &mut Rng| Some(rng.random_range(0..3));
        job.origin = Origin::new(origin(rng), origin(rng), origin(rng));
        job.user = UserId::new(rng.random_range(1..5));
        let mut part = |of: u64| Share::from_ratio(rng.random_range(0..=of), 8);
        (job.cpu_need, job.memory) =
            if condition.parts { (part(8), part(4)) } else { (Share::ONE, Share::ZERO) };
    }
    jobs
}

impl Only {
    /// Removes the other settings, and sets the remaining ones.
    fn restrict(self, settings: &mut SiteSettings, rng: &mut Rng) {
        match self {
            Only::All => {}
            Only::SiteSettings => {
                settings.weights = PriorityWeights { fair_share: 1_000, age: 100, ..settings.weights };
                settings.max_running_per_user = None;
                for class in &mut settings.qos {
                    (class.max_nodes, class.total_nodes, class.max_running_per_user) = (None, None, None);
                }
            }
            Only::Limits => {
                settings.weights = PriorityWeights::default();
                settings.max_running_per_user = Some(rng.random_range(2..5));
                settings.qos.iter_mut().for_each(|class| class.total_nodes = Some(rng.random_range(8..20)));
            }
        }
    }
}

/// Gives weights to the classes.
fn weigh(settings: &mut SiteSettings, rng: &mut Rng) {
    if settings.qos.is_empty() {
        let class =
            |queue: u32| JobClass { name: queue.to_string(), queues: vec![queue], ..JobClass::default() };
        settings.qos = (0..2).map(class).collect();
    }
    settings.qos.iter_mut().for_each(|class| class.weight = Some(rng.random_range(1..6)));
}

/// Makes every third job depend on others. Either it follows the previous job after a think time, or
/// it is held until up to two jobs have ended and for a delay after the starts of up to two others.
fn sessions(condition: Condition, jobs: Vec<Job>, rng: &mut Rng) -> (Vec<Job>, Followers) {
    let (mut first, mut followers, mut before) = (Vec::new(), Followers::default(), Vec::new());
    for job in jobs {
        let id = job.id;
        match before.last() {
            Some(&last) if condition.sessions && rng.random_range(0..3) == 0 => {
                let preceding = match rng.random_range(0..2) {
                    0 => Dependencies::after(last, SimSpan::from_secs(rng.random_range(0..2_000))),
                    _ => {
                        let (ends, starts) =
                            before[before.len().saturating_sub(4)..].split_at(before.len().min(4) / 2);
                        let delay = SimSpan::from_secs(rng.random_range(0..600));
                        Dependencies::hold(ends.to_vec(), starts.iter().map(|&job| (job, delay)).collect())
                    }
                };
                followers.add(&preceding, job);
            }
            _ => first.push(job),
        }
        before.push(id);
    }
    (first, followers)
}

fn outages(condition: Condition, seed: Seed, until: SimTime, rng: &mut Rng) -> Outages {
    let part = |part: u64| SimSpan::from_micros(until.micros() / part);
    let model = FailureModel {
        between: format!("weibull:{}:0.7", until.micros() / 3_000_000).parse().unwrap(),
        repair: format!("lognormal:{}:1", until.micros() / 40_000_000).parse().unwrap(),
        rack: Some("4:0.2".parse().unwrap()),
    };
    let all = Maintenance {
        first: SimTime::ZERO + part(5),
        every: part(3),
        length: part(40),
        notice: part(rng.random_range(4..20)),
    };
    let some = Maintenance { first: SimTime::ZERO + part(9), every: part(4), ..all };
    let nodes: NodeSet = "2-4 9".parse().unwrap();
    let windows = all.windows(&NodeSet::ALL.spans(NODES), until);
    let windows = windows.into_iter().chain(some.windows(&nodes.spans(NODES), until));
    let (failures, drains) = match condition.failures {
        true => (model.draw(NODES, until, seed), model.draw(NODES, until, seed.fork("drains"))),
        false => (Vec::new(), Vec::new()),
    };
    Outages {
        interruption: ["lose", "requeue", "checkpoint:1800:30:60"][rng.random_range(0..3)].parse().unwrap(),
        failures,
        windows: if condition.maintenance { windows.collect() } else { Vec::new() },
        drains,
    }
}

/// Carbon intensities and prices, which end before the last jobs.
const SERIES: &str =
    "from_s,g_per_kwh,price_per_kwh\n0,300,0.2\n15000,120.5,-0.1\n30000,411,0.5\n45000,0,0\n60000,200,1\n";
/// Classes with different speed levels, and less power than half of their tasks draw, in steps.
const LEVELS: &str = "power = { cap = [{ from_s = 0, watts = 2300 }, { from_s = 20000, watts = 2150 }, { from_s = 60000, watts = 2400 }] }
    classes = [{ name = 'fast', nodes = 7, cores = 4, memory_gb = 8,
      power = { idle_w = 100, busy_w = 200, levels = [{ name = 'eco', speed = 0.9, busy_w = 165 }, { name = 'low', speed = 0.7, busy_w = 135 }] } },
    { name = 'gpu', nodes = 3, cores = 8, memory_gb = 16, speed = 0.5, resources = { gpu = 2 }, features = ['reservation-x'],
      power = { idle_w = 100, busy_w = 200, resources = { gpu = { idle_w = 10, busy_w = 60 } },
        levels = [{ name = 'low', speed = 0.8, busy_w = 150, resources = { gpu = 35 } }] } },
    { name = 'slow', nodes = 6, cores = 4, memory_gb = 8, speed = 0.75, power = { idle_w = 80, busy_w = 160 } }]";

fn unequal(condition: Condition, seed: Seed, jobs: &[Job]) -> UnequalNodes {
    let devices = match condition.devices {
        None => "",
        Some(DeviceParts::Held) => "devices = 'gpu'\n",
        Some(DeviceParts::ByYield) => "devices = 'gpu'\nshared = ['gpu']\n",
    };
    let power = |watts: &str| match (condition.sleep, condition.cap) {
        (false, false) => String::new(),
        (true, _) => {
            format!(", power = {{ {watts}, asleep_w = 3.5, sleep_after = 900, falls = 40, wakes = 100 }}")
        }
        (false, true) => format!(", power = {{ {watts} }}"),
    };
    let whole = match condition.cap && !condition.levels {
        true => "power = { cap = [{ from_s = 0, watts = 3600 }, { from_s = 30000, watts = 2500 }, { from_s = 90000, watts = 3400 }] }
        common = { matlab = { amount = 5 } }\n",
        false => "",
    };
    let nodes = format!(
        "classes = [{{ name = 'fast', nodes = 7, cores = 4, memory_gb = 8 {} }},
        {{ name = 'gpu', nodes = 3, cores = 8, memory_gb = 16, speed = 0.5, resources = {{ gpu = 2 }}, features = ['reservation-x'] {} }},
        {{ name = 'slow', nodes = 6, cores = 4, memory_gb = 8, speed = 0.75 {} }}]",
        power("idle_w = 100, busy_w = 200"),
        power("idle_w = 200, busy_w = 350.5, resources = { gpu = { idle_w = 10, busy_w = 60 } }"),
        power("idle_w = 80, busy_w = 141"),
    );
    let nodes = if condition.levels { LEVELS.to_owned() } else { nodes };
    let gpus = if devices.is_empty() { "gpu:0.2:1+2:0.3-1" } else { "gpu:0.5:1+2:0.2-0.9:max4" };
    let licences = condition.cap.then_some("matlab:0.3:1+2");
    let requests = [gpus, "@reservation-x:0.1"].into_iter().chain(licences);
    let requests = requests.map(|text| text.parse().unwrap()).collect();
    let text = format!("{devices}{whole}{nodes}");
    let mut classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
    // Platforms without a power have no use of it.
    classes.set_energy_series(series::parse("ci.csv", SERIES).unwrap());
    // Some jobs need different nodes, and some requested other numbers of cores or nodes than they
    // have.
    let listed = |job: &Job| {
        let mut rng = seed.fork("listed").numbered(job.id.0).rng();
        let [cores, nodes] = [4, 3].map(|most| rng.random_range(1..=most));
        let all = [(DISTINCT_NODES, job.tasks), (REQUESTED_CORES, cores), (REQUESTED_NODES, nodes)];
        let given = all.into_iter().filter(|_| rng.random_range(0..3) == 0);
        (job.id, given.map(|(name, number)| (name.to_owned(), number)).collect())
    };
    let given = jobs.iter().map(listed).collect();
    UnequalNodes { classes, demands: Demands { requests, seed, given } }
}

fn site(preempts: bool, rng: &mut Rng) -> SiteSettings {
    let often = |rng: &mut Rng, value: u64| if rng.random_range(0..2) == 0 { 0 } else { value };
    let some =
        |rng: &mut Rng, of: std::ops::Range<u32>| (rng.random_range(0..3) == 0).then(|| rng.random_range(of));
    let modes = [PreemptMode::Requeue, PreemptMode::Cancel, PreemptMode::Suspend, PreemptMode::Off];
    let class = |rng: &mut Rng, name: &str, queue: u32| JobClass {
        name: name.to_owned(),
        priority: rng.random_range(0..4),
        queues: vec![queue],
        max_nodes: some(rng, 8..17),
        total_nodes: some(rng, 8..24),
        max_running_per_user: some(rng, 2..6),
        preempt_mode: preempts.then(|| modes[rng.random_range(0..4)]),
        grace_s: if preempts { some(rng, 1..2_000).map(u64::from) } else { None },
        ..JobClass::default()
    };
    let mut qos = ["a", "b", "c"].into_iter().zip(0..).map(|(name, queue)| class(rng, name, queue));
    let mut qos: Vec<JobClass> = qos.by_ref().collect();
    let mut partitions = Vec::new();
    if rng.random_range(0..2) == 0 {
        let tier = rng.random_range(0..3);
        partitions.push(JobClass {
            name: "p".into(),
            tier: Some(tier),
            partitions: vec![1],
            ..JobClass::default()
        });
    }
    if preempts {
        qos[1].preempt = vec!["a".to_owned(), "c".to_owned()];
    }
    let weights = PriorityWeights {
        age: rng.random_range(0..1_000),
        size: rng.random_range(0..1_000),
        fair_share: rng.random_range(0..1_000),
        qos: rng.random_range(0..1_000),
        partition: 0,
    };
    SiteSettings {
        weights: if rng.random_range(0..3) == 0 { PriorityWeights::default() } else { weights },
        max_age_s: 20_000,
        half_life_s: often(rng, 30_000),
        calc_period_s: 3_000,
        unlisted: [Unlisted::Group, Unlisted::User][rng.random_range(0..2)],
        fair_share: [FairShare::Classic, FairShare::ClassicOfUsers, FairShare::FairTree]
            [rng.random_range(0..3)],
        fair_share_dampening: rng.random_range(1..4),
        qos,
        partitions,
        max_running_per_user: some(rng, 4..12),
        backfill: BackfillSettings {
            off: rng.random_range(0..6) == 0,
            max_job_test: some(rng, 1..10),
            interval_s: often(rng, 900),
            window_s: often(rng, 20_000),
            resolution_s: often(rng, 120),
            max_job_user: some(rng, 1..6),
            max_job_part: some(rng, 1..8),
            window_linear_s: often(rng, 300),
            skips_unlicensed: false,
        },
        main: MainSettings {
            delay_s: rng.random_range(0..90),
            interval_s: rng.random_range(1..600),
            depth: rng.random_range(1..20),
            depth_per_partition: some(rng, 1..8),
        },
        preempt_exempt_time_s: often(rng, 600),
        requeue_delay_s: often(rng, 900),
        ..SiteSettings::default()
    }
}

/// Draws amounts of some TRES.
fn amounts(rng: &mut Rng, least: u64) -> Tres {
    let mut some = Tres::new();
    for (name, factor) in [("node", 1), ("cpu", 3), ("mem", 400), ("gpu", 1)] {
        if rng.random_range(0..4) == 0 {
            some.insert(name.to_owned(), factor * rng.random_range(least..4 * least));
        }
    }
    some
}

fn limits(rng: &mut Rng) -> Limits {
    let some =
        |rng: &mut Rng, of: std::ops::Range<u32>| (rng.random_range(0..4) == 0).then(|| rng.random_range(of));
    Limits {
        total: amounts(rng, 8),
        per_user: amounts(rng, 6),
        per_account: amounts(rng, 6),
        per_job: amounts(rng, 6),
        minutes: if rng.random_range(0..3) == 0 { amounts(rng, 2_000) } else { Tres::new() },
        jobs: some(rng, 2..9),
        jobs_per_user: some(rng, 1..5),
        jobs_per_account: some(rng, 1..5),
        submitted: some(rng, 4..20),
        submitted_per_user: some(rng, 3..8),
    }
}

/// Creates a site with a hierarchy of accounts, partitions of several tiers, limits on any resource,
/// and billing.
fn whole_site(preempts: bool, rng: &mut Rng) -> SiteSettings {
    let account = |rng: &mut Rng, name: &str, parent: Option<&str>, groups: &[u32]| Account {
        name: name.to_owned(),
        parent: parent.map(str::to_owned),
        shares: rng.random_range(1..5),
        groups: groups.to_vec(),
        users: Vec::new(),
        is_user: false,
        usage_s: if rng.random_range(0..2) == 0 { rng.random_range(0..100_000) } else { 0 },
        limits: if rng.random_range(0..2) == 0 { limits(rng) } else { Limits::default() },
    };
    let user = |rng: &mut Rng, name: &str, account: Option<&str>, number: Option<u32>| Account {
        users: number.into_iter().collect(),
        ..Account::user(name, account, rng.random_range(0..4))
    };
    let partition = |rng: &mut Rng, number: u32| JobClass {
        name: format!("p{number}"),
        priority: rng.random_range(0..4),
        tier: Some(rng.random_range(0..3)),
        partitions: vec![number],
        whole_nodes: rng.random_range(0..4) == 0,
        limits: if rng.random_range(0..3) == 0 { limits(rng) } else { Limits::default() },
        billing: if rng.random_range(0..2) == 0 { amounts(rng, 300) } else { Tres::new() },
        ..JobClass::default()
    };
    let mut settings = site(preempts, rng);
    settings.accounts = vec![
        account(rng, "all", None, &[]),
        account(rng, "science", Some("all"), &[0]),
        account(rng, "art", Some("all"), &[1]),
        user(rng, "root", None, None),
        user(rng, "science/1", Some("science"), Some(1)),
        user(rng, "art/1", Some("art"), Some(1)),
        user(rng, "art/idle", Some("art"), None),
    ];
    settings.partitions = (0..3).map(|number| partition(rng, number)).collect();
    settings.weights.partition = rng.random_range(0..1_000);
    if rng.random_range(0..2) == 0 {
        settings.qos[0].limits = limits(rng);
    }
    settings.limits_replace = rng.random_range(0..2) == 0;
    settings.size = [SizeFactor::Tasks, SizeFactor::NodesAndCpus][rng.random_range(0..2)];
    settings.billing = amounts(rng, 300);
    settings.arrays = [(1, 12), (20, 40)]
        .map(|range| JobArray { jobs: vec![range], running: rng.random_range(1..5) })
        .to_vec();
    if rng.random_range(0..2) == 0 {
        settings.together =
            (1..12).map(|group| (5 * group..5 * group + rng.random_range(2..4)).collect()).collect();
        settings.backfill.off = false;
    }
    if rng.random_range(0..2) == 0 {
        let from_s = rng.random_range(0..60_000);
        let until_s = from_s + rng.random_range(1..40_000);
        settings.reservations = vec![Reservation { name: "x".to_owned(), from_s, until_s }];
    }
    settings.decay_within_period = rng.random_range(0..2) == 0;
    add_rules_of_slurm(&mut settings, rng);
    settings
}

/// Adds rules that only Slurm has: limits of users and of cores per node, licences, weights of
/// resources, and orders of preemption.
fn add_rules_of_slurm(settings: &mut SiteSettings, rng: &mut Rng) {
    for account in settings.accounts.iter_mut().filter(|account| account.is_user) {
        account.limits = if rng.random_range(0..2) == 0 { limits(rng) } else { Limits::default() };
    }
    for partition in &mut settings.partitions {
        partition.max_cores_per_node = (rng.random_range(0..4) == 0).then(|| rng.random_range(1..8));
    }
    if rng.random_range(0..2) == 0 {
        let jobs = (1..60).filter(|_| rng.random_range(0..3) == 0).collect::<Vec<u64>>();
        let jobs = jobs.into_iter().map(|job| (job, rng.random_range(1..4))).collect();
        settings.licences = vec![Licence { name: "a".to_owned(), total: rng.random_range(2..6), jobs }];
    }
    if rng.random_range(0..2) == 0 {
        settings.tres_weights = amounts(rng, 300);
    }
    settings.victims = VictimOrder::ALL[rng.random_range(0..VictimOrder::ALL.len())];
    settings.preempt_reorders = rng.random_range(0..3);
    settings.preempt_strict_order = rng.random_range(0..3) == 0;
}

/// Collects the records that an events file would have.
struct Recorder(Vec<Record<'static>>);

impl Observer for Recorder {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.0.push(occurrence.record(now, job));
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.0.push(change.record(now));
    }
}

impl Case {
    /// Returns the record of a policy; `None` if it completes no job.
    pub(crate) fn records(&self, name: &str) -> Option<Vec<Record<'static>>> {
        self.records_of(name, |scheduler| scheduler)
    }

    /// Returns the record of the scheduler that `made` derives from the policy's; `None` if it
    /// completes no job.
    pub(crate) fn records_of(
        &self,
        name: &str,
        made: impl FnOnce(Box<dyn Scheduler>) -> Box<dyn Scheduler>,
    ) -> Option<Vec<Record<'static>>> {
        let policy: Policy = name.parse().unwrap();
        let Options { penalty, outages, unequal, .. } = &self.options;
        let mut before = vec![Record::Run {
            format: FORMAT_VERSION,
            policy: name.to_owned().into(),
            nodes: NODES,
            penalty_us: penalty.micros(),
            tau_us: 10_000_000,
            options: None,
            period_us: None,
            kills_at_estimates: self.options.overrun == Overrun::Kill,
        }];
        let priorities = self.priorities.as_deref();
        before.extend(records::conditions(outages.as_deref(), unequal.as_deref(), priorities));
        let metrics = Metrics::new(SummaryOptions {
            outages: outages.is_some() || self.condition.preemption,
            capacity: unequal.as_ref().map(|unequal| unequal.classes.capacity()),
            ..SummaryOptions::new(NODES)
        });
        let mut options = self.options.clone();
        options.weights = self.priorities.as_ref().and_then(|settings| policy.share_weights(settings));
        options.epilog = SimSpan::from_secs(self.priorities.as_ref().map_or(0, |it| it.epilog_s));
        if !policy.lets_jobs_end() {
            options = options.without_drains();
        }
        let mut scheduler =
            made(policy.scheduler_at(NODES, &PolicyOptions::default(), self.priorities.as_ref()));
        let energy = unequal.as_ref().and_then(|unequal| EnergyMetrics::new(&unequal.classes));
        let common = unequal.as_ref().and_then(|unequal| CommonMetrics::new(&unequal.classes));
        let mut watchers = ((metrics, (energy, common)), Recorder(before));
        let jobs = self.jobs.iter().cloned();
        simulate_with(NODES, &options, jobs, self.followers.clone(), &mut *scheduler, &mut watchers)
            .unwrap_or_else(|error| panic!("{name}, {}: {error}", self.condition.name));
        let ((metrics, (energy, common)), Recorder(mut all)) = watchers;
        all.extend(records::figures(energy.as_ref(), common.as_ref()));
        all.push(metrics.summary()?.record());
        Some(all)
    }
}

impl Case {
    /// Returns the record of a policy under other settings of the site, labelled with the original
    /// settings; `None` if both schedules are equal.
    pub(crate) fn under_other_settings(
        &self,
        name: &str,
        change: impl Fn(&mut SiteSettings),
    ) -> Option<Vec<Record<'static>>> {
        let mut settings = self.priorities.as_deref()?.clone();
        change(&mut settings);
        let other = Case { priorities: Some(Arc::new(settings)), ..self.clone() };
        let (right, mut found) = (self.records(name)?, other.records(name)?);
        let place = right.iter().position(|record| matches!(record, Record::Priority { .. }))?;
        found[place] = right[place].clone();
        (found != right).then_some(found)
    }
}

/// Audits a record by the rules of a policy.
pub(crate) fn judge(records: &[Record<'_>], policy: &str) -> Result<Report, Faults> {
    let policy = CheckedPolicy::parse(policy, PolicyOptions::default().period).unwrap();
    let mut auditor = Auditor::begin(&records[0])?.with_policy(policy);
    records[1..].iter().for_each(|record| auditor.record(record));
    auditor.finish()
}
