//! The benefit of forgetting: less regret after a change, and little more without one.

use moglb_sim::{Plan, Unwatched, run};

/// For each policy, the mean regret of the second half and that of the whole run.
fn regret(environment: &str, policies: &str) -> Vec<(f64, f64)> {
    let text = format!(
        "seed = 7\nhorizon = 6000\ntrials = 8\npoints = 2\n\
         environments = [{environment}]\npolicies = [{policies}]"
    );
    let results = run(&Plan::from_toml(&text).unwrap(), 0, None, &Unwatched).unwrap();
    let half = results.checkpoints.iter().position(|&t| t == 3000).unwrap();
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let regret = |run: &moglb_sim::FinishedRun| {
        let of = |place: usize| mean(run.traces.iter().map(|trace| trace.pareto_regret[place]).collect());
        let last = results.checkpoints.len() - 1;
        (of(last) - of(half), of(last))
    };
    results.runs.iter().map(regret).collect()
}

#[test]
fn forgetting_halves_the_regret_after_a_change() {
    let regret = regret(
        r#"{ id = "paper-turned", dim = 10, drift = { law = "abrupt", every = 3000 } }"#,
        r#"{ id = "moglb-eb" }, { id = "moglb-eb", discount = 0.998 }, { id = "restart" }, { id = "window" },
           { id = "ekf-ucb" }, { id = "ekf-ucb", discount = 0.998 }"#
            .replace('\n', " ")
            .as_str(),
    );
    let later: Vec<f64> = regret.iter().map(|(later, _)| *later).collect();
    assert!(later[1] < 0.5 * later[0], "MOGLB-EB {}, with a discount {}", later[0], later[1]);
    assert!(later[2] < 0.7 * later[0], "MOGLB-EB {}, with restarts {}", later[0], later[2]);
    assert!(later[3] < 0.7 * later[0], "MOGLB-EB {}, in a window {}", later[0], later[3]);
    assert!(later[5] < 0.6 * later[4], "EKF-UCB {}, with a discount {}", later[4], later[5]);
}

#[test]
fn where_nothing_changes_little_is_lost() {
    let regret = regret(
        r#"{ id = "paper-turned", dim = 10 }"#,
        r#"{ id = "moglb-eb" }, { id = "moglb-eb", discount = 0.9995 }, { id = "restart" }"#,
    );
    let whole: Vec<f64> = regret.iter().map(|(_, whole)| *whole).collect();
    assert!(whole[1] < 1.2 * whole[0], "MOGLB-EB {}, with a discount {}", whole[0], whole[1]);
    assert_eq!(whole[2], whole[0], "a restart where nothing changed");
}
