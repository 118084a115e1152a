//! Writes the seeds of the fuzzer into `fuzz/corpus`, one valid example of every format and some
//! random bytes:
//! `cargo run -p moglb-fuzz --example seeds`.

use moglb::{
    ArmSet, Certificate, CertificateConfig, Features, FeaturesConfig, IDENTIFIERS, Ledger, Link, Monitor,
    MonitorConfig, Objective, POLICIES, PolicyConfig, Problem, Restorable, Rng, draw,
};
use moglb_sim::{Plan, Unwatched};
use parquet::data_type::DoubleType;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    snapshots()?;
    states()?;
    parameters()?;
    experiments()?;
    data()?;
    logs()?;
    results()?;
    for (k, text) in [
        "a,b\n1,2\n2,1\n",
        "a,b\r\n\"1\",2\r\n\r\n3,4",
        "\"a\nb\"\n1\n",
        "\u{feff}a\n1\n",
        "a,\"b\"\"c\"\n0,1\r",
    ]
    .iter()
    .enumerate()
    {
        write("front", &format!("seed-{k}"), text.as_bytes())?;
    }
    let mut rng = draw::seeded(1);
    for (target, length) in [("pareto", 200), ("structured", 600)] {
        for k in 0..40 {
            let bytes: Vec<u8> = (0..length).map(|_| rng.next_u32() as u8).collect();
            write(target, &format!("seed-{k}"), &bytes)?;
        }
    }
    Ok(())
}

fn write(target: &str, name: &str, bytes: &[u8]) -> Done {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join(name), bytes)?)
}

/// Writes an input of a target whose first byte is a choice.
fn chosen(target: &str, name: &str, choice: u8, content: &[u8]) -> Done {
    write(target, name, &[&[choice], content].concat())
}

fn problem() -> Result<Problem, moglb::Error> {
    let click = Objective::new("click", Link::Logit);
    let cost = Objective::new("cost", Link::Identity).minimize().range(-1.0, 2.0);
    Problem::new(3, vec![click, cost])?.with_arms(4)
}

fn arms() -> Result<ArmSet<'static>, moglb::Error> {
    ArmSet::from_rows(&[[0.5, 0.1, 0.0], [0.0, 0.6, 0.2], [0.3, 0.3, 0.3], [-0.4, 0.0, 0.8]])
}

fn played(info: &moglb::PolicyInfo) -> Result<Box<dyn Restorable>, Box<dyn Error>> {
    let config: PolicyConfig = serde_json::from_value(serde_json::json!({ "id": info.id }))?;
    let (mut policy, arms, mut rng) = (config.build(&problem()?)?, arms()?, draw::seeded(3));
    for round in 0..5 {
        let decision = policy.decide(&arms, &mut rng)?;
        policy.learn(arms.arm(decision.arm), &[f64::from(round % 2), 0.25])?;
    }
    Ok(policy)
}

fn snapshots() -> Done {
    for info in POLICIES {
        let policy = played(info)?;
        write("snapshots", &format!("seed-{}.bytes", info.id), &policy.to_bytes())?;
        write("snapshots", &format!("seed-{}.json", info.id), policy.to_json().as_bytes())?;
    }
    Ok(())
}

fn states() -> Done {
    let (problem, arms) = (problem()?, arms()?);
    let mut monitor = Monitor::new(problem.clone(), MonitorConfig::default())?;
    let mut policy = PolicyConfig::recommended().build(&problem)?;
    for round in 0..20 {
        let arm = arms.arm(moglb::ArmId(round % 4));
        monitor.offered(&arms);
        monitor.learn(&mut *policy, arm, &[f64::from(round as u32 % 2), 0.5])?;
    }
    chosen("states", "seed-monitor", 0, monitor.to_json().as_bytes())?;
    let mut certificate = Certificate::new(problem.clone(), &arms, CertificateConfig::default())?;
    for round in 0..9 {
        certificate.learn(moglb::ArmId(round % 4), &[f64::from(round as u32 % 2), 0.5])?;
    }
    chosen("states", "seed-certificate", 1, certificate.to_json().as_bytes())?;
    let mut ledger = Ledger::new(problem);
    for arm in arms.iter() {
        ledger.open(arm)?;
    }
    ledger.close(1)?;
    chosen("states", "seed-ledger", 2, serde_json::to_string(&ledger.state())?.as_bytes())?;
    for (k, text) in FEATURES.iter().enumerate() {
        let config: FeaturesConfig = serde_json::from_str(text)?;
        let features = Features::new(config)?;
        chosen("states", &format!("seed-features-{k}"), 3, features.to_json().as_bytes())?;
    }
    Ok(())
}

const FEATURES: &[&str] = &[
    r#"{"context":2,"arm":3,"steps":[],"layout":{"kind":"shared"}}"#,
    "{\"context\":4,\"arm\":0,\"layout\":{\"kind\":\"hybrid\",\"n_arms\":3,\"own\":[0,2]},\
     \"scale\":10.0,\"overlong\":\"refuse\"}",
];

fn parameters() -> Done {
    for info in POLICIES {
        let config: PolicyConfig = serde_json::from_value(serde_json::json!({ "id": info.id }))?;
        chosen("parameters", &format!("seed-policy-{}", info.id), 0, &serde_json::to_vec(&config)?)?;
    }
    let plays = [
        r#"{"prefer":{"kind":"weights","weights":[0.7,0.3]},"floor":{"share":0.1}}"#,
        "{\"prefer\":{\"kind\":\"constraints\",\"at_least\":{\"click\":0.2},\"then\":\
         {\"kind\":\"best\",\"objective\":\"cost\"}},\"exclude\":[3]}",
        "{\"prefer\":{\"kind\":\"mix\",\"of\":[{\"share\":0.5,\"prefer\":{\"kind\":\"knee\"}},\
         {\"share\":0.5,\"prefer\":{\"kind\":\"hypervolume\"}}]}}",
        "{\"prefer\":{\"kind\":\"lexicographic\",\"order\":[\"click\",\"cost\"],\"tolerances\":[0.1]},\
         \"baseline\":{\"arm\":1,\"share\":0.2}}",
    ];
    for (k, text) in plays.iter().enumerate() {
        chosen("parameters", &format!("seed-play-{k}"), 1, text.as_bytes())?;
    }
    for info in IDENTIFIERS {
        let named = moglb::IdentifierConfig::named(info.id);
        // One identifier has no default for its budget.
        let config = match named {
            Some(config) => serde_json::to_string(&config)?,
            None => format!(r#"{{"id":"{}","budget":200}}"#, info.id),
        };
        chosen("parameters", &format!("seed-identifier-{}", info.id), 2, config.as_bytes())?;
    }
    chosen("parameters", "seed-problem", 3, &serde_json::to_vec(problem()?.config())?)?;
    chosen("parameters", "seed-monitor", 4, &serde_json::to_vec(&MonitorConfig::default())?)?;
    chosen("parameters", "seed-certificate", 5, &serde_json::to_vec(&CertificateConfig::default())?)?;
    for (k, text) in FEATURES.iter().enumerate() {
        chosen("parameters", &format!("seed-features-{k}"), 6, text.as_bytes())?;
    }
    Ok(())
}

fn experiments() -> Done {
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"))? {
        let path = entry?.path();
        let (text, name) = (std::fs::read_to_string(&path)?, path.file_stem().ok_or("a name")?.to_owned());
        // Such an experiment reads data from a path, which the target skips.
        if !text.contains("path") {
            let choice = u8::from(text.contains("identifiers"));
            chosen("experiments", &format!("seed-{}", name.display()), choice, text.as_bytes())?;
        }
    }
    let text = "horizon = 20\ntrials = 2\nenvironments = [{ id = \"paper\", dim = 3 }]\n\
                policies = [{ id = \"moglb-ucb\", tune = { c = [0.1, 1.0] } }]\n";
    chosen("experiments", "seed-tuned", 0, text.as_bytes())
}

fn data() -> Done {
    let meta = "{\"format\":\"mob-data/1\",\"name\":\"a\",\"problems\":[{\"id\":\"p\",\"kind\":\"full\",\
                \"rounds\":\"rounds.csv\",\"rewards\":\"rewards.csv\",\n        \"arms\":\"arms.csv\",\
                \"n_rounds\":2,\"objectives\":[{\"column\":\"y_a\",\"link\":\"logit\"},\
                {\"column\":\"y_b\"}]}]}";
    let arms = "{\"format\":\"mob-data/1\",\"problems\":[{\"id\":\"p\",\"kind\":\"arms\",\
                \"arms\":\"arms.csv\",\"objectives\":[{\"column\":\"a_f\"}]}]}";
    chosen("data", "seed-meta", 0, meta.as_bytes())?;
    chosen("data", "seed-meta-arms", 0, arms.as_bytes())?;
    chosen("data", "seed-rounds", 1, b"round_id,x_0,x_1\n0,0.5,0.1\n1,-0.3,\n")?;
    chosen(
        "data",
        "seed-rewards",
        2,
        b"round_id,arm_id,y_a,y_b\n0,0,1,0.5\n0,1,0,-0.5\n1,0,0,0.25\n1,1,1,1\n",
    )?;
    chosen("data", "seed-arms", 3, b"arm_id,a_f\n0,0.5\n\"1\",-1\n")?;
    let lines = b"{\"arm_id\": 0, \"round_id\": 0, \"a_f\": 0.5, \"y_a\": 1, \"y_b\": null}\n\
                  {\"arm_id\": 1, \"round_id\": 1}\n";
    chosen("data", "seed-lines", 4, lines)?;
    chosen("data", "seed-parquet", 5, &parquet()?)
}

fn parquet() -> Result<Vec<u8>, Box<dyn Error>> {
    let schema = "message t { REQUIRED DOUBLE arm_id; REQUIRED DOUBLE round_id; REQUIRED DOUBLE y_a; }";
    let mut writer =
        SerializedFileWriter::new(Vec::new(), Arc::new(parse_message_type(schema)?), Arc::default())?;
    let mut group = writer.next_row_group()?;
    for values in [[0.0, 1.0], [0.0, 1.0], [0.5, 0.25]] {
        let mut column = group.next_column()?.ok_or("three columns")?;
        column.typed::<DoubleType>().write_batch(&values, None, None)?;
        column.close()?;
    }
    group.close()?;
    Ok(writer.into_inner()?)
}

fn logs() -> Done {
    let decisions = concat!(
        "{\"format\":\"moglb.decisions/1\",\"objectives\":[{\"name\":\"click\",\"link\":\"logit\",\
         \"range\":[0,1]}],\"arms\":[\"a\",\"b\"]}",
        "\n",
        "{\"id\":\"1\",\"context\":[0.2,0.5],\"arms\":[[1,0],[0,1]],\"arm\":1,\
         \"probabilities\":[0.3,0.7],\"rewards\":[1.0]}",
        "\n",
        r#"{"id":"2","context":{"u":0.2},"arm":"a","probability":0.5,"rewards":{"click":0}}"#,
        "\n",
        r#"{"id":"3","context":[0.1,0.5],"arm":0,"probabilities":[0.3,0.7],"rewards":[0.0]}"#,
        "\n",
    );
    let dsjson = concat!(
        "{\"_label_cost\":-1.0,\"_label_probability\":0.8,\"_labelIndex\":1,\"a\":[2,1],\"p\":[0.8,0.2],\
         \"c\":{\"User\":{\"age\":0.3},\"_multi\":[{\"Item\":{\"id\":\"x\"}},{\"Item\":{\"id\":\"y\"}}]}}",
        "\n",
        "{\"_label_cost\":0.0,\"_label_probability\":0.2,\"_labelIndex\":0,\"a\":[2,1],\"p\":[0.8,0.2],\
         \"c\":{\"_multi\":[{\"f\":1},{\"f\":2}]},\"_label_rewards\":{\"click\":1}}",
        "\n",
    );
    let obd = "item_id,position,click,propensity_score,user_feature_0,y_b\n0,1,1,0.5,abc,0.1\n\
               1,2,0,0.5,def,0.2\n0,1,0,0.5,abc,-1\n";
    for flags in [0, 64, 128, 192] {
        for estimator in 0..4 {
            let choice = |form: u8| flags + 3 * ((estimator + 12 - flags / 3 % 4) % 4) + form;
            chosen("logs", &format!("seed-decisions-{flags}-{estimator}"), choice(0), decisions.as_bytes())?;
            chosen("logs", &format!("seed-dsjson-{flags}-{estimator}"), choice(1), dsjson.as_bytes())?;
            chosen("logs", &format!("seed-obd-{flags}-{estimator}"), choice(2), obd.as_bytes())?;
        }
    }
    Ok(())
}

fn results() -> Done {
    let text = r#"
        horizon = 12
        trials = 2
        environments = [{ id = "paper", dim = 2 }]
        policies = [{ id = "moglb-ucb", c = 0.1 }, { id = "s-ucb" }]
    "#;
    let results = moglb_sim::run(&Plan::from_toml(text)?, 1, None, &Unwatched)?;
    chosen("results", "seed-summary", 0, &serde_json::to_vec(&results.summary())?)?;
    let trace = moglb_sim::Trace { pareto_regret: vec![0.5, 1.0], ..moglb_sim::Trace::default() };
    chosen("results", "seed-trace", 1, &trace.to_bytes())?;
    // A cell: its place in the list of records, its key and its trace.
    let cell = [&[0, 1, 0, 0, 0], &trace.to_bytes()[..]].concat();
    chosen("results", "seed-cell", 2, &cell)?;
    chosen("results", "seed-torn", 2, &[&[9], &cell[..], &[0xff], &cell[..]].concat())?;
    chosen("results", "seed-empty", 0, b"{}")
}
