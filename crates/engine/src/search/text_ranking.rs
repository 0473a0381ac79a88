//! Ranks the best hits of words anew by what their texts say of the query.

use pelorus_documents::{IndexedValues, StoredDocument};
use pelorus_lexical::{SignalReader, TextSignals};

use super::explanation::Explanation;
use super::hits::Hit;
use super::legs::Legs;
use super::lexical_query::lexical_query;
use crate::error::Result;
use crate::generated::{LexicalLeg, TextRanking};

/// Reads the signals of documents.
pub(super) struct SignalsOf<'a> {
    legs: &'a Legs<'a>,
    asked: &'a TextRanking,
    reader: SignalReader,
}

impl<'a> SignalsOf<'a> {
    /// None where the leg is not ranked by its texts.
    pub fn leg(legs: &'a Legs<'a>, leg: &'a LexicalLeg) -> Result<Option<Self>> {
        let Some(asked) = &leg.text_ranking else {
            return Ok(None);
        };
        let words = legs.words.highlighter(leg)?;
        let reader = SignalReader::new(words, &lexical_query(leg, 0));
        Ok(Some(Self {
            legs,
            asked,
            reader,
        }))
    }

    /// Multiplies the scores of hits by their factors, and sorts them: equal ones by their exactness, and then as they were.
    pub fn rank(&mut self, hits: &mut [Hit]) -> Result<()> {
        let mut exact = Vec::with_capacity(hits.len());
        for hit in hits.iter_mut() {
            self.legs.query.cancellation.check()?;
            let signals = self.read(hit.doc)?;
            hit.score = scored(hit.score, self.factor(signals).value);
            hit.stages.is_text_ranked = true;
            exact.push(signals.exactness);
        }
        let mut places: Vec<usize> = (0..hits.len()).collect();
        places.sort_by(|&a, &b| {
            let by_score = hits[b].score.total_cmp(&hits[a].score);
            by_score.then(exact[b].total_cmp(&exact[a]))
        });
        let sorted: Vec<Hit> = places.iter().map(|&place| hits[place].clone()).collect();
        hits.clone_from_slice(&sorted);
        Ok(())
    }

    /// Explains the score of a hit that was ranked, by the score before.
    pub fn explain(&mut self, hit: &Hit, before: Explanation) -> Result<Explanation> {
        if !hit.stages.is_text_ranked || before.value <= 0.0 {
            return Ok(before);
        }
        let signals = self.read(hit.doc)?;
        let factor = self.factor(signals);
        let description = "text ranking: score · factor";
        Ok(Explanation::product(description, vec![before, factor]))
    }

    fn read(&mut self, doc: u32) -> Result<TextSignals> {
        let documents = self.legs.documents;
        let Some(bytes) = documents.document(doc)? else {
            return Ok(TextSignals::default());
        };
        let document = StoredDocument::decode(&bytes)?;
        let values = IndexedValues::of_stored(&documents.definition().documents, &document)?;
        let texts = values.lexical.iter();
        let texts = texts.map(|(field, text)| (&**field, &**text));
        let cancellation = &self.legs.query.cancellation;
        Ok(self.reader.read(texts, &self.asked.fields, cancellation)?)
    }

    fn factor(&self, signals: TextSignals) -> Explanation {
        let part = |name: &str, weight: f64, signal: f64| {
            let details = vec![
                Explanation::value(weight, format!("weight of {name}")),
                Explanation::value(signal, format!("{name}, from 0 to 1")),
            ];
            Explanation::product(format!("weight · {name}"), details)
        };
        let asked = self.asked;
        let details = vec![
            Explanation::value(1.0, "a score without signals stays as it is"),
            part("exactness", asked.exactness, signals.exactness),
            part("proximity", asked.proximity, signals.proximity),
            part("field order", asked.field_order, signals.field_order),
        ];
        Explanation::sum("factor: 1 + exactness + proximity + field order", details)
    }
}

/// A score times a factor; one that is not above 0, as modifiers make them, stays.
fn scored(score: f64, factor: f64) -> f64 {
    if score > 0.0 { score * factor } else { score }
}
