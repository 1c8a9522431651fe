//! The fields of a scenario. Their defaults are the experiments as they are described.

use dfrsim_coallocation::Parameters;
use dfrsim_coallocation::planetlab::{NODES, SIZES, Usage};
use dfrsim_lab::fields;
use dfrsim_lab::fields::{
    Codec, LocatedFile, boolean, choice, count, file, fraction, list, number, one_or_many, optional,
    result_folder, seconds, table,
};
use dfrsim_model::SimSpan;

const MAX_NODES: usize = 100_000;

fields! {
    /// Requests for several nodes of a grid at once.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CoallocationFields {
        /// The number of grids, each with its own use and test cases.
        pub replications: u32 = count("a number of replications", 1, 10_000), default 10;
        /// The number of nodes of a grid.
        pub nodes: usize = count("a number of nodes", 1, MAX_NODES), default NODES;
        /// A file with the nodes of all grids: `node,cores,ghz,ram_gb`. Without it nodes are drawn.
        pub node_list: Option<LocatedFile> = optional(file());
        /// The mean levels of use. The parameter study uses the first one.
        pub usage: Vec<f64> = one_or_many(number("a mean level of use", 0.0..=0.5)), default vec![Usage::default().mean];
        /// How far levels differ: they are uniform between (1 - `usage_spread`) and (1 + `usage_spread`) times the mean.
        pub usage_spread: f64 = fraction("a spread"), default Usage::default().spread;
        /// How many successive nodes are a site, which has one level; with 1 each node has its own.
        pub nodes_per_site: usize = count("a number of nodes", 1, MAX_NODES), default 1;
        /// The correlation of the cores and the GHz of nodes that are drawn; both keep their distributions.
        pub core_ghz_correlation: f64 = number("a correlation", -1.0..=1.0), default 0.0;
        /// The standard deviation of the use of a node around its level.
        pub usage_deviation: f64 = fraction("a standard deviation"), default Usage::default().deviation;
        /// The correlation of two measurements of the use of a node that follow each other.
        pub usage_correlation: f64 = fraction("a correlation"), default Usage::default().correlation;
        /// The numbers of nodes that test cases request.
        pub sizes: Vec<usize> = numbers_of_nodes(MAX_NODES), default SIZES.to_vec();
        /// The number of test cases of each size in a grid.
        pub cases: u32 = count("a number of test cases", 1, 10_000), default 90;
        /// The number of repetitions of each search.
        pub repetitions: u32 = repetitions(), default 1_000;
        /// Which nodes a search examines: `case`, the first eligible ones in an order of all nodes that belongs to the
        /// test case; `case-unchecked`, the first ones, from which phase I then removes those that are not eligible;
        /// `repetition`, eligible ones that each repetition draws again.
        pub sample: Sample = choice([Sample::Case, Sample::Unchecked, Sample::Repetition].map(|it| (it.name(), it))), default Sample::Unchecked;
        /// The sizes for which the optimum is searched; the complete search takes too long for more than 10 nodes.
        pub optimum: Vec<usize> = numbers_of_nodes(10), default vec![5];
        /// The folder in the results into which the nodes, their use and the request of every search with the parameters of the scenario are
        /// written, as `dfrsim solve coallocate` takes them.
        pub files: Option<String> = optional(result_folder());
        /// Whether searches are timed. Only times differ from run to run.
        pub times: bool = boolean(), default false;
        /// The parameters of the algorithm.
        pub parameters: ParameterFields = table();
        /// The parameter study of section 4.3: one parameter is varied at a time.
        pub variations: Option<VariationFields> = optional(table());
        /// Requests that come one after the other.
        pub stream: Option<StreamFields> = optional(table());
    }
    renamed { "grids" => "replications" }
    check |study, at| {
        if study.node_list.is_none() {
            for (field, size) in study.too_large(study.nodes) {
                at.fault(field, format!("{size} nodes are more than the {} of a grid", study.nodes));
            }
        }
        if study.sample == Sample::Repetition && !study.optimum.is_empty() {
            at.fault("optimum", "with `sample = \"repetition\"` there is no optimum of a test case");
        }
    }
}

fields! {
    /// The parameters of the algorithm.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ParameterFields {
        /// How many nodes are examined first, as a multiple of those requested (M_init).
        pub initial_multiple: usize = multiple(), default Parameters::default().initial_multiple;
        /// The largest multiple (M_max).
        pub max_multiple: usize = multiple(), default Parameters::default().largest_multiple;
        /// How many swaps for each node are tried towards an admissible set (L1).
        pub l1: usize = effort(), default Parameters::default().admission_effort;
        /// How many swaps for each node are tried towards a better utilisation (L2).
        pub l2: usize = effort(), default Parameters::default().improvement_effort;
        /// Whether phase III skips starts at which the totals are proved to be out of reach, which the text does not do. The solutions are the
        /// same without it, and times are those of the phases of the text.
        pub proofs: bool = boolean(), default true;
    }
    renamed { "largest_multiple" => "max_multiple" }
}

fields! {
    /// The parameter study of section 4.3: one parameter is varied at a time.
    #[derive(Clone, Debug, PartialEq)]
    pub struct VariationFields {
        /// The numbers of nodes that test cases request.
        pub size: usize = count("a number of nodes", 1, MAX_NODES), default 15;
        /// The number of repetitions of each search.
        pub repetitions: u32 = repetitions(), default 100;
        /// Values of M, with a single pass.
        pub multiples: Vec<usize> = list(multiple()).distinct(), default vec![2, 3, 4, 6, 8];
        /// Values of L1.
        pub l1: Vec<usize> = list(effort()).distinct(), default efforts();
        /// Values of L2.
        pub l2: Vec<usize> = list(effort()).distinct(), default efforts();
    }
}

fields! {
    /// Requests that come one after the other.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StreamFields {
        /// The time during which requests arrive.
        pub span: SimSpan = some_time(), default SimSpan::from_secs(7 * 86_400);
        /// The mean time between two of them.
        pub mean_gap: SimSpan = some_time(), default SimSpan::from_secs(600);
        /// The latest start of a job, as a time after its arrival.
        pub patience: SimSpan = some_time(), default SimSpan::from_secs(86_400);
    }
}

dfrsim_model::named! {
    /// Which nodes a search examines.
    pub enum Sample as "sample" {
        /// The first eligible ones in the order of the test case.
        Case = "case",
        /// The first ones in that order, eligible or not.
        Unchecked = "case-unchecked",
        /// Eligible ones that each repetition draws.
        Repetition = "repetition",
    }
}

fn numbers_of_nodes(max: usize) -> Codec<Vec<usize>> {
    list(count("a number of nodes", 1, max)).distinct()
}

fn repetitions() -> Codec<u32> {
    count("a number of repetitions", 1, 1_000_000)
}

fn multiple() -> Codec<usize> {
    count("a multiple", 1, 1_000)
}

fn effort() -> Codec<usize> {
    count("a number of swaps", 0, 1_000)
}

fn efforts() -> Vec<usize> {
    vec![2, 3, 5, 7, 10, 15, 20, 30, 50]
}

fn some_time() -> Codec<SimSpan> {
    seconds(1.0..=1e8)
}

impl CoallocationFields {
    /// Sizes of test cases that a grid with this many nodes cannot have, with the names of their fields.
    pub(crate) fn too_large(&self, nodes: usize) -> Vec<(&'static str, usize)> {
        let sizes = self.sizes.iter().map(|&size| ("sizes", size));
        let varied = self.variations.iter().map(|it| ("variations", it.size));
        sizes.chain(varied).filter(|(_, size)| *size > nodes).collect()
    }
}

impl ParameterFields {
    pub(crate) fn parameters(&self) -> Parameters {
        Parameters {
            initial_multiple: self.initial_multiple,
            largest_multiple: self.max_multiple,
            admission_effort: self.l1,
            improvement_effort: self.l2,
            proofs: self.proofs,
        }
    }
}
