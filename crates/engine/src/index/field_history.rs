//! Facts about fields that hold for good, committed with the first document that has the field.

use arc_swap::ArcSwap;

use crate::index::seen_fields::SeenFields;
use crate::index::text_fields::TextFields;

/// The fields that documents have ever had, and how their texts are analysed.
pub(crate) struct FieldHistory {
    pub texts: TextFields,
    pub seen: ArcSwap<SeenFields>,
}
