//! Keys by which kernels order what they found: the larger the better, and no two the same.

/// The score and the row of a key; none for the key of nothing, 0.
///
/// The upper half of a key orders scores as floats are ordered, NaN below all; the lower half is the row, inverted, so that of
/// equal scores the first row wins.
pub fn decode_key(key: u64) -> Option<(f32, u32)> {
    if key == 0 {
        return None;
    }
    let (order, row) = ((key >> 32) as u32, !(key as u32));
    let bits = match order {
        0 => f32::NAN.to_bits(),
        _ if order >> 31 == 1 => order ^ (1 << 31),
        _ => !order,
    };
    Some((f32::from_bits(bits), row))
}

/// The key of a row with its score. Rows end below `u32::MAX`.
pub fn encode_key(score: f32, row: u32) -> u64 {
    // Zeros of both signs are one score.
    let bits = (score + 0.0).to_bits();
    let order = if score.is_nan() {
        0
    } else if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    };
    u64::from(order) << 32 | u64::from(!row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_scores_and_then_rows() {
        let ascending = [
            (f32::NAN, 7),
            (f32::NEG_INFINITY, 3),
            (-2.0, 0),
            (-1e-40, 5),
            (0.0, 9),
            (-0.0, 2),
            (1e-40, 1),
            (3.5, 4),
            (f32::INFINITY, u32::MAX - 1),
        ];
        let keys = ascending.map(|(score, row)| encode_key(score, row));
        assert!(keys.is_sorted());
        for (key, (score, row)) in keys.into_iter().zip(ascending) {
            let (decoded, of) = decode_key(key).expect("a key of something");
            assert!(of == row && (decoded == score || decoded.is_nan() && score.is_nan()));
        }
        assert_eq!(decode_key(0), None);
    }
}
