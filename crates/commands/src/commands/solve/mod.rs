//! `dfrsim solve`: single problems on the state of a cluster. Each command can write a state that is
//! the input of the next.

pub(super) mod adapt;
mod carry_out;
pub(super) mod coallocate;
pub(super) mod import;
pub(super) mod pack;
pub(super) mod plan;
mod problem;
mod reasons;
mod soft;
mod state;
mod switch;
mod time_limit;
mod written;

use crate::context::commands;

commands! {
    /// Solve a single problem on the state of a cluster: import, pack, adapt, plan, coallocate
    ///
    /// A state is a JSON file, or several files that are combined: JSON, and CSV of nodes, of VMs
    /// and of reservations. `--state-out` writes the resulting state, which can be the input of the
    /// next problem.
    #[command(after_help = "\
Files of a state:
  STATE.json
    {\"nodes\": [{\"name\": \"N1\", \"cpu\": 8, \"memory\": 32768,
                \"resources\": {\"gpu\": 2}, \"labels\": {\"os\": \"Linux\"}, \"overcommit\": {\"cpu\": 4}}],
     \"vjobs\": [{\"name\": \"web\", \"priority\": 1,
                \"vms\": [{\"name\": \"web1\", \"cpu\": 2, \"memory\": 4096, \"state\": \"running\",
                         \"node\": \"N1\", \"least_yield\": 0.5, \"pinned\": true, \"labels\": {\"app\": \"web\"}}]}],
     \"jobs\": [{\"name\": \"batch\", \"cpu\": 6, \"memory\": 4096, \"tasks\": 3, \"on\": [\"N1\"]}],
     \"constraints\": [{\"kind\": \"spread\", \"vms\": [\"web1\", \"web2\"]},
                     {\"kind\": \"fence\", \"weight\": 500, \"vms\": {\"label\": {\"app\": \"web\"}}, \"nodes\": {\"label\": {\"os\": \"Linux\"}}}],
     \"overcommit\": {\"cpu\": 2},
     \"reservations\": [{\"node\": \"N1\", \"from\": 0, \"until\": 3600, \"cpu\": 2}]}
  NODES.csv     node,cpu,memory,gpu,label.os,overcommit.cpu,state
  VMS.csv       vm,vjob,cpu,memory,gpu,state,node,priority,least_yield,pinned,label.app
  RESERVED.csv  node,from,until,cpu
  CPU is in any unit, memory in MB; other resources have any names. VMs are waiting, running, \
   sleeping, dozing (in memory) or terminated; without a state they run if they have a node, and wait \
   if not. `vms` and `vjobs` can be combined, and `jobs` are vjobs of equal VMs, both those that are \
   \"on\" nodes and new ones. A node that is off is \"offline\". `least_yield` is the fraction of its \
   CPU need that a VM gets in any case (1 for CPU that is not shared), and a VM that is \"pinned\" \
   stays on its node. `overcommit` is the ratio by which VMs may request more than a node has, of one node or of all. \
   Constraints are described by `dfrsim solve plan --help`.

Example:
  dfrsim solve import cluster.json --state-out state.json
  dfrsim solve pack nodes.csv vms.csv --state-out packed.json
  dfrsim solve adapt packed.json --budget 10% --state-out adapted.json
  dfrsim solve plan nodes.csv vms.csv --to adapted.json --plan-out plan.json --state-out after.json
  dfrsim solve plan --check plan.json")]
    pub(crate) enum Solve {
        Import(import::Import),
        Pack(pack::Pack),
        Adapt(adapt::Adapt),
        Plan(plan::Plan),
        Coallocate(coallocate::Coallocate),
    }
}
