//! A study of numbers: instances are replications, and variants multiply.

use dfrsim_lab::fields::{Scenario, boolean, count, list, number};
use dfrsim_lab::{
    Audit, Cell, Claim, Digester, Failure, Input, InstanceId, Labels, Long, NamedTable, Prepared, Registry,
    RunContext, RunError, Statistics, Status, Study, Table, Verdict, columns, fields,
};

fields! {
    /// Scenario with numbers and factors.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Numbers {
        /// Number of numbers.
        pub replications: u32 = count("a number of replications", 1, 1_000), default 4;
        /// Factors by which the numbers are multiplied.
        pub factors: Vec<u32> = list(count("a factor", 0, 1_000)).nonempty(), default vec![1, 2];
        /// Values that are added to each number, in separate instances.
        pub loads: Vec<f64> = list(number("a load", 0.0..=10.0)), default Vec::new();
        /// True if every product gets a table of its own.
        pub detailed: bool = boolean(), default false;
    }
}

columns! {
    /// Product of a number and a factor.
    pub struct Product {
        /// Parity of the number.
        label pub parity: String,
        /// Value that is added to the number.
        label pub load: Option<f64>,
        /// The number.
        instance pub number: u64,
        /// The factor.
        variant pub factor: u32,
        /// The product.
        primary(less, "m") pub product_m: f64,
        /// Remainder of the product divided by 7, if it is not zero.
        metric(more) pub remainder: Option<f64>,
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
    /// Returns the number and the load of an index: all numbers with the first load, then with the
    /// next one.
    fn number(&self, at: usize) -> (u64, Option<f64>) {
        let count = self.numbers.replications as usize;
        (self.seed * 100 + (at % count) as u64, self.numbers.loads.get(at / count).copied())
    }
}

impl Study for Toy {
    const NAME: &'static str = "toy";
    const TITLE: &'static str = "Products of numbers";
    const SEMANTICS: u32 = 1;
    const AUDIT: Audit = Audit::Optional;
    const RUNS: &'static str = "products";

    type Fields = Numbers;
    type Instance = (u64, Option<f64>);
    type Variant = u32;
    type Rows = Long<Product>;

    fn open(scenario: &Scenario<Numbers>, _: &mut Vec<Input>) -> Result<Toy, RunError> {
        Ok(Toy { seed: scenario.seed, numbers: scenario.fields.clone() })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |at: usize| {
            let (number, load) = self.number(at);
            let load = load.map(|load| load.to_string()).unwrap_or_default();
            let labels = vec![("parity", parity(number)), ("load", load), ("number", number.to_string())];
            InstanceId { labels, weight: 1 }
        };
        (0..self.numbers.replications as usize * self.numbers.loads.len().max(1)).map(id).collect()
    }
    fn variants(&self, _: usize) -> Vec<u32> {
        self.numbers.factors.clone()
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Self::Instance>, Failure> {
        let instance = self.number(at);
        let mut digester = Digester::new();
        digester.integer(instance.0).number(instance.1.unwrap_or(0.0));
        Ok(Prepared { instance, digest: digester.digest() })
    }
    fn labels(&self, factor: &u32) -> Labels {
        vec![("factor", factor.to_string())]
    }
    fn run(
        &self,
        (number, load): &Self::Instance,
        factor: &u32,
        watch: RunContext<'_>,
    ) -> Result<Vec<Product>, Failure> {
        let product = (*number as f64 + load.unwrap_or(0.0)) * f64::from(*factor);
        match factor {
            0 => Err(Failure::violation("a factor\nmust not be 0")),
            7 if watch.audit => Err(Failure::invalid("the checker refuses 7")),
            13 => Err(Failure::new(Status::Unsolved, "")),
            _ => Ok(vec![Product {
                product_m: product,
                remainder: Some(product % 7.0).filter(|remainder| *remainder != 0.0),
                ..Product::default()
            }]),
        }
    }
    fn tables(&self, rows: &Long<Product>) -> Vec<NamedTable> {
        let values: Vec<f64> = rows.ok().map(|row| row.product_m).collect();
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
        let holds = rows.ok().all(|row| row.product_m >= 0.0);
        vec![Claim::new("a textbook", "products are not negative", Verdict::from_bool(holds), "all of them")]
    }
}

pub(crate) fn registry() -> Registry {
    Registry::new().study::<Toy>()
}
