/// Texts one after the other in one allocation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    bytes: String,
    ends: Vec<u32>,
}

impl Texts {
    /// # Panics
    /// Beyond 4 GiB altogether: the bounds of an index are far below.
    pub fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        let end = u32::try_from(self.bytes.len()).expect("less than 4 GiB of texts");
        self.ends.push(end);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[at] as usize]
    }

    /// Returns, for sorted texts, how many there are before the first that is not `is_before`.
    pub fn partition_point(&self, is_before: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match is_before(self.get(middle)) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}
