//! The written form of environments: names, each with the parameters that differ from those of the name.

use super::data::DataSource;
use super::drift::Drift;
use super::paper::{Coefficients, PaperConfig};
use super::spread::SpreadConfig;
use crate::Arrival;
use moglb::Link::{self, Identity, Logit, Probit};
use serde::Deserialize;

/// The names under which an environment can be written.
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

/// The parameters of the paper's data that can be written next to a name. They replace those of the name.
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
    /// The environment `paper-turned`: the direction that the coefficients share is random.
    pub(super) fn turned(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        self.to(PaperConfig { coefficients: Coefficients::TurnedPositiveBall, ..base })
    }

    /// The environment `unrelated`: coefficients on the whole sphere.
    pub(super) fn unrelated(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        // No bound on the front: with such coefficients more than half of the arms are on it.
        let max_front = Some(self.arms.unwrap_or(base.n_arms()));
        self.to(PaperConfig { coefficients: Coefficients::Sphere, max_front, ..base })
    }

    /// The environment `large-norm`: coefficients in a ball of radius 5.
    pub(super) fn large_norm(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        self.to(PaperConfig { radius: 5.0, ..base })
    }

    /// The environment `wide`: 500 arms and 10 objectives.
    pub(super) fn wide(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        let links = [vec![Probit; 4], vec![Logit; 6]].concat();
        // Below d = 20 hardly any arm set has a front of at most d arms, so the bound is lifted.
        let max_front = (base.dim < 20).then_some(self.arms.unwrap_or(500));
        self.to(PaperConfig { arms: Some(500), links, max_front, ..base })
    }

    /// The environment `misspecified`: policies assume wrong links for the first two objectives.
    pub(super) fn misspecified(self) -> PaperConfig {
        let base = PaperConfig::new(self.dim);
        let assumed = Some(vec![Logit, Identity, Logit, Logit, Logit]);
        self.to(PaperConfig { assumed, ..base })
    }

    /// The parameters of a name, with those that are written next to it in their place.
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
