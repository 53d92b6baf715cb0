//! `GlobalVm` against the best of its peers, within the same rounds.

use bench_common::jobs::Rounds;
use bench_common::spread::Spread;
use bench_common::table::Target;

use crate::contenders::Case;

/// The rows of one job: that of `GlobalVm`, and those of its peers.
#[derive(Clone, Copy, Debug)]
pub struct Group<'r, J, F> {
    pub own: &'r Rounds<Case<J>, F>,
    pub peers: &'r [Rounds<Case<J>, F>],
}

/// Splits the rows into the groups of their jobs, each with as many rows as there are contenders.
pub fn groups<J, F>(
    rows: &[Rounds<Case<J>, F>],
    contenders: usize,
) -> impl Iterator<Item = Group<'_, J, F>> {
    rows.chunks(contenders).filter_map(|rows| {
        let (own, peers) = rows.split_first()?;
        Some(Group { own, peers })
    })
}

impl<J, F> Group<'_, J, F> {
    /// Returns the target for a figure of `GlobalVm`, over that of the peer whose median is the best; `None` if the
    /// system does not report it.
    pub fn to_best(
        &self,
        what: String,
        figure: impl Fn(&F) -> Option<f64>,
        most: f64,
    ) -> Option<Target> {
        let others = self.peers.iter().filter(|peer| !peer.of.contender.is_ours());
        let medians = others.filter_map(|peer| {
            let spread = peer.spread_of_some(&figure)?;
            Some((peer, spread.median))
        });
        let (best, _) = medians.min_by(|one, other| one.1.total_cmp(&other.1))?;
        over(self.own, best, what, figure, most)
    }

    /// Returns the target for a figure of `GlobalVm`, over that of the system's allocator.
    pub fn to_system(
        &self,
        what: String,
        figure: impl Fn(&F) -> Option<f64>,
        most: f64,
    ) -> Option<Target> {
        let system = self.peers.iter().find(|peer| peer.of.contender.is_system())?;
        over(self.own, system, what, figure, most)
    }

    /// Returns the target for a figure of `GlobalVm` alone.
    pub fn alone(
        &self,
        what: String,
        figure: impl Fn(&F) -> Option<f64>,
        most: f64,
    ) -> Option<Target> {
        let ratio = self.own.spread_of_some(figure)?.median;
        Some(Target { what, over: "", ratio, most })
    }
}

fn over<J, F>(
    own: &Rounds<Case<J>, F>,
    peer: &Rounds<Case<J>, F>,
    what: String,
    figure: impl Fn(&F) -> Option<f64>,
    most: f64,
) -> Option<Target> {
    let ratios = ratios(own, peer, figure)?;
    Some(Target { what, over: peer.of.contender.name, ratio: ratios.median, most })
}

/// Returns the ratios of two rows' figures, round by round; `None` if a round lacks one.
pub fn ratios<K, F>(
    own: &Rounds<K, F>,
    other: &Rounds<K, F>,
    figure: impl Fn(&F) -> Option<f64>,
) -> Option<Spread> {
    let rounds = own.found.iter().zip(&other.found);
    let ratios: Option<Vec<f64>> =
        rounds.map(|(own, other)| Some(figure(own)? / figure(other)?)).collect();
    ratios.map(Spread::of)
}
