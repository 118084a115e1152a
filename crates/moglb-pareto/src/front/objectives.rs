//! Code that is compiled for each usual number of objectives.

/// Calls a method that is compiled for each number of objectives from 1 to 9, and once for any number.
macro_rules! for_objectives {
    ($m:expr, $self:ident.$method:ident($simd:ident)) => {
        match $m {
            1 => $self.$method::<1, _>($simd),
            2 => $self.$method::<2, _>($simd),
            3 => $self.$method::<3, _>($simd),
            4 => $self.$method::<4, _>($simd),
            5 => $self.$method::<5, _>($simd),
            6 => $self.$method::<6, _>($simd),
            7 => $self.$method::<7, _>($simd),
            8 => $self.$method::<8, _>($simd),
            9 => $self.$method::<9, _>($simd),
            _ => $self.$method::<0, _>($simd),
        }
    };
}
pub(super) use for_objectives;
