//! Short descriptions of ways to play, for the names of runs.

use super::{Belief, Choose, ObjectiveId, Over, PlayConfig, PreferenceConfig};
use std::fmt;

impl fmt::Display for ObjectiveId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(index) => write!(f, "objective {index}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for PreferenceConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own {} => f.write_str("own"),
            Self::Uniform {} => f.write_str("uniform"),
            Self::Best { objective } => write!(f, "best in {objective}"),
            Self::Weights { weights } => write!(f, "weights {weights:?}"),
            Self::Chebyshev { weights, reference: None } => write!(f, "chebyshev {weights:?}"),
            Self::Chebyshev { weights, reference: Some(reference) } => {
                write!(f, "chebyshev {weights:?} from {reference:?}")
            }
            Self::Constraints { at_least, at_most, then } => {
                let lower = at_least.iter().map(|(name, at)| format!("{name} ≥ {at}"));
                let upper = at_most.iter().map(|(name, at)| format!("{name} ≤ {at}"));
                f.write_str(&lower.chain(upper).collect::<Vec<_>>().join(", "))?;
                then.iter().try_for_each(|then| write!(f, ", then {then}"))
            }
            Self::Lexicographic { order, tolerances } => {
                let order: Vec<String> = order.iter().map(ObjectiveId::to_string).collect();
                write!(f, "lexicographic {}", order.join(" > "))?;
                if tolerances.is_empty() { Ok(()) } else { write!(f, " within {tolerances:?}") }
            }
            Self::Hypervolume { choose: Choose::Largest, .. } => f.write_str("largest hypervolume"),
            Self::Hypervolume { choose: Choose::Proportional, .. } => f.write_str("hypervolume"),
            Self::Knee {} => f.write_str("knee"),
            Self::LeastExposed {} => f.write_str("least exposed"),
            Self::Mix { of } => {
                let parts: Vec<String> =
                    of.iter().map(|part| format!("{} {}", part.share, part.prefer)).collect();
                write!(f, "mix of {}", parts.join(" + "))
            }
        }
    }
}

impl fmt::Display for PlayConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arms = |ids: &[usize]| ids.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let mut parts = vec![self.prefer.as_ref().map_or("own".into(), PreferenceConfig::to_string)];
        parts.extend(match self.belief {
            Belief::Mean => None,
            Belief::Optimistic => Some("optimistic".into()),
            Belief::Pessimistic => Some("pessimistic".into()),
        });
        parts.extend(self.objectives.as_deref().map(|ids| {
            let names: Vec<String> = ids.iter().map(ObjectiveId::to_string).collect();
            format!("by {} alone", names.join(", "))
        }));
        parts.extend(self.floor.map(|floor| match floor.over {
            Over::All => format!("floor {}", floor.share),
            Over::Front => format!("floor {} over the front", floor.share),
        }));
        parts.extend(self.include.as_deref().map(|ids| format!("only {}", arms(ids))));
        parts.extend((!self.exclude.is_empty()).then(|| format!("without {}", arms(&self.exclude))));
        parts.extend(self.baseline.map(|baseline| format!("arm {} for {}", baseline.arm, baseline.share)));
        f.write_str(&parts.join("; "))
    }
}
