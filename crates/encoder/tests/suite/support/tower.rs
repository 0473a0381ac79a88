//! Towers in small, written as the known exporters spell them, and the definition of what they compute.

use pelorus_random::SplitMix64;

use super::wire::{self, Node, floats, graph_of, integers, model, node};

pub const WIDTH: usize = 24;
const HEADS: usize = 3;
const INNER: usize = 40;
pub const OUT: usize = 10;
pub const VOCABULARY: usize = 50;
pub const TOKENS: usize = 12;
/// The largest id, with which texts end.
pub const END: i32 = 49;
pub const SIDE: usize = 12;
pub const PIXELS: usize = 3 * SIDE * SIDE;
const PATCH: usize = 4;
const PATCHES: usize = (SIDE / PATCH) * (SIDE / PATCH);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    Gelu,
    Tanh,
    Quick,
}

/// The way to one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// The first row.
    First,
    /// The row of the largest id.
    Largest,
    /// The row of the first id of the end.
    End,
    /// The last row.
    Last,
    Mean,
    /// Attention of a row of the weights to all.
    Probe,
}

#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub is_picture: bool,
    pub activation: Activation,
    pub pool: Pool,
    pub is_causal: bool,
    /// One product makes queries, keys and values, heads stand before the batch, and rows are normalised in single steps.
    pub is_joined: bool,
    /// The graph asks for a mask.
    pub has_mask: bool,
    /// The vector is divided by its length.
    pub is_unit: bool,
}

pub const PICTURE: Shape = Shape {
    is_picture: true,
    activation: Activation::Quick,
    pool: Pool::First,
    is_causal: false,
    is_joined: false,
    has_mask: false,
    is_unit: false,
};

pub const TEXT: Shape = Shape {
    is_picture: false,
    pool: Pool::Largest,
    is_causal: true,
    ..PICTURE
};

/// All kinds of towers that the tests know.
pub fn shapes() -> Vec<Shape> {
    use Activation::{Gelu, Quick, Tanh};
    let of = |shape: Shape, activation, pool, is_joined, is_unit| Shape {
        activation,
        pool,
        is_joined,
        is_unit,
        ..shape
    };
    let unmasked = Shape {
        is_causal: false,
        ..TEXT
    };
    let masked = Shape {
        has_mask: true,
        ..TEXT
    };
    vec![
        PICTURE,
        of(PICTURE, Gelu, Pool::First, true, true),
        of(PICTURE, Tanh, Pool::Probe, true, false),
        of(PICTURE, Gelu, Pool::Mean, false, false),
        TEXT,
        masked,
        of(masked, Gelu, Pool::End, true, true),
        of(TEXT, Quick, Pool::End, true, false),
        of(unmasked, Tanh, Pool::Last, true, false),
        of(unmasked, Tanh, Pool::Largest, false, true),
    ]
}

type Matrix = (Vec<f32>, Vec<f32>);

pub struct Layer {
    norms: [Matrix; 2],
    products: [Matrix; 6],
}

pub struct Weights {
    patches: Vec<f32>,
    class: Vec<f32>,
    words: Vec<f32>,
    places: Vec<f32>,
    layers: Vec<Layer>,
    norm: Matrix,
    probe: Vec<f32>,
    pool: [Matrix; 4],
    out: Matrix,
}

const SIZES: [(usize, usize); 6] = [
    (WIDTH, WIDTH),
    (WIDTH, WIDTH),
    (WIDTH, WIDTH),
    (WIDTH, WIDTH),
    (WIDTH, INNER),
    (INNER, WIDTH),
];

pub fn weights(seed: u64, layers: usize) -> Weights {
    let mut random = SplitMix64(seed);
    let mut draw = |count: usize, scale: f32| -> Vec<f32> {
        (0..count).map(|_| random.normal() * scale).collect()
    };
    let norm = |draw: &mut dyn FnMut(usize, f32) -> Vec<f32>| -> Matrix {
        let weight = draw(WIDTH, 0.2).iter().map(|x| 1.0 + x).collect();
        (weight, draw(WIDTH, 0.2))
    };
    let patches = draw(WIDTH * 3 * PATCH * PATCH, 0.2);
    let (class, words) = (draw(WIDTH, 1.0), draw(VOCABULARY * WIDTH, 1.0));
    let places = draw((PATCHES + TOKENS) * WIDTH, 0.5);
    let layers = (0..layers).map(|_| Layer {
        norms: [norm(&mut draw), norm(&mut draw)],
        products: SIZES.map(|(rows, columns)| (draw(rows * columns, 0.3), draw(columns, 0.2))),
    });
    let layers = layers.collect();
    Weights {
        patches,
        class,
        words,
        places,
        layers,
        norm: norm(&mut draw),
        probe: draw(WIDTH, 1.0),
        pool: [0; 4].map(|_| (draw(WIDTH * WIDTH, 0.3), draw(WIDTH, 0.2))),
        out: (draw(WIDTH * OUT, 0.3), draw(OUT, 0.2)),
    }
}

/// The nodes of a tower, to be changed before they are written.
pub struct Export {
    pub nodes: Vec<Node>,
    pub tensors: Vec<Vec<u8>>,
    shape: Shape,
    count: usize,
}

impl Export {
    pub fn bytes(&self) -> Vec<u8> {
        let texts: (i64, &[&str]) = (7, &["batch", "length"]);
        let pictures: (i64, &[&str]) = (1, &["batch", "channels", "height", "width"]);
        let mut inputs = vec![if self.shape.is_picture {
            ("pixel_values", pictures)
        } else {
            ("input_ids", texts)
        }];
        if self.shape.has_mask {
            inputs.push(("attention_mask", texts));
        }
        model(&graph_of(&self.nodes, &self.tensors, &inputs, "embedding"))
    }

    /// The first node of an operator.
    pub fn first(&mut self, operator: &str) -> &mut Node {
        let mut all = self.nodes.iter_mut();
        all.find(|node| node.operator == operator)
            .expect("the operator is used")
    }

    fn step(&mut self, operator: &str, inputs: &[&str]) -> String {
        self.with(operator, inputs, &[])
    }

    fn with(&mut self, operator: &str, inputs: &[&str], attributes: &[Vec<u8>]) -> String {
        self.count += 1;
        let output = format!("value_{}", self.count);
        self.nodes.push(node(operator, inputs, &output, attributes));
        output
    }

    fn floats(&mut self, dims: &[usize], values: &[f32]) -> String {
        self.count += 1;
        let name = format!("weight_{}", self.count);
        self.tensors.push(floats(&name, dims, values));
        name
    }

    fn number(&mut self, value: f32) -> String {
        let tensor = floats("", &[], &[value]);
        self.with("Constant", &[], &[wire::tensor_attribute("value", &tensor)])
    }

    fn list(&mut self, dims: &[usize], values: &[i64]) -> String {
        let tensor = integers("", dims, values);
        self.with("Constant", &[], &[wire::tensor_attribute("value", &tensor)])
    }

    fn reshape(&mut self, x: &str, dims: &[i64]) -> String {
        let dims = self.list(&[dims.len()], dims);
        self.step("Reshape", &[x, &dims])
    }

    fn transpose(&mut self, x: &str, order: &[i64]) -> String {
        self.with("Transpose", &[x], &[wire::ints("perm", order)])
    }

    fn norm(&mut self, x: &str, (weight, bias): &Matrix) -> String {
        let (weight, bias) = (self.floats(&[WIDTH], weight), self.floats(&[WIDTH], bias));
        if !self.shape.is_joined {
            let attributes = [wire::int("axis", -1), wire::float("epsilon", 1e-5)];
            return self.with("LayerNormalization", &[x, &weight, &bias], &attributes);
        }
        let axes = wire::ints("axes", &[-1]);
        let mean = self.with("ReduceMean", &[x], std::slice::from_ref(&axes));
        let centred = self.step("Sub", &[x, &mean]);
        let two = self.number(2.0);
        let squares = self.step("Pow", &[&centred, &two]);
        let variance = self.with("ReduceMean", &[&squares], &[axes]);
        let epsilon = self.number(1e-5);
        let steady = self.step("Add", &[&variance, &epsilon]);
        let deviation = self.step("Sqrt", &[&steady]);
        let unit = self.step("Div", &[&centred, &deviation]);
        let weighted = self.step("Mul", &[&unit, &weight]);
        self.step("Add", &[&weighted, &bias])
    }

    fn product(&mut self, x: &str, (weight, bias): &Matrix) -> String {
        let columns = bias.len();
        let (weight, bias) = (
            self.floats(&[weight.len() / columns, columns], weight),
            self.floats(&[columns], bias),
        );
        let product = self.step("MatMul", &[x, &weight]);
        self.step("Add", &[&bias, &product])
    }

    fn activation(&mut self, x: &str) -> String {
        match self.shape.activation {
            Activation::Quick => {
                let factor = self.number(1.702);
                let inner = self.step("Mul", &[x, &factor]);
                let share = self.step("Sigmoid", &[&inner]);
                self.step("Mul", &[x, &share])
            }
            Activation::Gelu => {
                let (root, one, half) = (
                    self.number(2_f32.sqrt()),
                    self.number(1.0),
                    self.number(0.5),
                );
                let scaled = self.step("Div", &[x, &root]);
                let error = self.step("Erf", &[&scaled]);
                let sum = self.step("Add", &[&error, &one]);
                let twice = self.step("Mul", &[x, &sum]);
                self.step("Mul", &[&twice, &half])
            }
            Activation::Tanh => {
                let [three, little, root, one, half] = [
                    3.0,
                    0.044_715,
                    (2.0 / std::f32::consts::PI).sqrt(),
                    1.0,
                    0.5,
                ]
                .map(|value| self.number(value));
                let cube = self.step("Pow", &[x, &three]);
                let little = self.step("Mul", &[&cube, &little]);
                let sum = self.step("Add", &[x, &little]);
                let inner = self.step("Mul", &[&sum, &root]);
                let tangent = self.step("Tanh", &[&inner]);
                let sum = self.step("Add", &[&tangent, &one]);
                let halved = self.step("Mul", &[x, &half]);
                self.step("Mul", &[&halved, &sum])
            }
        }
    }

    /// Queries, keys and values `[1, heads, rows, size]`, keys turned.
    fn split(&mut self, x: &str, layer: &Layer, rows: usize) -> [String; 3] {
        let size = (WIDTH / HEADS) as i64;
        if !self.shape.is_joined {
            return [0, 1, 2].map(|at| {
                let product = self.product(x, &layer.products[at]);
                let split = self.reshape(&product, &[1, -1, HEADS as i64, size]);
                let order: &[i64] = if at == 1 {
                    &[0, 2, 3, 1]
                } else {
                    &[0, 2, 1, 3]
                };
                self.transpose(&split, order)
            });
        }
        // As one product, of which each takes a third: rows before the batch, heads before rows.
        let joined: Vec<f32> = (0..WIDTH)
            .flat_map(|row| {
                (0..3).flat_map(move |part| (0..WIDTH).map(move |column| (row, part, column)))
            })
            .map(|(row, part, column)| layer.products[part].0[row * WIDTH + column])
            .collect();
        let bias = layer.products[..3]
            .iter()
            .flat_map(|(_, bias)| bias.clone())
            .collect();
        let turned = self.transpose(x, &[1, 0, 2]);
        let product = self.product(&turned, &(joined, bias));
        let parts = self.reshape(&product, &[rows as i64, 1, 3, WIDTH as i64]);
        let parts = self.transpose(&parts, &[2, 0, 1, 3]);
        [0, 1, 2].map(|at| {
            let index = self.list(&[], &[at]);
            let part = self.with("Gather", &[&parts, &index], &[wire::int("axis", 0)]);
            let heads = self.reshape(&part, &[rows as i64, HEADS as i64, size]);
            let order: &[i64] = if at == 1 { &[1, 2, 0] } else { &[1, 0, 2] };
            self.transpose(&heads, order)
        })
    }

    fn attention(&mut self, x: &str, layer: &Layer, rows: usize, mask: Option<&str>) -> String {
        let [query, key, value] = self.split(x, layer, rows);
        let factor = self.number(((WIDTH / HEADS) as f32).powf(-0.5));
        let query = self.step("Mul", &[&query, &factor]);
        let mut scores = self.step("MatMul", &[&query, &key]);
        if let Some(mask) = mask {
            scores = self.step("Add", &[&scores, mask]);
        }
        let shares = self.with("Softmax", &[&scores], &[wire::int("axis", -1)]);
        let context = self.step("MatMul", &[&shares, &value]);
        let context = if self.shape.is_joined {
            let context = self.transpose(&context, &[1, 0, 2]);
            let context = self.reshape(&context, &[rows as i64, 1, WIDTH as i64]);
            self.transpose(&context, &[1, 0, 2])
        } else {
            let context = self.transpose(&context, &[0, 2, 1, 3]);
            self.reshape(&context, &[1, rows as i64, WIDTH as i64])
        };
        self.product(&context, &layer.products[3])
    }

    fn mask(&mut self) -> Option<String> {
        if !self.shape.is_causal {
            return None;
        }
        let count = self.list(&[2], &[TOKENS as i64; 2]);
        let lowest = floats("", &[1], &[f32::MIN]);
        let all = self.with(
            "ConstantOfShape",
            &[&count],
            &[wire::tensor_attribute("value", &lowest)],
        );
        let one = self.list(&[], &[1]);
        let mut mask = self.with("Trilu", &[&all, &one], &[wire::int("upper", 1)]);
        if self.shape.has_mask {
            let axes = self.list(&[2], &[1, 2]);
            let words = self.step("Unsqueeze", &["attention_mask", &axes]);
            let words = self.with("Cast", &[&words], &[wire::int("to", 1)]);
            let one = self.number(1.0);
            let padding = self.step("Sub", &[&one, &words]);
            let lowest = self.number(f32::MIN);
            let hidden = self.step("Mul", &[&padding, &lowest]);
            let axes = self.list(&[2], &[0, 1]);
            mask = self.step("Unsqueeze", &[&mask, &axes]);
            mask = self.step("Add", &[&mask, &hidden]);
            if self.shape.is_joined {
                mask = self.reshape(&mask, &[1, TOKENS as i64, TOKENS as i64]);
            }
        }
        Some(mask)
    }

    fn embeddings(&mut self, weights: &Weights) -> (String, usize) {
        if self.shape.is_picture {
            let kernel = self.floats(&[WIDTH, 3, PATCH, PATCH], &weights.patches);
            let side = PATCH as i64;
            let patches = self.with(
                "Conv",
                &["pixel_values", &kernel],
                &[
                    wire::ints("strides", &[side, side]),
                    wire::ints("kernel_shape", &[side, side]),
                    wire::ints("pads", &[0; 4]),
                ],
            );
            let patches = self.reshape(&patches, &[0, 0, -1]);
            let patches = self.transpose(&patches, &[0, 2, 1]);
            let class = self.floats(&[1, 1, WIDTH], &weights.class);
            let all = self.with("Concat", &[&class, &patches], &[wire::int("axis", 1)]);
            let places = self.floats(
                &[1, PATCHES + 1, WIDTH],
                &weights.places[..(PATCHES + 1) * WIDTH],
            );
            return (self.step("Add", &[&all, &places]), PATCHES + 1);
        }
        let words = self.floats(&[VOCABULARY, WIDTH], &weights.words);
        let words = self.step("Gather", &[&words, "input_ids"]);
        let table = self.floats(&[TOKENS, WIDTH], &weights.places[..TOKENS * WIDTH]);
        let shape = self.step("Shape", &["input_ids"]);
        let [one, start, step] = [1, 0, 1].map(|value| self.list(&[], &[value]));
        let length = self.with("Gather", &[&shape, &one], &[wire::int("axis", 0)]);
        let places = self.step("Range", &[&start, &length, &step]);
        let places = self.step("Gather", &[&table, &places]);
        (self.step("Add", &[&words, &places]), TOKENS)
    }

    fn pooled(&mut self, x: &str, weights: &Weights, rows: usize) -> String {
        let along = wire::int("axis", 1);
        match self.shape.pool {
            Pool::First | Pool::Last => {
                let at = self.list(
                    &[],
                    &[if self.shape.pool == Pool::First {
                        0
                    } else {
                        -1
                    }],
                );
                self.with("Gather", &[x, &at], &[along])
            }
            Pool::Mean => {
                let axes = wire::ints("axes", &[1]);
                self.with("ReduceMean", &[x], &[axes, wire::int("keepdims", 0)])
            }
            Pool::Largest | Pool::End => {
                let mut of = "input_ids".to_owned();
                if self.shape.pool == Pool::End {
                    let end = self.list(&[], &[END.into()]);
                    of = self.step("Equal", &[&of, &end]);
                    of = self.with("Cast", &[&of], &[wire::int("to", 6)]);
                }
                let place = self.with(
                    "ArgMax",
                    &[&of],
                    &[wire::int("axis", -1), wire::int("keepdims", 0)],
                );
                let flat = self.with("Flatten", &[x], &[wire::int("axis", 2)]);
                self.with("Gather", &[&flat, &place], &[wire::int("axis", 0)])
            }
            Pool::Probe => {
                let probe = self.floats(&[1, 1, WIDTH], &weights.probe);
                let inputs = [probe.as_str(), x, x];
                let split = [0, 1, 2].map(|at| {
                    let product = self.product(inputs[at], &weights.pool[at]);
                    let count = if at == 0 { 1 } else { rows as i64 };
                    let split =
                        self.reshape(&product, &[1, count, HEADS as i64, (WIDTH / HEADS) as i64]);
                    let order: &[i64] = if at == 1 {
                        &[0, 2, 3, 1]
                    } else {
                        &[0, 2, 1, 3]
                    };
                    self.transpose(&split, order)
                });
                let scores = self.step("MatMul", &[&split[0], &split[1]]);
                let shares = self.with("Softmax", &[&scores], &[wire::int("axis", -1)]);
                let context = self.step("MatMul", &[&shares, &split[2]]);
                let context = self.transpose(&context, &[0, 2, 1, 3]);
                let context = self.reshape(&context, &[1, WIDTH as i64]);
                self.product(&context, &weights.pool[3])
            }
        }
    }
}

pub fn export(weights: &Weights, shape: Shape) -> Export {
    let mut export = Export {
        nodes: Vec::new(),
        tensors: Vec::new(),
        shape,
        count: 0,
    };
    let mask = export.mask();
    let (mut x, rows) = export.embeddings(weights);
    for layer in &weights.layers {
        let before = export.norm(&x, &layer.norms[0]);
        let context = export.attention(&before, layer, rows, mask.as_deref());
        x = export.step("Add", &[&x, &context]);
        let before = export.norm(&x, &layer.norms[1]);
        let inner = export.product(&before, &layer.products[4]);
        let inner = export.activation(&inner);
        let down = export.product(&inner, &layer.products[5]);
        x = export.step("Add", &[&x, &down]);
    }
    let x = export.norm(&x, &weights.norm);
    let mut vector = export.pooled(&x, weights, rows);
    let out = export.floats(&[WIDTH, OUT], &weights.out.0);
    let bias = export.floats(&[OUT], &weights.out.1);
    vector = export.step("Gemm", &[&vector, &out, &bias]);
    if shape.is_unit {
        let length = export.with("ReduceL2", &[&vector], &[wire::ints("axes", &[-1])]);
        let least = export.number(1e-12);
        let length = export.step("Clip", &[&length, &least]);
        let dims = export.step("Shape", &[&vector]);
        let length = export.step("Expand", &[&length, &dims]);
        vector = export.step("Div", &[&vector, &length]);
    }
    export
        .nodes
        .push(node("Identity", &[&vector], "embedding", &[]));
    export
}

type Rows = Vec<Vec<f64>>;

/// The vector of a text, filled up with `padding`, by the definition, in 64-bit floats.
pub fn of_text(weights: &Weights, shape: Shape, text: &[i32], padding: i32) -> Vec<f64> {
    let mut ids = text.to_vec();
    ids.resize(TOKENS, padding);
    let x = (ids.iter().enumerate()).map(|(place, &id)| {
        sum(
            &row(&weights.words, id as usize),
            &row(&weights.places, place),
        )
    });
    let place = match shape.pool {
        Pool::Largest => ids.iter().position(|id| Some(id) == ids.iter().max()),
        Pool::End => ids.iter().position(|&id| id == END),
        Pool::First => Some(0),
        _ => Some(TOKENS - 1),
    };
    // Padding that a mask hides is not there.
    let seen = if shape.has_mask { text.len() } else { TOKENS };
    through(
        weights,
        shape,
        x.collect(),
        place.expect("there is one"),
        seen,
    )
}

/// The vector of a picture.
pub fn of_picture(weights: &Weights, shape: Shape, picture: &[f32]) -> Vec<f64> {
    let mut x = vec![sum(&row(&weights.class, 0), &row(&weights.places, 0))];
    for patch in 0..PATCHES {
        let (top, left) = (
            patch / (SIDE / PATCH) * PATCH,
            patch % (SIDE / PATCH) * PATCH,
        );
        let column = |column: usize| -> f64 {
            let terms = (0..3 * PATCH * PATCH).map(|at| {
                let (channel, y, x) = (at / (PATCH * PATCH), at / PATCH % PATCH, at % PATCH);
                let pixel = picture[(channel * SIDE + top + y) * SIDE + left + x];
                f64::from(pixel) * f64::from(weights.patches[column * 3 * PATCH * PATCH + at])
            });
            terms.sum()
        };
        let values: Vec<f64> = (0..WIDTH).map(column).collect();
        x.push(sum(&values, &row(&weights.places, patch + 1)));
    }
    let rows = x.len();
    through(weights, shape, x, 0, rows)
}

fn through(weights: &Weights, shape: Shape, mut x: Rows, place: usize, seen: usize) -> Vec<f64> {
    for layer in &weights.layers {
        let before = norms(&x, &layer.norms[0]);
        let [query, key, value] = [0, 1, 2].map(|at| product(&before, &layer.products[at]));
        let factor = ((WIDTH / HEADS) as f64).powf(-0.5);
        let context = attention(&query, &key, &value, factor, |row, column| {
            column < seen && (!shape.is_causal || column <= row)
        });
        let out = product(&context, &layer.products[3]);
        x = x.iter().zip(&out).map(|(a, b)| sum(a, b)).collect();
        let mut inner = product(&norms(&x, &layer.norms[1]), &layer.products[4]);
        for x in inner.iter_mut().flatten() {
            *x = activated(shape.activation, *x);
        }
        let down = product(&inner, &layer.products[5]);
        x = x.iter().zip(&down).map(|(a, b)| sum(a, b)).collect();
    }
    let x = norms(&x, &weights.norm);
    let pooled = match shape.pool {
        Pool::Mean => (0..WIDTH)
            .map(|at| x.iter().map(|row| row[at]).sum::<f64>() / x.len() as f64)
            .collect(),
        Pool::Probe => {
            let probe = vec![row(&weights.probe, 0)];
            let query = product(&probe, &weights.pool[0]);
            let [key, value] = [1, 2].map(|at| product(&x, &weights.pool[at]));
            let context = attention(&query, &key, &value, 1.0, |_, _| true);
            product(&context, &weights.pool[3])[0].clone()
        }
        _ => x[place].clone(),
    };
    let vector = product(&vec![pooled], &weights.out)[0].clone();
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    vector
        .iter()
        .map(|x| if shape.is_unit { x / length } else { *x })
        .collect()
}

fn row(table: &[f32], at: usize) -> Vec<f64> {
    table[at * WIDTH..][..WIDTH]
        .iter()
        .map(|&x| x.into())
        .collect()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn product(x: &Rows, (weight, bias): &Matrix) -> Rows {
    let columns = bias.len();
    let of = |row: &Vec<f64>, column: usize| {
        let terms = row.iter().enumerate();
        let terms = terms.map(|(at, x)| x * f64::from(weight[at * columns + column]));
        f64::from(bias[column]) + terms.sum::<f64>()
    };
    x.iter()
        .map(|row| (0..columns).map(|column| of(row, column)).collect())
        .collect()
}

fn norms(x: &Rows, (weight, bias): &Matrix) -> Rows {
    let of = |row: &Vec<f64>| {
        let count = row.len() as f64;
        let mean = row.iter().sum::<f64>() / count;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let unit = row.iter().map(|x| (x - mean) / (variance + 1e-5).sqrt());
        unit.zip(weight.iter().zip(bias))
            .map(|(x, (&weight, &bias))| x * f64::from(weight) + f64::from(bias))
            .collect()
    };
    x.iter().map(of).collect()
}

fn attention(
    query: &Rows,
    key: &Rows,
    value: &Rows,
    factor: f64,
    sees: impl Fn(usize, usize) -> bool,
) -> Rows {
    let size = WIDTH / HEADS;
    let mut context = vec![vec![0.0; WIDTH]; query.len()];
    for head in 0..HEADS {
        for (token, context) in context.iter_mut().enumerate() {
            let part = head * size..(head + 1) * size;
            let share = |other: usize| {
                let score: f64 = part
                    .clone()
                    .map(|at| query[token][at] * key[other][at])
                    .sum();
                if sees(token, other) {
                    (score * factor).exp()
                } else {
                    0.0
                }
            };
            let shares: Vec<f64> = (0..key.len()).map(share).collect();
            let all: f64 = shares.iter().sum();
            for at in part.clone() {
                context[at] = shares
                    .iter()
                    .zip(value)
                    .map(|(share, value)| share / all * value[at])
                    .sum();
            }
        }
    }
    context
}

fn activated(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Quick => x / (1.0 + (-1.702 * x).exp()),
        Activation::Tanh => {
            let root = (2.0 / std::f64::consts::PI).sqrt();
            0.5 * x * (1.0 + (root * (x + 0.044_715 * x.powi(3))).tanh())
        }
        Activation::Gelu => x * super::definition::normal_distribution(x),
    }
}
