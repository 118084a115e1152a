//! The hashing trick: features by name in a fixed number of columns (Weinberger et al. 2009).

use moglb_core::Parameter;
use moglb_math::Error;
use moglb_math::matrix::check_finite;

/// A feature by its name.
///
/// Its column and sign come from a hash of 64 bits. The hash is FNV-1a with offset basis 0xcbf29ce484222325
/// (xor the salt) and prime 0x100000001b3. It runs over the bytes of the name; for a word, then over the byte
/// 0xFF, which occurs in no UTF-8 text, and the bytes of the word. The mixer of MurmurHash3 finishes it: h ^=
/// h ≫ 33, h *= 0xff51afd7ed558ccd, h ^= h ≫ 33, h *= 0xc4ceb9fe1a85ec53, h ^= h ≫ 33. The lowest bits are
/// the column, and the highest bit is set for the sign −1.
///
/// Features that share a column are added, in an order that does not depend on the order of the input. The
/// signs make such collisions cancel on average.
///
/// Example: [`Features`].
///
/// [`Features`]: crate::Features
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Named<'a> {
    /// The name.
    pub name: &'a str,
    /// The value.
    pub value: NamedValue<'a>,
}

/// The value of a feature by name: a word or a number.
///
/// Example: [`Features`].
///
/// [`Features`]: crate::Features
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NamedValue<'a> {
    /// One of many words. The feature is the pair of name and word, and its value is 1.
    Word(&'a str),
    /// A number. The feature is the name.
    Number(f64),
}

/// The number of columns, 2^`bits`.
pub(super) fn check(bits: u32) -> Result<usize, Error> {
    Parameter::check("bits", f64::from(bits), 1.0..=24.0)?;
    Ok(1 << bits)
}

/// Appends the hashed features that are not zero, with columns counted from `first`.
pub(super) fn append(
    bits: u32,
    salt: u64,
    first: usize,
    named: &[Named<'_>],
    entries: &mut Vec<(usize, f64)>,
) -> Result<(), Error> {
    let mut hashed = Vec::with_capacity(named.len());
    for (index, Named { name, value }) in named.iter().enumerate() {
        let (word, size) = match *value {
            NamedValue::Word(word) => (Some(word), 1.0),
            NamedValue::Number(number) => (None, number),
        };
        if !size.is_finite() {
            return Err(Error::NotFinite { what: "a named feature", index, value: size });
        }
        let hash = hash(salt, name, word);
        let sign = if hash >> 63 == 1 { -1.0 } else { 1.0 };
        hashed.push((first + (hash & ((1 << bits) - 1)) as usize, sign * size));
    }
    hashed.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    for same in hashed.chunk_by(|a, b| a.0 == b.0) {
        let sum: f64 = same.iter().map(|&(_, value)| value).sum();
        check_finite("a sum of named features", &[sum])?;
        if sum != 0.0 {
            entries.push((same[0].0, sum));
        }
    }
    Ok(())
}

/// FNV-1a over the name, and over 0xFF and the word if there is one; then MurmurHash3's mixer.
fn hash(salt: u64, name: &str, word: Option<&str>) -> u64 {
    let of_word = word.iter().flat_map(|word| std::iter::once(0xFF).chain(word.bytes()));
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ salt;
    for byte in name.bytes().chain(of_word) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values come from an independent computation in another language.
    #[test]
    fn the_hash_is_the_one_that_is_written_down() {
        assert_eq!(hash(0, "", None), 0xefd0_1f60_ba99_2926);
        assert_eq!(hash(0, "age", None), 0xb91a_141f_bd35_e263);
        assert_eq!(hash(0, "city", Some("Zürich")), 0x3bd5_9f41_7897_b4f6);
        assert_eq!(hash(7, "city", Some("Zürich")), 0xdc09_a140_01d9_dd40);
        assert_eq!(hash(0, "city", Some("")), 0x1f8a_e4bf_758f_2da8);
    }

    #[test]
    fn the_order_of_names_leaves_no_trace() {
        let number = |name, value| Named { name, value: NamedValue::Number(value) };
        // With one bit all features share two columns.
        let mut named = vec![number("a", 0.1), number("b", 1e16), number("c", -1e16), number("d", 0.7)];
        named.push(Named { name: "e", value: NamedValue::Word("x") });
        let mut forth = Vec::new();
        append(1, 0, 5, &named, &mut forth).unwrap();
        named.reverse();
        let mut back = Vec::new();
        append(1, 0, 5, &named, &mut back).unwrap();
        assert_eq!(forth, back);
        assert!(forth.iter().all(|(column, _)| (5..7).contains(column)));
    }

    #[test]
    fn columns_and_signs_are_spread_evenly() {
        let (mut columns, mut negative) = ([0_u32; 64], 0);
        for n in 0..64_000 {
            let hash = hash(0, "item", Some(&n.to_string()));
            columns[(hash & 63) as usize] += 1;
            negative += hash >> 63;
        }
        // 1000 expected in each of 64 columns: six standard deviations are 190, a chance below 1e-6.
        assert!(columns.iter().all(|&n| n.abs_diff(1000) < 190), "{columns:?}");
        assert!(negative.abs_diff(32_000) < 760, "{negative} of 64000 are negative");
    }
}
