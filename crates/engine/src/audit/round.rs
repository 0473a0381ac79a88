//! One round over an index.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::bounded;
use pelorus_lexical::TextAudit;

use super::Structure;
use super::document::{Compared, compare};
use super::figures::AuditCounts;
use crate::background::maintenance;
use crate::error::Result;
use crate::index::Index;

/// Ordinals whose postings are summed up together at least: each window passes over the whole dictionary of terms.
const WINDOW_MIN: u32 = 65_536;
/// Most of them: eight bytes each.
const WINDOW_MAX: u32 = 1_048_576;
/// Windows of a large index.
const WINDOWS: u32 = 16;

/// Living documents of a step, and bytes of their texts after which no other joins them.
const STEP_DOCUMENTS: usize = 64;
const STEP_BYTES: usize = 256 * 1024;
/// Ordinals of a step, most of them dead.
const STEP_ORDINALS: u32 = 4_096;
/// Terms of a step.
const STEP_TERMS: usize = 64;

/// Suspects that the writer looks at together. Where there are more something is so wrong that these are enough.
const SUSPECTS_MAX: usize = 256;
/// Documents that are named in the log.
const NAMED_MAX: usize = 8;

/// A round that is under way.
pub(super) struct Round {
    /// The ordinal to compare next.
    next: u32,
    /// Ordinals from here on came later.
    end: u32,
    window: Option<Window>,
    /// The field whose graph is next.
    field: usize,
}

/// The ordinals whose postings are known.
struct Window {
    end: u32,
    text: TextAudit,
    is_summed: bool,
}

/// A document that may differ.
struct Suspect {
    doc: u32,
    /// Its postings are not those of its texts, which no write changes.
    in_words: bool,
}

/// The state of a round after a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    More,
    /// All was passed over.
    Passed,
    /// Documents differ, and derived data are about to be made anew.
    Differed,
    /// The index does not serve as usual just now.
    GivenUp,
}

impl Round {
    pub fn of(index: &Index) -> Result<Self> {
        Ok(Self {
            next: 0,
            end: index.views.load().snapshot.next_doc()?,
            window: None,
            field: 0,
        })
    }

    /// Takes steps until it is `until`, one at least.
    pub fn slice(&mut self, index: &Arc<Index>, counts: &AuditCounts, until: Instant) -> Progress {
        loop {
            if index.is_retired() || !index.takes_writes() || index.errors.distrusted().is_some() {
                return Progress::GivenUp;
            }
            let progress = index.catch_panic(|| self.step(index, counts));
            match progress {
                Ok(Progress::More) if Instant::now() < until => {}
                Ok(progress) => return progress,
                Err(error) => {
                    log::warn!("index {}: the audit cannot go on: {error}", index.name());
                    index.read_failed(&error);
                    return Progress::GivenUp;
                }
            }
        }
    }

    fn step(&mut self, index: &Arc<Index>, counts: &AuditCounts) -> Result<Progress> {
        if self.next >= self.end {
            return Ok(self.step_of_graphs(index, counts));
        }
        let window = match &mut self.window {
            Some(window) if self.next < window.end => window,
            _ => {
                let size = (self.end / WINDOWS).clamp(WINDOW_MIN, WINDOW_MAX);
                let end = self.end.min(self.next.saturating_add(size));
                self.window.insert(Window {
                    end,
                    text: index.lexical.audit(self.next..end),
                    is_summed: false,
                })
            }
        };
        if !window.is_summed {
            let more = window.text.advance(STEP_TERMS);
            window.is_summed = !more.map_err(|error| index.lexical_failed(error))?;
            return Ok(Progress::More);
        }
        let (next, suspects) = window.compare_some(index, counts, self.next)?;
        self.next = next;
        if self.next >= window.end {
            self.window = None;
        }
        match suspects.is_empty() {
            true => Ok(Progress::More),
            false => Ok(judge(index, counts, suspects)),
        }
    }

    /// Lets maintenance link vectors that nothing leads to.
    fn step_of_graphs(&mut self, index: &Arc<Index>, counts: &AuditCounts) -> Progress {
        let fields = index.vectors.fields();
        let Some((name, field)) = fields.get(self.field) else {
            counts.passed();
            return Progress::Passed;
        };
        self.field += 1;
        let lost = field.index.reconnect();
        if lost > 0 {
            counts.relinked(lost);
            maintenance::wake(index);
            log::info!(
                "index {}: {lost} vectors of field {name:?} are linked again",
                index.name()
            );
        }
        // A few are cut off now and then between two checks of the graph.
        if lost > CUT_OFF_MIN && lost > field.index.len() / CUT_OFF_ONE_IN {
            counts.differed(Structure::Graph, lost);
            log::error!(
                "index {}: no links led to {lost} of {} vectors of field {name:?}",
                index.name(),
                field.index.len()
            );
        }
        Progress::More
    }
}

/// More vectors that nothing leads to than one in so many are not a matter of course, ...
const CUT_OFF_ONE_IN: usize = 100;
/// ... where they are more than these.
const CUT_OFF_MIN: usize = 16;

impl Window {
    /// Compares the next documents, from `from` on; gives where to go on, and those that may differ.
    fn compare_some(
        &self,
        index: &Index,
        counts: &AuditCounts,
        from: u32,
    ) -> Result<(u32, Vec<Suspect>)> {
        let view = index.views.load();
        let retired = index.views.retired();
        let mut suspects = Vec::new();
        let (mut docs, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut doc = from;
        let end = self.end.min(from.saturating_add(STEP_ORDINALS));
        while doc < end && docs.len() < STEP_DOCUMENTS && bytes < STEP_BYTES {
            // Versions that a reader may still see stay where they were.
            if view.alive.contains(doc) || !retired.contains(doc) {
                let Compared {
                    differs_in,
                    texts: of_document,
                } = compare(index, &view, doc)?;
                if !differs_in.is_empty() {
                    let in_words = false;
                    suspects.push(Suspect { doc, in_words });
                }
                if let Some(of_document) = of_document {
                    bytes += of_document
                        .iter()
                        .map(|(_, text)| text.len())
                        .sum::<usize>();
                    texts.push(of_document);
                    docs.push(doc);
                }
            }
            doc += 1;
        }
        let batch = index.lexical.invert(texts.iter().map(|texts| {
            let texts = texts.iter();
            texts.map(|(field, text)| (&**field, &**text))
        }));
        let differing = self.text.differing(&batch, &docs);
        let in_words = true;
        suspects.extend(differing.into_iter().map(|doc| Suspect { doc, in_words }));
        counts.compared(docs.len());
        Ok((doc, suspects))
    }
}

/// Asks the writer to look at suspects between two commits; derived data are made anew where some do differ.
fn judge(index: &Index, counts: &AuditCounts, mut suspects: Vec<Suspect>) -> Progress {
    suspects.truncate(SUSPECTS_MAX);
    let (answer, answered) = bounded(1);
    let Ok(writes) = index.writes() else {
        return Progress::GivenUp;
    };
    writes.between_commits(Box::new(move |index| {
        // Nobody waits for it any more where the engine is being closed.
        let _ = answer.send(differing(index, &suspects));
    }));
    drop(writes);
    let found = match answered.recv() {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => {
            index.read_failed(&error);
            return Progress::GivenUp;
        }
        Err(_) => return Progress::GivenUp,
    };
    if found.documents == 0 {
        return Progress::More;
    }
    for (structure, documents) in &found.by_structure {
        counts.differed(*structure, *documents);
    }
    let structures: Vec<String> = found.by_structure.keys().map(ToString::to_string).collect();
    log::error!(
        "index {}: the audit found that {} documents differ from what is stored, in {}; such as {:?}",
        index.name(),
        found.documents,
        structures.join(", "),
        found.named
    );
    index.errors.distrust_found(format!(
        "{} documents differ from what is stored, in {}",
        found.documents,
        structures.join(", ")
    ));
    Progress::Differed
}

/// Documents that differ for certain.
#[derive(Default)]
struct Found {
    documents: usize,
    by_structure: BTreeMap<Structure, usize>,
    /// The ids of some.
    named: Vec<String>,
}

/// Looks at suspects again. The writer calls this, between two commits.
fn differing(index: &Index, suspects: &[Suspect]) -> Result<Found> {
    let mut found = Found::default();
    if !index.takes_writes() || index.is_retired() {
        return Ok(found);
    }
    // Whoever takes dead versions out of the structures has finished, or waits.
    let _reclaiming = index.background.reclaiming.lock();
    let view = index.views.load();
    let retired = index.views.retired();
    let mut differs_in: BTreeMap<u32, Vec<Structure>> = BTreeMap::new();
    for &Suspect { doc, in_words } in suspects {
        if !view.alive.contains(doc) && retired.contains(doc) {
            continue;
        }
        let mut structures = compare(index, &view, doc)?.differs_in;
        if in_words && view.alive.contains(doc) {
            structures.push(Structure::Text);
        }
        differs_in.entry(doc).or_default().append(&mut structures);
    }
    differs_in.retain(|_, structures| !structures.is_empty());
    found.documents = differs_in.len();
    for (doc, mut structures) in differs_in {
        structures.sort_unstable();
        structures.dedup();
        for structure in structures {
            *found.by_structure.entry(structure).or_default() += 1;
        }
        if found.named.len() < NAMED_MAX {
            found.named.push(index.id_of(&view, doc));
        }
    }
    Ok(found)
}
