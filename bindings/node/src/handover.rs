//! Native values on their way from one thread of JavaScript to another. An object of the add-on cannot leave its thread:
//! a token, which is a number, can, and the other thread makes an object of its own of the same value.

use std::any::Any;
use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;

use crate::error::CodedError;

static WAITING: LazyLock<Mutex<Waiting>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Waiting {
    values: HashMap<u32, Box<dyn Any + Send>>,
    next: u32,
}

/// Keeps a value until [`take`] is called with the token that this gives.
pub(crate) fn offer<T: Any + Send>(value: T) -> u32 {
    let mut waiting = WAITING.lock();
    while waiting.values.contains_key(&waiting.next) {
        waiting.next = waiting.next.wrapping_add(1);
    }
    let token = waiting.next;
    waiting.next = token.wrapping_add(1);
    waiting.values.insert(token, Box::new(value));
    token
}

/// The value of a token, once. Fails with `invalid_argument` where none of this type waits by that token, and leaves one of
/// another type where it is.
pub(crate) fn take<T: Any + Send>(token: u32) -> Result<T, CodedError> {
    let mut waiting = WAITING.lock();
    let is_of_type = waiting
        .values
        .get(&token)
        .is_some_and(|value| value.is::<T>());
    let value = match is_of_type {
        true => waiting.values.remove(&token),
        false => None,
    };
    value
        .and_then(|value| value.downcast::<T>().ok())
        .map(|value| *value)
        .ok_or_else(|| {
            CodedError::invalid_argument(format!(
                "no value of this type waits by the token {token}: each is taken once"
            ))
        })
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_value_is_taken_once_and_by_its_own_type() {
        let token = offer(String::from("a"));
        assert!(take::<u64>(token).is_err());
        assert_eq!(take::<String>(token).ok().as_deref(), Some("a"));
        assert!(take::<String>(token).is_err());
    }

    #[test]
    fn threads_that_offer_at_once_get_tokens_of_their_own() {
        let offered: Vec<_> = (0..8_u32)
            .map(|number| thread::spawn(move || (number, offer(u64::from(number)))))
            .map(|thread| thread.join().expect("offering does not panic"))
            .collect();
        for (number, token) in offered {
            assert_eq!(take::<u64>(token).ok(), Some(u64::from(number)));
        }
    }
}
