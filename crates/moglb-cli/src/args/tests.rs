//! Rules for all help texts, checked on the tree of commands.

use super::Cli;
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The largest width of help texts, in columns.
const COLUMNS: usize = 100;

#[test]
fn every_help_text_keeps_the_rules() {
    Cli::command().debug_assert();
    let found = findings(Cli::command());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Checks that docs/reference.md has a section for every command, with exactly the options of that command.
#[test]
fn the_reference_lists_the_commands_and_their_options() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let page = std::fs::read_to_string(page).expect("docs/reference.md can be read");
    let listed: BTreeMap<String, BTreeSet<String>> = page.split("\n### `").skip(1).map(section).collect();
    let mut commands = BTreeMap::new();
    add_options("moglb", &Cli::command(), &mut commands);
    assert!(commands.len() >= 10, "{commands:?}");
    assert_eq!(listed, commands);
}

/// The command and the options of a section of docs/reference.md.
fn section(text: &str) -> (String, BTreeSet<String>) {
    let (command, rest) = text.split_once('`').expect("the title is in backquotes");
    let text = rest.split("\n#").next().unwrap_or(rest);
    let options = text.split('`').filter(|quoted| quoted.starts_with("--")).map(String::from);
    (command.into(), options.collect())
}

/// Adds the long options of a command, or of all its subcommands if it has any.
fn add_options(name: &str, command: &Command, found: &mut BTreeMap<String, BTreeSet<String>>) {
    let mut inner = command.get_subcommands().filter(|inner| inner.get_name() != "help").peekable();
    if inner.peek().is_none() {
        let options = command.get_arguments().filter_map(|argument| argument.get_long());
        let options = options.filter(|option| !["help", "version"].contains(option));
        found.insert(name.into(), options.map(|option| format!("--{option}")).collect());
    }
    inner.for_each(|inner| add_options(&format!("{name} {}", inner.get_name()), inner, found));
}

/// A broken help text for each rule: that rule reports it, and no other rule does.
#[test]
fn every_rule_finds_a_text_that_breaks_it() {
    type Change = fn(Command) -> Command;
    let cases: [(Change, &str); 20] = [
        (|run| run.about(None::<&str>), "moglb run: nothing says what it does"),
        (|run| run.about("Run an experiment."), "moglb run: `Run an experiment.` ends in a full stop"),
        (
            |run| run.about("run an experiment"),
            "moglb run: `run an experiment` does not begin with a capital",
        ),
        (|run| run.after_help("Anything."), "moglb run: no examples"),
        (|run| run.after_help("Examples:\n\nAnything."), "moglb run: no examples"),
        (|run| run.after_help("Example:\n  moglb run"), "moglb run: `moglb run` is not understood"),
        (|run| run.after_help("Example:\n  moglb run a.toml --dims 5"), "unexpected argument '--dims'"),
        (|run| run.after_help("Example:\n  moglb report results"), "an example of another command"),
        (|run| run.after_help("Example:\n  moglb run a.toml\nSee docs/nowhere.md."), "no docs/nowhere.md"),
        (|run| run.after_help("Example:\n  moglb run a.toml\nSee `moglb fly`."), "no command `moglb fly`"),
        (|run| run.after_help("Example:\n  moglb run a.toml\nThe exit code is 3."), "no exit code 3"),
        (|run| run.after_help(format!("Example:\n  moglb run a.toml\n{}", "a ".repeat(51))), "102 columns"),
        (|run| run.arg(Arg::new("new").long("new")), "--new: no help"),
        (|run| run.arg(switch("new", "Run it again.")), "--new: `Run it again.` ends in a full stop"),
        (|run| run.arg(switch("new", "run it again")), "--new: `run it again` does not begin with a capital"),
        (|run| run.arg(value("new", "n").help("New ones")), "--new: the value is called n"),
        (|run| run.arg(value("new", "N").default_value("2").help("One [default: 1]")), "--new: two defaults"),
        (|run| run.arg(switch("new", "The experiment, as TOML")), "--new means the same as FILE.toml"),
        (|run| run.arg(switch("seed", "Sow")), "--seed takes a value in one command and none in another"),
        (|run| run.arg(value("new", "N").help("N".repeat(120))), "141 columns"),
    ];
    let missed = cases.into_iter().filter_map(|(change, expected)| {
        let found = findings(Cli::command().mut_subcommand("run", change));
        let alone = found.len() == 1 && found[0].contains(expected);
        (!alone).then(|| format!("{expected}: {found:?}"))
    });
    let missed: Vec<String> = missed.collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let top = |text: &'static str| findings(Cli::command().after_help(text));
    let found = top("Examples:\n  moglb run a.toml\n\nExit codes: 0, 1 and 2");
    assert!(
        found.contains(&"moglb: no example of moglb data check".into()) && found.len() == 9,
        "{found:#?}"
    );
    let found = top("Exit codes: 0 and 2");
    assert!(found.contains(&"moglb: exit code 1 is not explained".into()), "{found:#?}");
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn value(name: &'static str, value_name: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value_name)
}

/// All faults in the help texts of a command and its subcommands.
fn findings(root: Command) -> Vec<String> {
    let mut root = root.term_width(COLUMNS);
    root.build();
    let mut commands = Vec::new();
    collect(&root, &mut commands);
    let mut found = Vec::new();
    for command in &commands {
        let name = name(command);
        let reasons = [about(command), text(&root, command), arguments(command), columns(command)].concat();
        found.extend(reasons.into_iter().map(|reason| format!("{name}: {reason}")));
    }
    found.extend(top(&root, &commands).into_iter().map(|reason| format!("moglb: {reason}")));
    found.extend(meanings(&commands));
    found
}

/// The command and all its subcommands, except for `help`, which clap writes.
fn collect<'a>(command: &'a Command, commands: &mut Vec<&'a Command>) {
    commands.push(command);
    command.get_subcommands().filter(|one| one.get_name() != "help").for_each(|one| collect(one, commands));
}

/// The command as it is typed.
fn name(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).into()
}

fn about(command: &Command) -> Vec<String> {
    match command.get_about() {
        None => vec!["nothing says what it does".into()],
        Some(about) => style(&about.to_string()),
    }
}

/// Checks the style of a line of help: it begins with a capital and ends without a full stop.
fn style(line: &str) -> Vec<String> {
    let stop = line.ends_with('.').then(|| format!("`{line}` ends in a full stop"));
    let small = !line.starts_with(char::is_uppercase);
    let small = small.then(|| format!("`{line}` does not begin with a capital"));
    stop.into_iter().chain(small).collect()
}

/// Checks the text under the options: its examples parse, and the options that it mentions exist.
fn text(root: &Command, command: &Command) -> Vec<String> {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let examples = examples(&text);
    let mut found = Vec::new();
    if examples.is_empty() && !command.has_subcommands() {
        found.push("no examples".into());
    }
    for example in &examples {
        match played(root, example) {
            Err(error) => found.push(format!("`{example}` is not understood: {error}")),
            Ok(of) if !of.starts_with(&name(command)) => {
                found.push(format!("an example of another command, {of}"))
            }
            Ok(_) => {}
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for word in text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';', ':'])) {
        let ours = ["data/", "docs/", "examples/"].iter().any(|start| word.starts_with(start));
        if ours && !folder.join(word).exists() {
            found.push(format!("there is no {word}"));
        }
    }
    for mention in text.split('`').skip(1).step_by(2).filter(|mention| mention.starts_with("moglb ")) {
        let mut words = mention.split(' ').skip(1);
        if words.try_fold(root, |command, word| command.find_subcommand(word)).is_none() {
            found.push(format!("there is no command `{mention}`"));
        }
    }
    for code in text.split("exit code is ").skip(1) {
        let code: String = code.chars().take_while(char::is_ascii_digit).collect();
        if !["0", "1", "2"].contains(&code.as_str()) {
            found.push(format!("there is no exit code {code}"));
        }
    }
    found
}

/// The examples at the top of a text, without their explanations and without other programs.
fn examples(text: &str) -> Vec<&str> {
    let mut lines = text.lines();
    if !matches!(lines.next(), Some("Example:" | "Examples:")) {
        return Vec::new();
    }
    let lines = lines.map_while(|line| line.strip_prefix("  "));
    lines.map(|line| alone(line.split_once("  ").map_or(line, |(example, _)| example))).collect()
}

/// The part of a shell command line that runs this program.
fn alone(line: &str) -> &str {
    let line = line.split(" > ").next().unwrap_or(line);
    line.rsplit(" | ").next().unwrap_or(line)
}

/// The subcommand that parses an example.
fn played(root: &Command, example: &str) -> Result<String, String> {
    let matches = root.clone().try_get_matches_from(words(example));
    let matches =
        matches.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_string())?;
    let mut path = vec![root.get_name().to_string()];
    let mut at = &matches;
    while let Some((name, below)) = at.subcommand() {
        path.push(name.into());
        at = below;
    }
    Ok(path.join(" "))
}

/// Splits a line into words as a shell does; single quotes may contain spaces.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().expect("begins with one").push(other),
        }
    }
    words
}

/// The arguments of a command, without those that clap adds.
fn given(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| !["help", "version"].contains(&argument.get_id().as_str()))
}

/// The name that a user types, or the placeholder of an argument without a name.
fn shown(argument: &Arg) -> String {
    let name = || argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    argument.get_long().map_or_else(name, |long| format!("--{long}"))
}

fn takes_value(argument: &Arg) -> bool {
    argument.get_action().takes_values()
}

fn arguments(command: &Command) -> Vec<String> {
    let named = |argument| argument_findings(argument).into_iter().map(move |it| (shown(argument), it));
    given(command).flat_map(named).map(|(name, reason)| format!("{name}: {reason}")).collect()
}

fn argument_findings(argument: &Arg) -> Vec<String> {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    if help.is_empty() {
        return vec!["no help".into()];
    }
    let by_hand = help.contains("[default: ");
    let defaults = argument.get_default_values();
    // Names of options and commands are written as the user types them.
    let lists_values = by_hand || defaults.iter().any(|default| help.contains(&*default.to_string_lossy()));
    let mut found = style(&help);
    found.retain(|reason| !(reason.contains("capital") && help.contains(" or ") && lists_values));
    if by_hand && !defaults.is_empty() {
        found.push("two defaults".into());
    }
    let names = argument.get_value_names().unwrap_or_default().iter().filter(|_| takes_value(argument));
    let small = names.filter(|name| !name.starts_with(char::is_uppercase));
    found.extend(small.map(|name| format!("the value is called {name}")));
    found
}

/// Finds lines that are too wide for a usual terminal.
fn columns(command: &Command) -> Vec<String> {
    let rendered = command.clone().render_help().to_string();
    // The lines under the options are checked in the source, because clap breaks long lines in its output.
    let written = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut wide: Vec<usize> =
        rendered.lines().chain(written.lines()).map(|line| line.chars().count()).collect();
    wide.retain(|&columns| columns > COLUMNS);
    wide.into_iter().max().map(|columns| format!("a line of {columns} columns")).into_iter().collect()
}

/// Checks the first page: it has an example of every command, and the meaning of every exit code.
fn top(root: &Command, commands: &[&Command]) -> Vec<String> {
    let text = root.get_after_help().map(ToString::to_string).unwrap_or_default();
    let shown: Vec<String> =
        examples(&text).iter().filter_map(|example| played(root, example).ok()).collect();
    let leaves = commands.iter().filter(|command| !command.has_subcommands()).map(|command| name(command));
    let missing = leaves.filter(|leaf| !shown.contains(leaf)).map(|leaf| format!("no example of {leaf}"));
    let (_, codes) = text.split_once("Exit codes: ").unwrap_or_default();
    let codes: Vec<&str> = codes.split(|character: char| !character.is_alphanumeric()).collect();
    let silent = ["0", "1", "2"].into_iter().filter(|code| !codes.contains(code));
    missing.chain(silent.map(|code| format!("exit code {code} is not explained"))).collect()
}

/// Finds options with the same meaning but different names, and options with the same name but different
/// meanings.
fn meanings(commands: &[&Command]) -> Vec<String> {
    let mut found = Vec::new();
    let (mut names, mut kinds) = (BTreeMap::new(), BTreeMap::new());
    for argument in commands.iter().flat_map(|command| given(command)) {
        let (name, help) = (shown(argument), argument.get_help().map(ToString::to_string));
        let first = help.map_or(name.clone(), |help| names.entry(help).or_insert(name.clone()).clone());
        if first != name {
            found.push(format!("{name} means the same as {first}"));
        }
        if *kinds.entry(name.clone()).or_insert(takes_value(argument)) != takes_value(argument) {
            found.push(format!("{name} takes a value in one command and none in another"));
        }
    }
    found
}
