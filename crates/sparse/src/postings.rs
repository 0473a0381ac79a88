use pelorus_kernels::BitSet;

/// Documents of one block: those of a word of a [`BitSet`].
pub(crate) const BLOCK: u32 = 64;

/// The documents with one index, and their weights there, in blocks of [`BLOCK`] ordinals.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    /// Ascending by number, none of them empty.
    pub(crate) blocks: Vec<Block>,
    /// By document: its place in its block.
    pub(crate) places: Vec<u8>,
    /// By document.
    pub(crate) weights: Vec<f32>,
}

/// The part of the postings in one block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    /// Its documents begin at `number * BLOCK`.
    pub(crate) number: u32,
    /// The place behind its last document, among those of all blocks.
    pub(crate) end: u32,
    /// The greatest of its weights.
    pub(crate) greatest: f32,
}

impl Postings {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The place of the first document of a block.
    pub(crate) fn start(&self, block: usize) -> usize {
        match block {
            0 => 0,
            block => self.blocks[block - 1].end as usize,
        }
    }

    /// Adds a document that is not there: quick for one behind all others.
    pub(crate) fn insert(&mut self, doc: u32, weight: f32) {
        let number = doc / BLOCK;
        let place = (doc % BLOCK) as u8;
        let at = match self.blocks.last() {
            Some(last) if last.number == number => self.blocks.len() - 1,
            Some(last) if last.number > number => {
                self.blocks.partition_point(|block| block.number < number)
            }
            _ => self.blocks.len(),
        };
        if self
            .blocks
            .get(at)
            .is_none_or(|block| block.number != number)
        {
            let end = self.start(at) as u32;
            let greatest = weight;
            make_room(&mut self.blocks);
            self.blocks.insert(
                at,
                Block {
                    number,
                    end,
                    greatest,
                },
            );
        }
        let (start, end) = (self.start(at), self.blocks[at].end as usize);
        let before = self.places[start..end].partition_point(|other| *other < place);
        make_room(&mut self.places);
        make_room(&mut self.weights);
        self.places.insert(start + before, place);
        self.weights.insert(start + before, weight);
        let block = &mut self.blocks[at];
        block.greatest = block.greatest.max(weight);
        for block in &mut self.blocks[at..] {
            block.end += 1;
        }
    }

    /// The weight of a document.
    pub(crate) fn weight(&self, doc: u32) -> Option<f32> {
        let number = doc / BLOCK;
        let at = self
            .blocks
            .binary_search_by_key(&number, |block| block.number);
        let at = at.ok()?;
        let (start, end) = (self.start(at), self.blocks[at].end as usize);
        let place = self.places[start..end].binary_search(&((doc % BLOCK) as u8));
        Some(self.weights[start + place.ok()?])
    }

    /// Takes out documents.
    pub(crate) fn sweep(&mut self, dead: &BitSet) {
        let (mut kept, mut kept_blocks, mut start) = (0, 0, 0);
        for at in 0..self.blocks.len() {
            let Block { number, end, .. } = self.blocks[at];
            let gone = dead.words().get(number as usize).copied().unwrap_or(0);
            let mut greatest = 0.0_f32;
            let first_kept = kept;
            for from in start..end as usize {
                if gone & (1 << self.places[from]) == 0 {
                    self.places[kept] = self.places[from];
                    self.weights[kept] = self.weights[from];
                    greatest = greatest.max(self.weights[kept]);
                    kept += 1;
                }
            }
            start = end as usize;
            if kept > first_kept {
                let end = kept as u32;
                self.blocks[kept_blocks] = Block {
                    number,
                    end,
                    greatest,
                };
                kept_blocks += 1;
            }
        }
        self.blocks.truncate(kept_blocks);
        self.places.truncate(kept);
        self.weights.truncate(kept);
        shrink(&mut self.blocks);
        shrink(&mut self.places);
        shrink(&mut self.weights);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.places.capacity()
            + self.weights.capacity() * size_of::<f32>()
    }
}

/// Makes room for one more: a quarter more than there is, since most postings grow slowly and there are many of them.
fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 4);
    }
}

/// Gives room back that is more than half empty.
fn shrink<T>(list: &mut Vec<T>) {
    if list.capacity() > 2 * list.len() + 4 {
        list.shrink_to_fit();
    }
}
