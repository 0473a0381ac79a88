//! Members of JSON objects, in their order.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Most members of a document or a map. Stored documents are bounded far lower; this keeps a
/// hostile object from costing more than reading it.
pub(crate) const MEMBERS_MAX: usize = 20_000;

/// Members of an object in their order, values untouched; of one name the last.
pub(crate) struct Members<'a>(pub Vec<(String, &'a str)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = in_order(deserializer, MEMBERS_MAX, RawValue::get)?;
        Ok(Self(last_wins(members, |(name, _)| name)))
    }
}

/// Members of a whole body, whose repeated names the contract's parser sees to. A body with more than [`MEMBERS_MAX`]
/// has one more here: enough for the contract to refuse it.
pub(crate) struct AllMembers<'a>(pub Vec<(String, &'a str)>);

impl<'de> Deserialize<'de> for AllMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AllMembersVisitor;
        impl<'de> Visitor<'de> for AllMembersVisitor {
            type Value = AllMembers<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while members.len() <= MEMBERS_MAX
                    && let Some((name, value)) = map.next_entry::<String, &RawValue>()?
                {
                    members.push((name, value.get()));
                }
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(AllMembers(members))
            }
        }
        deserializer.deserialize_map(AllMembersVisitor)
    }
}

/// Reads the members of an object in their order, names repeated or not, and makes `value` of each
/// value. An object with more than `most` is refused.
pub(crate) fn in_order<'de, D: Deserializer<'de>, T: Deserialize<'de>, V>(
    deserializer: D,
    most: usize,
    value: fn(T) -> V,
) -> Result<Vec<(String, V)>, D::Error> {
    deserializer.deserialize_map(MembersVisitor { most, value })
}

struct MembersVisitor<T, V> {
    most: usize,
    value: fn(T) -> V,
}

impl<'de, T: Deserialize<'de>, V> Visitor<'de> for MembersVisitor<T, V> {
    type Value = Vec<(String, V)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry()? {
            members.push((name, (self.value)(value)));
            if members.len() > self.most {
                let message = format!("an object with more than {} members", self.most);
                return Err(Error::custom(message));
            }
        }
        Ok(members)
    }
}

/// Objects of so many members are compared pair by pair, which takes no memory.
const PAIRS_MAX: usize = 32;

/// Keeps the last of members with one name, at the place of the first.
pub(crate) fn last_wins<T>(members: Vec<T>, name: fn(&T) -> &String) -> Vec<T> {
    let is_distinct = members.len() <= PAIRS_MAX
        && (1..members.len()).all(|at| members[..at].iter().all(|m| name(m) != name(&members[at])));
    if is_distinct {
        return members;
    }
    let mut seen = HashMap::with_capacity(members.len());
    let mut kept: Vec<T> = Vec::with_capacity(members.len());
    for member in members {
        match seen.get(name(&member)) {
            Some(&at) => kept[at] = member,
            None => {
                seen.insert(name(&member).clone(), kept.len());
                kept.push(member);
            }
        }
    }
    kept
}
