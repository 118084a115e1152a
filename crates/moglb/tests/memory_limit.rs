//! A policy that would need too much memory is refused before the memory is allocated. This is a test program
//! of its own, with one test: the limit is that of the process, and other tests would see it.

use allocation_counter::measure;
use moglb::{
    ArmSet, Certificate, CertificateConfig, Error, Link, Objective, POLICIES, PolicyConfig, Problem,
    memory_limit, set_memory_limit,
};

type Build<'a> = &'a dyn Fn() -> Result<(), Error>;

fn problem(dim: usize, n_arms: usize) -> Problem {
    let objectives = ["a", "b", "c"].map(|name| Objective::new(name, Link::Logit)).to_vec();
    Problem::new(dim, objectives).unwrap().with_arms(n_arms).unwrap()
}

/// The largest number of bytes held during a build, and the smallest limit, as a power of two, under which
/// the build succeeds.
fn needs(name: &str, build: Build<'_>) -> (u64, u64) {
    set_memory_limit(u64::MAX);
    let held = measure(|| build().unwrap_or_else(|error| panic!("{name}: {error}"))).bytes_max;
    let accepts = |limit: &u64| {
        set_memory_limit(*limit);
        let mut built = Ok(());
        let asked = measure(|| built = build()).bytes_max;
        match built {
            Ok(()) => true,
            Err(error) => {
                assert!(matches!(error, Error::TooLarge { .. }), "{name}: {error}");
                assert!(
                    asked <= 4 * limit + (1 << 16),
                    "{name} takes {asked} bytes before it is refused at {limit}"
                );
                false
            }
        }
    };
    (held, (10..40).map(|k| 1 << k).find(accepts).expect("a terabyte is enough"))
}

fn check(name: &str, build: Build<'_>) {
    let (held, limit) = needs(name, build);
    // Small numbers and names are not counted, and tables of the same kind are compared with the limit
    // together or one by one.
    assert!(held <= 4 * limit + (1 << 16), "{name} takes {held} bytes where {limit} are the limit");
}

#[test]
fn nothing_takes_much_more_than_the_limit() {
    assert_eq!(memory_limit(), 8 << 30, "the default");
    for (dim, n_arms) in [(400, 4), (3, 20_000), (60, 60)] {
        let problem = problem(dim, n_arms);
        for info in POLICIES {
            let config: PolicyConfig = serde_json::from_str(&format!(r#"{{"id":"{}"}}"#, info.id)).unwrap();
            check(&format!("{} d = {dim}, K = {n_arms}", info.id), &|| config.build(&problem).map(drop));
        }
    }
    let wide = ArmSet::from_rows(&[vec![0.01; 400]]).unwrap();
    check("a certificate", &|| {
        Certificate::new(problem(400, 1), &wide, CertificateConfig::default()).map(drop)
    });
}
