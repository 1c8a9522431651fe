//! Algorithms that only the texts need, on instances that can be solved by hand and on small ones of every kind.

mod chekuri;
mod diving;
mod dominance;
mod genetic;
mod small;
