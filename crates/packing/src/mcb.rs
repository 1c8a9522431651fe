//! Vector packing inside a yield search.
