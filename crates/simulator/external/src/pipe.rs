//! Lines of JSON over pipes: the [protocol](crate::protocol) with one message and one answer per
//! line.
//!
//! The command alternately reads standard input and writes standard output; standard error is free
//! for diagnostics.
//!
//! ```text
//! <- {"event":"begin","format":1,"nodes":4,"share_units":943718400,"seed":501387407,"penalty":0.0}
//! -> {}
//! <- {"event":"decide","now":0.0,"tick":false,"all_submitted":true,"submitted":[{"job":0,"id":17,"submit":0.0,"tasks":2,
//!     "cpu_need":1.0,"memory":0.1,"estimate":3600.0}],"completed":[]}
//! -> {"changes":[{"do":"start","job":0,"nodes":[0,1]}]}
//! <- {"event":"decide","now":3500.0,"tick":false,"all_submitted":true,"submitted":[],"completed":[0]}
//! -> {}
//! <- {"event":"end","now":3500.0}
//! ```

use crate::command::Command;
use crate::fault::invalid_answer;
use crate::process::{EXIT_GRACE, LineChannel, Process};
use crate::protocol::{Answer, Greeting, Message, Partner, ProtocolScheduler};
use dfrsim_model::site::SiteSettings;
use dfrsim_policies::CustomPolicy;
use dfrsim_policies::fractional::PolicySetting;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;

/// Creates the policy of a name such as `pipe:./my-scheduler --fast#2`.
///
/// # Errors
///
/// The name has no command, or a file that it names cannot be read.
pub fn policy(name: &str) -> Result<CustomPolicy, String> {
    let command = Command::parse(name)?;
    let (version, files) = (command.version.clone(), command.files.clone());
    let make = move |nodes, _: &_, site: Option<&Arc<SiteSettings>>| {
        let partner = PipedProcess { command: command.clone(), running: None };
        Box::new(ProtocolScheduler::new(partner, nodes).at_site(site)) as _
    };
    let policy = CustomPolicy::new(name, version, make).reading([PolicySetting::Site]).running_command(files);
    Ok(policy.described("a command that reads and writes lines of JSON"))
}

/// A process that is started with its first message.
struct PipedProcess {
    command: Command,
    running: Option<(Process, LineChannel)>,
}

impl PipedProcess {
    /// Sends a message and returns the answer.
    fn ask<T: DeserializeOwned>(&mut self, message: &Message<'_>) -> Result<T, String> {
        let limit: Duration = self.command.limit;
        let (process, lines) = match &mut self.running {
            Some(running) => running,
            none => none.insert(Process::start_piped(&self.command.words)?),
        };
        let answer = lines.ask(&line(message), process, limit)?;
        let answer = String::from_utf8(answer).map_err(|_| "its answer is not UTF-8")?;
        serde_json::from_str(&answer).map_err(|error| invalid_answer(&error, &answer))
    }
}

impl Partner for PipedProcess {
    fn begin(&mut self, message: &Message<'_>) -> Result<Greeting, String> {
        self.ask(message)
    }
    fn decide(&mut self, message: &Message<'_>) -> Result<Answer, String> {
        self.ask(message)
    }
    fn end(&mut self, message: &Message<'_>) {
        if let Some((mut process, mut lines)) = self.running.take() {
            // The policy may ignore the message, as the simulation is over.
            let _ = lines.write(&line(message), EXIT_GRACE);
            // Closing its standard input lets the process end.
            drop(lines);
            process.end();
        }
    }
}

fn line(message: &Message<'_>) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("messages are representable in JSON");
    line.push(b'\n');
    line
}
