//! Logs in the Standard Workload Format and the Grid Workloads Format, and listings of Slurm, plain and gzip, streamed and as a whole.
#![no_main]

use dfrsim_workload::formats::{gwf, pbs, slurm, swf};
use dfrsim_workload::log::{Source, Strictness};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for &strictness in Strictness::ALL {
        if let Ok(mut reader) = swf::read(bytes, "log.swf", strictness) {
            reader.by_ref().for_each(drop);
            let _ = reader.finish();
        }
        if let Ok(mut reader) = gwf::read(bytes, "log.gwf", strictness) {
            reader.by_ref().for_each(drop);
            let _ = reader.finish();
        }
        let _ = slurm::read_text(&String::from_utf8_lossy(bytes), "log.sacct", strictness);
        let _ = pbs::read_text(&String::from_utf8_lossy(bytes), "log.pbs", strictness);
        let _ = swf::read_all_from(bytes, "log.swf", strictness).map(Iterator::count);
    }
});
