//! Configuration files of a site, as given on the command line.

use clap::Args;
use dfrsim_workload::formats::slurm_conf::SiteFiles;
use std::path::{Path, PathBuf};

/// Configuration files in addition to `slurm.conf`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Site")]
pub(crate) struct SiteArguments {
    /// gres.conf: types and numbers of GPUs and other generic resources, if slurm.conf does not
    /// specify them
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    gres: Option<PathBuf>,
    /// Accounts with their shares: the output of `sacctmgr show assoc tree --parsable2` or `sacctmgr
    /// dump`
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    sacctmgr: Option<PathBuf>,
    /// Qualities of service, with priorities, limits and preemption: the output of `sacctmgr show
    /// qos --parsable2`
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    qos: Option<PathBuf>,
    /// Reservations, which keep nodes for certain jobs for a time: the output of `scontrol show
    /// reservation`, or of `sacctmgr show reservation --parsable2`, which has those of the past
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    reservations: Option<PathBuf>,
    /// Times at which nodes were down or drained: the output of `sacctmgr show event --parsable2`
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    events: Option<PathBuf>,
    /// Usage of accounts and users before the first job: the output of `sshare -a -l --parsable2`
    #[arg(long, value_name = "FILE", requires = "sacctmgr", value_hint = clap::ValueHint::FilePath)]
    usage: Option<PathBuf>,
    /// Space of burst buffers: the output of `scontrol show burst`, and burst_buffer.conf. May be given
    /// several times
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    burst_buffer: Vec<PathBuf>,
    /// Licences that slurm.conf does not define, such as remote ones: the output of `scontrol show
    /// licenses`
    #[arg(long, value_name = "FILE", requires = "slurm_conf", value_hint = clap::ValueHint::FilePath)]
    licenses: Option<PathBuf>,
}

impl SiteArguments {
    /// Returns the paths of all files of the site.
    pub(crate) fn files(&self, conf: &Path) -> SiteFiles {
        let SiteArguments { gres, sacctmgr, qos, reservations, events, usage, burst_buffer, licenses } =
            self.clone();
        let (conf, associations) = (conf.to_owned(), sacctmgr);
        let (burst_buffers, licences) = (burst_buffer, licenses);
        SiteFiles { conf, gres, associations, qos, reservations, events, usage, burst_buffers, licences }
    }
}
