//! Tests of links against 60-digit arithmetic.

use crate::*;
use moglb_math::Error;

/// z, then mean, slope and cumulant of logit, then of probit, and eᶻ; computed with 60 digits.
#[rustfmt::skip]
#[allow(clippy::approx_constant)]
const HIGH_PRECISION: [[f64; 8]; 22] = [
    [-37.0, 8.533047625744065e-17, 8.533047625744065e-17, 8.533047625744066e-17,
     5.725571222524577e-300, 2.1200065515246056e-298, 1.5451991905122024e-301, 8.533047625744066e-17],
    [-30.0, 9.357622968839299e-14, 9.357622968838423e-14, 9.357622968839737e-14,
     4.906713927148187e-198, 1.4736461348785476e-196, 1.631956734091401e-199, 9.357622968840175e-14],
    [-20.0, 2.0611536181902037e-09, 2.061153613941849e-09, 2.061153620314381e-09,
     2.7536241186062337e-89, 5.520948362159764e-88, 1.3700124947295798e-90, 2.061153622438558e-09],
    [-12.0, 6.144174602214718e-06, 6.1441368513331755e-06, 6.144193477732806e-06,
     1.776482112077679e-33, 2.1463837356630605e-32, 1.4605201169845548e-34, 6.14421235332821e-06],
    [-8.0, 0.0003353501304664781, 0.00033523767075647424, 0.00033540637289576885,
     6.220960574271784e-16, 5.052271083536892e-15, 7.550262411946499e-17, 0.00033546262790251185],
    [-5.0, 0.0066928509242848554, 0.006648056670790155, 0.006715348489118068,
     2.866515718791939e-07, 1.4867195147342977e-06, 5.346165533832815e-08, 0.006737946999085467],
    [-4.25, 0.014063627043245474, 0.01386584143763397, 0.014163456931504975,
     1.068852577493442e-05, 4.7718636541204945e-05, 2.2924019977336587e-06, 0.014264233908999256],
    [-3.75, 0.022977369910025615, 0.022449410382043466, 0.02324546437242503,
     8.841728520080387e-05, 0.0003525956823674454, 2.1030862864430887e-05, 0.023517745856009107],
    [-2.0, 0.11920292202211756, 0.10499358540350652, 0.1269280110429725,
     0.02275013194817921, 0.05399096651318805, 0.008490702616829637, 0.1353352832366127],
    [-1.0, 0.2689414213699951, 0.19661193324148185, 0.3132616875182228,
     0.15865525393145705, 0.24197072451914334, 0.0833154705876863, 0.36787944117144233],
    [-0.5, 0.37754066879814546, 0.2350037122015945, 0.4740769841801067,
     0.3085375387259869, 0.35206532676429947, 0.19779655740130603, 0.6065306597126334],
    [-0.001, 0.4997500000208333, 0.24999993750001043, 0.6926473055599401,
     0.49960105778608893, 0.39894208093034234, 0.39844247987255627, 0.999000499833375],
    [0.0, 0.5, 0.25, 0.6931471805599453, 0.5, 0.3989422804014327, 0.3989422804014327, 1.0],
    [1e-09, 0.50000000025, 0.25, 0.6931471810599453,
     0.5000000003989423, 0.3989422804014327, 0.3989422809014327, 1.000000001],
    [0.3, 0.574442516811659, 0.24445831169074586, 0.8543552444685271,
     0.6179114221889527, 0.3813878154605241, 0.5667612421172099, 1.3498588075760032],
    [1.0, 0.7310585786300049, 0.19661193324148185, 1.3132616875182228,
     0.8413447460685429, 0.24197072451914334, 1.0833154705876864, 2.718281828459045],
    [2.0, 0.8807970779778824, 0.10499358540350652, 2.1269280110429727,
     0.9772498680518208, 0.05399096651318805, 2.0084907026168297, 7.38905609893065],
    [4.0, 0.9820137900379085, 0.017662706213291118, 4.0181499279178094,
     0.9999683287581669, 0.00013383022576488534, 4.000007145258432, 54.598150033144236],
    [6.0, 0.9975273768433652, 0.0024665092913600476, 6.00247568513773,
     0.9999999990134123, 6.075882849823285e-09, 6.000000000156357, 403.4287934927351],
    [8.0, 0.9996646498695335, 0.00033523767075647424, 8.000335406372896,
     0.9999999999999993, 5.052271083536892e-15, 8.0, 2980.9579870417283],
    [20.0, 0.9999999979388464, 2.061153613941849e-09, 20.000000002061153,
     1.0, 5.520948362159764e-88, 20.0, 485165195.4097903],
    [36.0, 0.9999999999999998, 2.319522830243568e-16, 36.0,
     1.0, 1.5069047176203946e-282, 36.0, 4311231547115195.0],
];

/// p and Φ⁻¹(p), computed with 60 digits.
#[rustfmt::skip]
const QUANTILES: [(f64, f64); 14] = [
    (1e-300, -37.0470962993612),
    (1e-100, -21.273453560965326),
    (1e-20, -9.262340089798407),
    (1e-10, -6.361340902404057),
    (1e-05, -4.264890793922825),
    (0.001, -3.0902323061678136),
    (0.02, -2.053748910631823),
    (0.02425, -1.972961051311885),
    (0.1, -1.2815515655446004),
    (0.3, -0.5244005127080408),
    (0.5, 0.0),
    (0.7, 0.5244005127080407),
    (0.9, 1.2815515655446006),
    (0.999, 3.090232306167813),
];

fn assert_close(what: &str, z: f64, got: f64, expected: f64, tolerance: f64) {
    let error = (got - expected).abs() / expected.abs();
    assert!(error <= tolerance, "{what}({z}) = {got:e}, expected {expected:e}: relative error {error:e}");
}

#[test]
fn means_slopes_and_cumulants_are_right_far_out_in_the_tails() {
    for [z, logit, logit_slope, logit_g, probit, probit_slope, probit_g, log] in HIGH_PRECISION {
        assert_close("logit", z, Link::Logit.mean(z), logit, 1e-15);
        assert_close("logit slope", z, Link::Logit.slope(z), logit_slope, 1e-15);
        assert_close("logit cumulant", z, Link::Logit.cumulant(z), logit_g, 1e-15);
        assert_close("probit", z, Link::Probit.mean(z), probit, 4e-15);
        assert_close("probit slope", z, Link::Probit.slope(z), probit_slope, 1e-15);
        assert_close("probit cumulant", z, Link::Probit.cumulant(z), probit_g, 1e-14);
        assert_close("log", z, Link::Log.mean(z), log, 1e-15);
        assert_close("log slope", z, Link::Log.slope(z), log, 1e-15);
        assert_close("log cumulant", z, Link::Log.cumulant(z), log, 1e-15);
        assert_eq!(Link::Identity.mean(z), z);
        assert_eq!(Link::Identity.cumulant(z), 0.5 * z * z);
    }
}

#[test]
fn means_stay_finite_and_ordered_at_the_ends_of_the_number_line() {
    for link in [Link::Logit, Link::Probit] {
        for (z, limit) in [(-1e308, 0.0), (f64::NEG_INFINITY, 0.0), (1e308, 1.0), (f64::INFINITY, 1.0)] {
            assert_eq!(link.mean(z), limit);
            assert_eq!(link.slope(z), 0.0);
        }
        assert_eq!(link.cumulant(-1e308), 0.0);
        assert_eq!(link.cumulant(1e308), 1e308);
    }
}

#[test]
fn the_inverse_undoes_the_mean() {
    for (p, z) in QUANTILES {
        let got = Link::Probit.inverse(p).unwrap();
        assert!((got - z).abs() <= 2e-15 * z.abs().max(1.0), "quantile({p}) = {got:e}, expected {z:e}");
    }
    for link in Link::ALL {
        for z in [-3.0, -0.7, 0.0, 0.2, 2.5] {
            let back = link.inverse(link.mean(z)).unwrap();
            assert!((back - z).abs() < 1e-13, "{} at {z}: {back}", link.name());
        }
    }
    // 2p − 1 = 1e-9 exactly to within the rounding of p: the inverse must not lose more than that.
    let (p, z) = (0.5 + 0.5e-9, Link::Logit.inverse(0.5 + 0.5e-9).unwrap());
    assert!((z - 2.0 * (2.0 * p - 1.0)).abs() < 1e-24, "{z:e}");
}

#[test]
fn a_value_that_is_no_mean_has_no_inverse() {
    for (link, value) in [
        (Link::Logit, 0.0),
        (Link::Logit, 1.0),
        (Link::Probit, -0.1),
        (Link::Probit, f64::NAN),
        (Link::Log, 0.0),
        (Link::Log, f64::INFINITY),
        (Link::Identity, f64::NAN),
    ] {
        assert!(matches!(link.inverse(value), Err(Error::NotAMean { .. })), "{} {value}", link.name());
    }
}

#[test]
fn the_constants_of_the_benchmark_are_those_of_the_paper() {
    let logit = Link::Logit.constants(1.0);
    let probit = Link::Probit.constants(1.0);
    for (got, expected) in [
        (logit.kappa, 0.196612),
        (logit.lipschitz, 0.25),
        (logit.bound, 0.731059),
        (probit.kappa, 0.241971),
        (probit.lipschitz, 0.398942),
        (probit.bound, 0.841345),
    ] {
        assert!((got - expected).abs() < 5e-7, "{got} {expected}");
    }
    assert!((Link::Logit.constants(5.0).kappa - 0.006648).abs() < 1e-6);
}

#[test]
fn constants_bound_slope_and_mean_on_the_whole_interval() {
    for link in Link::ALL {
        for radius in [0.1, 1.0, 3.0] {
            let c = link.constants(radius);
            for step in 0..=1000 {
                let z = radius * (f64::from(step) / 500.0 - 1.0);
                let slope = link.slope(z);
                assert!(c.kappa <= slope && slope <= c.lipschitz * (1.0 + 1e-15), "{} {z}", link.name());
                assert!(link.mean(z).abs() <= c.bound, "{} {z}", link.name());
            }
        }
    }
}

/// Oracle 7: numeric g′ = μ and g″ = μ′.
#[test]
fn the_cumulant_differentiates_to_the_mean_and_the_slope() {
    for link in Link::ALL {
        for step in -30..=30 {
            let (z, h) = (f64::from(step) / 10.0, 1e-4);
            let first = (link.cumulant(z + h) - link.cumulant(z - h)) / (2.0 * h);
            let second = (link.mean(z + h) - link.mean(z - h)) / (2.0 * h);
            assert!((first - link.mean(z)).abs() < 1e-7 * (1.0 + first.abs()), "{} {z}", link.name());
            assert!((second - link.slope(z)).abs() < 1e-7 * (1.0 + second.abs()), "{} {z}", link.name());
        }
    }
}

struct Slow;

impl crate::LinkFunction for Slow {
    fn mean(&self, z: f64) -> f64 {
        Link::Logit.mean(z)
    }
}

#[test]
fn a_registered_link_is_known_by_its_name_and_behaves_like_the_one_it_copies() {
    let link = Link::register("slow-logit", Slow).unwrap();
    assert_eq!(Link::named("slow-logit"), Some(link));
    assert_eq!(serde_json::to_string(&link).unwrap(), "\"slow-logit\"");
    assert_eq!(serde_json::from_str::<Link>("\"slow-logit\"").unwrap(), link);
    assert!(serde_json::from_str::<Link>("\"nobody\"").is_err());
    for z in [-0.9, 0.0, 0.4] {
        assert_eq!(link.mean(z), Link::Logit.mean(z));
        assert!((link.slope(z) - Link::Logit.slope(z)).abs() < 1e-9);
        assert!((link.cumulant(z) - (Link::Logit.cumulant(z) - Link::Logit.cumulant(0.0))).abs() < 1e-12);
        assert!((link.inverse(link.mean(z)).unwrap() - z).abs() < 1e-12);
    }
    let (own, copied) = (link.constants(1.5), Link::Logit.constants(1.5));
    assert!((own.kappa - copied.kappa).abs() < 1e-9 && (own.lipschitz - copied.lipschitz).abs() < 1e-9);
    assert_eq!(own.bound, copied.bound);
    assert!(matches!(link.inverse(2.0), Err(Error::NotAMean { .. })));
    for name in ["", "logit"] {
        assert_eq!(Link::register(name, Slow), Err(Error::LinkName { name: name.into() }));
    }
}
