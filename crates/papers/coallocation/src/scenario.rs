//! Fields of a scenario. The defaults describe the experiments of the text.

use dfrsim_coallocation::Parameters;
use dfrsim_coallocation::planetlab::{Candidates, NODES, SIZES, Usage};
use dfrsim_lab::fields;
use dfrsim_lab::fields::{
    Codec, LocatedFile, boolean, choice, count, file, fraction, list, name, number, optional, result_folder,
    seconds, table,
};
use dfrsim_model::SimSpan;

const MAX_NODES: usize = 100_000;

fields! {
    /// Requests for several nodes of a grid at once.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CoallocationFields {
        /// Number of grids, each with its own use and test cases.
        pub replications: u32 = count("a number of replications", 1, 10_000), default 10;
        /// Number of nodes of a grid.
        pub nodes: usize = count("a number of nodes", 1, MAX_NODES), default NODES;
        /// File with the nodes of all grids: `node,cores,ghz,ram_gb`. If absent, nodes are random.
        pub node_list: Option<LocatedFile> = optional(file());
        /// Mean level of use of the nodes, an assumption: the text does not give it.
        pub usage: f64 = number("a mean level of use", 0.0..=0.5), default Usage::default().mean;
        /// Relative spread of the levels of single nodes: they are uniform between (1 - `usage_spread`) and (1 +
        /// `usage_spread`) times the mean.
        pub usage_spread: f64 = fraction("a spread"), default Usage::default().spread;
        /// Number of successive nodes that form a site with a common level of use; with 1 each node
        /// has its own.
        pub nodes_per_site: usize = count("a number of nodes", 1, MAX_NODES), default 1;
        /// Correlation of the cores and the GHz of random nodes; both keep their distributions.
        pub core_ghz_correlation: f64 = number("a correlation", -1.0..=1.0), default 0.0;
        /// Standard deviation of the use of a node around its level.
        pub usage_deviation: f64 = fraction("a standard deviation"), default Usage::default().deviation;
        /// Correlation of successive measurements of the use of a node.
        pub usage_correlation: f64 = fraction("a correlation"), default Usage::default().correlation;
        /// Mean levels of use of single properties, where they differ from `usage`.
        pub property_usage: PropertyUsage = table();
        /// Nodes with a label that every request asks for, as those of section 4.2 ask for AMD
        /// Opteron nodes. If absent, all nodes are candidates.
        pub candidates: Option<CandidateFields> = optional(table());
        /// Numbers of nodes that test cases request.
        pub sizes: Vec<usize> = numbers_of_nodes(MAX_NODES), default SIZES.to_vec();
        /// Number of test cases of each size in a grid.
        pub cases: u32 = count("a number of test cases", 1, 10_000), default 90;
        /// Number of repetitions of each search.
        pub repetitions: u32 = repetitions(), default 1_000;
        /// Nodes that a search examines: `case`, the first eligible ones in an order of all nodes
        /// that belongs to the test case; `case-unchecked`, the first ones, from which phase I then
        /// removes those that are not eligible; `repetition`, eligible ones that each repetition
        /// draws again.
        pub sample: Sample = choice([Sample::Case, Sample::Unchecked, Sample::Repetition].map(|it| (it.name(), it))), default Sample::Unchecked;
        /// Sizes for which the optimum is computed. The complete search takes too long for more than
        /// 10 nodes.
        pub optimum: Vec<usize> = numbers_of_nodes(10), default vec![5];
        /// Folder in the results into which the nodes, their use and the request of every search
        /// with the parameters of the scenario are written, in the input format of `dfrsim solve
        /// coallocate`.
        pub files: Option<String> = optional(result_folder());
        /// True if searches are timed. Times are the only results that differ from run to run.
        pub times: bool = boolean(), default false;
        /// Parameters of the algorithm.
        pub parameters: ParameterFields = table();
        /// The parameter study of section 4.3, which varies one parameter at a time.
        pub variations: Option<VariationFields> = optional(table());
        /// Stream of requests that arrive over time.
        pub stream: Option<StreamFields> = optional(table());
    }
    renamed { "grids" => "replications" }
    check |study, at| {
        if study.node_list.is_none() {
            for (field, size) in study.too_large(study.nodes) {
                at.fault(field, format!("{size} nodes requested, but a grid has only {}", study.nodes));
            }
        }
        if study.sample == Sample::Repetition && !study.optimum.is_empty() {
            at.fault("optimum", "`optimum` requires `sample = \"case\"` or `sample = \"case-unchecked\"`");
        }
    }
}

fields! {
    /// Mean levels of use of single properties, where they differ from `usage`. At 0 a property is
    /// not reserved: requests share it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PropertyUsage {
        /// Level of the cores.
        pub cores: Option<f64> = optional(number("a mean level of use", 0.0..=0.5));
        /// Level of the GHz.
        pub ghz: Option<f64> = optional(number("a mean level of use", 0.0..=0.5));
        /// Level of the memory.
        pub ram_gb: Option<f64> = optional(number("a mean level of use", 0.0..=0.5));
    }
}

fields! {
    /// Nodes with a label that every request asks for. The label goes to the nodes with the cores
    /// and the GHz of the candidates; the nodes themselves are not changed, and the amounts that
    /// requests ask for follow the statistics of all nodes.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CandidateFields {
        /// Name of the label.
        pub label: String = name("a label"), default "AMD Opteron".to_owned();
        /// Numbers of cores of candidates.
        pub cores: Vec<u64> = list(count("a number of cores", 1, 1_000)).distinct(), default vec![2, 4];
        /// Lowest GHz of candidates.
        pub min_ghz: f64 = number("GHz", 0.0..=100.0), default 2.0;
        /// Highest GHz of candidates.
        pub max_ghz: f64 = number("GHz", 0.0..=100.0), default 2.8;
    }
    check |candidates, at| {
        if candidates.min_ghz > candidates.max_ghz {
            at.fault("min_ghz", "`min_ghz` must not exceed `max_ghz`");
        }
    }
}

impl CandidateFields {
    pub(crate) fn candidates(&self) -> Candidates {
        let CandidateFields { label, cores, min_ghz, max_ghz } = self.clone();
        Candidates { label, cores, ghz: [min_ghz, max_ghz] }
    }
}

fields! {
    /// Parameters of the algorithm.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ParameterFields {
        /// Number of nodes that are examined first, as a multiple of the requested number (M_init).
        pub initial_multiple: usize = multiple(), default Parameters::default().initial_multiple;
        /// Largest multiple (M_max).
        pub max_multiple: usize = multiple(), default Parameters::default().largest_multiple;
        /// Number of swaps for each node that are tried to reach an admissible set (L1).
        pub l1: usize = effort(), default Parameters::default().admission_effort;
        /// Number of swaps for each node that are tried to improve the utilisation (L2).
        pub l2: usize = effort(), default Parameters::default().improvement_effort;
    }
    renamed { "largest_multiple" => "max_multiple" }
}

fields! {
    /// The parameter study of section 4.3, which varies one parameter at a time.
    #[derive(Clone, Debug, PartialEq)]
    pub struct VariationFields {
        /// Number of nodes that test cases request.
        pub size: usize = count("a number of nodes", 1, MAX_NODES), default 15;
        /// Number of repetitions of each search.
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
    /// Stream of requests that arrive over time.
    #[derive(Clone, Debug, PartialEq)]
    pub struct StreamFields {
        /// Time during which requests arrive.
        pub span: SimSpan = some_time(), default SimSpan::from_secs(7 * 86_400);
        /// Mean time between two requests.
        pub mean_gap: SimSpan = some_time(), default SimSpan::from_secs(600);
        /// Latest start of a job, as a time after its arrival.
        pub patience: SimSpan = some_time(), default SimSpan::from_secs(86_400);
    }
}

dfrsim_model::named! {
    /// Nodes that a search examines.
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
    /// Returns the sizes of test cases that exceed a grid with this many nodes, with the names of
    /// their fields.
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
        }
    }
}
