//! Complete program dfrsim with a study of its own: the bounds that R. L. Graham proves for list
//! scheduling in "Bounds on multiprocessing timing anomalies", SIAM Journal on Applied Mathematics
//! 17(2), 1969, checked on random tasks and on those of the proof.

use dfrsim::lab::fields::{Scenario, count, one_or_many};
use dfrsim::lab::query::{Cells, ClaimChecker, Entries};
use dfrsim::lab::{
    Audit, Axis, Cell, Chart, Claim, Digester, Drawing, Failure, Input, InstanceId, Labels, Long, NamedTable,
    Prepared, RunContext, RunError, Series, Statistics, Study, Table, columns, fields,
};
use dfrsim::model::{Seed, named};
use rand::RngExt as _;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::LazyLock;

fields! {
    /// Tasks to schedule on processors.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Tasks {
        /// The number of random lists of tasks for each number of processors, in addition to that of
        /// the proof.
        pub replications: u32 = count("a number of lists", 1, 10_000), default 100;
        /// Numbers of processors.
        pub processors: Vec<u64> = one_or_many(count("a number of processors", 2, 5)), default vec![2, 3, 4];
    }
}

columns! {
    /// A schedule of a list.
    pub struct Schedule {
        /// The number of processors.
        label pub processors: u64,
        /// The list: 0 is that of the proof, lists from 1 on are random.
        instance pub list: u32,
        /// The order in which tasks are assigned to the first processor that becomes free.
        variant pub order: String,
        /// The makespan divided by that of the best schedule.
        primary(less) pub ratio: f64,
        /// The largest ratio that the theorem on the order allows.
        metric(less) pub proven: f64,
    }
}

named! {
    /// Order of a list.
    pub enum Order as "order" {
        /// The tasks in the given order: theorem 1.
        Given = "given",
        /// The longest task first: theorem 2.
        Longest = "longest",
    }
}

impl Order {
    /// Computes the largest ratio that the theorem allows on this many processors.
    fn proven(self, processors: u64) -> f64 {
        let processors = processors as f64;
        match self {
            Order::Given => 2.0 - 1.0 / processors,
            Order::Longest => 4.0 / 3.0 - 1.0 / (3.0 * processors),
        }
    }
}

static CLAIMS: LazyLock<Entries> = LazyLock::new(|| {
    let text = r#"
        [[section]]
        source = "Graham 1969"
        take = "worst"
        claims = [
            { text = "theorem 1: no list takes more than 2 - 1/n times the best makespan on n processors",
              of = "part_of_proven", where = { order = "given" }, is = { at-most = 1.0 } },
            { text = "theorem 2: none with the longest first takes more than 4/3 - 1/(3 n) times",
              of = "part_of_proven", where = { order = "longest" }, is = { at-most = 1.0 } },
            { text = "the tasks of the proof reach the bound of theorem 2",
              of = "part_of_proven", where = { order = "longest", list = 0 }, is = { at-least = 1.0 } },
        ]
    "#;
    Entries::new("own-study", text)
});

/// Lists of tasks: the number of processors, the number of the list, and the times.
struct ListScheduling(Vec<(u64, u32, Vec<u64>)>);

/// Returns the tasks of the proof: 2n - 1 twice, 2n - 2 twice, down to n + 1 twice, and n three
/// times.
fn tasks_of_the_proof(processors: u64) -> Vec<u64> {
    let twice = (processors + 1..2 * processors).rev().flat_map(|time| [time, time]);
    twice.chain([processors; 3]).collect()
}

/// Computes the makespan if each task in turn is assigned to the first processor that becomes free.
fn makespan(tasks: &[u64], processors: u64) -> u64 {
    let mut ends = vec![0; processors as usize];
    for task in tasks {
        if let Some(first) = ends.iter_mut().min() {
            *first += task;
        }
    }
    ends.into_iter().max().unwrap_or(0)
}

/// Computes the best makespan by depth-first search, with the longest tasks first. Of equally loaded
/// processors only one is tried for each task.
fn best_makespan(tasks: &[u64], processors: u64) -> u64 {
    fn search(tasks: &[u64], ends: &mut [u64], best: &mut u64) {
        let Some((task, rest)) = tasks.split_first() else {
            *best = ends.iter().copied().max().unwrap_or(0).min(*best);
            return;
        };
        for at in 0..ends.len() {
            if ends[at] + task < *best && !ends[..at].contains(&ends[at]) {
                ends[at] += task;
                search(rest, ends, best);
                ends[at] -= task;
            }
        }
    }
    let mut tasks = tasks.to_vec();
    tasks.sort_unstable_by(|a, b| b.cmp(a));
    let mut best = makespan(&tasks, processors);
    search(&tasks, &mut vec![0; processors as usize], &mut best);
    best
}

impl Study for ListScheduling {
    const NAME: &'static str = "list-scheduling";
    const TITLE: &'static str = "List scheduling compared with the best schedule (Graham 1969)";
    const SEMANTICS: u32 = 1;
    const AUDIT: Audit = Audit::Always;
    const RUNS: &'static str = "schedules";

    type Fields = Tasks;
    /// The tasks in the order of the list, the processors, and the best makespan.
    type Instance = (Vec<u64>, u64, u64);
    type Variant = Order;
    type Rows = Long<Schedule>;

    fn open(scenario: &Scenario<Tasks>, _: &mut Vec<Input>) -> Result<ListScheduling, RunError> {
        let seed = Seed::new(scenario.seed);
        let drawn = |processors: u64, number: u32| {
            let mut rng = seed.numbered(processors).numbered(number.into()).rng();
            (0..2 * processors + 1).map(|_| rng.random_range(1..=100)).collect()
        };
        let list = |processors, number| match number {
            0 => (processors, number, tasks_of_the_proof(processors)),
            _ => (processors, number, drawn(processors, number)),
        };
        let numbers = 0..=scenario.fields.replications;
        let of = |&processors: &u64| numbers.clone().map(move |number| list(processors, number));
        Ok(ListScheduling(scenario.fields.processors.iter().flat_map(of).collect()))
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |(processors, list, tasks): &(u64, u32, Vec<u64>)| InstanceId {
            labels: vec![("processors", processors.to_string()), ("list", list.to_string())],
            weight: tasks.len() as u64,
        };
        self.0.iter().map(id).collect()
    }
    fn variants(&self, _: usize) -> Vec<Order> {
        Order::ALL.to_vec()
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Self::Instance>, Failure> {
        let (processors, _, tasks) = &self.0[at];
        let mut digester = Digester::new();
        digester.integer(*processors);
        tasks.iter().for_each(|&task| _ = digester.integer(task));
        let instance = (tasks.clone(), *processors, best_makespan(tasks, *processors));
        Ok(Prepared { instance, digest: digester.digest() })
    }
    fn labels(&self, order: &Order) -> Labels {
        vec![("order", order.to_string())]
    }
    fn run(
        &self,
        (tasks, processors, best): &Self::Instance,
        order: &Order,
        _: RunContext<'_>,
    ) -> Result<Vec<Schedule>, Failure> {
        // A lower bound: the longest task, and the makespan if all processors are busy until the
        // end.
        let longest = tasks.iter().copied().max().unwrap_or(0);
        let least = longest.max(tasks.iter().sum::<u64>().div_ceil(*processors));
        if *best < least {
            return Err(Failure::invalid(format!(
                "the best makespan {best} is below the lower bound {least}"
            )));
        }
        let mut tasks = tasks.clone();
        if *order == Order::Longest {
            tasks.sort_unstable_by(|a, b| b.cmp(a));
        }
        let ratio = makespan(&tasks, *processors) as f64 / *best as f64;
        Ok(vec![Schedule { ratio, proven: order.proven(*processors), ..Schedule::default() }])
    }
    fn tables(&self, rows: &Long<Schedule>) -> Vec<NamedTable> {
        let lines = groups(rows).into_iter().map(|((processors, order), ratios)| {
            let statistics = Statistics::from_values(&ratios).expect("each group has a row");
            let numbers = [statistics.mean, statistics.max, order.proven(processors)].map(Cell::Number);
            let labels = [Cell::Count(processors as usize), Cell::Text(order.to_string())];
            labels.into_iter().chain(numbers).collect()
        });
        let table = Table::new(["processors", "order", "mean", "max", "proven"], lines.collect());
        vec![NamedTable::printed("ratios", "The makespan by the best one", table)]
    }
    fn claims(&self, rows: &Long<Schedule>) -> Vec<Claim> {
        let mut cells = Cells::new(&["processors", "list", "order"], &["part_of_proven"], &[]);
        for row in rows.ok() {
            let (processors, list) = (row.processors.to_string(), row.list.to_string());
            // The ratio may equal the bound, so the quotient is rounded.
            let part = (1e9 * row.ratio / row.proven).round() / 1e9;
            cells.push([processors.as_str(), &list, &row.order], [Some(part)]);
        }
        ClaimChecker::without_replications(&cells).claims(CLAIMS.iter())
    }
    fn drawings(_: &Scenario<Tasks>, rows: &Long<Schedule>) -> Vec<Drawing> {
        let series = |&order: &Order| {
            let own = groups(rows).into_iter().filter(|group| group.0.1 == order);
            let mean = |ratios: &[f64]| ratios.iter().sum::<f64>() / ratios.len() as f64;
            let points = own.map(|((processors, _), ratios)| (processors as f64, mean(&ratios))).collect();
            Series::new(order.to_string(), points)
        };
        let (x, y) = (Axis::linear("processors"), Axis::linear("makespan by the best one, mean"));
        let chart = Chart::lines(x, y, "order", Order::ALL.iter().map(series).collect());
        vec![Drawing::new("ratios", "List scheduling compared with the best schedule", chart)]
    }
}

/// Groups the ratios by processors and order.
fn groups(rows: &Long<Schedule>) -> BTreeMap<(u64, Order), Vec<f64>> {
    let mut groups = BTreeMap::<_, Vec<f64>>::new();
    for row in rows.ok() {
        let order = row.order.parse().expect("the column has names of orders");
        groups.entry((row.processors, order)).or_default().push(row.ratio);
    }
    groups
}

fn main() -> ExitCode {
    dfrsim_commands::main_with(dfrsim::registry().study::<ListScheduling>())
}
