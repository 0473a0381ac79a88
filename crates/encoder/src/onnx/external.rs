//! Tensors whose bytes lie in files beside a model.

use std::collections::BTreeSet;

use super::Beside;
use super::wire::{Fields, Message};
use crate::Refusal;
use crate::bytes::Bytes;

/// Most files beside a model.
const FILES_MAX: usize = 64;

/// The place of a tensor's bytes.
#[derive(Default)]
pub(super) struct External<'a> {
    file: &'a str,
    offset: Option<&'a str>,
    length: Option<&'a str>,
}

impl<'a> External<'a> {
    /// Takes an entry of what a tensor says of its place.
    pub(super) fn read(&mut self, entry: &'a [u8]) -> Result<(), Refusal> {
        let (mut key, mut value) = ("", "");
        let mut fields = Fields::of(entry);
        while let Some((field, content)) = fields.next()? {
            match field {
                1 => key = content.text()?,
                2 => value = content.text()?,
                _ => {}
            }
        }
        match key {
            "location" => self.file = value,
            "offset" => self.offset = Some(value),
            "length" => self.length = Some(value),
            _ => {}
        }
        Ok(())
    }

    /// The bytes of the tensor of that name.
    pub(super) fn bytes(&self, name: &str, beside: &Beside<'a>) -> Result<Bytes<'a>, Refusal> {
        let wrong = |what: &str| {
            Refusal::damaged(format!(
                "its tensor {name:?} lies in {:?}, which {what}",
                self.file
            ))
        };
        let bytes = *beside.get(self.file).ok_or_else(|| wrong("is not there"))?;
        let number = |text: &str| text.parse::<usize>().ok();
        let start = self.offset.map_or(Some(0), number);
        let found = start.and_then(|start| {
            let rest = bytes.len().checked_sub(start)?;
            let length = self.length.map_or(Some(rest), number)?;
            bytes.part(start, length)
        });
        found.ok_or_else(|| wrong("is shorter"))
    }
}

/// The names of the files beside a model that tensors of its graph lie in.
pub(crate) fn files_beside(model: Message<'_>) -> Result<BTreeSet<&str>, Refusal> {
    let mut files = BTreeSet::new();
    let mut fields = model.fields();
    while let Some((field, content)) = fields.next()? {
        if field != 7 {
            continue;
        }
        let mut parts = content.message()?.fields();
        while let Some((field, content)) = parts.next()? {
            if field != 5 {
                continue;
            }
            let mut external = External::default();
            let mut members = content.message()?.fields();
            while let Some((field, content)) = members.next()? {
                if field == 13 {
                    external.read(content.bytes()?)?;
                }
            }
            if !external.file.is_empty() {
                files.insert(external.file);
            }
            if files.len() > FILES_MAX {
                return Err(Refusal::not_ours(format!(
                    "its weights lie in more than {FILES_MAX} files"
                )));
            }
        }
    }
    Ok(files)
}
