//! Environments by name: the paper's data, variants of it on which a policy should be tried, and arms
//! without a model.

use super::config::EnvironmentConfig;
use std::borrow::Cow;

/// The name of an environment and its description.
///
/// Example: [`EnvironmentConfig::named`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnvironmentInfo {
    /// The id, as in configurations.
    pub id: &'static str,
    /// A description of one line.
    pub about: &'static str,
}

/// All names, in the order of the documentation.
pub const ENVIRONMENTS: [EnvironmentInfo; 8] = [
    EnvironmentInfo { id: "paper", about: "the paper's synthetic data, one arm set for the whole run" },
    EnvironmentInfo { id: "paper-fresh", about: "the same laws, with a fresh arm set in every round" },
    EnvironmentInfo {
        id: "paper-turned",
        about: "the paper's, with the direction that coefficients share turned to a random one",
    },
    EnvironmentInfo { id: "unrelated", about: "coefficients independent and uniform on the whole sphere" },
    EnvironmentInfo {
        id: "large-norm",
        about: "coefficients in a ball of radius 5: links saturate, κ is tiny",
    },
    EnvironmentInfo { id: "wide", about: "500 arms and 10 objectives, four probit and six logit" },
    EnvironmentInfo { id: "misspecified", about: "policies assume wrong links for the first two objectives" },
    EnvironmentInfo {
        id: "spread",
        about: "no model: arms on a quarter of a circle and a gap below it, or with means as stated",
    },
];

impl EnvironmentConfig {
    /// The environment of a name at a dimension, with every other parameter at the value of the name.
    /// `None` for an unknown name.
    ///
    /// ```
    /// use moglb_sim::EnvironmentConfig;
    /// assert_eq!(EnvironmentConfig::named("wide", 20).unwrap().n_arms(), 500);
    /// assert!(EnvironmentConfig::named("nowhere", 20).is_none());
    /// ```
    pub fn named(id: &str, dim: usize) -> Option<Self> {
        serde_json::from_value(serde_json::json!({ "id": id, "dim": dim })).ok()
    }

    /// The name whose parameters the environment has, if there is one, otherwise its id. For data, the
    /// names of the folder and the problem.
    ///
    /// ```
    /// use moglb_sim::{EnvironmentConfig, PaperConfig};
    /// let config = PaperConfig { radius: 5.0, ..PaperConfig::new(10) };
    /// assert_eq!(EnvironmentConfig::Paper(config).name(), "large-norm");
    /// ```
    pub fn name(&self) -> Cow<'static, str> {
        if let EnvironmentConfig::Data(source) = self {
            return source.name().into();
        }
        let is_this = |info: &&EnvironmentInfo| Self::named(info.id, self.dim()).as_ref() == Some(self);
        ENVIRONMENTS.iter().find(is_this).map_or(self.id(), |info| info.id).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PaperConfig;

    #[test]
    fn every_name_is_an_environment_that_reads_back() {
        for EnvironmentInfo { id, .. } in ENVIRONMENTS {
            let config = EnvironmentConfig::named(id, 12).unwrap_or_else(|| panic!("{id}"));
            assert_eq!((config.dim(), &*config.name()), (12, id));
            config.problem().unwrap();
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<EnvironmentConfig>(&text).unwrap(), config);
        }
    }

    #[test]
    fn a_name_gives_way_to_what_is_written_beside_it() {
        let text = r#"{ "id": "large-norm", "dim": 4, "radius": 2.0, "arms": 9 }"#;
        let expected = PaperConfig { radius: 2.0, arms: Some(9), ..PaperConfig::new(4) };
        assert_eq!(
            serde_json::from_str::<EnvironmentConfig>(text).unwrap(),
            EnvironmentConfig::Paper(expected)
        );
        let unknown = r#"{ "id": "wide", "dim": 4, "colour": 1 }"#;
        assert!(serde_json::from_str::<EnvironmentConfig>(unknown).is_err());
    }
}
