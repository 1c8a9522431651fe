//! The lines, as the page of the module has them.

use serde::{Deserialize, Serialize};

/// The version of the protocol.
pub(super) const FORMAT: u32 = 1;

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Message {
    Begin {
        format: u32,
        nodes: u32,
        share_units: u32,
    },
    Decide {
        now: f64,
        tick: bool,
        all_submitted: bool,
        submitted: Vec<Arrival>,
        completed: Vec<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        progress: Option<Vec<Progress>>,
    },
    End {
        now: f64,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct Arrival {
    pub(super) job: u64,
    pub(super) id: u64,
    pub(super) submit: f64,
    pub(super) tasks: u32,
    pub(super) cpu_need: f64,
    pub(super) memory: f64,
    pub(super) estimate: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Progress {
    pub(super) job: u64,
    pub(super) virtual_time: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Greeting {
    #[serde(default)]
    pub(super) progress: bool,
    pub(super) error: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    #[serde(default)]
    pub(super) changes: Vec<Change>,
    pub(super) wake_at: Option<f64>,
    pub(super) error: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Change {
    Start(Placed),
    Resume(Placed),
    Migrate(Placed),
    Yield {
        job: u64,
        #[serde(rename = "yield")]
        job_yield: f64,
    },
    Pause {
        job: u64,
    },
    Reject {
        job: u64,
    },
    Kill {
        job: u64,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Placed {
    pub(super) job: u64,
    pub(super) nodes: Nodes,
    #[serde(rename = "yield", default = "whole")]
    pub(super) job_yield: f64,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "nodes are a list of numbers or a text such as \"0-3,5\"")]
pub(super) enum Nodes {
    List(Vec<u32>),
    Ranges(String),
}

fn whole() -> f64 {
    1.0
}
