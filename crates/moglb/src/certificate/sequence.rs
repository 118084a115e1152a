//! The learned state of a confidence sequence, in the form in which a certificate saves it.

use moglb_core::moglb_ucb::snapshot::MoglbUcbState;
use moglb_rivals::glm::GlbOmdState;
use serde::de::{EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The learned state of one of the two confidence sequences that are policies.
///
/// It is saved like the [`PolicyState`](crate::PolicyState) of the policy, with the name and the index of
/// that variant. A separate type keeps the certificate independent of the list of all policies: that list
/// contains a policy with a certificate inside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SequenceState {
    MoglbUcb(MoglbUcbState),
    GlbOmd(GlbOmdState),
}

/// The name and the index of each variant in `PolicyState`.
const MOGLB_UCB: (&str, u32) = ("moglb-ucb", 0);
const GLB_OMD: (&str, u32) = ("glb-omd", 29);

impl Serialize for SequenceState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = "PolicyState";
        match self {
            SequenceState::MoglbUcb(state) => {
                serializer.serialize_newtype_variant(name, MOGLB_UCB.1, MOGLB_UCB.0, state)
            }
            SequenceState::GlbOmd(state) => {
                serializer.serialize_newtype_variant(name, GLB_OMD.1, GLB_OMD.0, state)
            }
        }
    }
}

impl<'de> Deserialize<'de> for SequenceState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_enum("PolicyState", &[MOGLB_UCB.0, GLB_OMD.0], States)
    }
}

struct States;

impl<'de> Visitor<'de> for States {
    type Value = SequenceState;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the state of a confidence sequence")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<SequenceState, A::Error> {
        match data.variant()? {
            (Tag::MoglbUcb, content) => content.newtype_variant().map(SequenceState::MoglbUcb),
            (Tag::GlbOmd, content) => content.newtype_variant().map(SequenceState::GlbOmd),
        }
    }
}

/// The variant that follows: a name in JSON, an index in bytes.
enum Tag {
    MoglbUcb,
    GlbOmd,
}

impl<'de> Deserialize<'de> for Tag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(Tags)
    }
}

struct Tags;

impl Visitor<'_> for Tags {
    type Value = Tag;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name or the index of a confidence sequence")
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<Tag, E> {
        match u32::try_from(index) {
            Ok(index) if index == MOGLB_UCB.1 => Ok(Tag::MoglbUcb),
            Ok(index) if index == GLB_OMD.1 => Ok(Tag::GlbOmd),
            _ => Err(E::custom(format!("the state {index} is of no confidence sequence"))),
        }
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Tag, E> {
        if name == MOGLB_UCB.0 {
            return Ok(Tag::MoglbUcb);
        }
        if name == GLB_OMD.0 {
            Ok(Tag::GlbOmd)
        } else {
            Err(E::unknown_variant(name, &[MOGLB_UCB.0, GLB_OMD.0]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PolicyState;
    use moglb_core::MoglbUcb;
    use moglb_core::saved::Saved;
    use moglb_core::{Arm, Link, Objective, Policy, Problem};
    use moglb_pareto::ArmId;
    use moglb_rivals::MoGlbOmd;

    /// Two sequences that have learned a reward, each as the state in a certificate and as the state of its
    /// policy.
    fn states() -> [(SequenceState, PolicyState); 2] {
        let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)]).unwrap();
        let arm = Arm::new(ArmId(0), &[0.6, 0.1]).unwrap();
        let mut newton = MoglbUcb::new(problem.clone(), Default::default()).unwrap();
        let mut mirror = MoGlbOmd::new(problem, Default::default()).unwrap();
        newton.learn(arm, &[1.0]).unwrap();
        mirror.learn(arm, &[1.0]).unwrap();
        [
            (SequenceState::MoglbUcb(newton.whole_state()), newton.whole_state().into()),
            (SequenceState::GlbOmd(mirror.state()), mirror.state().into()),
        ]
    }

    #[test]
    fn a_sequence_is_written_as_the_state_of_its_policy() {
        for (own, of_policy) in states() {
            let json = serde_json::to_string(&own).unwrap();
            assert_eq!(json, serde_json::to_string(&of_policy).unwrap());
            let bytes = postcard::to_stdvec(&own).unwrap();
            assert_eq!(bytes, postcard::to_stdvec(&of_policy).unwrap());
            assert_eq!(serde_json::from_str::<SequenceState>(&json).unwrap(), own);
            assert_eq!(postcard::from_bytes::<SequenceState>(&bytes).unwrap(), own);
        }
    }

    #[test]
    fn a_state_of_another_policy_is_refused() {
        let other = PolicyState::Rounds(3);
        assert!(serde_json::from_str::<SequenceState>(&serde_json::to_string(&other).unwrap()).is_err());
        assert!(postcard::from_bytes::<SequenceState>(&postcard::to_stdvec(&other).unwrap()).is_err());
        assert!(serde_json::from_str::<SequenceState>(r#""moglb-ucb""#).is_err());
    }
}
