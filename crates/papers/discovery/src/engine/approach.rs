//! Policies that are compared.

use dfrsim_model::named;

named! {
    /// The approach that sets the weights of virtual machines, and may migrate them (dissertation,
    /// sections 7.2.2 and 7.4).
    pub enum Approach as "approach" {
        /// Equal weights only.
        Xen = "Xen",
        /// Weights from the estimates of the needs.
        Dynamic = "DYNAMIC",
        /// Weights from the estimates of the needs, and migrations that promise a better minimum
        /// yield.
        DynamicMigration = "DYNAMIC+MIGRATION",
    }
}
