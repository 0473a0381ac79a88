//! Attention: the whole row of scores, its softmax, the values by their shares.

/// The shape of attention and what changes its scores.
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a> {
    /// Heads.
    pub heads: usize,
    /// Components of a head.
    pub head_size: usize,
    /// The factor of scores.
    pub factor: f32,
    /// Tells whether a token sees none behind it.
    pub causal: bool,
    /// Additions to scores, `[heads, 2 span - 1]`, and the span: that of a key `j` tokens behind the query lies at `j + span - 1`.
    pub offsets: Option<(&'a [f32], usize)>,
}

/// The values of each token's text, mixed by its scores, `[tokens, heads * head_size]`. Queries, keys and values lie beside
/// each other in `qkv`, `[tokens, 3 * heads * head_size]`; `bounds` has the first token of each text and the number of all.
pub fn attention(qkv: &[f32], bounds: &[u32], attention: Attention<'_>) -> Vec<f32> {
    let Attention {
        heads, head_size, ..
    } = attention;
    let width = heads * head_size;
    let part = |token: usize, of: usize, head: usize| {
        &qkv[token * 3 * width + of * width + head * head_size..][..head_size]
    };
    let mut context = vec![0.0; qkv.len() / 3];
    for pair in bounds.windows(2) {
        let (start, end) = (pair[0] as usize, pair[1] as usize);
        for (query, head) in
            (start..end).flat_map(|query| (0..heads).map(move |head| (query, head)))
        {
            let seen = if attention.causal { query + 1 } else { end };
            let scores: Vec<f64> = (start..seen)
                .map(|key| {
                    let product: f64 = part(query, 0, head)
                        .iter()
                        .zip(part(key, 1, head))
                        .map(|(&q, &k)| f64::from(q) * f64::from(k))
                        .sum();
                    let offset = attention.offsets.map_or(0.0, |(offsets, span)| {
                        offsets[head * (2 * span - 1) + key + span - 1 - query]
                    });
                    product * f64::from(attention.factor) + f64::from(offset)
                })
                .collect();
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let shares: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
            let all: f64 = shares.iter().sum();
            for at in 0..head_size {
                let values = (start..seen).map(|key| f64::from(part(key, 2, head)[at]));
                let mixed: f64 = values
                    .zip(&shares)
                    .map(|(value, share)| value * share)
                    .sum();
                context[query * width + head * head_size + at] = (mixed / all) as f32;
            }
        }
    }
    context
}
