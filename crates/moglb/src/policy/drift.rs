//! Policies around policies, for coefficients that drift: what is old is not learned from any more. They work around any
//! policy, as they tell a new one what is to be remembered.

mod detector;
pub(crate) mod restart;
mod told;
pub(crate) mod window;

use crate::policy::{Kind, Parameter, Restorable};
use crate::{Error, PolicyConfig, Problem};

/// The parameter that all of them have.
pub(crate) const POLICY: Parameter = Parameter {
    name: "policy",
    kind: Kind::Policy,
    default: r#"{ id = "moglb-eb" }"#,
    meaning: "the policy inside, by its id and with its parameters; none that has a policy inside itself",
};

/// The recommended policy.
fn default_policy() -> Box<PolicyConfig> {
    Box::new(PolicyConfig::recommended())
}

/// The policy inside, before the first round.
fn build(policy: &PolicyConfig, problem: &Problem) -> Result<Box<dyn Restorable>, Error> {
    if matches!(policy, PolicyConfig::Window(_) | PolicyConfig::Restart(_)) {
        return Err(Error::Parameters { what: "the policy inside must be one without a policy inside" });
    }
    policy.build(problem)
}
