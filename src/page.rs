//! [`PageBytes`]: a byte count that is proven to be whole pages.

#![forbid(unsafe_code)]

/// The size of a page in bytes: a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageSize(usize);

impl PageSize {
    /// What a system says. All have pages of a power of two bytes; another number is rounded down to one.
    //
    // It does not panic, nor does `PageBytes::whole`: nearly all code that calls the system begins here, and what cannot
    // unwind needs no code for it.
    pub(crate) const fn of_system(bytes: usize) -> Self {
        debug_assert!(bytes.is_power_of_two());
        Self(1 << (bytes | 1).ilog2())
    }

    pub(crate) const fn get(self) -> usize {
        self.0
    }
}

/// A byte count that is a multiple of the page, and at most `isize::MAX`.
///
/// A system has one page size while a process runs, so sums and differences of these are whole
/// pages again; arithmetic that could leave the range is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PageBytes(usize);

impl PageBytes {
    pub(crate) const ZERO: Self = Self(0);

    /// `bytes`, which is whole pages, and no more than can be; else what is left if it is made so.
    pub(crate) const fn whole(bytes: usize, page: PageSize) -> Self {
        debug_assert!(Self::exact(bytes, page).is_some());
        Self(bytes & !(page.0 - 1) & isize::MAX as usize)
    }

    /// `bytes`, if it is whole pages.
    pub(crate) const fn exact(bytes: usize, page: PageSize) -> Option<Self> {
        if bytes & (page.0 - 1) == 0 && bytes <= isize::MAX as usize {
            Some(Self(bytes))
        } else {
            None
        }
    }

    /// `bytes` rounded up to whole pages.
    pub(crate) const fn ceil(bytes: usize, page: PageSize) -> Option<Self> {
        // `page` is at least 1, so the mask is below it and the sum is the only way out of range.
        match bytes.checked_add(page.0 - 1) {
            Some(sum) => Self::exact(sum & !(page.0 - 1), page),
            None => None,
        }
    }

    /// One page.
    pub(crate) const fn one(page: PageSize) -> Self {
        Self(page.0)
    }

    pub(crate) const fn get(self) -> usize {
        self.0
    }

    pub(crate) const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) if sum <= isize::MAX as usize => Some(Self(sum)),
            _ => None,
        }
    }

    pub(crate) const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(rest) => Some(Self(rest)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: PageSize = PageSize::of_system(4096);

    #[test]
    fn rounding_keeps_whole_pages() {
        assert_eq!(PageBytes::ceil(0, PAGE), Some(PageBytes::ZERO));
        assert_eq!(PageBytes::ceil(1, PAGE), Some(PageBytes::one(PAGE)));
        assert_eq!(PageBytes::ceil(4096, PAGE), Some(PageBytes::one(PAGE)));
        assert_eq!(PageBytes::ceil(4097, PAGE).unwrap().get(), 8192);
        assert_eq!(PageBytes::exact(4097, PAGE), None);
    }

    #[test]
    fn nothing_passes_isize_max() {
        let most = PageBytes::exact(isize::MAX as usize & !4095, PAGE).unwrap();
        assert_eq!(PageBytes::ceil(isize::MAX as usize, PAGE), None);
        assert_eq!(PageBytes::ceil(usize::MAX, PAGE), None);
        assert_eq!(most.checked_add(PageBytes::one(PAGE)), None);
        assert_eq!(PageBytes::ZERO.checked_sub(PageBytes::one(PAGE)), None);
        assert_eq!(most.checked_sub(most), Some(PageBytes::ZERO));
    }

    #[test]
    fn page_sizes_and_whole_pages_are_taken_as_they_are() {
        for bytes in [1, 4096, 65536] {
            assert_eq!(PageSize::of_system(bytes).get(), bytes);
        }
        let most = isize::MAX as usize & !4095;
        for bytes in [0, 4096, most] {
            assert_eq!(Some(PageBytes::whole(bytes, PAGE)), PageBytes::exact(bytes, PAGE));
        }
    }

    #[test]
    #[cfg(not(debug_assertions))]
    fn other_numbers_become_whole_pages() {
        assert_eq!([0, 12288].map(|bytes| PageSize::of_system(bytes).get()), [1, 8192]);
        assert_eq!(PageBytes::whole(4097, PAGE), PageBytes::one(PAGE));
        assert_eq!(PageBytes::whole(usize::MAX, PAGE).get(), isize::MAX as usize & !4095);
    }
}
