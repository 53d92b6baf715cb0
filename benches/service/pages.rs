//! Small pages and huge ones.

use serde::Serialize;
use stayput::HugePages;

/// Pages of which size are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pages {
    Small,
    Huge,
}

impl Pages {
    /// Elsewhere there is but one size.
    pub(crate) const ALL: &'static [Self] =
        if cfg!(target_os = "linux") { &[Self::Small, Self::Huge] } else { &[Self::Small] };

    pub(crate) fn wanted(self) -> HugePages {
        match self {
            Self::Small => HugePages::Never,
            Self::Huge => HugePages::Always,
        }
    }
}
