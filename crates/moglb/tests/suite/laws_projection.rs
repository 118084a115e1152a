//! Laws of the projection onto the ball in the norm of Z, for Z with a condition of up to 1e8 and points from
//! the edge of the ball to a million radii away.

use crate::common::reference;
use crate::common::{ball, check, direction, dot, norm, uniform, vector};
use moglb::{Gram, Matrix, Rng, draw, project};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// A projection problem: Z with its condition, and a point at some distance from the ball.
#[derive(Debug, Clone, Copy)]
struct Setting {
    dim: usize,
    log_condition: f64,
    log_distance: f64,
    radius: f64,
    seed: u64,
}

/// d in 1..=12, cond(Z) up to 1e8, ‖u‖ from D(1 + 1e-12) to 1e6 D.
fn settings() -> impl Strategy<Value = Setting> {
    let radius = prop_oneof![Just(0.5), Just(1.0), Just(2.0), Just(0.7)];
    (1..=12_usize, 0.0..8.0_f64, -12.0..6.0_f64, radius, any::<u64>()).prop_map(
        |(dim, log_condition, log_distance, radius, seed)| Setting {
            dim,
            log_condition,
            log_distance,
            radius,
            seed,
        },
    )
}

/// Random eigenvalues in [1, condition]; both ends are included if the dimension allows it.
fn spectrum(setting: Setting, rng: &mut dyn Rng) -> DVector<f64> {
    let ends = |j: usize| match j {
        0 => 0.0,
        1 => 1.0,
        _ => draw::unit(rng),
    };
    DVector::from_iterator(
        setting.dim,
        (0..setting.dim).map(ends).map(|s| 10_f64.powf(s * setting.log_condition)),
    )
}

/// Z = Q diag(l) Qᵀ for a random rotation Q, made exactly symmetric.
fn stretched(setting: Setting, rng: &mut dyn Rng) -> (Gram, DMatrix<f64>) {
    let q = DMatrix::from_fn(setting.dim, setting.dim, |_, _| draw::normal(rng)).qr().q();
    let z = &q * DMatrix::from_diagonal(&spectrum(setting, rng)) * q.transpose();
    let z = (&z + z.transpose()) * 0.5;
    (Gram::from_dense(&Matrix::new(setting.dim, z.as_slice().to_vec()).unwrap()).unwrap(), z)
}

fn outside(setting: Setting, rng: &mut dyn Rng) -> Vec<f64> {
    let length = setting.radius * (1.0 + 10_f64.powf(setting.log_distance));
    direction(setting.dim, rng).iter().map(|x| x * length).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// The conditions of a projection: ‖v‖ = D; Z(u − v) = νv with ν ≥ 0, up to rounding relative to Zu; no other
/// point is closer.
#[test]
fn the_projection_is_optimal() {
    check(2000, settings(), |setting| {
        let mut rng = draw::seeded(setting.seed);
        let (z, plain) = stretched(setting, &mut rng);
        let u = outside(setting, &mut rng);
        let v = project(&u, &z, setting.radius).unwrap();
        prop_assert!((norm(&v) / setting.radius - 1.0).abs() < 1e-14, "‖v‖ = {}", norm(&v));
        let moved = minus(&u, &v);
        let weighted = &plain * vector(&moved);
        let nu = dot(weighted.as_slice(), &v) / dot(&v, &v);
        let size = plain.amax() * norm(&u);
        prop_assert!(nu * norm(&v) >= -1e-14 * size, "ν = {nu}");
        let rest = (&weighted - vector(&v) * nu).norm() / size;
        prop_assert!(rest <= 1e-12, "Z(u − v) is not νv: {rest} of ‖Z‖‖u‖");
        // The variational inequality, and up to 1000 points of the sphere, none of which is closer.
        let cost = z.squared_norm(&moved);
        for _ in 0..20 {
            let w = ball(setting.dim, setting.radius, &mut rng);
            let along = dot(&minus(&w, &v), weighted.as_slice());
            prop_assert!(
                along <= 1e-9 * cost.max(z.squared_norm(&v)),
                "(w − v)ᵀZ(u − v) = {along}, cost {cost}"
            );
        }
        let draws = if setting.seed % 40 == 0 { 1000 } else { 20 };
        for _ in 0..draws {
            let w: Vec<f64> = direction(setting.dim, &mut rng).iter().map(|x| x * setting.radius).collect();
            prop_assert!(z.squared_norm(&minus(&u, &w)) >= cost * (1.0 - 1e-9), "a random point is closer");
        }
        Ok(())
    });
}

/// For Z = diag(l) the secular equation is exact: v itself agrees, up to rounding relative to u.
#[test]
fn the_projection_agrees_with_bisection_of_the_secular_equation() {
    let worst = std::cell::Cell::new(0.0_f64);
    check(2000, settings(), |setting| {
        let mut rng = draw::seeded(setting.seed);
        let l = spectrum(setting, &mut rng);
        let z = DMatrix::from_diagonal(&l);
        let z = Gram::from_dense(&Matrix::new(setting.dim, z.as_slice().to_vec()).unwrap()).unwrap();
        let u = outside(setting, &mut rng);
        let v = vector(&project(&u, &z, setting.radius).unwrap());
        let expected = reference::secular(&vector(&u), &l, setting.radius);
        let off = (v - expected).norm() / norm(&u);
        worst.set(worst.get().max(off));
        prop_assert!(off < 1e-12, "v is off by {off} of ‖u‖");
        Ok(())
    });
    assert!(worst.get() > 0.0, "no setting was a hard one");
}

/// The range in which estimates lie: a step leaves the ball by a few radii at most, and Z has a condition of
/// up to 1e8.
#[test]
fn near_the_ball_the_projection_is_exact_to_ten_digits() {
    let near = settings().prop_map(|s| Setting { log_distance: s.log_distance.min(0.5), ..s });
    check(2000, near, |setting| {
        let mut rng = draw::seeded(setting.seed);
        let (z, plain) = stretched(setting, &mut rng);
        let u = outside(setting, &mut rng);
        let v = vector(&project(&u, &z, setting.radius).unwrap());
        let expected = reference::project(&vector(&u), &plain, setting.radius);
        // The error is in the norm of Z, relative to ‖u‖_Z: the regret analysis uses this norm.
        let off = z.squared_norm((&v - expected).as_slice()).sqrt();
        let scale = z.squared_norm(&u).sqrt();
        prop_assert!(off <= 1e-10 * scale, "off by {} of ‖u‖_Z", off / scale);
        Ok(())
    });
}

#[test]
fn the_projection_is_idempotent_and_leaves_the_ball_alone() {
    check(1000, settings(), |setting| {
        let mut rng = draw::seeded(setting.seed);
        let (z, _) = stretched(setting, &mut rng);
        let once = project(&outside(setting, &mut rng), &z, setting.radius).unwrap();
        let twice = project(&once, &z, setting.radius).unwrap();
        prop_assert!(norm(&minus(&once, &twice)) <= 1e-15 * setting.radius, "{once:?} {twice:?}");
        let inside = ball(setting.dim, setting.radius, &mut rng);
        prop_assert_eq!(&project(&inside, &z, setting.radius).unwrap(), &inside, "a point inside moved");
        Ok(())
    });
}

#[test]
fn the_projection_is_one_lipschitz_in_the_norm_of_z() {
    check(1000, settings(), |setting| {
        let mut rng = draw::seeded(setting.seed);
        let (z, _) = stretched(setting, &mut rng);
        let a = outside(setting, &mut rng);
        let b = match draw::below(3, &mut rng) {
            0 => ball(setting.dim, setting.radius, &mut rng),
            1 => outside(setting, &mut rng),
            _ => {
                let off = ball(setting.dim, 0.01 * setting.radius, &mut rng);
                a.iter().zip(&off).map(|(a, o)| a + o).collect()
            }
        };
        let (pa, pb) = (project(&a, &z, setting.radius).unwrap(), project(&b, &z, setting.radius).unwrap());
        let (after, before) =
            (z.squared_norm(&minus(&pa, &pb)).sqrt(), z.squared_norm(&minus(&a, &b)).sqrt());
        let rounding = 1e-12 * z.squared_norm(&a).sqrt();
        prop_assert!(after <= before + rounding, "distance {before} became {after}");
        Ok(())
    });
}

#[test]
fn a_multiple_of_the_identity_projects_radially() {
    check(500, settings(), |setting| {
        let mut rng = draw::seeded(setting.seed);
        let z = Gram::new(setting.dim, 10_f64.powf(setting.log_condition - 4.0), 1.0);
        let u = outside(setting, &mut rng);
        let v = project(&u, &z, setting.radius).unwrap();
        let length = norm(&u);
        let off = u.iter().zip(&v).fold(0.0_f64, |m, (u, v)| m.max((u / length * setting.radius - v).abs()));
        prop_assert!(off < 1e-14 * setting.radius, "off by {off}");
        Ok(())
    });
}

#[test]
fn one_dimension_is_clamped() {
    for radius in [1e-100, 1e-3, 0.7, 1.0, 3.0, 1e100] {
        let mut z = Gram::new(1, 2.0, 0.5);
        z.add(&[0.9]);
        for factor in [0.0, 0.5, 1.0, 1.0 + 1e-15, 1.5, 1e6, 1e12] {
            for sign in [1.0, -1.0] {
                let u = sign * factor * radius;
                let v = project(&[u], &z, radius).unwrap()[0];
                let expected = u.clamp(-radius, radius);
                assert!((v - expected).abs() <= 1e-15 * radius, "{u} became {v}, radius {radius}");
            }
        }
    }
}

/// Every finite point has a projection, however far it is: the result is finite and on the sphere.
#[test]
fn the_largest_numbers_project_to_finite_points() {
    let mut rng = draw::seeded(330);
    for radius in [1e-100, 1.0, 1e100] {
        for size in [1e150, 1e200, 1e300, f64::MAX] {
            for dim in [1, 3] {
                let mut z = Gram::new(dim, 1.0, 0.5);
                (0..5).for_each(|_| z.add(&ball(dim, 1.0, &mut rng)));
                let u: Vec<f64> = (0..dim).map(|_| size * uniform(-1.0, 1.0, &mut rng)).collect();
                let v = project(&u, &z, radius).unwrap();
                let length = norm(&v.iter().map(|x| x / radius).collect::<Vec<_>>());
                assert!((length - 1.0).abs() < 1e-12, "{u:?} became {v:?} at radius {radius}");
            }
        }
    }
}
