//! A study of numbers: instances are replications, variants multiply.

use dfrsim_lab::fields::{Scenario, boolean, count, list};
use dfrsim_lab::{
    Audit, Cell, Claim, Digester, Failure, InstanceId, KeyBuilder, Labels, Long, NamedTable, Prepared,
    Registry, RunError, Statistics, Study, Table, Verdict, Watch, columns, fields,
};

fields! {
    /// Numbers and factors.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Numbers {
        /// How many numbers.
        pub replications: u32 = count("a number of replications", 1, 1_000), default 4;
        /// By what they are multiplied.
        pub factors: Vec<u32> = list(count("a factor", 0, 1_000)).nonempty(), default vec![1, 2];
        /// Whether every product gets a table of its own.
        pub detailed: bool = boolean(), default false;
    }
}

columns! {
    /// A product.
    pub struct Product {
        /// The parity of the number.
        label pub parity: String,
        /// The number.
        instance pub number: u64,
        /// The factor.
        variant pub factor: u32,
        /// The product.
        primary(less) pub product: f64,
    }
}

pub(crate) struct Toy {
    seed: u64,
    numbers: Numbers,
}

fn parity(number: u64) -> String {
    if number.is_multiple_of(2) { "even" } else { "odd" }.to_owned()
}

impl Toy {
    fn number(&self, at: usize) -> u64 {
        self.seed * 100 + at as u64
    }
}

impl Study for Toy {
    const NAME: &'static str = "toy";
    const TITLE: &'static str = "Products of numbers";
    const SEMANTICS: u32 = 1;
    const AUDIT: Audit = Audit::Optional;
    const RUNS: &'static str = "products";

    type Fields = Numbers;
    type Instance = u64;
    type Variant = u32;
    type Row = Product;
    type Rows = Long<Product>;

    fn open(scenario: &Scenario<Numbers>) -> Result<Toy, RunError> {
        Ok(Toy { seed: scenario.seed, numbers: scenario.fields.clone() })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |at: usize| {
            let number = self.number(at);
            InstanceId { labels: vec![("parity", parity(number)), ("number", number.to_string())], weight: 1 }
        };
        (0..self.numbers.replications as usize).map(id).collect()
    }
    fn variants(&self, _: usize) -> Vec<u32> {
        self.numbers.factors.clone()
    }
    fn prepare(&self, at: usize) -> Result<Prepared<u64>, Failure> {
        let instance = self.number(at);
        let mut digester = Digester::new();
        digester.integer(instance);
        Ok(Prepared { instance, digest: digester.digest() })
    }
    fn key(&self, factor: &u32, key: &mut KeyBuilder) {
        key.field("factor", factor);
    }
    fn labels(&self, factor: &u32) -> Labels {
        vec![("factor", factor.to_string())]
    }
    fn run(&self, number: &u64, _: usize, factor: &u32, watch: Watch<'_>) -> Result<Vec<Product>, Failure> {
        match factor {
            0 => Err(Failure::violation("a factor\nmust not be 0")),
            7 if watch.audit => Err(Failure::invalid("the checker refuses 7")),
            _ => Ok(vec![Product {
                parity: parity(*number),
                number: *number,
                factor: *factor,
                product: *number as f64 * f64::from(*factor),
            }]),
        }
    }
    fn tables(&self, rows: &Long<Product>) -> Vec<NamedTable> {
        let values: Vec<f64> = rows.ok().map(|row| row.product).collect();
        let mean = Statistics::from_values(&values).map(|statistics| statistics.mean);
        let table =
            |name| NamedTable::printed(name, "Means", Table::new(["mean"], vec![vec![Cell::optional(mean)]]));
        let mut tables = vec![table("means")];
        if self.numbers.detailed {
            tables.push(table("detailed"));
        }
        tables
    }
    fn claims(&self, rows: &Long<Product>) -> Vec<Claim> {
        let holds = rows.ok().all(|row| row.product >= 0.0);
        vec![Claim::new("a textbook", "products are not negative", Verdict::from_bool(holds), "all of them")]
    }
}

pub(crate) fn registry() -> Registry {
    Registry::new().study::<Toy>()
}
