//! A study of waiting: queues are instances, servers are variants.

use dfrsim_lab::fields::{Scenario, count, list, text};
use dfrsim_lab::{
    Audit, Axis, Cell, Chart, Claim, Digester, Drawing, Failure, Input, InstanceId, Labels, Long, NamedTable,
    Prepared, RunContext, RunError, Samples, Study, Table, Verdict, columns, fields,
};

fields! {
    /// Scenario with queues and servers.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Queues {
        /// Name of the queues.
        pub name: String = text(), default "queue".to_owned();
        /// Number of queues.
        pub queues: u32 = count("a number of queues", 1, 1_000), default 3;
        /// Seconds per job, for each server.
        pub seconds: Vec<u32> = list(count("a time", 0, 1_000)).nonempty(), default vec![1, 2];
    }
}

columns! {
    /// Wait in a queue at a server.
    pub struct Wait {
        /// Name of the queues.
        label pub name: String,
        /// Index of the queue.
        instance pub queue: u32,
        /// Seconds per job of the server.
        variant("s") pub server_s: u32,
        /// Number of jobs in the queue.
        fact pub jobs: u32,
        /// The wait of the last job.
        primary(less, "min") pub wait_s: f64,
    }
}

pub(crate) struct Toy(Queues);

impl Study for Toy {
    const NAME: &'static str = "waiting";
    const TITLE: &'static str = "Waiting in queues";
    const SEMANTICS: u32 = 1;
    const AUDIT: Audit = Audit::Optional;
    const RUNS: &'static str = "waits";

    type Fields = Queues;
    type Instance = u32;
    type Variant = u32;
    type Rows = Long<Wait>;

    fn open(scenario: &Scenario<Queues>, _: &mut Vec<Input>) -> Result<Toy, RunError> {
        Ok(Toy(scenario.fields.clone()))
    }
    fn instances(&self) -> Vec<InstanceId> {
        let labels = |at: u32| vec![("name", self.0.name.clone()), ("queue", at.to_string())];
        (0..self.0.queues).map(|at| InstanceId { labels: labels(at), weight: 1 }).collect()
    }
    fn variants(&self, _: usize) -> Vec<u32> {
        self.0.seconds.clone()
    }
    fn prepare(&self, at: usize) -> Result<Prepared<u32>, Failure> {
        let mut digester = Digester::new();
        digester.integer(at as u64);
        Ok(Prepared { instance: at as u32, digest: digester.digest() })
    }
    fn labels(&self, seconds: &u32) -> Labels {
        vec![("server_s", seconds.to_string())]
    }
    fn run(&self, queue: &u32, seconds: &u32, _: RunContext<'_>) -> Result<Vec<Wait>, Failure> {
        if *seconds == 0 {
            return Err(Failure::violation("a server takes <no> time"));
        }
        let jobs = queue + 1;
        let wait_s = f64::from(jobs * seconds);
        Ok(vec![Wait { jobs, wait_s, ..Wait::default() }])
    }
    fn tables(&self, rows: &Long<Wait>) -> Vec<NamedTable> {
        let line = |row: &Wait| {
            vec![
                Cell::Text(row.name.clone()),
                Cell::Count(row.server_s as usize),
                Cell::Number(row.wait_s),
                Cell::Number(row.wait_s / 2.0),
            ]
        };
        let header = vec!["name", "server_s", "wait_s", "mean_wait_s"];
        let table = Table::new(header, rows.ok().map(line).collect());
        vec![
            NamedTable::printed("all", "All", table.clone()),
            NamedTable::new("wait_s_by_server", "Waits", table),
        ]
    }
    fn claims(&self, rows: &Long<Wait>) -> Vec<Claim> {
        let claim = |words, verdict| Claim::new("a textbook", words, verdict, "the rows");
        vec![
            claim("waits are positive", Verdict::from_bool(rows.ok().all(|row| row.wait_s > 0.0))),
            claim("no job waits", Verdict::from_bool(rows.ok().all(|row| row.wait_s == 0.0))),
            claim("waits are <fair>", Verdict::Open),
        ]
    }
    /// Draws a figure with the name of a standard one.
    fn drawings(_: &Scenario<Queues>, rows: &Long<Wait>) -> Vec<Drawing> {
        let samples = vec![("all".to_owned(), rows.ok().map(|row| row.wait_s).collect())];
        let chart = Chart::Boxes(Samples { value: Axis::linear("wait"), name: "server".to_owned(), samples });
        let stem = "wait-s-boxes".to_owned();
        vec![Drawing { stem, title: "All waits".to_owned(), remarks: Vec::new(), chart }]
    }
}
