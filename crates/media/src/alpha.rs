//! Colours by their alpha, in bytes and with Pillow's rounding. Alpha is the last of `C` samples.

/// Colours times alpha, so that invisible ones have no part in a resized picture.
pub(crate) fn premultiplied<const C: usize>(samples: &[u8]) -> Vec<u8> {
    let mut premultiplied = samples.to_vec();
    for pixel in premultiplied.as_chunks_mut::<C>().0 {
        let [colours @ .., alpha] = pixel.as_mut_slice() else {
            continue;
        };
        for colour in colours {
            *colour = times(*colour, *alpha);
        }
    }
    premultiplied
}

/// The reverse. The colour of a pixel without alpha is not known; it stays as it is.
pub(crate) fn unpremultiply<const C: usize>(samples: &mut [u8]) {
    for pixel in samples.as_chunks_mut::<C>().0 {
        let [colours @ .., alpha] = pixel.as_mut_slice() else {
            continue;
        };
        if *alpha == 0 {
            continue;
        }
        for colour in colours {
            *colour = (u32::from(*colour) * 255 / u32::from(*alpha)).min(255) as u8;
        }
    }
}

/// `left * right / 255`, rounded to the nearest.
pub(crate) fn times(left: u8, right: u8) -> u8 {
    let product = u32::from(left) * u32::from(right) + 128;
    (((product >> 8) + product) >> 8) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_shares_of_255_is_rounded_to_the_nearest() {
        for left in 0..=255_u8 {
            for right in 0..=255_u8 {
                let exact = f64::from(left) * f64::from(right) / 255.0;
                assert_eq!(
                    f64::from(times(left, right)),
                    exact.round(),
                    "{left} * {right}"
                );
            }
        }
    }
}
