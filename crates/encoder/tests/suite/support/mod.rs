//! Encoders in small, written as the known exporters spell them, and the definition of what they compute.

pub mod checkpoint;
pub mod definition;
pub mod tower;
pub mod wire;

use pelorus_random::SplitMix64;
use wire::{Node, floats, graph, integers, model, node};

pub const WIDTH: usize = 24;
pub const HEADS: usize = 3;
pub const INNER: usize = 40;
pub const VOCABULARY: usize = 50;
pub const POSITIONS: usize = 20;
pub const PADDING: i64 = 1;

/// The way in which an exporter writes the same encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Normalisation and activation in single steps, shapes from `Gather`, a mask times a large negative number.
    Steps,
    /// Normalisation as one operator, queries and keys scaled before their product, masks chosen by `Where`.
    Fused,
    /// As the last, with positions counted over the ids that are no padding, and an activation whose factor is halved first.
    Counted,
    /// As the first, with the operators that ONNX Runtime's optimisers put in the place of several.
    Optimised,
}

pub const SPELLINGS: [Spelling; 4] = [
    Spelling::Steps,
    Spelling::Fused,
    Spelling::Counted,
    Spelling::Optimised,
];

/// The weights of a layer, matrices `[in, out]`.
pub struct Layer {
    pub products: [(Vec<f32>, Vec<f32>); 6],
    pub norms: [(Vec<f32>, Vec<f32>); 2],
}

pub struct Weights {
    pub words: Vec<f32>,
    pub places: Vec<f32>,
    pub kinds: Vec<f32>,
    /// The bias of scores by distance, `[32, heads]`; none where empty.
    pub biases: Vec<f32>,
    pub norm: (Vec<f32>, Vec<f32>),
    pub layers: Vec<Layer>,
}

const PRODUCTS: [(&str, usize, usize); 6] = [
    ("query", WIDTH, WIDTH),
    ("key", WIDTH, WIDTH),
    ("value", WIDTH, WIDTH),
    ("out", WIDTH, WIDTH),
    ("up", WIDTH, INNER),
    ("down", INNER, WIDTH),
];

pub fn weights(seed: u64, layers: usize) -> Weights {
    let mut random = SplitMix64(seed);
    let mut draw = |count: usize, scale: f32| -> Vec<f32> {
        (0..count).map(|_| random.normal() * scale).collect()
    };
    let norm = |draw: &mut dyn FnMut(usize, f32) -> Vec<f32>| {
        let weight = draw(WIDTH, 0.2).iter().map(|x| 1.0 + x).collect();
        (weight, draw(WIDTH, 0.2))
    };
    let words = draw(VOCABULARY * WIDTH, 1.0);
    let places = draw(POSITIONS * WIDTH, 0.5);
    let kinds = draw(2 * WIDTH, 0.3);
    let first = norm(&mut draw);
    let layers = (0..layers)
        .map(|_| Layer {
            products: PRODUCTS
                .map(|(_, rows, columns)| (draw(rows * columns, 0.3), draw(columns, 0.2))),
            norms: [norm(&mut draw), norm(&mut draw)],
        })
        .collect();
    Weights {
        words,
        places,
        kinds,
        biases: Vec::new(),
        norm: first,
        layers,
    }
}

/// The nodes of an encoder, to be changed before they are written.
pub struct Export {
    pub nodes: Vec<Node>,
    pub tensors: Vec<Vec<u8>>,
}

impl Export {
    pub fn bytes(&self) -> Vec<u8> {
        model(&graph(
            &self.nodes,
            &self.tensors,
            &["input_ids", "attention_mask", "token_type_ids"],
            "last_hidden_state",
        ))
    }

    /// The first node of an operator.
    pub fn first(&mut self, operator: &str) -> &mut Node {
        let mut all = self.nodes.iter_mut();
        all.find(|node| node.operator == operator)
            .expect("the operator is used")
    }
}

pub fn export(weights: &Weights, spelling: Spelling) -> Export {
    let mut writer = Writer {
        spelling,
        nodes: Vec::new(),
        tensors: Vec::new(),
        count: 0,
    };
    writer.encoder(weights);
    Export {
        nodes: writer.nodes,
        tensors: writer.tensors,
    }
}

struct Writer {
    spelling: Spelling,
    nodes: Vec<Node>,
    tensors: Vec<Vec<u8>>,
    count: usize,
}

impl Writer {
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

    fn integers(&mut self, values: &[i64]) -> String {
        let tensor = integers("", &[values.len()], values);
        self.with("Constant", &[], &[wire::tensor_attribute("value", &tensor)])
    }

    fn integer(&mut self, value: i64) -> String {
        let tensor = integers("", &[], &[value]);
        self.with("Constant", &[], &[wire::tensor_attribute("value", &tensor)])
    }

    fn is_fused(&self) -> bool {
        self.spelling != Spelling::Steps
    }

    /// One element of the shape of a value.
    fn size(&mut self, of: &str, axis: i64) -> String {
        let shape = self.step("Shape", &[of]);
        let axis = self.integer(axis);
        self.with("Gather", &[&shape, &axis], &[wire::int("axis", 0)])
    }

    fn unsqueezed(&mut self, x: &str, axis: i64) -> String {
        if self.is_fused() {
            let axes = self.integers(&[axis]);
            return self.step("Unsqueeze", &[x, &axes]);
        }
        self.with("Unsqueeze", &[x], &[wire::ints("axes", &[axis])])
    }

    /// A node of ONNX Runtime's own operators.
    fn own(&mut self, operator: &str, inputs: &[&str], attributes: &[Vec<u8>]) -> String {
        let output = self.with(operator, inputs, attributes);
        if let Some(node) = self.nodes.last_mut() {
            node.domain = "com.microsoft".into();
        }
        output
    }

    fn optimised(&mut self, weights: &Weights) {
        let words = self.floats(&[VOCABULARY, WIDTH], &weights.words);
        let places = self.floats(&[POSITIONS, WIDTH], &weights.places);
        let kinds = self.floats(&[2, WIDTH], &weights.kinds);
        let to = [wire::int("to", 6)];
        let [ids, mask, kind_ids] = ["input_ids", "attention_mask", "token_type_ids"]
            .map(|name| self.with("Cast", &[name], &to));
        let (weight, bias) = self.pair(&weights.norm);
        let epsilon = [wire::float("epsilon", 1e-12)];
        let mut hidden = self.own(
            "EmbedLayerNormalization",
            &[
                &ids, &kind_ids, &words, &places, &kinds, &weight, &bias, &mask,
            ],
            &epsilon,
        );
        let counted = format!("{hidden}_mask");
        if let Some(node) = self.nodes.last_mut() {
            node.further.push(counted.clone());
        }
        for layer in &weights.layers {
            hidden = self.optimised_layer(layer, &hidden, &counted, &epsilon);
        }
        let last = node("Identity", &[&hidden], "last_hidden_state", &[]);
        self.nodes.push(last);
    }

    fn pair(&mut self, (weight, bias): &(Vec<f32>, Vec<f32>)) -> (String, String) {
        (
            self.floats(&[weight.len()], weight),
            self.floats(&[bias.len()], bias),
        )
    }

    fn optimised_layer(
        &mut self,
        layer: &Layer,
        x: &str,
        mask: &str,
        epsilon: &[Vec<u8>],
    ) -> String {
        // Queries, keys and values beside each other in each line.
        let (mut weights, mut biases) = (Vec::new(), Vec::new());
        for line in 0..WIDTH {
            for (weight, _) in &layer.products[..3] {
                weights.extend_from_slice(&weight[line * WIDTH..][..WIDTH]);
            }
        }
        for (_, bias) in &layer.products[..3] {
            biases.extend_from_slice(bias);
        }
        let weights = self.floats(&[WIDTH, 3 * WIDTH], &weights);
        let biases = self.floats(&[3 * WIDTH], &biases);
        let heads = [wire::int("num_heads", HEADS as i64)];
        let context = self.own("Attention", &[x, &weights, &biases, mask], &heads);
        let middle = self.skipped(layer, 3, (&context, x), 0, epsilon);
        let (weight, bias) = &layer.products[4];
        let weight = self.floats(&[WIDTH, INNER], weight);
        let bias = self.floats(&[INNER], bias);
        let up = self.step("MatMul", &[&middle, &weight]);
        let inner = self.own("BiasGelu", &[&up, &bias], &[]);
        self.skipped(layer, 5, (&inner, &middle), 1, epsilon)
    }

    /// A product, the sum of it and what it skips, and a normalisation.
    fn skipped(
        &mut self,
        layer: &Layer,
        number: usize,
        (x, skip): (&str, &str),
        norm: usize,
        epsilon: &[Vec<u8>],
    ) -> String {
        let (_, rows, columns) = PRODUCTS[number];
        let (weight, bias) = &layer.products[number];
        let weight = self.floats(&[rows, columns], weight);
        let of_product = self.floats(&[columns], bias);
        let product = self.step("MatMul", &[x, &weight]);
        let (weight, bias) = self.pair(&layer.norms[norm]);
        let inputs = [&product, skip, &weight, &bias, &of_product];
        self.own("SkipLayerNormalization", &inputs, epsilon)
    }

    fn encoder(&mut self, weights: &Weights) {
        if self.spelling == Spelling::Optimised {
            return self.optimised(weights);
        }
        let mask = self.mask();
        let mut hidden = self.embeddings(weights);
        for layer in &weights.layers {
            hidden = self.layer(layer, &hidden, &mask);
        }
        self.nodes
            .push(node("Identity", &[&hidden], "last_hidden_state", &[]));
    }

    fn mask(&mut self) -> String {
        let mask = self.unsqueezed("attention_mask", 1);
        let mask = self.unsqueezed(&mask, 2);
        if self.is_fused() {
            let (batch, length) = (self.size("input_ids", 0), self.size("input_ids", 1));
            let one = self.integers(&[1]);
            let (batch, length) = (self.unsqueezed(&batch, 0), self.unsqueezed(&length, 0));
            let along = wire::int("axis", 0);
            let shape = self.with("Concat", &[&batch, &one, &length, &length], &[along]);
            let mask = self.step("Expand", &[&mask, &shape]);
            let mask = self.with("Cast", &[&mask], &[wire::int("to", 1)]);
            let one = self.number(1.0);
            let inverted = self.step("Sub", &[&one, &mask]);
            let is_out = self.with("Cast", &[&inverted], &[wire::int("to", 9)]);
            let lowest = self.number(f32::MIN);
            return self.step("Where", &[&is_out, &lowest, &inverted]);
        }
        let mask = self.with("Cast", &[&mask], &[wire::int("to", 1)]);
        let (one, lowest) = (self.number(1.0), self.number(f32::MIN));
        let inverted = self.step("Sub", &[&one, &mask]);
        self.step("Mul", &[&inverted, &lowest])
    }

    fn places(&mut self) -> String {
        if self.spelling == Spelling::Counted {
            let padding = self.integer(PADDING);
            let is_padding = self.step("Equal", &["input_ids", &padding]);
            let is_word = self.step("Not", &[&is_padding]);
            let is_word = self.with("Cast", &[&is_word], &[wire::int("to", 6)]);
            let axis = self.integer(1);
            let sum = self.step("CumSum", &[&is_word, &axis]);
            let sum = self.with("Cast", &[&sum], &[wire::int("to", 6)]);
            let places = self.step("Mul", &[&sum, &is_word]);
            let places = self.with("Cast", &[&places], &[wire::int("to", 7)]);
            return self.step("Add", &[&places, &padding]);
        }
        let all: Vec<i64> = (0..POSITIONS as i64).collect();
        self.tensors
            .push(integers("position_ids", &[1, POSITIONS], &all));
        let length = self.size("input_ids", 1);
        let (start, axis, step) = (
            self.integers(&[0]),
            self.integers(&[1]),
            self.integers(&[1]),
        );
        let length = self.unsqueezed(&length, 0);
        self.step("Slice", &["position_ids", &start, &length, &axis, &step])
    }

    fn embeddings(&mut self, weights: &Weights) -> String {
        let words = self.floats(&[VOCABULARY, WIDTH], &weights.words);
        let kinds = self.floats(&[2, WIDTH], &weights.kinds);
        let table = self.floats(&[POSITIONS, WIDTH], &weights.places);
        let places = self.places();
        let words = self.step("Gather", &[&words, "input_ids"]);
        let kinds = self.step("Gather", &[&kinds, "token_type_ids"]);
        let places = self.step("Gather", &[&table, &places]);
        let sum = self.step("Add", &[&words, &kinds]);
        let sum = self.step("Add", &[&sum, &places]);
        self.norm(&sum, &weights.norm)
    }

    fn norm(&mut self, x: &str, (weight, bias): &(Vec<f32>, Vec<f32>)) -> String {
        let (weight, bias) = (self.floats(&[WIDTH], weight), self.floats(&[WIDTH], bias));
        if self.is_fused() {
            let attributes = [wire::int("axis", -1), wire::float("epsilon", 1e-12)];
            return self.with("LayerNormalization", &[x, &weight, &bias], &attributes);
        }
        let axes = wire::ints("axes", &[-1]);
        let mean = self.with("ReduceMean", &[x], std::slice::from_ref(&axes));
        let centred = self.step("Sub", &[x, &mean]);
        let two = self.number(2.0);
        let squares = self.step("Pow", &[&centred, &two]);
        let variance = self.with("ReduceMean", &[&squares], &[axes]);
        let epsilon = self.number(1e-12);
        let steady = self.step("Add", &[&variance, &epsilon]);
        let deviation = self.step("Sqrt", &[&steady]);
        let unit = self.step("Div", &[&centred, &deviation]);
        let weighted = self.step("Mul", &[&unit, &weight]);
        self.step("Add", &[&weighted, &bias])
    }

    fn product(&mut self, x: &str, layer: &Layer, number: usize) -> String {
        let (_, rows, columns) = PRODUCTS[number];
        let (weight, bias) = &layer.products[number];
        let bias = self.floats(&[columns], bias);
        let weight = if self.spelling == Spelling::Counted {
            // As PyTorch keeps them.
            let turned: Vec<f32> = (0..rows * columns)
                .map(|at| weight[at % rows * columns + at / rows])
                .collect();
            let weight = self.floats(&[columns, rows], &turned);
            self.with("Transpose", &[&weight], &[wire::ints("perm", &[1, 0])])
        } else {
            self.floats(&[rows, columns], weight)
        };
        let product = self.step("MatMul", &[x, &weight]);
        self.step("Add", &[&bias, &product])
    }

    fn split(&mut self, product: &str, order: &[i64]) -> String {
        let sizes = if self.is_fused() {
            self.integers(&[0, -1, HEADS as i64, (WIDTH / HEADS) as i64])
        } else {
            let (batch, length) = (self.size(product, 0), self.size(product, 1));
            let (batch, length) = (self.unsqueezed(&batch, 0), self.unsqueezed(&length, 0));
            let (heads, size) = (
                self.integers(&[HEADS as i64]),
                self.integers(&[(WIDTH / HEADS) as i64]),
            );
            self.with(
                "Concat",
                &[&batch, &length, &heads, &size],
                &[wire::int("axis", 0)],
            )
        };
        let split = self.step("Reshape", &[product, &sizes]);
        self.with("Transpose", &[&split], &[wire::ints("perm", order)])
    }

    fn attention(&mut self, layer: &Layer, x: &str, mask: &str) -> String {
        let [query, key, value] = [0, 1, 2].map(|number| self.product(x, layer, number));
        let query = self.split(&query, &[0, 2, 1, 3]);
        let key = self.split(&key, &[0, 2, 3, 1]);
        let value = self.split(&value, &[0, 2, 1, 3]);
        let size = (WIDTH / HEADS) as f32;
        let scores = if self.is_fused() {
            let factor = self.number(size.powf(-0.25));
            let query = self.step("Mul", &[&query, &factor]);
            let key = self.step("Mul", &[&key, &factor]);
            self.step("MatMul", &[&query, &key])
        } else {
            let divisor = self.number(size.sqrt());
            let scores = self.step("MatMul", &[&query, &key]);
            self.step("Div", &[&scores, &divisor])
        };
        let masked = self.step("Add", &[&scores, mask]);
        let shares = self.with("Softmax", &[&masked], &[wire::int("axis", -1)]);
        let context = self.step("MatMul", &[&shares, &value]);
        let context = self.with(
            "Transpose",
            &[&context],
            &[wire::ints("perm", &[0, 2, 1, 3])],
        );
        let sizes = self.integers(&[0, 0, WIDTH as i64]);
        self.step("Reshape", &[&context, &sizes])
    }

    fn activation(&mut self, x: &str) -> String {
        let (root, one, half) = (
            self.number(2_f32.sqrt()),
            self.number(1.0),
            self.number(0.5),
        );
        let scaled = self.step("Div", &[x, &root]);
        let error = self.step("Erf", &[&scaled]);
        let sum = self.step("Add", &[&error, &one]);
        if self.spelling == Spelling::Counted {
            let share = self.step("Mul", &[&half, &sum]);
            return self.step("Mul", &[x, &share]);
        }
        if self.is_fused() {
            let halved = self.step("Mul", &[x, &half]);
            return self.step("Mul", &[&halved, &sum]);
        }
        let twice = self.step("Mul", &[x, &sum]);
        self.step("Mul", &[&twice, &half])
    }

    fn layer(&mut self, layer: &Layer, x: &str, mask: &str) -> String {
        let context = self.attention(layer, x, mask);
        let out = self.product(&context, layer, 3);
        let sum = self.step("Add", &[&out, x]);
        let middle = self.norm(&sum, &layer.norms[0]);
        let up = self.product(&middle, layer, 4);
        let inner = self.activation(&up);
        let down = self.product(&inner, layer, 5);
        let sum = self.step("Add", &[&down, &middle]);
        self.norm(&sum, &layer.norms[1])
    }
}
