//! Events files, as the independent checker reads them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| drop(dfrsim_audit::audit(bytes)));
