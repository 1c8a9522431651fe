//! Environment of a scenario: values that codecs need in addition to its text.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Values looked up by type, such as a registry of policies or a function that locates files.
#[derive(Clone, Default)]
pub struct Environment {
    values: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Environment {
    /// Creates an empty environment.
    pub fn new() -> Environment {
        Environment::default()
    }
    /// Adds a value; it replaces an earlier one of the same type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Environment {
        self.values.push(Arc::new(value));
        self
    }
    /// Returns the value of this type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.values.iter().rev().find_map(|value| value.downcast_ref())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("values", &self.values.len()).finish()
    }
}
