//! Tests a process that does not answer, with a time limit for this process alone.
#![cfg(unix)]

use dfrsim_cluster::{Options, simulate};
use dfrsim_model::{Job, JobId, SimSpan};
use dfrsim_policies::{Policies, PolicyOptions};
use std::net::TcpListener;
use std::process::Command;

/// Environment variable that is set in the process that runs the test itself.
const LIMIT: &str = "DFRSIM_POLICY_TIMEOUT";

/// Runs itself again with another environment, since the test may not change its own.
#[test]
fn a_process_that_is_late_or_does_not_read_is_ended() {
    if std::env::var_os(LIMIT).is_none() {
        let this = std::env::current_exe().unwrap();
        let status = Command::new(this).env(LIMIT, "0.3").status().unwrap();
        assert!(status.success());
        return;
    }
    let policies = dfrsim_external::families().into_iter().fold(Policies::standard(), Policies::with_family);
    let job = |id: u64| Job { id: JobId(id), run_time: SimSpan::from_secs(1), ..Job::default() };
    // The request for these jobs is larger than a pipe's buffer.
    for script in ["sleep 60", "echo {}; sleep 60", "read -r ask; echo wait >&2; sleep 60"] {
        let policy = policies.parse(&format!("pipe:sh -c 'exec 3>&-; {script}'")).unwrap();
        let mut scheduler = policy.scheduler(2, &PolicyOptions::default());
        let jobs: Vec<Job> = (1..=2000).map(job).collect();
        let found = simulate(2, &Options::default(), jobs, &mut *scheduler, &mut ()).unwrap_err().to_string();
        assert!(found.contains("its process did not answer within 0.3 s"), "{found}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    for (policy, expected) in [
        ("batsim:sh -c 'exit 3' {endpoint}".to_owned(), "its process ended with exit status: 3"),
        ("batsim:sh -c 'exec sleep 60' {endpoint}".to_owned(), "no scheduler listens after 0.3 s"),
        // The listener accepts connections and stays silent.
        (format!("batsim:tcp://{address}"), "mechanism NULL) after 0.3 s"),
    ] {
        let mut scheduler = policies.parse(&policy).unwrap().scheduler(2, &PolicyOptions::default());
        let found = simulate(2, &Options::default(), [job(1)], &mut *scheduler, &mut ());
        let found = found.unwrap_err().to_string();
        assert!(found.contains(expected), "{found}");
    }
}
