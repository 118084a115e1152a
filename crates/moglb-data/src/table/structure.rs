//! A check of the structures of a Parquet file, made before the crate `parquet` reads them.
//!
//! Page headers and the footer are in the compact form of Thrift. The crate skips fields that it does not
//! know. For booleans in a list it reads no bytes at all: seven damaged bytes can state a list of 2³¹
//! booleans, and the crate then counts to 2³¹. No structure of Parquet has a list of booleans, so such a list
//! is an error here.
//!
//! The crate reads a known field by its expected type, even if the file states another type. Here this is an
//! error too, so that the check and the crate read the same bytes.

use std::io::Read;

/// The type that a field must have.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Bool,
    Byte,
    /// A whole number of any size, or an enumeration.
    Number,
    Double,
    /// Text or bytes.
    Text,
    List(&'static Type),
    /// Fields by their numbers, from 1.
    Structure(&'static [Type]),
    /// A field that the crate does not know, or that is no longer used.
    Other,
}

use Type::{Bool, Byte, Double, List, Number, Other, Structure, Text};

/// The header of a page.
pub(super) const PAGE_HEADER: Type = Structure(&[
    Number,
    Number,
    Number,
    Number,
    Structure(&[Number, Number, Number, Number, STATISTICS]),
    EMPTY,
    Structure(&[Number, Number, Bool]),
    Structure(&[Number, Number, Number, Number, Number, Number, Bool, STATISTICS]),
]);

/// The footer: the schema, the groups of rows with their columns, and notes.
pub(super) const FOOTER: Type =
    Structure(&[Number, List(&COLUMN_SCHEMA), Number, List(&ROW_GROUP), List(&NOTE), Text, List(&ORDER)]);

const EMPTY: Type = Structure(&[]);
const STATISTICS: Type = Structure(&[Text, Text, Number, Number, Text, Text, Bool, Bool, Number]);
const COLUMN_SCHEMA: Type = Structure(&[
    Number,
    Number,
    Number,
    Text,
    Number,
    Number,
    Number,
    Number,
    Number,
    Structure(&[
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        Structure(&[Number, Number]),
        EMPTY,
        TIME,
        TIME,
        Other,
        Structure(&[Byte, Bool]),
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        Structure(&[Byte]),
        Structure(&[Text]),
        Structure(&[Text, Number]),
        EMPTY,
    ]),
]);
const TIME: Type = Structure(&[Bool, Structure(&[EMPTY, EMPTY, EMPTY])]);
const ROW_GROUP: Type = Structure(&[
    List(&COLUMN),
    Number,
    Number,
    List(&Structure(&[Number, Bool, Bool])),
    Number,
    Number,
    Number,
]);
const COLUMN: Type = Structure(&[Text, Number, COLUMN_FACTS, Number, Number, Number, Number, Other, Text]);
const COLUMN_FACTS: Type = Structure(&[
    Number,
    List(&Number),
    List(&Text),
    Number,
    Number,
    Number,
    Number,
    List(&NOTE),
    Number,
    Number,
    Number,
    STATISTICS,
    List(&Structure(&[Number, Number, Number])),
    Number,
    Number,
    Structure(&[Number, List(&Number), List(&Number)]),
    Structure(&[Structure(&[Double, Double, Double, Double, Double, Double, Double, Double]), List(&Number)]),
]);
const NOTE: Type = Structure(&[Text, Text]);
const ORDER: Type = Structure(&[EMPTY, EMPTY, EMPTY]);

/// The largest depth of structures within structures. The crate stops earlier.
const MOST_DEPTH: u32 = 100;

/// The reason why a check ends early.
enum End {
    /// The bytes are damaged.
    Damaged,
    /// The input has ended. The crate has its own error for this.
    Input,
}

/// Returns true if the bytes are a structure of a type, or end before the structure does.
pub(super) fn is_sound(expected: Type, input: impl Read) -> bool {
    !matches!(Look(input).value(expected, STRUCTURE, 0), Err(End::Damaged))
}

const STRUCTURE: u8 = 12;

/// Returns true if the type that the file states is the expected type.
fn fits(expected: Type, stated: u8) -> bool {
    match expected {
        Bool => matches!(stated, 1 | 2),
        Byte => stated == 3,
        Number => matches!(stated, 4..=6),
        Double => stated == 7,
        Text => stated == 8,
        List(_) => matches!(stated, 9 | 10),
        Structure(_) => stated == STRUCTURE,
        Other => true,
    }
}

/// The checker, with its input.
struct Look<R>(R);

impl<R: Read> Look<R> {
    /// Checks a value.
    fn value(&mut self, expected: Type, stated: u8, depth: u32) -> Result<(), End> {
        if !fits(expected, stated) || depth > MOST_DEPTH {
            return Err(End::Damaged);
        }
        match stated {
            // The value of a boolean is a part of the head of its field.
            1 | 2 => Ok(()),
            3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.skip(8),
            8 => {
                let length = self.varint()?;
                self.skip(length)
            }
            // Lists and sets.
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                let entry = if let List(entry) = expected { *entry } else { Other };
                self.values(count, &[(entry, head & 15)], depth)
            }
            // Maps.
            11 => match self.varint()? {
                0 => Ok(()),
                count => {
                    let head = self.byte()?;
                    self.values(count, &[(Other, head >> 4), (Other, head & 15)], depth)
                }
            },
            STRUCTURE => self.fields(if let Structure(fields) = expected { fields } else { &[] }, depth),
            13 => self.skip(16),
            _ => Err(End::Damaged),
        }
    }

    /// Checks entries, each with one value of each of these types.
    fn values(&mut self, count: u64, types: &[(Type, u8)], depth: u32) -> Result<(), End> {
        if count > 0 && types.iter().all(|(_, stated)| matches!(stated, 1 | 2)) {
            return Err(End::Damaged);
        }
        // Every other entry has at least one byte, so this loop ends with the input.
        (0..count).try_for_each(|_| {
            types.iter().try_for_each(|&(expected, stated)| self.value(expected, stated, depth + 1))
        })
    }

    fn fields(&mut self, expected: &[Type], depth: u32) -> Result<(), End> {
        let mut number = 0i16;
        loop {
            let head = self.byte()?;
            if head & 15 == 0 {
                return Ok(());
            }
            number = match i16::from(head >> 4) {
                0 => {
                    let folded = self.varint()?;
                    ((folded >> 1) as i64 ^ -((folded & 1) as i64)) as i16
                }
                // If the number overflows, the crate reads another field number, or fails.
                step => number.checked_add(step).ok_or(End::Damaged)?,
            };
            let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            let field = place.and_then(|place| expected.get(place)).copied().unwrap_or(Other);
            self.value(field, head & 15, depth + 1)?;
        }
    }

    fn byte(&mut self) -> Result<u8, End> {
        let mut byte = [0];
        self.0.read_exact(&mut byte).map_err(|_| End::Input)?;
        Ok(byte[0])
    }

    /// Reads a number in groups of seven bits. Bits beyond the 64th wrap around, as in the crate.
    fn varint(&mut self) -> Result<u64, End> {
        let (mut number, mut shift) = (0, 0u32);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 127).wrapping_shl(shift);
            if byte < 128 {
                return Ok(number);
            }
            shift = shift.wrapping_add(7);
        }
    }

    fn skip(&mut self, length: u64) -> Result<(), End> {
        let skipped = std::io::copy(&mut self.0.by_ref().take(length), &mut std::io::sink());
        if skipped.is_ok_and(|skipped| skipped == length) { Ok(()) } else { Err(End::Input) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2³¹ − 1 entries.
    const ENDLESS: [u8; 5] = [0xff, 0xff, 0xff, 0xff, 7];

    #[test]
    fn lists_of_booleans_are_found_wherever_they_are() {
        // A list, a set and a map of booleans in an unknown field.
        let list = |head: &[u8]| [head, &ENDLESS, &[0x12, 0]].concat();
        for field in [list(&[0xf9, 0xf1]), list(&[0xfa, 0xf2]), list(&[0xfb])] {
            assert!(!is_sound(PAGE_HEADER, &field[..]));
            // After a number, a text, a list of two numbers and a boolean, within a structure in a list.
            let before = [0x15, 4, 0xe8, 2, b'h', b'i', 0x19, 0x25, 1, 0x80, 1, 0x11, 0x19, 0x1c];
            assert!(!is_sound(PAGE_HEADER, &[&before[..], &field].concat()[..]));
        }
        assert!(is_sound(PAGE_HEADER, &[0xfb, 1, 0x15, 1, 0x19, 0, 0x1b, 0, 0][..]), "no entry, or numbers");
        assert!(is_sound(PAGE_HEADER, &[0xf8, 9, 0x89, 0xf1][..]), "the text is cut off");
        assert!(!is_sound(PAGE_HEADER, &[0xfc].repeat(100_000)[..]), "too deep");
    }

    /// The crate would read the text as a number of one byte, and its bytes as fields.
    #[test]
    fn known_fields_have_their_own_type() {
        let hidden = [&[0x18, 9, 0xf9, 0xf1][..], &ENDLESS, &[0, 0]].concat();
        assert!(!is_sound(PAGE_HEADER, &hidden[..]));
        assert!(!is_sound(FOOTER, &[0x29, 0x15, 0][..]), "a schema is a list of structures");
        assert!(
            !is_sound(FOOTER, &[0x29, 0x1c, 0x15, 0, 0x18][..]),
            "the second field of a schema is a number"
        );
    }
}
