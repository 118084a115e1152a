//! Raw rows as contexts: the combined guarantees of the steps, the layouts and the frozen scale.

use moglb::{
    ArmId, Csr, Error, Features, FeaturesConfig, Layout, Named, NamedValue, Numbers, Overlong, RawRow, Step,
    draw,
};

fn rich(layout: Layout) -> FeaturesConfig {
    FeaturesConfig {
        context: 3,
        arm: 2,
        steps: vec![
            Step::Interactions { left: vec![0, 1, 2], right: Some(vec![3, 4]) },
            Step::Hash { bits: 3, salt: 0 },
            Step::Intercept { value: 0.5 },
        ],
        layout,
        ..Default::default()
    }
}

fn plain(context: usize, overlong: Overlong) -> Features {
    Features::new(FeaturesConfig { context, overlong, ..Default::default() }).unwrap()
}

fn row(context: &[f64]) -> RawRow<'_> {
    RawRow { context: context.into(), ..Default::default() }
}

fn norm(features: &Features, raw: RawRow<'_>) -> f64 {
    let mapped = features.map(&[raw]).unwrap();
    mapped.contexts.values().iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn every_context_has_norm_at_most_one_and_columns_below_d() {
    let mut rng = draw::seeded(3);
    let own = Some(vec![0, 2, 7]);
    let layouts =
        [Layout::Shared {}, Layout::Blocks { n_arms: 4 }, Layout::Hybrid { n_arms: 4, own: own.clone() }];
    let layouts = layouts.into_iter().chain([Layout::Hybrid { n_arms: 4, own: None }]);
    for (layout, dim) in layouts.zip([20, 80, 32, 100]) {
        let sizes = [1.0, 1e-200, 1e150, 3.0];
        let mut draws =
            |n: usize, size: f64| -> Vec<f64> { (0..n).map(|_| size * draw::normal(&mut rng)).collect() };
        let rows: Vec<(Vec<f64>, Vec<f64>)> =
            (0..40).map(|k| (draws(3, sizes[k % 4]), draws(2, 1.0))).collect();
        let named = [
            Named { name: "city", value: NamedValue::Word("Bern") },
            Named { name: "age", value: NamedValue::Number(2.5) },
        ];
        let raw: Vec<RawRow<'_>> = rows
            .iter()
            .enumerate()
            .map(|(k, (x, v))| RawRow {
                arm: ArmId(k % 4),
                context: x[..].into(),
                arm_features: v[..].into(),
                named: &named[..k % 3],
            })
            .collect();
        let features = Features::new(rich(layout)).unwrap().frozen(&raw[..2], 1.0).unwrap();
        assert_eq!(features.dim(), dim);
        let mapped = features.map(&raw).unwrap();
        assert!(mapped.clipped >= 10, "{} of 40 rows are huge", mapped.clipped);
        for context in mapped.contexts.rows() {
            let norm = context.values().iter().map(|x| x * x).sum::<f64>().sqrt();
            assert!(norm <= 1.0 + 1e-9, "{norm}");
            assert!(context.columns().iter().all(|&column| column < dim));
        }
    }
}

#[test]
fn a_frozen_scale_keeps_later_rows_in_the_same_units() {
    let features = plain(2, Overlong::Clip).frozen(&[row(&[3.0, 4.0]), row(&[1.0, 0.0])], 1.0).unwrap();
    assert_eq!(features.config().scale, Some(5.0));
    let alone = features.map(&[row(&[1.0, 0.0])]).unwrap();
    let together = features.map(&[row(&[100.0, 0.0]), row(&[1.0, 0.0])]).unwrap();
    assert_eq!(alone.contexts.row(0), together.contexts.row(1));
    assert_eq!((alone.clipped, together.clipped), (0, 1));
    assert!(matches!(features.frozen(&[row(&[9.0, 0.0])], 1.0), Err(Error::Parameters { .. })));
}

#[test]
fn a_quantile_of_the_sample_leaves_its_longest_rows_to_be_clipped() {
    let lengths: Vec<[f64; 1]> = (1..=10).map(|n| [f64::from(n)]).collect();
    let sample: Vec<RawRow<'_>> = lengths.iter().map(|x| row(x)).collect();
    for (quantile, scale) in [(1.0, 10.0), (0.9, 9.0), (0.85, 9.0), (0.01, 1.0)] {
        let features = plain(1, Overlong::Clip).frozen(&sample, quantile).unwrap();
        assert_eq!(features.config().scale, Some(scale), "quantile {quantile}");
        assert_eq!(features.map(&sample).unwrap().clipped, 10 - scale as usize);
    }
}

#[test]
fn an_overlong_row_is_refused_where_that_was_asked_for() {
    let features = plain(2, Overlong::Refuse).frozen(&[row(&[3.0, 4.0])], 1.0).unwrap();
    assert!(features.map(&[row(&[3.0, 4.0])]).is_ok());
    assert_eq!(features.map(&[row(&[0.0, 0.0]), row(&[0.0, 10.0])]), Err(Error::Norm { arm: 1, norm: 2.0 }));
}

#[test]
fn the_intercept_takes_its_share_of_the_norm() {
    let config = FeaturesConfig {
        context: 1,
        steps: vec![Step::Intercept { value: 3.0 }],
        scale: Some(5.0),
        overlong: Overlong::Refuse,
        ..Default::default()
    };
    let features = Features::new(config).unwrap();
    assert_eq!(features.map(&[row(&[4.0])]).unwrap().contexts.values(), [0.8, 0.6]);
    assert!((norm(&features, row(&[0.0])) - 0.6).abs() < 1e-15);
}

#[test]
fn sparse_raw_rows_and_dense_ones_are_the_same_rows() {
    let features = Features::new(FeaturesConfig { scale: Some(2.0), ..rich(Layout::Shared {}) }).unwrap();
    let dense = [0.5, 0.0, -1.0];
    let sparse = Csr::new(3, vec![0, 2], vec![2, 0], vec![-1.0, 0.5]).unwrap();
    let arm: Numbers<'_> = [0.0, 0.25][..].into();
    let raw = |context| RawRow { context, arm_features: arm, ..Default::default() };
    let mapped = |context| features.map(&[raw(context)]).unwrap();
    assert_eq!(mapped(dense[..].into()), mapped(sparse.row(0).into()));
}

#[test]
fn features_are_the_same_after_json_and_unknown_fields_are_refused() {
    let config = FeaturesConfig { scale: Some(0.1 + 0.2), ..rich(Layout::Hybrid { n_arms: 3, own: None }) };
    let features = Features::new(config).unwrap();
    let text = features.to_json();
    assert_eq!(Features::from_json(&text).unwrap(), features);
    for (from, to) in [
        (r#""context":3"#, r#""context":3,"colour":1"#),
        (r#""bits":3"#, r#""bits":3,"seed":1"#),
        (r#""n_arms":3"#, r#""n_arms":3,"d":1"#),
        (r#""format""#, r#""version":2,"format""#),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        let got = Features::from_json(&changed);
        assert!(matches!(got, Err(Error::SnapshotDamaged { .. })), "{changed}: {got:?}");
    }
    let later = text.replace("moglb.features/1", "moglb.features/2");
    assert!(matches!(Features::from_json(&later), Err(Error::SnapshotFormat { .. })));
    assert!(matches!(Features::from_json("{"), Err(Error::SnapshotDamaged { .. })));
}

#[test]
fn impossible_configurations_are_refused() {
    let with = |change: fn(&mut FeaturesConfig)| {
        let mut config = rich(Layout::Shared {});
        change(&mut config);
        Features::new(config).unwrap_err()
    };
    let none = FeaturesConfig::default();
    assert_eq!(Features::new(none), Err(Error::NoFeatures));
    assert!(matches!(with(|c| c.context = usize::MAX), Error::TooLarge { .. }));
    assert!(matches!(with(|c| c.context = usize::MAX - 20), Error::TooLarge { .. }));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let got = Features::new(FeaturesConfig { scale: Some(scale), ..rich(Layout::Shared {}) });
        assert!(matches!(got, Err(Error::Scale { .. })), "{scale}");
    }
    assert!(matches!(with(|c| c.steps.push(Step::Hash { bits: 3, salt: 1 })), Error::Parameters { .. }));
    for bits in [0, 25, u32::MAX] {
        let steps = vec![Step::Hash { bits, salt: 0 }];
        let got = Features::new(FeaturesConfig { steps, ..Default::default() });
        assert!(matches!(got, Err(Error::ParameterBounds { name: "bits", .. })), "{bits}");
    }
    for value in [0.0, f64::NAN, f64::INFINITY] {
        let steps = vec![Step::Intercept { value }];
        let got = Features::new(FeaturesConfig { steps, ..Default::default() });
        assert!(matches!(got, Err(Error::Parameters { .. })), "{value}");
    }
    // A step can read the columns of the steps before it and no others.
    let later = Step::Interactions { left: vec![0], right: Some(vec![20]) };
    let got = Features::new(FeaturesConfig {
        steps: vec![later, Step::Hash { bits: 5, salt: 0 }],
        ..rich(Layout::Shared {})
    });
    assert_eq!(got, Err(Error::Column { row: 0, column: 20, n_columns: 5 }));
}

#[test]
fn bad_rows_are_refused() {
    let blocks = Features::new(FeaturesConfig {
        context: 2,
        layout: Layout::Blocks { n_arms: 2 },
        scale: Some(1.0),
        ..Default::default()
    })
    .unwrap();
    let good = [0.1, 0.2];
    let refused = |raw| blocks.map(&[row(&good), raw]).unwrap_err();
    assert_eq!(refused(row(&[0.1])), Error::Dimension { expected: 2, got: 1 });
    assert!(matches!(refused(row(&[0.1, f64::NAN])), Error::NotFinite { index: 1, .. }));
    assert_eq!(refused(RawRow { arm: ArmId(2), ..row(&good) }), Error::UnknownArm { arm: 2, n_arms: 2 });
    let features = RawRow { arm_features: good[..].into(), ..row(&good) };
    assert!(matches!(refused(features), Error::Entries { name: "arm_features", expected: 0, got: 2 }));
    let named = [Named { name: "a", value: NamedValue::Number(1.0) }];
    assert!(matches!(refused(RawRow { named: &named, ..row(&good) }), Error::Parameters { .. }));

    let unfrozen = plain(1, Overlong::Clip);
    assert_eq!(unfrozen.map(&[row(&[0.1])]), Err(Error::NotFrozen));
    assert!(matches!(unfrozen.clone().frozen(&[], 1.0), Err(Error::NoPoints { .. })));
    assert_eq!(unfrozen.clone().frozen(&[row(&[0.0])], 1.0), Err(Error::Scale { got: 0.0 }));
    for quantile in [0.0, -0.5, 1.5, f64::NAN] {
        let got = unfrozen.clone().frozen(&[row(&[1.0])], quantile);
        assert!(matches!(got, Err(Error::ParameterBounds { name: "quantile", .. })), "{quantile}");
    }
    let tiny =
        Features::new(FeaturesConfig { context: 1, scale: Some(1e-300), ..Default::default() }).unwrap();
    assert!(matches!(tiny.map(&[row(&[1e300])]), Err(Error::NotFinite { .. })));
}

#[test]
fn named_words_and_numbers_go_to_the_columns_of_their_hash() {
    let config = FeaturesConfig {
        steps: vec![Step::Hash { bits: 10, salt: 0 }],
        scale: Some(4.0),
        ..Default::default()
    };
    let features = Features::new(config).unwrap();
    let named = [
        Named { name: "city", value: NamedValue::Word("Zürich") },
        Named { name: "age", value: NamedValue::Number(2.0) },
    ];
    let mapped = features.map(&[RawRow { named: &named, ..Default::default() }]).unwrap();
    // The low ten bits of 0x3bd59f417897b4f6 (plus) and of 0xb91a141fbd35e263 (minus).
    assert_eq!(mapped.contexts.columns(), [0xf6, 0x263]);
    assert_eq!(mapped.contexts.values(), [0.25, -0.5]);
}
