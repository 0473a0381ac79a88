use std::cmp::Ordering;

use pelorus_geo::Area;

use crate::cell::Cell;
use crate::marks::Marks;
use crate::multi_vectors::MultiVectors;
use crate::other_type::Holds;
use crate::points::Points;
use crate::range::Range;
use crate::sparse::Sparse;
use crate::sparse_vectors::SparseVectors;
use crate::text_column::{Case, TextColumn};

/// Every value that documents have had for one field name, type by type.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) texts: TextColumn,
    bools: Sparse<bool>,
    pub(crate) ints: Sparse<i64>,
    pub(crate) floats: Sparse<f64>,
    int_lists: Sparse<Box<[i64]>>,
    float_lists: Sparse<Box<[f64]>>,
    pub(crate) points: Points,
    /// None where there are none, as in most columns.
    sparse_vectors: Option<Box<SparseVectors>>,
    /// As sparse ones.
    multi_vectors: Option<Box<MultiVectors>>,
    /// Documents with a value that no term compares.
    others: Sparse<()>,
    held: Held,
}

/// The types that a column has had values of, those that are gone among them: a filter that was answered once is not
/// refused since a document was deleted.
#[derive(Debug, Default)]
struct Held {
    texts: bool,
    truths: bool,
    numbers: bool,
}

impl Column {
    pub(crate) fn new(case: Case) -> Self {
        Column {
            texts: TextColumn::new(case),
            bools: Sparse::default(),
            ints: Sparse::default(),
            floats: Sparse::default(),
            int_lists: Sparse::default(),
            float_lists: Sparse::default(),
            points: Points::default(),
            sparse_vectors: None,
            multi_vectors: None,
            others: Sparse::default(),
            held: Held::default(),
        }
    }

    /// Takes in a value, in place of the one that `doc` has of the same type.
    pub(crate) fn insert(&mut self, doc: u32, cell: Cell<'_>) {
        match cell {
            Cell::Text(_) | Cell::TextList(_) => self.held.texts = true,
            Cell::Bool(_) => self.held.truths = true,
            Cell::Int(_) | Cell::Float(_) | Cell::IntList(_) | Cell::FloatList(_) => {
                self.held.numbers = true;
            }
            Cell::Point(_) | Cell::Sparse(_) | Cell::Multi(_) | Cell::Other => {}
        }
        match cell {
            Cell::Text(text) => self.texts.insert(doc, text),
            Cell::TextList(texts) => self.texts.insert_list(doc, texts),
            Cell::Bool(truth) => drop(self.bools.insert(doc, truth)),
            Cell::Int(int) => drop(self.ints.insert(doc, int)),
            Cell::Float(float) => drop(self.floats.insert(doc, float)),
            Cell::IntList(ints) => drop(self.int_lists.insert(doc, ints)),
            Cell::FloatList(floats) => drop(self.float_lists.insert(doc, floats)),
            Cell::Point(point) => self.points.insert(doc, point),
            Cell::Sparse(vector) => {
                self.sparse_vectors
                    .get_or_insert_default()
                    .insert(doc, vector);
            }
            Cell::Multi(vectors) => {
                self.multi_vectors
                    .get_or_insert_default()
                    .insert(doc, vectors);
            }
            Cell::Other => drop(self.others.insert(doc, ())),
        }
    }

    /// Takes in a value, in place of all that `doc` has; leaves it alone where it has just that.
    pub(crate) fn replace(&mut self, doc: u32, cell: Cell<'_>) {
        match (self.has_one_type(doc), self.equality(doc, &cell)) {
            (true, Some(true)) => {}
            (true, Some(false)) => self.insert(doc, cell),
            _ => {
                self.remove(doc);
                self.insert(doc, cell);
            }
        }
    }

    /// Tells whether `doc` has just these values, of which the last of a type counts.
    pub(crate) fn has_just(&self, doc: u32, cells: &[Cell<'_>]) -> bool {
        let mut types: Vec<usize> = Vec::with_capacity(cells.len());
        for cell in cells.iter().rev() {
            // A text and a list of texts take each other's place.
            let of_type = cell.type_number();
            if types.contains(&of_type) {
                continue;
            }
            types.push(of_type);
            let is_held = match cell {
                // In whatever encoding, of which the first one is kept.
                Cell::Text(text) => {
                    let held = self.texts.single(doc);
                    held.is_some() && held == self.texts.id(text)
                }
                other => self.equality(doc, other) == Some(true),
            };
            if !is_held {
                return false;
            }
        }
        types.len() == self.type_count(doc) && self.texts.is_found(doc)
    }

    fn has_one_type(&self, doc: u32) -> bool {
        self.type_count(doc) == 1
    }

    fn type_count(&self, doc: u32) -> usize {
        let types = [
            self.texts.single(doc).is_some() || self.texts.lists().get(doc).is_some(),
            self.bools.get(doc).is_some(),
            self.ints.get(doc).is_some(),
            self.floats.get(doc).is_some(),
            self.int_lists.get(doc).is_some(),
            self.float_lists.get(doc).is_some(),
            self.points.get(doc).is_some(),
            self.sparse_vectors
                .as_ref()
                .is_some_and(|vectors| vectors.has(doc)),
            self.multi_vectors
                .as_ref()
                .is_some_and(|vectors| vectors.get(doc).is_some()),
            self.others.get(doc).is_some(),
        ];
        types.into_iter().filter(|&has| has).count()
    }

    /// Tells whether the value of the same type that `doc` has is equal to the last bit; `None` if it has none.
    fn equality(&self, doc: u32, cell: &Cell<'_>) -> Option<bool> {
        Some(match cell {
            Cell::Text(text) => self.texts.text(self.texts.single(doc)?) == *text,
            Cell::TextList(texts) => self.texts.is_list_of(doc, texts)?,
            Cell::Bool(truth) => self.bools.get(doc)? == truth,
            Cell::Int(int) => self.ints.get(doc)? == int,
            Cell::Float(float) => self.floats.get(doc)?.to_bits() == float.to_bits(),
            Cell::IntList(ints) => self.int_lists.get(doc)? == ints,
            Cell::FloatList(floats) => {
                let stored = self.float_lists.get(doc)?.iter();
                stored
                    .map(|float| float.to_bits())
                    .eq(floats.iter().map(|float| float.to_bits()))
            }
            Cell::Point(point) => self.points.get(doc)? == *point,
            Cell::Sparse(vector) => self.sparse_vectors.as_ref()?.equality(doc, vector)?,
            Cell::Multi(vectors) => self.multi_vectors.as_ref()?.get(doc)? == *vectors,
            Cell::Other => self.others.get(doc).map(|()| true)?,
        })
    }

    pub(crate) fn remove(&mut self, doc: u32) {
        self.texts.remove(doc);
        self.bools.remove(doc);
        self.ints.remove(doc);
        self.floats.remove(doc);
        self.int_lists.remove(doc);
        self.float_lists.remove(doc);
        self.points.remove(doc);
        if let Some(vectors) = &mut self.sparse_vectors {
            vectors.remove(doc);
            if vectors.is_empty() {
                self.sparse_vectors = None;
            }
        }
        if let Some(vectors) = &mut self.multi_vectors {
            vectors.remove(doc);
            if vectors.is_empty() {
                self.multi_vectors = None;
            }
        }
        self.others.remove(doc);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
            && self.bools.is_empty()
            && !self.has_numbers()
            && self.points.is_empty()
            && self.sparse_vectors.is_none()
            && self.multi_vectors.is_none()
            && self.others.is_empty()
    }

    /// Sets the bit of each document with any value.
    pub(crate) fn mark_all(&self, marks: &mut Marks) {
        self.texts.mark_all(marks);
        self.bools.scan(marks, |_| true);
        self.ints.scan(marks, |_| true);
        self.floats.scan(marks, |_| true);
        self.int_lists.scan(marks, |_| true);
        self.float_lists.scan(marks, |_| true);
        self.points.mark_all(marks);
        if let Some(vectors) = &self.sparse_vectors {
            vectors.mark_all(marks);
        }
        if let Some(vectors) = &self.multi_vectors {
            vectors.mark_all(marks);
        }
        self.others.scan(marks, |()| true);
    }

    /// Sets the bit of each document with that truth value. `value` is a truth value in any case;
    /// anything else matches none.
    pub(crate) fn mark_bool(&self, value: &str, marks: &mut Marks) {
        for truth in [true, false] {
            if value.eq_ignore_ascii_case(if truth { "true" } else { "false" }) {
                self.bools.scan(marks, |&stored| stored == truth);
            }
        }
    }

    /// Sets the bit of each document with an integer equal to `int`, alone or in its list.
    pub(crate) fn mark_int(&self, int: i64, marks: &mut Marks) {
        self.ints.scan(marks, |&stored| stored == int);
        self.int_lists.scan(marks, |list| list.contains(&int));
    }

    /// Sets the bit of each document with one of `ints`, which are sorted, alone or in its list.
    pub(crate) fn mark_ints(&self, ints: &[i64], marks: &mut Marks) {
        let wanted = |int: &i64| ints.binary_search(int).is_ok();
        self.ints.scan(marks, wanted);
        self.int_lists.scan(marks, |list| list.iter().any(wanted));
    }

    /// Sets the bit of each document with a float equal to `float`, alone or in its list.
    pub(crate) fn mark_float(&self, float: f64, marks: &mut Marks) {
        self.floats.scan(marks, |&stored| stored == float);
        self.float_lists.scan(marks, |list| list.contains(&float));
    }

    /// Sets the bit of each document with one of `floats`, which are sorted, alone or in its list.
    pub(crate) fn mark_floats(&self, floats: &[f64], marks: &mut Marks) {
        let wanted = |float: &f64| {
            let order = |listed: &f64| listed.partial_cmp(float).unwrap_or(Ordering::Less);
            floats.binary_search_by(order).is_ok()
        };
        self.floats.scan(marks, wanted);
        self.float_lists.scan(marks, |list| list.iter().any(wanted));
    }

    /// Sets the bit of each document with a number or a date within the inclusive limits. In a list, one
    /// element must be within both.
    pub(crate) fn mark_range(&self, range: &Range, marks: &mut Marks) {
        for (low, high) in range.ints() {
            let within = |int: &i64| (low <= *int) & (*int <= high);
            self.ints.scan(marks, within);
            self.int_lists.scan(marks, |list| list.iter().any(within));
        }
        for (low, high) in range.floats() {
            let within = |float: &f64| (low <= *float) & (*float <= high);
            self.floats.scan(marks, within);
            self.float_lists.scan(marks, |list| list.iter().any(within));
        }
        if let Some(within) = range.of_texts() {
            self.texts.mark_texts(within, marks);
        }
    }

    /// Sets the bit of each document with a point within an area. `go_on` is asked now and then; its error ends that.
    pub(crate) fn mark_within<E>(
        &self,
        area: &Area,
        marks: &mut Marks,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        self.points.mark_within(area, marks, go_on)
    }

    /// The types of every value that it has had since it was last empty, where no text was among them.
    pub(crate) fn holds(&self) -> Option<Holds> {
        let Held {
            texts,
            truths,
            numbers,
        } = self.held;
        Holds::of(texts, truths, numbers)
    }

    pub(crate) fn has_truths(&self) -> bool {
        !self.bools.is_empty()
    }

    pub(crate) fn has_points(&self) -> bool {
        !self.points.is_empty()
    }

    pub(crate) fn sparse_vectors(&self) -> Option<&SparseVectors> {
        self.sparse_vectors.as_deref()
    }

    pub(crate) fn multi_vectors(&self) -> Option<&MultiVectors> {
        self.multi_vectors.as_deref()
    }

    pub(crate) fn has_numbers(&self) -> bool {
        !(self.ints.is_empty()
            && self.floats.is_empty()
            && self.int_lists.is_empty()
            && self.float_lists.is_empty())
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let ints: usize = self
            .int_lists
            .values()
            .map(|list| size_of_val(&**list))
            .sum();
        let floats: usize = self
            .float_lists
            .values()
            .map(|list| size_of_val(&**list))
            .sum();
        self.texts.memory_bytes()
            + self.bools.memory_bytes()
            + self.ints.memory_bytes()
            + self.floats.memory_bytes()
            + self.int_lists.memory_bytes()
            + self.float_lists.memory_bytes()
            + self.points.memory_bytes()
            + self
                .sparse_vectors
                .as_ref()
                .map_or(0, |vectors| vectors.memory_bytes())
            + self
                .multi_vectors
                .as_ref()
                .map_or(0, |vectors| vectors.memory_bytes())
            + self.others.memory_bytes()
            + ints
            + floats
    }
}
