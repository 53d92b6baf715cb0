//! Arrays of many threads.
