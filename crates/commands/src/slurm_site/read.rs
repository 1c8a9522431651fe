//! Reader of a site's configuration files and of the log of its jobs.

use crate::failure::Failure;
use dfrsim_model::JobId;
use dfrsim_workload::formats::slurm_conf::{
    ConfErrors, Ignored, JobCounts, SimulatedSite, SiteFiles, SlurmSite,
};
use dfrsim_workload::log::{Header, Line, Naming, Reason, Record, ResourceRequests, Source as _, Whole};
use dfrsim_workload::recognise::{Expected, recognise};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Parsed configuration of a site, and facts about the log of its jobs.
#[derive(Clone, Debug)]
pub(crate) struct SiteAndLog {
    pub(super) conf: PathBuf,
    pub(crate) site: SlurmSite,
    pub(crate) header: Header,
    /// Requests of each job other than processors and memory.
    pub(crate) requests: Arc<ResourceRequests>,
    /// Number of jobs in reservations that exclude their user or account.
    pub(super) excluded: usize,
    /// Number of jobs that depend on other jobs.
    pub(crate) dependent: usize,
    unsupported: Vec<String>,
    /// Numbers of jobs by partition and QOS.
    counts: JobCounts,
}

impl SiteAndLog {
    /// Reads the files of a site and the records of its log.
    pub(crate) fn read(files: &SiteFiles, mut whole: Whole) -> Result<SiteAndLog, Failure> {
        refuse_other_kinds(files)?;
        let site = SlurmSite::read(files).map_err(Failure::input)?;
        let (header, given, mut waiting) = (whole.header().clone(), whole.resource_requests(), 0);
        let names = |of: Naming| header.names(of).collect::<BTreeMap<u32, &str>>();
        let (users, accounts, mut kept_off) = (names(Naming::User), names(Naming::Group), 0);
        let mut counts = JobCounts::default();
        let inspect = |line: Line| {
            counts.all += 1;
            let (partition, queue) = (line.record.partition, line.record.queue);
            partition.into_iter().for_each(|number| *counts.of_partition.entry(number).or_default() += 1);
            queue.into_iter().for_each(|number| *counts.of_qos.entry(number).or_default() += 1);
            let user = line.record.user.and_then(|user| users.get(&user).copied());
            let account = line.record.group.and_then(|group| accounts.get(&group).copied());
            let asked = given.get(&JobId(line.record.job)).into_iter().flatten();
            let features = asked.filter_map(|(name, _)| name.strip_prefix('@'));
            kept_off += usize::from({ features }.any(|feature| site.excludes(feature, user, account)));
            let Record { preceding_job, also_preceding, .. } = &line.record;
            waiting += usize::from(preceding_job.is_some() || !also_preceding.is_empty());
        };
        whole.by_ref().for_each(inspect);
        let account = whole.finish().map_err(Failure::input)?.account;
        let reserved = if site.has_reservations() { 0 } else { account.of(Reason::RESERVED) };
        let left_out = [
            (reserved, "job reservations, whose jobs may start on any node"),
            (account.of(Reason::SUSPENDED), "job suspensions"),
        ];
        let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
        let left_out = left_out.map(|(count, what)| format!("{what} ({count})")).collect();
        let conf = files.conf.clone();
        Ok(SiteAndLog {
            conf,
            site,
            header,
            requests: given,
            excluded: kept_off,
            dependent: waiting,
            unsupported: left_out,
            counts,
        })
    }

    /// Returns the site as it applies to the log: its node types, settings and unsupported settings.
    pub(crate) fn for_log(&self) -> Result<SimulatedSite, Failure> {
        let of_log = self.site.for_log(&self.header, &self.requests, &self.counts).map_err(Failure::input)?;
        if of_log.kinds.is_empty() {
            let reason = "no node takes jobs: each is down, drained, of no partition, or does not exist yet";
            return Err(Failure::in_file(&self.conf, reason));
        }
        Ok(of_log)
    }

    /// Refuses a site with anything that is assumed, replaced, or not simulated and may change results.
    pub(crate) fn check_strictly(&self, of_log: &SimulatedSite) -> Result<(), Failure> {
        let of_files = self.site.check_strictly(of_log).err();
        let mut lines: Vec<String> =
            of_files.iter().flat_map(ConfErrors::iter).map(ToString::to_string).collect();
        let of_log = self.unsupported.iter();
        lines.extend(of_log.map(|what| format!("{}: not simulated: {what}", self.conf.display())));
        if lines.is_empty() {
            return Ok(());
        }
        lines.push("hint: without `--strict`, these are listed".to_owned());
        Err(Failure::input(lines.join("\n")))
    }

    /// Returns the settings of the files and the features of the log that are not simulated.
    pub(crate) fn unsupported_settings(&self, of_log: &SimulatedSite) -> Ignored {
        let of_files = of_log.ignored.iter().flat_map(|(_, names)| names.iter().cloned());
        Ignored::new(of_files.chain(self.unsupported.clone()).collect())
    }
}

/// Refuses files of other kinds than their options expect, all at once. A pipe is left to its reader,
/// since it can be read only once.
fn refuse_other_kinds(files: &SiteFiles) -> Result<(), Failure> {
    let SiteFiles { conf, gres, associations, qos, reservations, events, usage, burst_buffers, licences } =
        files;
    let buffers = burst_buffers.iter().map(|file| (Some(file), Expected::BurstBuffer));
    let given = [
        (Some(conf), Expected::SlurmConf),
        (gres.as_ref(), Expected::GresConf),
        (associations.as_ref(), Expected::Associations),
        (qos.as_ref(), Expected::Qos),
        (reservations.as_ref(), Expected::Reservations),
        (events.as_ref(), Expected::NodeEvents),
        (usage.as_ref(), Expected::Usage),
        (licences.as_ref(), Expected::Licences),
    ];
    let refusal = |path: &Path, expected| {
        let message = recognise(path).ok()?.refusal_as(expected)?;
        Some(format!("{}: {message}", path.display()))
    };
    let files = given.into_iter().chain(buffers).filter_map(|(path, expected)| Some((path?, expected)));
    let files = files.filter(|(path, _)| path.is_file());
    let wrong: Vec<String> = files.filter_map(|(path, expected)| refusal(path, expected)).collect();
    if wrong.is_empty() { Ok(()) } else { Err(Failure::input(wrong.join("\n"))) }
}
