//! Vector packing against packings derived by hand and against a slow twin.

mod vector;
