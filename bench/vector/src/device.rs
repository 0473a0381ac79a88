//! Exact neighbors by a CUDA device, which is held against the processor before anybody relies on it.

use std::sync::Arc;

use pelorus_cuda::{Cuda, Device, NearestSearch, Nearness};
use pelorus_kernels::kernels;

use crate::dataset::Result;
use crate::truth::exact_neighbors;

/// Bytes of the device that a search takes.
const BYTES_MAX: usize = 8 << 30;

/// Queries whose neighbors are looked for on the processor, too.
const CHECKED: usize = 16;

/// The largest difference between scores of one pair of unit length: both are f32, added up in different orders.
const SLACK: f32 = 1e-5;

/// The device that `PELORUS_BENCH_TRUTH=cuda` asks for; none where nobody asks.
pub fn asked_for() -> Result<Option<Arc<Device>>> {
    match std::env::var("PELORUS_BENCH_TRUTH").as_deref() {
        Ok("cuda") => Ok(Some(Device::open(&Cuda::of_machine()?, 0)?)),
        Ok(other) => Err(format!("PELORUS_BENCH_TRUTH takes cuda, received {other}").into()),
        Err(_) => Ok(None),
    }
}

/// As [`exact_neighbors`], by a device. Fails where the first queries have other neighbors than on the processor, but for
/// those that are as near within rounding.
pub fn exact_neighbors_on(
    device: &Arc<Device>,
    base: &[f32],
    queries: &[f32],
    dim: usize,
    k: usize,
    among: &[Option<&[u32]>],
) -> Result<Vec<Vec<u32>>> {
    let mut search = NearestSearch::new(device, base, dim, Nearness::Dot, BYTES_MAX, None)?;
    let checked = &queries[..queries.len().min(CHECKED * dim)];
    let expected = exact_neighbors(base, checked, dim, k, among);
    let mut truth = Vec::new();
    for (ids, expected) in among.iter().zip(expected) {
        let found = search.nearest(queries, k, *ids)?;
        let rows: Vec<u32> = found.iter().map(|neighbor| neighbor.row).collect();
        let width = rows.len() / (queries.len() / dim).max(1);
        let score = |place: usize, row: u32| {
            let query = &checked[place / width * dim..][..dim];
            (kernels().dot_f32)(query, &base[row as usize * dim..][..dim])
        };
        for (place, (&row, &expected)) in rows.iter().zip(&expected).enumerate() {
            let (found, expected) = (score(place, row), score(place, expected));
            if (found - expected).abs() > SLACK {
                let query = place / width;
                let reason = format!(
                    "the device finds row {row} at {found} where the processor has {expected}, for query {query}"
                );
                return Err(reason.into());
            }
        }
        truth.push(rows);
    }
    Ok(truth)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::machine::{has_compiler, libraries};
    use crate::sample::{sample, tests::small};

    #[test]
    fn a_device_has_the_truth_of_the_processor() {
        if !has_compiler() {
            return;
        }
        let sample = sample(&small()).unwrap();
        let cuda = Arc::new(Cuda::find(libraries()).unwrap());
        let device = Device::open(&cuda, 0).unwrap();
        let even: Vec<u32> = (0..400).step_by(2).collect();
        let among = [None, Some(&even[..]), Some(&[7, 9][..])];
        let of = |base: &[f32]| exact_neighbors(base, &sample.queries, 32, 5, &among);
        let found =
            exact_neighbors_on(&device, &sample.base, &sample.queries, 32, 5, &among).unwrap();
        assert_eq!(found, of(&sample.base));
    }
}
