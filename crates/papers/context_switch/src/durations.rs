//! Fields for the durations of actions.

use dfrsim_context_switch::{ByMemory, Durations};
use dfrsim_lab::fields::{number, serde};
use dfrsim_lab::{Digester, fields};

const PAIRS: &str = "a list of pairs of MB and seconds";

fields! {
    /// Durations of actions. Lists of pairs of MB and seconds are interpolated and extrapolated
    /// linearly; a single pair is a line through the origin. The defaults are those of the text: 26
    /// s for a migration of 2 GB and 19 s for 1 GB, up to 3 minutes for a remote resume of 2 GB and
    /// half of it for a local one.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Times {
        /// Time to boot a VM.
        pub run_s: f64 = number("a number of seconds", 0.0..=1e6), default Durations::default().run_s;
        /// Time to shut a VM down.
        pub stop_s: f64 = number("a number of seconds", 0.0..=1e6), default Durations::default().stop_s;
        /// Duration of a live migration.
        pub migrate: ByMemory = serde(PAIRS), default Durations::default().migrate;
        /// Duration of a suspend to the disk of the node.
        pub suspend: ByMemory = serde(PAIRS), default Durations::default().suspend;
        /// Duration of a resume on the node of the image.
        pub local_resume: ByMemory = serde(PAIRS), default Durations::default().local_resume;
        /// Duration of a resume on another node.
        pub remote_resume: ByMemory = serde(PAIRS), default Durations::default().remote_resume;
        /// Duration of a suspend to RAM, or of a resume from it.
        pub suspend_to_ram_s: f64 = number("a number of seconds", 0.0..=1e6), default Durations::default().doze_s;
        /// Relative increase of the duration of a migration, a suspend or a resume for each other
        /// one on its node, or on the busier of its two nodes; 1 if they share the node.
        pub contention: f64 = number("a factor", 0.0..=1e6), default Durations::default().contention;
        /// Relative increase of the duration of a suspend or a resume for each other one in the
        /// whole cluster, as their images share a storage.
        pub storage_contention: f64 =
            number("a factor", 0.0..=1e6), default Durations::default().storage_contention;
        /// Factor by which computations on a node take longer during a suspend or a local resume
        /// there.
        pub local_slowdown: f64 = number("a factor", 1.0..=1e6), default Durations::default().local_slowdown;
        /// Factor by which computations take longer on both nodes of a migration or a remote resume.
        pub remote_slowdown: f64 = number("a factor", 1.0..=1e6), default Durations::default().remote_slowdown;
    }
    renamed { "doze_s" => "suspend_to_ram_s" }
}

impl Times {
    pub(crate) fn durations(&self) -> Durations {
        Durations {
            run_s: self.run_s,
            stop_s: self.stop_s,
            migrate: self.migrate.clone(),
            suspend: self.suspend.clone(),
            local_resume: self.local_resume.clone(),
            remote_resume: self.remote_resume.clone(),
            doze_s: self.suspend_to_ram_s,
            contention: self.contention,
            storage_contention: self.storage_contention,
            local_slowdown: self.local_slowdown,
            remote_slowdown: self.remote_slowdown,
            ..Durations::default()
        }
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        let Times {
            run_s,
            stop_s,
            migrate,
            suspend,
            local_resume,
            remote_resume,
            suspend_to_ram_s,
            contention,
            storage_contention,
            local_slowdown,
            remote_slowdown,
        } = self;
        let numbers = [
            run_s,
            stop_s,
            suspend_to_ram_s,
            contention,
            storage_contention,
            local_slowdown,
            remote_slowdown,
        ];
        for number in numbers {
            digester.number(*number);
        }
        for pairs in [migrate, suspend, local_resume, remote_resume].map(ByMemory::pairs) {
            digester.integer(pairs.len() as u64);
            for (memory, seconds) in pairs {
                digester.number(*memory).number(*seconds);
            }
        }
    }
}
