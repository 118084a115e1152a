//! Maximum likelihood: the estimate is a maximum and agrees with other solvers, and if there is no maximum
//! the error has the reason.

use moglb::{Link, Matrix, draw};
use moglb_data::{Collinear, FitError, Layout, fit, load};
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name)
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|k| format!("c{k}")).collect()
}

/// `reference_mle.csv` comes from two other solvers that agree to 1e-6, with nine digits.
#[test]
fn the_stroke_trial_has_the_estimates_of_other_solvers() {
    let data_set = load(&data("ist-stroke")).unwrap();
    let problem = data_set.problem(None).unwrap();
    let design = problem.design(Layout::Additive);
    let mut reference = csv::Reader::from_path(data("ist-stroke/reference_mle.csv")).unwrap();
    let reference: Vec<csv::StringRecord> = reference.records().map(Result::unwrap).collect();
    assert_eq!(reference.len(), 4 * design.columns.len());
    let mut apart: f64 = 0.0;
    for (i, objective) in problem.objectives.iter().enumerate() {
        let rewards: Vec<f64> = design.rewards.rows().map(|row| row[i]).collect();
        let fitted =
            fit(objective.link, &design.columns, &design.vectors, &rewards, Collinear::Refuse).unwrap();
        for (k, column) in design.columns.iter().enumerate() {
            let row = reference.iter().find(|row| row[0] == objective.column && row[1] == *column).unwrap();
            let [theta, error, likelihood] = [2, 3, 4].map(|cell| row[cell].parse::<f64>().unwrap());
            apart = apart.max((fitted.theta[k] - theta).abs()).max((fitted.std_errors[k] - error).abs());
            apart = apart.max((fitted.log_likelihood / likelihood - 1.0).abs());
        }
    }
    assert!(apart < 1e-6, "{apart}");
}

/// Random rewards of a link, at random coefficients.
fn drawn(link: Link, seed: u64) -> (Matrix, Vec<f64>) {
    let mut rng = draw::seeded(seed);
    let theta = [0.4, -0.8, 0.5];
    let x: Vec<[f64; 3]> = (0..400).map(|_| [1.0, draw::normal(&mut rng), draw::unit(&mut rng)]).collect();
    let rewards = x.iter().map(|x| {
        let mean = link.mean(x.iter().zip(&theta).map(|(x, theta)| x * theta).sum());
        match link {
            Link::Logit | Link::Probit => f64::from(u8::from(draw::unit(&mut rng) < mean)),
            Link::Log => (0..30).filter(|_| draw::unit(&mut rng) < mean / 30.0).count() as f64,
            _ => mean + draw::normal(&mut rng),
        }
    });
    let rewards = rewards.collect();
    (Matrix::from_rows(&x).unwrap(), rewards)
}

#[test]
fn the_slope_of_the_likelihood_vanishes_at_the_estimate_of_every_link() {
    for link in Link::ALL {
        let (x, y) = drawn(link, 5);
        let fitted = fit(link, &names(3), &x, &y, Collinear::Refuse).unwrap();
        for column in 0..3 {
            let slope: f64 = x
                .rows()
                .zip(&y)
                .map(|(x, &y)| {
                    let z = x.iter().zip(&fitted.theta).map(|(x, theta)| x * theta).sum();
                    link.fisher(z, y).score * x[column]
                })
                .sum();
            assert!(slope.abs() < 1e-9, "{}: {slope}", link.name());
        }
        assert!(fitted.std_errors.iter().all(|error| *error > 0.01 && *error < 1.0), "{fitted:?}");
    }
}

/// An estimate is wrong by more than five standard errors with chance 6e-7; there are twelve estimates.
#[test]
fn estimates_are_within_five_standard_errors_of_the_truth() {
    for link in Link::ALL {
        let (x, y) = drawn(link, 6);
        let fitted = fit(link, &names(3), &x, &y, Collinear::Refuse).unwrap();
        for ((theta, error), truth) in fitted.theta.iter().zip(&fitted.std_errors).zip([0.4, -0.8, 0.5]) {
            assert!((theta - truth).abs() < 5.0 * error, "{}: {theta} ± {error}", link.name());
        }
    }
}

#[test]
fn a_column_made_of_others_is_named_with_them_or_dropped() {
    let (x, y) = drawn(Link::Logit, 7);
    let wide: Vec<[f64; 5]> = x.rows().map(|x| [x[0], x[1], 2.0 * x[0] - x[2], x[2], 0.0]).collect();
    let wide = Matrix::from_rows(&wide).unwrap();
    let error = fit(Link::Logit, &names(5), &wide, &y, Collinear::Refuse).unwrap_err();
    let on = vec!["c0".to_owned(), "c2".to_owned()];
    assert_eq!(error, FitError::Collinear { column: "c3".into(), on });
    let dropped = fit(Link::Logit, &names(5), &wide, &y, Collinear::Drop).unwrap();
    assert_eq!(
        (&dropped.dropped[..], dropped.theta[3], dropped.std_errors[4]),
        (&[3, 4][..], 0.0, f64::INFINITY)
    );
    let whole = fit(Link::Logit, &names(3), &x, &y, Collinear::Refuse).unwrap();
    assert!((dropped.log_likelihood - whole.log_likelihood).abs() < 1e-9);
}

/// Three cases: completely separated, separated except for a tie, and separated in one stratum of a table
/// only.
#[test]
fn separated_rewards_are_told_from_others_by_a_direction() {
    let whole: Vec<([f64; 2], f64)> =
        (0..20).map(|k| ([1.0, f64::from(k)], f64::from(u8::from(k > 9)))).collect();
    let mut tied = whole.clone();
    tied.extend([([1.0, 9.5], 0.0), ([1.0, 9.5], 1.0)]);
    let stratum: Vec<([f64; 2], f64)> = (0..40)
        .map(|k| ([1.0, f64::from(k % 2)], if k % 2 == 1 { 1.0 } else { f64::from(k % 4 / 2) }))
        .collect();
    for (rows, moves) in [(whole, 20), (tied, 20), (stratum, 20)] {
        let x = Matrix::from_rows(&rows.iter().map(|row| row.0).collect::<Vec<_>>()).unwrap();
        let mut y: Vec<f64> = rows.iter().map(|row| row.1).collect();
        for link in [Link::Logit, Link::Probit] {
            let error = fit(link, &names(2), &x, &y, Collinear::Refuse).unwrap_err();
            let FitError::Separated { column, moved } = error else { panic!("{}: {error}", link.name()) };
            assert_eq!((column.as_str(), moved), ("c1", moves), "{}", link.name());
        }
        // One reward on the wrong side at the extreme is enough for a maximum.
        let last =
            (0..rows.len()).reduce(|most, k| if rows[k].0[1] > rows[most].0[1] { k } else { most }).unwrap();
        y[last] = 0.0;
        assert!(fit(Link::Logit, &names(2), &x, &y, Collinear::Refuse).is_ok());
    }
    let x = Matrix::from_rows(&[[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]).unwrap();
    let error = fit(Link::Log, &names(2), &x, &[3.0, 1.0, 0.0, 0.0], Collinear::Refuse).unwrap_err();
    assert_eq!(error, FitError::Separated { column: "c1".into(), moved: 2 });
}

#[test]
fn input_that_makes_no_sense_is_refused() {
    let x = Matrix::from_rows(&[[1.0], [f64::NAN]]).unwrap();
    let refused =
        |x: &Matrix, y: &[f64], n: usize| fit(Link::Logit, &names(n), x, y, Collinear::Drop).unwrap_err();
    assert!(matches!(refused(&x, &[0.0, 1.0], 1), FitError::NotFinite { row: 1, .. }));
    let x = Matrix::from_rows(&[[1.0], [1.0]]).unwrap();
    assert!(matches!(refused(&x, &[0.0], 1), FitError::Length { what: "rewards", .. }));
    assert!(matches!(refused(&x, &[0.0, 1.0], 2), FitError::Length { .. }));
    assert!(matches!(refused(&Matrix::default(), &[], 0), FitError::Empty { .. }));
    for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(&x, &[0.0, value], 1), FitError::Reward { row: 1, .. }), "{value}");
    }
    let zero = Matrix::from_rows(&[[0.0], [0.0]]).unwrap();
    let fitted = fit(Link::Logit, &names(1), &zero, &[0.0, 1.0], Collinear::Drop).unwrap();
    assert_eq!((fitted.theta, fitted.dropped), (vec![0.0], vec![0]));
}
