//! Laptops that no other laptop dominates in price, weight and battery life:
//! `cargo run -p moglb-pareto --example laptops`.

use moglb_pareto::{Error, Matrix, front, gaps};

/// The name, price in euros, weight in kg and battery life in hours of each laptop.
const LAPTOPS: [(&str, [f64; 3]); 5] = [
    ("plain", [499.0, 1.9, 8.0]),
    ("light", [999.0, 1.0, 10.0]),
    ("heavy", [1099.0, 2.4, 9.0]),
    ("lasting", [899.0, 1.5, 18.0]),
    ("twin of plain", [499.0, 1.9, 8.0]),
];

fn main() -> Result<(), Error> {
    // Larger is better in every column, so price and weight are negated.
    let points = LAPTOPS.map(|(_, [price, weight, hours])| [-price, -weight, hours]);
    let points = Matrix::from_rows(&points)?;
    let front = front(&points)?;
    let gaps = gaps(&points)?;
    for (row, (name, _)) in LAPTOPS.iter().enumerate() {
        let is_on_front = front.iter().any(|arm| arm.0 == row);
        println!(
            "{name:14} {}",
            if is_on_front { "on the front".into() } else { format!("gap {:.2}", gaps[row]) }
        );
    }
    Ok(())
}
