//! Environments as they may be written: names, each with the parameters that are not to be as the name says.

use super::data::DataSource;
use super::drift::Drift;
use super::paper::{Coefficients, PaperConfig};
use super::spread::SpreadConfig;
use crate::Arrival;
use moglb::Link::{self, Identity, Logit, Probit};
use serde::Deserialize;

/// The names that may be written.
#[derive(Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub(super) enum Written {
    Paper(PaperConfig),
    PaperFresh(PaperConfig),
    PaperTurned(Changes),
    Unrelated(Changes),
    LargeNorm(Changes),
    Wide(Changes),
    Misspecified(Changes),
    Spread(SpreadConfig),
    Data(DataSource),
}

/// The parameters of the paper's data that are written next to a name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Changes {
    dim: usize,
    arms: Option<usize>,
    links: Option<Vec<Link>>,
    max_front: Option<usize>,
    coefficients: Option<Coefficients>,
    radius: Option<f64>,
    assumed: Option<Vec<Link>>,
    assumed_radius: Option<f64>,
    arrival: Option<Arrival>,
    drift: Option<Drift>,
}

impl Changes {
    pub(super) fn turned(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        self.to(PaperConfig { coefficients: Coefficients::TurnedPositiveBall, ..base })
    }

    pub(super) fn unrelated(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        // With such coefficients more than half of the arms are on the front.
        let max_front = Some(self.arms.unwrap_or(base.n_arms()));
        self.to(PaperConfig { coefficients: Coefficients::Sphere, max_front, ..base })
    }

    pub(super) fn large_norm(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        self.to(PaperConfig { radius: 5.0, ..base })
    }

    pub(super) fn wide(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        let links = [vec![Probit; 4], vec![Logit; 6]].concat();
        // Below d = 20 hardly any arm set has a front of at most d.
        let max_front = (base.dim < 20).then_some(self.arms.unwrap_or(500));
        self.to(PaperConfig { arms: Some(500), links, max_front, ..base })
    }

    pub(super) fn misspecified(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        let assumed = Some(vec![Logit, Identity, Logit, Logit, Logit]);
        self.to(PaperConfig { assumed, ..base })
    }

    fn to(self, named: PaperConfig) -> PaperConfig {
        PaperConfig {
            arms: self.arms.or(named.arms),
            links: self.links.unwrap_or(named.links),
            max_front: self.max_front.or(named.max_front),
            coefficients: self.coefficients.unwrap_or(named.coefficients),
            radius: self.radius.unwrap_or(named.radius),
            assumed: self.assumed.or(named.assumed),
            assumed_radius: self.assumed_radius.or(named.assumed_radius),
            arrival: self.arrival.or(named.arrival),
            drift: self.drift.or(named.drift),
            dim: named.dim,
        }
    }
}
