//! [`PageBytes`]: a byte count that is a multiple of the page size.

#![forbid(unsafe_code)]

/// The size of a page in bytes, a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageSize(usize);

impl PageSize {
    pub(crate) const fn new(bytes: usize) -> Option<Self> {
        if bytes.is_power_of_two() { Some(Self(bytes)) } else { None }
    }

    pub(crate) const fn get(self) -> usize {
        self.0
    }
}

/// A byte count that is a multiple of the page size, and at most `isize::MAX`.
///
/// The page size does not change while a process runs, so sums and differences are multiples again. Arithmetic that
/// could overflow is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PageBytes(usize);

impl PageBytes {
    pub(crate) const ZERO: Self = Self(0);

    /// Returns `bytes`, if it is a multiple of the page size.
    pub(crate) const fn exact(bytes: usize, page: PageSize) -> Option<Self> {
        if bytes & (page.0 - 1) == 0 && bytes <= isize::MAX as usize {
            Some(Self(bytes))
        } else {
            None
        }
    }

    /// Returns `bytes` rounded up to whole pages.
    pub(crate) const fn ceil(bytes: usize, page: PageSize) -> Option<Self> {
        // `page` is at least 1, so only the sum can overflow.
        match bytes.checked_add(page.0 - 1) {
            Some(sum) => Self::exact(sum & !(page.0 - 1), page),
            None => None,
        }
    }

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

    const PAGE: PageSize = match PageSize::new(4096) {
        Some(page) => page,
        None => panic!("a power of two"),
    };

    #[test]
    fn rounding_keeps_whole_pages() {
        assert_eq!(PageBytes::ceil(0, PAGE), Some(PageBytes::ZERO));
        assert_eq!(PageBytes::ceil(1, PAGE), Some(PageBytes::one(PAGE)));
        assert_eq!(PageBytes::ceil(4096, PAGE), Some(PageBytes::one(PAGE)));
        assert_eq!(PageBytes::ceil(4097, PAGE).unwrap().get(), 8192);
        assert_eq!(PageBytes::exact(4097, PAGE), None);
    }

    #[test]
    fn results_above_isize_max_are_refused() {
        let most = PageBytes::exact(isize::MAX as usize & !4095, PAGE).unwrap();
        assert_eq!(PageBytes::ceil(isize::MAX as usize, PAGE), None);
        assert_eq!(PageBytes::ceil(usize::MAX, PAGE), None);
        assert_eq!(most.checked_add(PageBytes::one(PAGE)), None);
        assert_eq!(PageBytes::ZERO.checked_sub(PageBytes::one(PAGE)), None);
        assert_eq!(most.checked_sub(most), Some(PageBytes::ZERO));
    }

    #[test]
    fn page_sizes_are_powers_of_two() {
        assert_eq!(PageSize::new(0), None);
        assert_eq!(PageSize::new(12288), None);
        assert_eq!(PageSize::new(65536).map(PageSize::get), Some(65536));
    }
}
