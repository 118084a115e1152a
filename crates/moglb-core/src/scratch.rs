//! Buffers that are kept from call to call, one value of each type.

use std::any::{Any, TypeId};
use std::fmt::Debug;

/// The buffers that policies keep in a decision. Each policy finds its buffers by their type, so that a
/// decision does not depend on the policies.
///
/// A value is created when its type is first requested, and then stays: the next decision does not
/// allocate. The values are in the order of creation, and a decision used by one policy has one or two of
/// them.
#[derive(Debug, Default)]
pub struct ScratchSpace {
    values: Vec<(TypeId, Box<dyn Kept>)>,
}

/// A value that can be kept and cloned behind a pointer.
trait Kept: Any + Debug + Send + Sync {
    fn copy(&self) -> Box<dyn Kept>;
}

impl<T: Any + Clone + Debug + Send + Sync> Kept for T {
    fn copy(&self) -> Box<dyn Kept> {
        Box::new(self.clone())
    }
}

impl ScratchSpace {
    /// Returns the value of a type. The first time, it is the default value.
    #[inline]
    pub fn of<T: Any + Clone + Debug + Default + Send + Sync>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let place = match self.values.iter().position(|(other, _)| *other == id) {
            Some(place) => place,
            None => self.make::<T>(id),
        };
        let value: &mut dyn Any = &mut *self.values[place].1;
        value.downcast_mut().expect("the value has the type under which it is stored")
    }

    /// Creates the default value of a type, and returns its position.
    #[cold]
    fn make<T: Any + Clone + Debug + Default + Send + Sync>(&mut self, id: TypeId) -> usize {
        self.values.push((id, Box::new(T::default())));
        self.values.len() - 1
    }
}

impl Clone for ScratchSpace {
    fn clone(&self) -> Self {
        Self { values: self.values.iter().map(|(id, value)| (*id, (**value).copy())).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_value_of_its_own_that_stays() {
        let mut scratch = ScratchSpace::default();
        scratch.of::<Vec<f64>>().push(1.5);
        scratch.of::<Vec<usize>>().push(7);
        scratch.of::<Vec<f64>>().push(2.5);
        assert_eq!(*scratch.of::<Vec<f64>>(), [1.5, 2.5]);
        assert_eq!(*scratch.of::<Vec<usize>>(), [7]);
        assert_eq!(*scratch.of::<String>(), "");
    }

    #[test]
    fn a_clone_has_its_own_memory() {
        let mut scratch = ScratchSpace::default();
        scratch.of::<Vec<f64>>().push(1.5);
        let mut clone = scratch.clone();
        clone.of::<Vec<f64>>().push(2.5);
        assert_eq!(*scratch.of::<Vec<f64>>(), [1.5]);
        assert_eq!(*clone.of::<Vec<f64>>(), [1.5, 2.5]);
    }
}
