//! Values that one thread of JavaScript opens and any may use, by number, until they are closed.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// Told once, of a value that is closed and no longer used.
type Freed = Box<dyn FnOnce() + Send>;

/// The values that are open.
pub(crate) struct OpenValues<T> {
    values: HashMap<u32, Weak<OpenValue<T>>>,
    next: u32,
}

impl<T> Default for OpenValues<T> {
    fn default() -> Self {
        Self {
            values: HashMap::new(),
            next: 0,
        }
    }
}

impl<T: Clone> OpenValues<T> {
    /// Opens a value, by a number that no other open one has.
    pub(crate) fn open(&mut self, value: T) -> Arc<OpenValue<T>> {
        while self.values.contains_key(&self.next) {
            self.next = self.next.wrapping_add(1);
        }
        let number = self.next;
        self.next = number.wrapping_add(1);
        let opened = Arc::new(OpenValue {
            number,
            state: Mutex::new(State {
                value: Some(value),
                uses: 0,
                is_closed: false,
                freed: Vec::new(),
            }),
        });
        self.values.insert(number, Arc::downgrade(&opened));
        opened
    }

    /// The open value of a number.
    pub(crate) fn get(&self, number: u32) -> Option<Arc<OpenValue<T>>> {
        self.values.get(&number).and_then(Weak::upgrade)
    }

    /// Lets nobody use a value any more.
    pub(crate) fn close(open: &Mutex<Self>, value: &OpenValue<T>) {
        open.lock().values.remove(&value.number);
        value.close();
    }
}

/// A value, for all threads that have it.
pub(crate) struct OpenValue<T> {
    number: u32,
    state: Mutex<State<T>>,
}

struct State<T> {
    /// None once it is closed and its last use is over.
    value: Option<T>,
    uses: usize,
    is_closed: bool,
    freed: Vec<Freed>,
}

impl<T: Clone> OpenValue<T> {
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.state.lock().uses > 0
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    /// Gives the value for one use, which is over when its second part is dropped; none once it is closed.
    pub(crate) fn begin(self: &Arc<Self>) -> Option<(T, Use<T>)> {
        let mut state = self.state.lock();
        if state.is_closed {
            return None;
        }
        let value = state.value.clone()?;
        state.uses += 1;
        Some((value, Use(Arc::clone(self))))
    }

    /// Tells `freed` once it is closed, its last use is over, and its memory is given back.
    pub(crate) fn when_free(&self, freed: Freed) {
        self.state.lock().freed.push(freed);
        self.free();
    }

    fn close(&self) {
        self.state.lock().is_closed = true;
        self.free();
    }
}

impl<T> OpenValue<T> {
    /// Gives the memory back and tells those who wait, where it is closed and unused.
    fn free(&self) {
        let mut state = self.state.lock();
        if !state.is_closed || state.uses > 0 {
            return;
        }
        let value = state.value.take();
        let freed = std::mem::take(&mut state.freed);
        drop(state);
        drop(value);
        for tell in freed {
            tell();
        }
    }
}

/// A use of a value that is not over.
pub(crate) struct Use<T>(Arc<OpenValue<T>>);

impl<T> Drop for Use<T> {
    fn drop(&mut self) {
        self.0.state.lock().uses -= 1;
        self.0.free();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A value whose memory is watched: it is there as long as the weak one can be upgraded.
    fn watched() -> (Arc<u8>, Weak<u8>) {
        let value = Arc::new(7);
        let watch = Arc::downgrade(&value);
        (value, watch)
    }

    #[test]
    fn open_values_are_found_by_their_numbers_until_they_are_closed() {
        let open = Mutex::new(OpenValues::default());
        let first = open.lock().open('a');
        let second = open.lock().open('b');
        assert_ne!(first.number(), second.number());
        let found = |one: &OpenValue<char>| open.lock().get(one.number());
        assert_eq!(found(&first).unwrap().begin().unwrap().0, 'a');
        OpenValues::close(&open, &first);
        assert!(found(&first).is_none());
        assert!(first.is_closed() && first.begin().is_none());
        assert_eq!(found(&second).unwrap().begin().unwrap().0, 'b');
    }

    #[test]
    fn a_number_is_not_given_twice_while_its_value_is_open() {
        let mut open = OpenValues::default();
        let first = open.open('a');
        open.next = first.number();
        assert_ne!(open.open('b').number(), first.number());
        open.next = u32::MAX;
        let (last, again) = (open.open('c'), open.open('d'));
        assert_eq!(last.number(), u32::MAX);
        assert!(![first.number(), last.number()].contains(&again.number()));
    }

    #[test]
    fn a_value_that_nobody_has_any_more_is_not_found() {
        let mut open = OpenValues::default();
        let number = open.open('a').number();
        assert!(open.get(number).is_none());
    }

    #[test]
    fn a_closed_value_is_there_until_its_last_use_is_over() {
        let open = Mutex::new(OpenValues::default());
        let (value, watch) = watched();
        let opened = open.lock().open(value);
        let (used, first) = opened.begin().unwrap();
        drop(used);
        let (_, second) = opened.begin().unwrap();
        let told = Arc::new(AtomicUsize::new(0));
        let tell = || {
            let told = Arc::clone(&told);
            Box::new(move || {
                told.fetch_add(1, Ordering::Relaxed);
            })
        };
        opened.when_free(tell());
        OpenValues::close(&open, &opened);
        drop(first);
        assert!(opened.is_busy() && watch.upgrade().is_some());
        assert_eq!(told.load(Ordering::Relaxed), 0);
        drop(second);
        assert!(!opened.is_busy() && watch.upgrade().is_none());
        assert_eq!(told.load(Ordering::Relaxed), 1);
        // A late asker is told at once, and nobody twice.
        opened.when_free(tell());
        OpenValues::close(&open, &opened);
        assert_eq!(told.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn uses_of_many_threads_end_before_the_value_is_freed() {
        let open = Mutex::new(OpenValues::default());
        let (value, watch) = watched();
        let opened = open.lock().open(value);
        let number = opened.number();
        let uses = AtomicUsize::new(0);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    loop {
                        let found = open.lock().get(number);
                        let Some((value, under_way)) = found.and_then(|one| one.begin()) else {
                            break;
                        };
                        assert_eq!(*value, 7);
                        uses.fetch_add(1, Ordering::Relaxed);
                        drop(value);
                        drop(under_way);
                    }
                });
            }
            threads.spawn(|| {
                while uses.load(Ordering::Relaxed) < 1_000 {
                    std::thread::yield_now();
                }
                OpenValues::close(&open, &opened);
            });
        });
        assert!(!opened.is_busy() && watch.upgrade().is_none());
    }
}
