//! What codecs need beyond the text of a scenario.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Values of different types: a registry of policies, a function that locates files.
#[derive(Clone, Default)]
pub struct Environment {
    values: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Environment {
    /// Without any value.
    pub fn new() -> Environment {
        Environment::default()
    }
    /// With this value, in place of one of the same type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Environment {
        self.values.push(Arc::new(value));
        self
    }
    /// The value of a type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.values.iter().rev().find_map(|value| value.downcast_ref())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("values", &self.values.len()).finish()
    }
}
