//! Registered links, by name, for the whole process. Configurations, snapshots and other languages can use
//! custom links like those of the library.

use super::Link;
use super::custom::{CustomLink, LinkFunction};
use moglb_math::Error;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

static REGISTRY: RwLock<BTreeMap<String, CustomLink>> = RwLock::new(BTreeMap::new());

/// The largest number of links that a process can register. Each one stays in memory until the process
/// ends.
const MOST: usize = 4096;

/// The number of links that were registered.
static REGISTERED: AtomicUsize = AtomicUsize::new(0);

impl Link {
    /// Registers a link under a name. It replaces an earlier link of that name; existing policies keep the
    /// earlier one.
    ///
    /// ```
    /// use moglb::{Link, LinkFunction};
    /// struct Cloglog;
    /// impl LinkFunction for Cloglog {
    ///     fn mean(&self, z: f64) -> f64 {
    ///         1.0 - (-z.exp()).exp()
    ///     }
    /// }
    /// let link = Link::register("cloglog", Cloglog)?;
    /// assert!((link.constants(1.0).kappa - 0.179374).abs() < 1e-6);
    /// assert_eq!(Link::named("cloglog"), Some(link));
    /// # Ok::<(), moglb::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LinkName`] for an empty name or the name of a link of the library, [`Error::TooManyLinks`]
    /// after 4096 registrations.
    pub fn register(name: &str, function: impl LinkFunction + 'static) -> Result<Self, Error> {
        if name.is_empty() || Self::ALL.iter().any(|link| link.name() == name) {
            return Err(Error::LinkName { name: name.into() });
        }
        let one_more = |count| (count < MOST).then_some(count + 1);
        let counted = REGISTERED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        counted.map_err(|_| Error::TooManyLinks { most: MOST })?;
        let link = CustomLink::keep(name, function);
        REGISTRY.write().unwrap_or_else(PoisonError::into_inner).insert(name.into(), link);
        Ok(Link::Custom(link))
    }

    /// Returns the link with a name: one of the library's, or a registered one.
    pub fn named(name: &str) -> Option<Self> {
        let own = Self::ALL.into_iter().find(|link| link.name() == name);
        let registered = || REGISTRY.read().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        own.or_else(|| registered().map(Link::Custom))
    }
}
