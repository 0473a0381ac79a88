//! Makes the files of a data set.

use std::path::Path;
use std::sync::Arc;

use pelorus_cuda::Device;
use pelorus_kernels::kernels;

use crate::dataset::{Definition, Description, Result, write_words};
use crate::device::exact_neighbors_on;
use crate::filters::{correlated_filter, random_filter};
use crate::random::Random;
use crate::sample::{Sample, sample};
use crate::truth::exact_neighbors;

/// Exact neighbors are found on the device, if one is given. `dataset.json` comes last, so that its presence means a whole set.
pub fn generate(
    directory: &Path,
    definition: &Definition,
    device: Option<&Arc<Device>>,
) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    let file = directory.join("dataset.json");
    if file.exists() {
        std::fs::remove_file(&file)?;
    }
    let sample = sample(definition)?;
    let folder = Folder { directory };
    folder.floats("base", &sample.base)?;
    let truth = queries_and_filters(&folder, definition, &sample, device)?;
    if let Some(outside) = &sample.outside {
        folder.floats("outside", outside)?;
        let truth = neighbors(definition, &sample, outside, &[None], device)?;
        folder.ids("truth-outside", &truth[0])?;
    }
    correlated(&folder, definition, &sample, device)?;
    let description = describe(definition, &sample, &truth);
    std::fs::write(file, serde_json::to_vec_pretty(&description)?)?;
    Ok(())
}

/// Answers the neighbors of the queries among all.
fn queries_and_filters(
    folder: &Folder<'_>,
    definition: &Definition,
    sample: &Sample,
    device: Option<&Arc<Device>>,
) -> Result<Vec<u32>> {
    folder.floats("queries", &sample.queries)?;
    let (rates, count) = (&definition.pass_rates, sample.base.len() / definition.dim);
    let filters: Vec<Vec<u32>> = rates
        .iter()
        .map(|&rate| random_filter(definition.seed, rate, count))
        .collect();
    let among: Vec<Option<&[u32]>> = std::iter::once(None)
        .chain(filters.iter().map(|filter| Some(&filter[..])))
        .collect();
    let mut truth = neighbors(definition, sample, &sample.queries, &among, device)?;
    for ((rate, filter), truth) in rates.iter().zip(&filters).zip(&truth[1..]) {
        folder.ids(&format!("filter-{rate}"), filter)?;
        folder.ids(&format!("truth-queries-{rate}"), truth)?;
    }
    let all = truth.swap_remove(0);
    folder.ids("truth-queries", &all)?;
    Ok(all)
}

fn correlated(
    folder: &Folder<'_>,
    definition: &Definition,
    sample: &Sample,
    device: Option<&Arc<Device>>,
) -> Result<()> {
    let filter = correlated_filter(&sample.base, &sample.queries, definition.dim);
    let among = [None, Some(&filter.passing[..])];
    let truth = neighbors(definition, sample, &filter.queries, &among, device)?;
    folder.floats("correlated", &filter.queries)?;
    folder.ids("filter-correlated", &filter.passing)?;
    folder.ids("truth-correlated", &truth[0])?;
    folder.ids("truth-correlated-correlated", &truth[1])
}

fn neighbors(
    definition: &Definition,
    sample: &Sample,
    queries: &[f32],
    among: &[Option<&[u32]>],
    device: Option<&Arc<Device>>,
) -> Result<Vec<Vec<u32>>> {
    let (base, dim, k) = (&sample.base, definition.dim, definition.k);
    match device {
        Some(device) => exact_neighbors_on(device, base, queries, dim, k, among),
        None => Ok(exact_neighbors(base, queries, dim, k, among)),
    }
}

struct Folder<'a> {
    directory: &'a Path,
}

impl Folder<'_> {
    fn floats(&self, name: &str, values: &[f32]) -> Result<()> {
        let path = self.directory.join(format!("{name}.f32"));
        Ok(write_words(&path, values.iter().map(|x| x.to_le_bytes()))?)
    }

    fn ids(&self, name: &str, ids: &[u32]) -> Result<()> {
        let path = self.directory.join(format!("{name}.u32"));
        Ok(write_words(&path, ids.iter().map(|id| id.to_le_bytes()))?)
    }
}

fn describe(definition: &Definition, sample: &Sample, truth: &[u32]) -> Description {
    let dot = kernels().dot_f32;
    let (dim, k) = (definition.dim, definition.k);
    let count = sample.base.len() / dim;
    let row = |id: usize| &sample.base[id * dim..][..dim];
    let mut random = Random::new(definition.seed, 3);
    let mut any = || (random.uniform() * count as f64) as usize;
    let pairs = 2_000;
    let pair_sum: f32 = (0..pairs).map(|_| dot(row(any()), row(any()))).sum();
    let queries = sample.queries.chunks_exact(dim);
    let number = queries.len();
    let last = truth.chunks_exact(k).map(|ids| ids[k - 1] as usize);
    let last_sum: f32 = queries
        .zip(last)
        .map(|(query, id)| dot(query, row(id)))
        .sum();
    Description {
        definition: definition.clone(),
        count,
        random_pair_cosine: pair_sum / pairs as f32,
        last_neighbor_cosine: last_sum / number as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;
    use crate::sample::tests::small;

    #[test]
    fn a_generated_set_is_read_back_whole_and_in_parts() {
        let directory = tempfile::tempdir().unwrap();
        generate(directory.path(), &small(), None).unwrap();
        let dataset = Dataset::open(directory.path()).unwrap();
        let base = dataset.base().unwrap();
        assert_eq!((dataset.count, base.len()), (400, 400 * 32));
        let mut parts = Vec::new();
        dataset
            .each_part(|part| parts.extend_from_slice(part))
            .unwrap();
        assert_eq!(parts, base);
        assert_eq!(dataset.queries("outside").unwrap().len(), 10 * 32);
        assert_eq!(dataset.filter("0.01").unwrap().len(), 4);
        let bytes = |name: &str| std::fs::read(directory.path().join(name)).unwrap().len();
        assert_eq!(bytes("truth-queries.u32"), 10 * 5 * 4);
        assert_eq!(bytes("truth-queries-0.01.u32"), 10 * 4 * 4);
        assert_eq!(bytes("truth-correlated-correlated.u32"), 10 * 4 * 4);
    }
}
