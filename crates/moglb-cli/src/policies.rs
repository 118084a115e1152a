//! `moglb policies`.

use crate::args::PoliciesArgs;
use crate::failure::Failure;
use crate::folder::print;
use moglb::{POLICIES, PolicyInfo};
use std::fmt::Write;

/// Lists the policies.
pub fn policies(args: &PoliciesArgs) -> Result<(), Failure> {
    let text = if args.json {
        serde_json::to_string_pretty(&POLICIES).map_err(Failure::running)? + "\n"
    } else if args.markdown {
        POLICIES.iter().fold(String::from("# Policies\n"), |text, info| text + &markdown(info))
    } else {
        POLICIES.iter().map(|info| plain(info)).collect::<Vec<_>>().join("\n")
    };
    print(text.as_bytes())
}

fn plain(info: &PolicyInfo) -> String {
    let mut text = format!("{:<12}{}: {}\n", info.id, info.name, info.setting);
    for line in [info.source, info.guarantee, info.cost] {
        writeln!(text, "{:<12}{line}", "").expect("writing to a string");
    }
    for parameter in info.parameters {
        let head = format!("{} = {}", parameter.name, parameter.default);
        writeln!(text, "{:<14}{head:<24}{}", "", parameter.meaning).expect("writing to a string");
    }
    text
}

fn markdown(info: &PolicyInfo) -> String {
    let mut text = format!("\n## {} (`{}`)\n\n", info.name, info.id);
    for (title, line) in [
        ("Source", info.source),
        ("Setting", info.setting),
        ("Guarantee", info.guarantee),
        ("Cost of a round", info.cost),
        ("Departures", if info.departures.is_empty() { "none" } else { info.departures }),
    ] {
        writeln!(text, "- **{title}**: {line}").expect("writing to a string");
    }
    if !info.parameters.is_empty() {
        text += "\n| parameter | default | meaning |\n|---|---|---|\n";
    }
    for parameter in info.parameters {
        let meaning = parameter.meaning.replace('|', "\\|");
        writeln!(text, "| `{}` | {} | {meaning} |", parameter.name, parameter.default)
            .expect("writing to a string");
    }
    text
}
