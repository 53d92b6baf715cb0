//! Model tests: a `SharedVec` has each element that threads append once, in the order of each thread.

use crate::arrays::op::Config;
use crate::arrays::shared_vec::Own;
use crate::arrays::threads::{Page, Tagged, run_together};
use crate::effort;
use crate::made::made;
use proptest::collection::vec;
use proptest::proptest;

fn threads_lose_nothing<T: Tagged>(cases: u32) {
    let lists = vec(vec(made::<Own>(), 1..60), 2..=3);
    proptest!(effort::cases(cases), |(config in made::<Config>(), lists in lists)| {
        run_together::<T>(config, &lists);
    });
}

#[test]
fn words_of_threads_are_there_once_and_in_the_order_of_each() {
    threads_lose_nothing::<u64>(40);
}

#[test]
fn elements_with_memory_of_their_own_are_there_once_and_in_the_order_of_each() {
    threads_lose_nothing::<String>(40);
}

#[test]
fn page_aligned_elements_of_threads_are_there_once_and_in_the_order_of_each() {
    threads_lose_nothing::<Page>(60);
}
