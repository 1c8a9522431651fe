//! Tests data transfers, periodically published cluster states, and failing clusters: schedules
//! derived by hand, and properties of every grid.

use crate::golden::{every_ten_seconds, jobs, platform, schedule};
use crate::support::{self, audited};
use dfrsim_model::platform::classes::{DEVICE_PART, Demands, PlatformFields, UnequalNodes};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{JobId, Share, SimSpan, SimTime};
use dfrsim_paper_reallocation::engine::{
    Algorithm, Backfilling, BatchPolicy, ClusterSpec, Comparison, Compression, Conditions, GridJob,
    Heuristic, Mapping, Options, Outage, Platform, Transfer, simulate,
};
use dfrsim_policies::batch::guarantees_start_times;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::sync::Arc;

fn outages(rows: &[(usize, u64, u64)]) -> Vec<Outage> {
    let outage = |&(cluster, from, until): &(usize, u64, u64)| Outage {
        cluster,
        from: SimTime::from_secs(from),
        until: SimTime::from_secs(until),
    };
    rows.iter().map(outage).collect()
}

/// Clusters of one core. Job 1 has the first until 30 s, job 2 the second until 40 s by its
/// walltime, so job 3 queues on the first, to end at 40 s. Job 2 ends at 4 s. At 10 s job 3 could
/// move and start immediately: it would end at 20 s plus the transfer time of its data.
#[test]
fn data_have_to_follow_a_job_that_moves() {
    let jobs = jobs(&[(0, 1, 30, 30), (0, 1, 4, 40), (1, 1, 10, 10)]);
    let third = |fixed, algorithm, heuristic| {
        let transfer = Transfer { fixed: SimSpan::from_secs(fixed), per_core: SimSpan::from_secs(1) };
        let options = Options { transfer, ..every_ten_seconds(algorithm, heuristic) };
        let outcome = audited(&platform(&[1, 1]), &jobs, &options).unwrap();
        assert_eq!(schedule(&outcome)[..2], [(0, 0, 30), (1, 0, 4)]);
        schedule(&outcome)[2]
    };
    for algorithm in Algorithm::ALL.iter().copied() {
        for heuristic in Heuristic::ALL.iter().copied() {
            assert_eq!(third(5, algorithm, heuristic), (1, 10, 26), "{algorithm} {heuristic}");
            // The gain would be 0.
            assert_eq!(third(19, algorithm, heuristic), (0, 30, 40), "{algorithm} {heuristic}");
        }
    }
    let (copies, transfer) = (2, Transfer { fixed: SimSpan::from_secs(1), per_core: SimSpan::ZERO });
    let options = Options { copies, transfer, ..Options::default() };
    let error = simulate(&platform(&[1, 1]), &jobs, &options, ()).unwrap_err();
    let expected = "jobs submitted to several clusters cannot have data transfers; use one of the two";
    assert_eq!(error.to_string(), expected);
}

/// Clusters of one core. Job 1 has the first until 50 s by its walltime, and ends at 10 s; job 2 has
/// the second until 55 s, and ends at 40 s. Jobs 3 and 4 arrive at 20 s and 21 s. With current
/// states the first cluster is free: they run there from 20 s and from 30 s on. States published at
/// 15 s show that too. If the meta-scheduler only knows its own decisions, it expects job 3 to end
/// at 60 s on the first cluster, or at 65 s on the second, and job 4 at 70 s on the first, behind
/// job 3, or at 65 s on the second, where it waits until 40 s.
#[test]
fn what_was_published_may_not_be_so_any_more() {
    let jobs = jobs(&[(0, 1, 10, 50), (0, 1, 40, 55), (20, 1, 10, 10), (21, 1, 10, 10)]);
    let last = |seconds: Option<u64>| {
        let publication_period = seconds.map(SimSpan::from_secs);
        let options = Options { publication_period, ..Options::default() };
        let outcome = audited(&platform(&[1, 1]), &jobs, &options).unwrap();
        assert_eq!(schedule(&outcome)[..3], [(0, 0, 10), (1, 0, 40), (0, 20, 30)]);
        // The first cluster reported this itself when job 3 arrived.
        assert_eq!(outcome.jobs[2].unwrap().promised, SimTime::from_secs(30));
        schedule(&outcome)[3]
    };
    assert_eq!([None, Some(15), Some(100)].map(last), [(0, 30, 40), (0, 30, 40), (1, 40, 50)]);
    let options = Options { publication_period: Some(SimSpan::ZERO), ..Options::default() };
    let error = simulate(&platform(&[1, 1]), &jobs, &options, ()).unwrap_err();
    assert_eq!(error.to_string(), "the periods of reallocation and publication must be above 0");
}

/// The first cluster has a fast node and one of half its speed, the second has one fast node. Job 1
/// has the fast node of the first until 40 s by its walltime, and ends at 4 s. Job 2 ends at 31 s on
/// the second; it would end at 61 s on the slow node. Job 3 runs there until 22 s. Job 4 is expected
/// there from 22 s until 32 s, which is before 36 s on the second; it starts at 4 s on the fast
/// node. Job 5 starts there at 9 s, by the state published at 5 s; by the previous state it would
/// end at 72 s, on the slow node, or at 51 s on the second cluster.
#[test]
fn what_unequal_nodes_published_may_not_be_so_any_more() {
    let jobs = jobs(&[(0, 1, 4, 40), (1, 1, 30, 30), (2, 1, 10, 10), (3, 1, 5, 5), (6, 1, 20, 20)]);
    let unequal = Conditions { unequal: Some(support::unequal(2)), ..Conditions::default() };
    let [mut first, second] = platform(&[2, 1]).clusters().to_vec().try_into().unwrap();
    first.conditions = unequal;
    let platform = Platform::new(vec![first, second], platform(&[1]).local()).unwrap();
    let last = |seconds: Option<u64>| {
        let publication_period = seconds.map(SimSpan::from_secs);
        let options = Options { publication_period, ..Options::default() };
        let outcome = audited(&platform, &jobs, &options).unwrap();
        assert_eq!(schedule(&outcome)[..3], [(0, 0, 4), (1, 1, 31), (0, 2, 22)]);
        assert_eq!(schedule(&outcome)[3], (0, 4, 9));
        schedule(&outcome)[4]
    };
    assert_eq!([None, Some(5), Some(100)].map(last), [(0, 9, 29), (0, 9, 29), (1, 31, 51)]);
}

/// Clusters of one node with two GPUs, on which jobs need a quarter of the CPU. Jobs 1 and 2 need 0.6 of
/// a GPU and get one each on the first cluster. Job 3 needs 0.6, too: no device of the first has room
/// until 10 s, so it goes to the second. Job 4 needs 0.4 and starts beside job 1.
#[test]
fn free_parts_of_two_devices_of_a_cluster_do_not_add_up() {
    let mut jobs = jobs(&[(0, 1, 10, 10), (0, 1, 10, 10), (1, 1, 10, 10), (2, 1, 10, 10)]);
    jobs.iter_mut().for_each(|job| job.traits.cpu_need = Share::from_ratio(1, 4));
    let text = "devices = 'gpu'\nclasses = [{ name = 'a', nodes = 1, cores = 4, memory_gb = 1, resources = { gpu = 2 } }]";
    let classes = PlatformFields::parse("platform.toml", text).unwrap().classes().unwrap();
    let ask = |(job, tenths)| {
        let part = Share::from_ratio(tenths, 10).units();
        (JobId(job), vec![("gpu".to_owned(), 1), (DEVICE_PART.to_owned(), part)])
    };
    let given = [(0, 6), (1, 6), (2, 6), (3, 4)].into_iter().map(ask).collect();
    let unequal = Some(Arc::new(UnequalNodes { classes, demands: Demands { given, ..Demands::default() } }));
    for policy in ["FCFS/NODES=SHARED", "FIRSTFIT/NODES=SHARED", "EASY/NODES=SHARED", "CONS/NODES=SHARED"] {
        let conditions = Conditions { unequal: unequal.clone(), ..Conditions::default() };
        let spec = |it: &ClusterSpec| ClusterSpec { conditions: conditions.clone(), ..it.clone() };
        let specs = platform(&[1, 1]).clusters().iter().map(spec).collect();
        let policy: BatchPolicy = policy.parse().unwrap();
        let outcome = audited(&Platform::new(specs, policy).unwrap(), &jobs, &Options::default()).unwrap();
        assert_eq!(schedule(&outcome), [(0, 0, 10), (0, 0, 10), (1, 1, 11), (0, 2, 12)], "{policy}");
    }
}

/// The first cluster has two nodes and one licence, which every job needs there; the second has one node.
/// Job 1 has the licence until 10 s. Job 2 would end at 20 s on the other node, and ends at 11 s on the
/// second cluster. Job 3 ends at 20 s with the licence, before 21 s there. Job 4 needs two nodes of the
/// first, at 20 s.
#[test]
fn clusters_have_licences_of_their_own() {
    let jobs = jobs(&[(0, 1, 10, 10), (1, 1, 10, 10), (2, 1, 10, 10), (3, 2, 5, 5)]);
    let text = "common = { matlab = { amount = 1, per_job = 1 } }\n\
                classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8 }]";
    let classes = PlatformFields::parse("platform.toml", text).unwrap().classes().unwrap();
    let unequal = Some(Arc::new(UnequalNodes { classes, demands: Demands::default() }));
    for discipline in [Backfilling::Fcfs, Backfilling::Easy, Backfilling::Conservative(Compression::OneByOne)]
    {
        let conditions = Conditions { unequal: unequal.clone(), ..Conditions::default() };
        let [mut first, second] = platform(&[2, 1]).clusters().to_vec().try_into().unwrap();
        first.conditions = conditions;
        let platform = Platform::new(vec![first, second], discipline).unwrap();
        let outcome = audited(&platform, &jobs, &Options::default()).unwrap();
        assert_eq!(schedule(&outcome), [(0, 0, 10), (1, 1, 11), (0, 10, 20), (0, 20, 25)], "{discipline:?}");
    }
}

/// Two nodes may draw 100 W. Job 1 draws 60 W at full speed, and job 2 has 40 W left, with which it runs at
/// half speed.
#[test]
fn jobs_of_a_cluster_run_at_speed_levels() {
    let jobs = jobs(&[(0, 1, 10, 10), (0, 1, 10, 10)]);
    let text = "power = { cap_w = 100 }\n\
                classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, power = { idle_w = 0, busy_w = 60, \
                levels = [{ name = 'eco', speed = 0.5, busy_w = 40 }] } }]";
    let classes = PlatformFields::parse("platform.toml", text).unwrap().classes().unwrap();
    let unequal = Some(Arc::new(UnequalNodes { classes, demands: Demands::default() }));
    for discipline in [Backfilling::Fcfs, Backfilling::Easy, Backfilling::Conservative(Compression::OneByOne)]
    {
        let conditions = Conditions { unequal: unequal.clone(), ..Conditions::default() };
        let [mut only] = platform(&[2]).clusters().to_vec().try_into().unwrap();
        only.conditions = conditions;
        let platform = Platform::new(vec![only], discipline).unwrap();
        let outcome = audited(&platform, &jobs, &Options::default()).unwrap();
        assert_eq!(schedule(&outcome), [(0, 0, 10), (0, 0, 20)], "{discipline:?}");
    }
}

/// Clusters of one core. Job 1 has the first until 30 s, job 2 the second until 40 s. Job 3 and job
/// 4, a local one, queue on the first, for 30 s and 40 s. That cluster fails from 10 s to 50 s. Job
/// 1 restarts on the second at 40 s, job 3 follows it there at 70 s, and job 4 must wait until 50 s.
/// When it starts, job 3 gains ten seconds by moving back, behind it.
#[test]
fn a_cluster_that_fails_loses_its_jobs() {
    let mut jobs = jobs(&[(0, 1, 30, 30), (0, 1, 40, 40), (1, 1, 10, 10), (2, 1, 10, 10)]);
    jobs[3].home = Some(0);
    let platform = platform(&[1, 1]).with_outages(outages(&[(0, 10, 50)])).unwrap();
    let outcome = audited(&platform, &jobs, &Options::default()).unwrap();
    assert_eq!(schedule(&outcome), [(1, 40, 70), (1, 0, 40), (1, 70, 80), (0, 50, 60)]);
    assert_eq!((outcome.losses, outcome.lost_work), (1, 10_000_000));
    assert_eq!((outcome.moves, outcome.cancellations), (2, 2));
    assert_eq!(outcome.jobs.iter().flatten().map(|job| job.losses).collect::<Vec<_>>(), [1, 0, 0, 0]);
    for heuristic in Heuristic::ALL.iter().copied() {
        let outcome = audited(&platform, &jobs, &every_ten_seconds(Algorithm::Without, heuristic)).unwrap();
        assert_eq!(schedule(&outcome)[2..], [(0, 60, 70), (0, 50, 60)], "{heuristic}");
        assert_eq!(outcome.moves, 3);
    }
}

/// Job 1 ends at the time at which its cluster, the only one that is large enough, fails; job 2
/// arrives during the outage.
#[test]
fn jobs_without_a_cluster_are_held() {
    let jobs = jobs(&[(0, 2, 10, 20), (15, 2, 10, 10), (40, 1, 1, 1)]);
    let platform = platform(&[2, 1]).with_outages(outages(&[(0, 10, 30)])).unwrap();
    let outcome = audited(&platform, &jobs, &Options::default()).unwrap();
    assert_eq!(schedule(&outcome), [(0, 0, 10), (0, 30, 40), (0, 40, 41)]);
    assert_eq!((outcome.losses, outcome.moves, outcome.cancellations), (0, 0, 0));
}

#[test]
fn outages_come_one_after_the_other() {
    let error = |rows| platform(&[1, 1]).with_outages(outages(rows)).unwrap_err().to_string();
    assert!(platform(&[1, 1]).with_outages(outages(&[(0, 5, 6), (1, 1, 2), (0, 7, 8)])).is_ok());
    let expected = "outage of cluster 0 from 6 to 8 s: expected an existing cluster, and outages in order of time that do not overlap";
    assert_eq!(error(&[(0, 5, 6), (0, 6, 8)]), expected);
    assert!(error(&[(0, 5, 5)]).starts_with("outage of cluster 0 from 5 to 5 s"));
    assert!(error(&[(2, 1, 5)]).starts_with("outage of cluster 2"));
}

/// All jobs are from the first site, which has one core; the second has two. Job 3 is too large for
/// the first. Job 2 waits at home until job 1 ends at 30 s, or until it moves at 10 s; the jobs of
/// the site then end 20 / 3 s earlier on average.
#[test]
fn jobs_are_submitted_at_home_and_may_move_from_there() {
    let mut jobs = jobs(&[(0, 1, 30, 30), (1, 1, 10, 10), (2, 2, 5, 5)]);
    jobs.iter_mut().for_each(|job| job.site = Some(0));
    let run =
        |options| audited(&platform(&[1, 2]), &jobs, &Options { mapping: Mapping::Home, ..options }).unwrap();
    let stays = run(Options::default());
    assert_eq!(schedule(&stays), [(0, 0, 30), (0, 30, 40), (1, 2, 7)]);
    let moves = run(every_ten_seconds(Algorithm::Without, Heuristic::Mct));
    assert_eq!(schedule(&moves), [(0, 0, 30), (1, 10, 20), (1, 2, 7)]);
    assert_eq!(Comparison::delays_of_sites(2, &jobs, &stays, &moves), [-20.0 / 3.0, 0.0]);
}

/// Sets the run times to the walltimes, and makes no job local.
fn exact(jobs: Vec<GridJob>) -> Vec<GridJob> {
    jobs.into_iter().map(|job| GridJob { run: job.walltime, home: None, ..job }).collect()
}

/// Checks that a grid with exact walltimes and policies that guarantee start times has equal
/// schedules with published and with current states.
fn published_states_suffice(
    platform: &Platform,
    jobs: Vec<GridJob>,
    options: Options,
    period: u64,
) -> Result<(), TestCaseError> {
    let platform = keeping_promises(platform);
    let options = Options { copies: 1, reallocation: None, publication_period: None, ..options };
    let published = Options { publication_period: Some(SimSpan::from_micros(period)), ..options };
    let jobs = exact(jobs);
    prop_assert_eq!(audited(&platform, &jobs, &published)?, audited(&platform, &jobs, &options)?);
    Ok(())
}

/// Replaces policies that do not guarantee start times with CONS.
fn keeping_promises(platform: &Platform) -> Platform {
    let cons = BatchPolicy::from(Backfilling::Conservative(Compression::OneByOne));
    let keeping = |local: BatchPolicy| if guarantees_start_times(local) { local } else { cons };
    let own = |spec: &ClusterSpec| ClusterSpec { local: spec.local.map(keeping), ..spec.clone() };
    Platform::new(platform.clusters().iter().map(own).collect(), keeping(platform.local())).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(20_000), ..ProptestConfig::default() })]

    /// Every job has one uninterrupted run, and its other runs are counted.
    #[test]
    fn no_job_runs_on_a_cluster_that_has_failed(
        platform in support::failing_platform(support::policies()), jobs in support::jobs(), options in support::options(),
    ) {
        let outcome = audited(&platform, &jobs, &options)?;
        let ran = outcome.jobs.iter().flatten();
        for job in ran.clone() {
            let of_cluster = platform.outages().iter().filter(|outage| outage.cluster == job.cluster);
            for outage in of_cluster {
                prop_assert!(job.end <= outage.from || outage.until <= job.start);
            }
        }
        prop_assert_eq!(ran.map(|job| u64::from(job.losses)).sum::<u64>(), outcome.losses);
        prop_assert_eq!(outcome.losses == 0, outcome.lost_work == 0);
    }

    /// The meta-scheduler knows all events under these policies if walltimes are exact and no job is
    /// local.
    #[test]
    fn published_states_suffice_if_walltimes_are_exact(
        platform in support::platform(support::policies()), jobs in support::jobs(), options in support::options(),
        period in 1_u64..60,
    ) {
        published_states_suffice(&platform, jobs, options, period)?;
    }

    /// Data are not transferred unless jobs move.
    #[test]
    fn without_moves_there_is_no_transfer(
        platform in support::platform(support::policies()), jobs in support::jobs(), options in support::options(),
        transfer in support::transfer(),
    ) {
        let options = Options { copies: 1, reallocation: None, ..options };
        let here = Options { transfer: Transfer::default(), ..options };
        let there = Options { transfer, ..options };
        prop_assert_eq!(audited(&platform, &jobs, &there)?, audited(&platform, &jobs, &here)?);
    }

    /// Outages after the last job have no effect.
    #[test]
    fn what_happens_after_the_last_job_does_not_matter(
        platform in support::platform(support::policies()), jobs in support::jobs(), options in support::options(),
    ) {
        let late = |cluster| Outage { cluster, from: SimTime::from_secs(1), until: SimTime::from_secs(2) };
        let outages: Vec<Outage> = (0..platform.clusters().len()).map(late).collect();
        let failing: Platform = platform.clone().with_outages(outages).unwrap();
        prop_assert_eq!(audited(&failing, &jobs, &options)?, audited(&platform, &jobs, &options)?);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(5_000), ..ProptestConfig::default() })]

    /// Checks published states with exact walltimes on clusters whose nodes differ.
    #[test]
    fn published_states_of_unequal_nodes_suffice_if_walltimes_are_exact(
        platform in support::platform(support::policies()).prop_flat_map(|it| support::with_conditions(it, false)),
        jobs in support::jobs(), options in support::options(), period in 1_u64..60,
    ) {
        published_states_suffice(&platform, jobs, options, period)?;
    }

    /// Clusters with different nodes or outages publish their states, and the checker accepts the
    /// schedules.
    #[test]
    fn grids_with_conditions_have_no_fault(
        platform in support::platform(support::sharing_policies()).prop_flat_map(|it| support::with_conditions(it, true)),
        jobs in support::jobs(), options in support::options(),
    ) {
        audited(&platform, &jobs, &options)?;
    }

    /// Clusters keep nodes allocated for the epilogs of their sites.
    #[test]
    fn grids_with_epilogs_have_no_fault(
        platform in support::platform(support::sharing_policies()), epilogs in prop::collection::vec(0_u64..20, 3),
        jobs in support::jobs(), options in support::options(),
    ) {
        let (jobs, options) = support::in_seconds(jobs, options);
        let of_site = |(spec, &epilog_s): (&ClusterSpec, &u64)| {
            let site = Some(Arc::new(SiteSettings { epilog_s, ..SiteSettings::default() }));
            ClusterSpec { conditions: Conditions { site, ..Conditions::default() }, ..spec.clone() }
        };
        let specs = platform.clusters().iter().zip(&epilogs).map(of_site).collect();
        audited(&Platform::new(specs, platform.local()).unwrap(), &jobs, &options)?;
    }
}
