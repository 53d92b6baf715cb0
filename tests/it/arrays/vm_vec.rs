//! `VmVec` as an [`Array`].

use super::array::{Array, stays};
use super::bytes::{Reading, Writing, convert_from};
use super::elements::Element;
use super::model::{Model, either, take_both};
use super::op::{Batch, Config, Count, Hint, Partly, Span};
use crate::buffer::Buffer;
use stayput::{
    Budget, CommitAhead, Error, ErrorKind, GivenBack, Growth, HugePages, Release, VmVec,
};
use std::mem;
use std::ops::DerefMut;
use std::sync::atomic::{AtomicUsize, Ordering};

arbitrary! {
    #[derive(Clone, Debug)]
    /// An operation that not all arrays have.
    pub(crate) enum Own {
        ResizeZeroed(Count),
        ExtendZeroed(Count),
        Splice(Span, Batch, Hint, Partly),
        Prefault(Count),
        PrefaultAhead(u16),
        Convert(Batch),
        ConvertTo(u8),
        ConvertFrom(Batch, u8),
        Compare(Batch, Span),
        /// Bytes, if elements are bytes.
        Write(Batch, Writing),
        Read(Batch, Reading),
        Leak,
        Sort,
        Reverse,
        GrowOnly(Vec<u8>),
    }
}

/// Builds an array of the type with these options.
macro_rules! build {
    ($array:ident, $element:ty, $config:expr, $span:expr) => {{
        let (span, builder) = ($span, $array::builder());
        match $config {
            Config::Default => $array::new(),
            Config::MaxLen => $array::with_max_len(span),
            Config::Fixed(step) => {
                let growth = Growth::Fixed { step_bytes: step.into() };
                let builder = builder.capacity(usize::from(step % 2) * 10);
                builder.growth(growth).huge_pages(HugePages::Never).build()
            }
            Config::HugePages => builder.huge_pages(HugePages::Always).build(),
            Config::Served(window) => {
                let ahead = CommitAhead::Bytes(usize::from(window) * 10);
                builder.commit_ahead(ahead).release(Release::Background).build()
            }
            Config::ServedMaxLen => {
                let builder = builder.max_len(span).release(Release::Background);
                builder.commit_ahead(CommitAhead::Auto).build()
            }
            Config::Backed(run) => {
                let bytes = span * size_of::<$element>() + usize::from(run / 11 % 2) * 100_000;
                let buffer = Buffer::new(bytes, 64 << (run % 11), align_of::<$element>());
                builder.max_len(span).build_in(buffer)
            }
        }
    }};
}
pub(super) use build;

impl<T: Element> Array<T> for VmVec<T> {
    type Config = Config;
    type Own = Own;
    type Inner = Self;

    const OWN: u32 = 12;

    fn fresh(config: Config) -> Self {
        build!(VmVec, T, config, T::SPAN)
    }

    fn is_bounded(config: Config) -> bool {
        config.names_maximum()
    }

    fn exclusive(&mut self) -> impl DerefMut<Target = Self> {
        self
    }

    fn shrink_to_fit_within(&mut self, budget: Budget) -> GivenBack {
        self.shrink_to_fit_within(budget).expect("it is not full of mappings")
    }

    fn check(&mut self, std: &[T], places: &mut Vec<usize>) {
        assert!(self.as_slice() == std);
        assert_eq!(self.spare_capacity_mut().len(), self.capacity() - std.len());
        if self.capacity() > 0 {
            stays(places, 0, self.as_ptr());
        }
    }

    fn apply(model: &mut Model<T, Self>, op: &Own) {
        let Model { config, vec, std, .. } = model;
        match *op {
            Own::ResizeZeroed(count) => {
                let to = count.of::<T>();
                if let Some(result) = T::try_resize_zeroed(vec, to) {
                    result.expect("it fits");
                    std.resize(to, T::make(0));
                }
            }
            Own::ExtendZeroed(count) => {
                let count = count.of::<T>();
                if model.fits(count).is_some() {
                    if let Some(result) = T::try_extend_zeroed(&mut model.vec, count) {
                        let append = |std: &mut Vec<T>| std.resize(std.len() + count, T::make(0));
                        model.grow(count, |_, _| result, append);
                    }
                }
            }
            Own::Splice(span, batch, hint, partly) => model.splice(span, batch, hint, partly),
            Own::Prefault(count) => {
                let count = count.of::<T>();
                model.grow(
                    count,
                    |vec, tries| either!(tries, vec.prefault or try_prefault(count)),
                    |_| (),
                );
            }
            Own::PrefaultAhead(bytes) => {
                let before = vec.capacity();
                let prefaulted = vec.prefault_ahead(Budget::bytes(bytes.into()));
                assert_eq!(prefaulted.refused, None);
                assert!(vec.capacity() >= before);
            }
            Own::Convert(batch) => {
                let config = *config;
                let vec: VmVec<T> = batch.source(Hint::Exact).collect();
                let boxed = model.replace(vec).into_boxed_slice();
                assert_eq!(boxed[..], model.std[..]);
                model.std = batch.vec();
                if config.names_maximum() {
                    // The conversion does not keep the options.
                    let elements = model.replace(Self::fresh(config));
                    model.vec.extend(Vec::from(elements));
                }
            }
            Own::ConvertTo(how) => model.convert_to(how),
            Own::ConvertFrom(batch, how) => convert_from::<T>(batch, how),
            Own::Compare(batch, span) => model.compare(batch, span),
            Own::Write(batch, how) => model.write(batch, how),
            Own::Read(batch, how) => model.read(batch, how),
            Own::Leak => {
                if T::MAY_LEAK && leak_allowed() {
                    let leaked = vec.clone().leak();
                    assert_eq!(leaked, &std[..]);
                    model.leaked += leaked.len();
                }
            }
            Own::Sort => {
                vec.sort();
                std.sort();
            }
            Own::Reverse => {
                vec.reverse();
                std.reverse();
            }
            Own::GrowOnly(ref seeds) => model.grow_only(seeds),
        }
    }

    fn finish(&mut self, std: &[T]) {
        let stats = self.stats();
        assert!(stats.committed_bytes <= stats.reserved_bytes);
        assert!(stats.committed_bytes >= size_of_val(std));
    }
}

impl<T: Element> Model<T, VmVec<T>> {
    fn grow_only(&mut self, seeds: &[u8]) {
        let before = self.std.len();
        let scope = self.vec.grow_only();
        let mut kept: Vec<&T> = scope.iter().collect();
        for seed in seeds {
            match scope.try_push(T::make(*seed)) {
                Ok(element) => {
                    kept.push(element);
                    self.std.push(T::make(*seed));
                }
                Err(refused) => {
                    assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
                    assert_eq!(refused.value, T::make(*seed));
                    assert_eq!(scope.len(), T::SPAN);
                }
            }
        }
        assert!(kept.iter().copied().eq(&self.std));
        assert_eq!(scope.as_slice(), &self.std[..]);
        assert_eq!(scope.get(before), self.std.get(before));
    }

    fn splice(&mut self, span: Span, batch: Batch, hint: Hint, partly: Partly) {
        let before = self.std.len();
        let span = span.within(before);
        // `splice` has no `try_` form.
        if before - span.len() + batch.count.of::<T>() > T::SPAN {
            return;
        }
        let mut splice = self.vec.splice(span.clone(), batch.source(hint));
        let mut std = self.std.splice(span.clone(), batch.vec::<T>());
        let taken = take_both(&mut splice, &mut std, partly);
        if partly.forget && T::MAY_LEAK {
            mem::forget(splice);
            drop(std);
            self.cut_to_prefix(before - taken);
        }
    }
}

/// Returns `true` if another reservation may be leaked: address space is limited.
fn leak_allowed() -> bool {
    const MOST: usize = 8;
    static LEAKS: AtomicUsize = AtomicUsize::new(0);
    LEAKS.fetch_add(1, Ordering::Relaxed) < MOST
}
