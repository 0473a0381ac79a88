//! A lexical leg as the text index is asked.

use pelorus_lexical::{Language, LexicalQuery, Operand, PrefixWords, StopWords, Typing, Typos};

use crate::generated::{self, LexicalLeg, LexicalOperand};

/// The query of a leg for its best `k`.
pub fn lexical_query(leg: &LexicalLeg, k: usize) -> LexicalQuery {
    let field_weights = leg.field_weights.iter();
    let field_weights = field_weights.map(|one| (one.field.clone(), one.weight));
    LexicalQuery {
        text: leg.text.clone(),
        fields: leg.fields.clone(),
        k,
        operand: match leg.operand {
            LexicalOperand::Or => Operand::Or,
            LexicalOperand::And => Operand::And,
        },
        language: leg.language.as_deref().map(Language::from_tag),
        typing: leg.typing.as_ref().map(typing).unwrap_or_default(),
        field_weights: field_weights.collect(),
        stop_words: leg.stop_words.as_ref().map(stop_words).unwrap_or_default(),
        phrase_slop: u32::try_from(leg.phrase_slop).unwrap_or(u32::MAX),
    }
}

fn stop_words(plan: &generated::StopWords) -> StopWords {
    match (&plan.words, &plan.language) {
        (Some(words), _) => StopWords::Words(words.clone()),
        (None, Some(tag)) => StopWords::Of(Language::from_tag(tag)),
        (None, None) => StopWords::Auto,
    }
}

fn typing(plan: &generated::Typing) -> Typing {
    let words = |words: generated::PrefixWords| match words {
        generated::PrefixWords::None => PrefixWords::None,
        generated::PrefixWords::Last => PrefixWords::Last,
        generated::PrefixWords::All => PrefixWords::All,
    };
    let fields = plan.prefix_fields.iter();
    Typing {
        prefix: words(plan.prefix),
        prefix_fields: fields
            .map(|one| (one.field.clone(), words(one.prefix)))
            .collect(),
        typos: plan.typos.as_ref().map(|typos| Typos {
            one_from: typos.one_from,
            two_from: typos.two_from,
            exact_fields: typos.exact_fields.clone(),
        }),
        split_join: plan.split_join,
        compounds: plan.compounds,
    }
}
