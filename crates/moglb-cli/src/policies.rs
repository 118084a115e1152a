//! `moglb policies`: the list of what can be run, first policies, then identifiers.

use crate::args::PoliciesArgs;
use crate::failure::Failure;
use crate::standard::print;
use moglb::{IDENTIFIERS, IdentifierInfo, POLICIES, Parameter, PolicyInfo};

/// Lists the policies and the identifiers. The JSON has only the policies, because programs rely on its
/// format.
pub fn policies(args: &PoliciesArgs) -> Result<(), Failure> {
    let policies: Vec<Entry> = POLICIES.iter().copied().map(Entry::from).collect();
    let identifiers: Vec<Entry> = IDENTIFIERS.into_iter().map(Entry::from).collect();
    let text = if args.json {
        serde_json::to_string_pretty(&POLICIES).map_err(Failure::running)? + "\n"
    } else if args.markdown {
        let list = |title: &str, level: &str, entries: &[Entry]| {
            entries.iter().fold(String::from(title), |text, entry| text + &markdown(entry, level))
        };
        let title = format!("# Policies\n\n{}", overview(&policies));
        list(&title, "##", &policies) + &list(IDENTIFIERS_TITLE, "###", &identifiers)
    } else {
        let list = |entries: &[Entry]| entries.iter().map(plain).collect::<Vec<_>>().join("\n");
        format!("{}\nFinding the front (moglb identify):\n\n{}", list(&policies), list(&identifiers))
    };
    print(text.as_bytes())
}

/// The title of the second part of `docs/policies.md`, which is made by `moglb policies --markdown`.
const IDENTIFIERS_TITLE: &str = "\n## Finding the front\n\nIdentifiers do not play for reward: \
                                 they sample arms until they know the front, and stop. \
                                 [Finding the front](identify.md) says how to run them.\n";

/// A table with a line for each policy, for the top of the page.
fn overview(entries: &[Entry]) -> String {
    let mut text = String::from("| policy | id | setting |\n|---|---|---|\n");
    for Entry { id, name, setting, .. } in entries {
        text += &format!("| {name} | `{id}` | {setting} |\n");
    }
    text
}

/// The description of a policy or of an identifier: the fields that both have.
struct Entry {
    id: &'static str,
    name: &'static str,
    source: &'static str,
    setting: &'static str,
    guarantee: &'static str,
    cost: (&'static str, &'static str),
    parameters: &'static [Parameter],
    departures: &'static str,
}

impl From<&PolicyInfo> for Entry {
    fn from(info: &PolicyInfo) -> Self {
        let &PolicyInfo { id, name, source, setting, guarantee, cost, parameters, departures, .. } = info;
        let cost = ("Cost of a round", cost);
        Self { id, name, source, setting, guarantee, cost, parameters, departures }
    }
}

impl From<&IdentifierInfo> for Entry {
    fn from(info: &IdentifierInfo) -> Self {
        let &IdentifierInfo { id, name, source, setting, guarantee, cost, parameters, departures } = info;
        Self { id, name, source, setting, guarantee, cost: ("Cost", cost), parameters, departures }
    }
}

/// An entry as text for the terminal.
fn plain(info: &Entry) -> String {
    let mut text = format!("{:<22}{}: {}\n", info.id, info.name, info.setting);
    for line in [info.source, info.guarantee, info.cost.1] {
        text += &format!("{:<22}{line}\n", "");
    }
    for parameter in info.parameters {
        let head = format!("{} = {}", parameter.name, parameter.default);
        text += &format!("{:<24}{head:<23} {}\n", "", parameter.meaning);
    }
    text
}

/// An entry as a section in Markdown.
fn markdown(info: &Entry, level: &str) -> String {
    let mut text = format!("\n{level} {} (`{}`)\n\n", info.name, info.id);
    for (title, line) in [
        ("Source", info.source),
        ("Setting", info.setting),
        ("Guarantee", info.guarantee),
        info.cost,
        ("Departures", if info.departures.is_empty() { "none" } else { info.departures }),
    ] {
        text += &format!("- **{title}**: {line}\n");
    }
    if !info.parameters.is_empty() {
        text += "\n| parameter | default | meaning |\n|---|---|---|\n";
    }
    for parameter in info.parameters {
        let meaning = parameter.meaning.replace('|', "\\|");
        text += &format!("| `{}` | {} | {meaning} |\n", parameter.name, parameter.default);
    }
    text
}
