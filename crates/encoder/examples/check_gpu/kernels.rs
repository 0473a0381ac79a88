//! Every kernel beside its reference.

use std::path::Path;
use std::sync::Arc;

use pelorus_cuda::launch::{self, TABLES};
use pelorus_cuda::reference::{self, Attention, Norm};
use pelorus_cuda::{
    Activation, Argument, Device, Element, Launch, Memory, Module, Multiplier, Pool, Product,
    Program, Stream, attention_tiles,
};
use pelorus_random::SplitMix64;

use crate::report::Report;
use crate::{Bench, Failure};

const EPSILON: f32 = 1e-12;

const ACTIVATIONS: [Activation; 4] = [
    Activation::None,
    Activation::Gelu,
    Activation::GeluTanh,
    Activation::GeluQuick,
];

pub fn check(bench: &Bench<'_>, report: &mut Report) -> Result<(), Failure> {
    let Bench {
        device,
        kernels,
        settings,
        ..
    } = bench;
    for program in Program::ALL {
        if !program.runs_on(device.capability()) {
            report.figure(program.name(), "not for this device");
            continue;
        }
        // The compiler of this machine, where there is one: what travelled does not need it.
        match Module::load(device, program, None) {
            Ok(_) => report.judge(program.name(), true, "compiled here and loaded"),
            Err(error) => {
                report.absent(&format!("NVRTC for {}", program.name()), &error.to_string())
            }
        }
        Module::load(device, program, Some(kernels))?;
    }
    for element in [Element::F16, Element::Bf16] {
        if Program::Encoder(element).runs_on(device.capability()) {
            let mut check = Check::new(device, element, kernels, report)?;
            let scale = if settings.is_small { 1 } else { 8 };
            check.rows(scale)?;
            check.attention(scale)?;
            check.conversions()?;
            check.products(scale)?;
        }
    }
    Ok(())
}

/// The kernels of an element on a device.
struct Check<'r> {
    device: Arc<Device>,
    element: Element,
    module: Arc<Module>,
    products: Arc<Module>,
    stream: Stream,
    random: SplitMix64,
    report: &'r mut Report,
}

/// Values that an element can hold, and their bits.
type Elements = (Vec<f32>, Vec<u8>);

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_ne_bytes())
        .collect()
}

fn words(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_ne_bytes).collect()
}

fn number(size: usize) -> Argument {
    Argument::U32(size as u32)
}

const NULL: Argument = Argument::Address(0);

fn at(memory: &Memory) -> Argument {
    Argument::Address(memory.address())
}

impl<'r> Check<'r> {
    fn new(
        device: &Arc<Device>,
        element: Element,
        kernels: &Path,
        report: &'r mut Report,
    ) -> Result<Self, Failure> {
        let load = |program| Module::load(device, program, Some(kernels)).map(Arc::new);
        Ok(Self {
            device: Arc::clone(device),
            element,
            module: load(Program::Encoder(element))?,
            products: load(Program::Product(element))?,
            stream: Stream::new(device)?,
            random: SplitMix64(1),
            report,
        })
    }

    fn elements(&mut self, count: usize, scale: f32) -> Elements {
        let element = self.element;
        let values = self.floats(count, scale);
        let values: Vec<f32> = values
            .into_iter()
            .map(|value| element.round(value))
            .collect();
        let bits = values
            .iter()
            .flat_map(|&value| element.bits(value).to_ne_bytes());
        let bits = bits.collect();
        (values, bits)
    }

    fn floats(&mut self, count: usize, scale: f32) -> Vec<f32> {
        (0..count).map(|_| self.random.normal() * scale).collect()
    }

    fn memory(&self, bytes: &[u8]) -> Result<Memory, Failure> {
        Ok(Memory::of(&self.stream, bytes)?)
    }

    /// Runs a kernel whose arguments are as `launch` lists them.
    fn run(&self, module: &Module, launch: Launch, arguments: &[Argument]) -> Result<(), Failure> {
        // SAFETY: each caller gives the parameters of the kernel, with memory for the sizes that it names, which lives
        // until the stream is done.
        unsafe { module.launch(&self.stream, launch, arguments) }?;
        Ok(self.stream.synchronize()?)
    }

    /// Holds elements in memory against what they ought to be; `slack` is for what was rounded on the way.
    fn judge(
        &mut self,
        what: &str,
        out: &Memory,
        expected: &[f32],
        slack: f32,
    ) -> Result<(), Failure> {
        let bytes = out.read(&self.stream)?;
        let bits = bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|bits| u16::from_ne_bytes(*bits));
        let element = self.element;
        let step = match element {
            Element::F16 => 1.0 / 1024.0,
            Element::Bf16 => 1.0 / 128.0,
        };
        self.worst(
            what,
            bits.map(|bits| element.value(bits)).collect(),
            expected,
            step,
            slack,
        );
        Ok(())
    }

    fn worst(&mut self, what: &str, found: Vec<f32>, expected: &[f32], step: f32, slack: f32) {
        let pairs = found.iter().zip(expected);
        let errors = pairs.map(|(found, expected)| {
            let error = (found - expected).abs() / (step * expected.abs() + slack);
            if found == expected {
                0.0
            } else if error.is_nan() {
                f32::INFINITY
            } else {
                error
            }
        });
        let worst = errors.fold(0.0, f32::max);
        let is_right = worst <= 1.0 && found.len() == expected.len();
        let name = self.name();
        let figure = format!(
            "{worst:.2} of the error that is allowed, {} values",
            found.len()
        );
        self.report
            .judge(&format!("{what} {name}"), is_right, &figure);
    }

    fn rows(&mut self, scale: usize) -> Result<(), Failure> {
        for width in [8, 384, 1032] {
            let tokens = 5 * scale + 2;
            let rows = [50, 17, 1];
            let tables = rows.map(|rows| self.elements(rows * width, 1.0));
            let places: Vec<[i32; TABLES]> = (0..tokens)
                .map(|_| {
                    let [a, b, c] = rows.map(|rows| self.random.below(rows) as i32);
                    [a, b, c, -1]
                })
                .collect();
            let (weight, bias) = (self.floats(width, 1.0), self.floats(width, 0.1));
            let norm = Norm {
                weight: &weight,
                bias: &bias,
                epsilon: EPSILON,
            };
            let values = [&tables[0].0[..], &tables[1].0, &tables[2].0, &[]];
            let (sums, norms) = reference::embed_norm(values, &places, norm);
            let [first, second, third] = [0, 1, 2].map(|table| self.memory(&tables[table].1));
            let memories = [first?, second?, third?];
            let placed = self.memory(&words(
                places.as_flattened().iter().map(|&place| place as u32),
            ))?;
            let [weights, biases] = [&weight, &bias].map(|values| self.memory(&bytes_of(values)));
            let (weights, biases) = (weights?, biases?);
            let [summed, out] = [0, 1].map(|_| Memory::new(&self.device, tokens * width * 2));
            let (summed, out) = (summed?, out?);
            let mut arguments = Vec::new();
            for (memory, rows) in memories.iter().zip(rows) {
                arguments.extend([at(memory), number(rows)]);
            }
            arguments.extend([NULL, number(0), at(&placed), at(&weights), at(&biases)]);
            arguments.extend([Argument::F32(EPSILON), number(tokens), number(width)]);
            arguments.extend([at(&summed), at(&out)]);
            let launch = launch::embed_norm(tokens as u32, width as u32)?;
            self.run(&self.module, launch, &arguments)?;
            self.judge(&format!("embed_norm {width}, sums"), &summed, &sums, 4e-5)?;
            self.judge(&format!("embed_norm {width}"), &out, &norms, 4e-5)?;

            let (product, product_bits) = self.elements(tokens * width, 3.0);
            let (residual, residual_bits) = self.elements(tokens * width, 1.0);
            let (_, norms) =
                reference::add_norm(Some(&product), Some(&bias), Some(&residual), tokens, norm);
            let (product, residual) = (self.memory(&product_bits)?, self.memory(&residual_bits)?);
            let arguments = [
                at(&product),
                at(&biases),
                at(&residual),
                at(&weights),
                at(&biases),
                Argument::F32(EPSILON),
                number(tokens),
                number(width),
                NULL,
                at(&out),
            ];
            let launch = launch::add_norm(tokens as u32, width as u32)?;
            self.run(&self.module, launch, &arguments)?;
            self.judge(&format!("add_norm {width}"), &out, &norms, 8e-5)?;

            for activation in ACTIVATIONS {
                let (values, bits) = self.elements(tokens * width, 3.0);
                let expected = reference::bias_activation(&values, Some(&bias), activation, width);
                let values = self.memory(&bits)?;
                let arguments = [
                    at(&values),
                    at(&biases),
                    Argument::U32(activation as u32),
                    number(tokens),
                    number(width),
                ];
                let launch = launch::bias_activation(tokens as u32, width as u32)?;
                self.run(&self.module, launch, &arguments)?;
                let what = format!("bias_activation {activation:?} {width}");
                self.judge(&what, &values, &expected, 8e-6)?;
            }
            self.pools(width)?;
        }
        Ok(())
    }

    fn pools(&mut self, width: usize) -> Result<(), Failure> {
        let bounds = [0, 1, 1, 34, 36, 164];
        let (hidden, bits) = self.elements(164 * width, 1.0);
        let (memory, places) = (self.memory(&bits)?, self.memory(&words(bounds))?);
        for (pool, normalise) in [(Pool::Mean, true), (Pool::First, false), (Pool::Last, true)] {
            let expected = reference::pool(&hidden, &bounds, width, pool, normalise);
            let out = Memory::new(&self.device, expected.len() * 4)?;
            let arguments = [
                at(&memory),
                at(&places),
                number(width),
                Argument::U32(pool as u32),
                Argument::U32(normalise.into()),
                at(&out),
            ];
            let launch = launch::pool(bounds.len() as u32 - 1, width as u32)?;
            self.run(&self.module, launch, &arguments)?;
            let found = self.read_floats(&out)?;
            self.worst(
                &format!("pool {pool:?} {width}"),
                found,
                &expected,
                4e-6,
                4e-6,
            );
        }
        Ok(())
    }

    fn read_floats(&self, memory: &Memory) -> Result<Vec<f32>, Failure> {
        let bytes = memory.read(&self.stream)?;
        let words = bytes.as_chunks::<4>().0.iter();
        Ok(words.map(|word| f32::from_ne_bytes(*word)).collect())
    }

    fn attention(&mut self, scale: usize) -> Result<(), Failure> {
        let step = match self.element {
            Element::F16 => 1.0 / 1024.0,
            Element::Bf16 => 1.0 / 128.0,
        };
        for (head_size, causal, has_offsets) in [
            (32, false, false),
            (32, true, false),
            (32, false, true),
            (64, false, false),
            (64, true, false),
            (64, false, true),
        ] {
            let lengths = [17, 1, 63 * scale, 66];
            let mut bounds = vec![0];
            bounds.extend(lengths.iter().scan(0, |end, length| {
                *end += *length as u32;
                Some(*end)
            }));
            let tokens: usize = lengths.iter().sum();
            let (heads, span) = (2, 63 * scale.max(2));
            let (qkv, bits) = self.elements(tokens * 3 * heads * head_size, 1.5);
            let offsets = self.floats(heads * (2 * span - 1), 2.0);
            let shape = Attention {
                heads,
                head_size,
                factor: 1.0 / (head_size as f32).sqrt(),
                causal,
                offsets: has_offsets.then_some((&offsets, span)),
            };
            let expected = reference::attention(&qkv, &bounds, shape);
            let tiles = attention_tiles(&bounds);
            let tiled = self.memory(&words(tiles.as_flattened().iter().copied()))?;
            let (memory, offsets) = (self.memory(&bits)?, self.memory(&bytes_of(&offsets))?);
            let out = Memory::new(&self.device, expected.len() * 2)?;
            let arguments = [
                at(&memory),
                number(3 * heads * head_size),
                at(&tiled),
                number(heads),
                Argument::F32(shape.factor),
                Argument::U32(causal.into()),
                if has_offsets { at(&offsets) } else { NULL },
                number(if has_offsets { span } else { 0 }),
                at(&out),
            ];
            let size = head_size as u32;
            let launch = launch::attention(tiles.len() as u32, heads as u32, size, has_offsets)?;
            self.run(&self.module, launch, &arguments)?;
            let kind = if causal { ", causal" } else { "" };
            let what = format!("{}{kind}", launch.kernel);
            self.judge(&what, &out, &expected, 4.0 * step)?;
        }
        Ok(())
    }

    fn conversions(&mut self) -> Result<(), Failure> {
        let (rows, columns) = (67, 129);
        let values = self.floats(rows * columns, 100.0);
        let memory = self.memory(&bytes_of(&values))?;
        let out = Memory::new(&self.device, values.len() * 2)?;
        let count = values.len() as u64;
        let arguments = [at(&memory), Argument::U64(count), at(&out)];
        self.run(&self.module, launch::convert(count), &arguments)?;
        // Both are rounded to the nearest: not a bit differs.
        let rounded: Vec<f32> = values
            .iter()
            .map(|&value| self.element.round(value))
            .collect();
        self.same("convert", &out, &rounded)?;
        let arguments = [at(&memory), number(rows), number(columns), at(&out)];
        let launch = launch::convert_transposed(rows as u32, columns as u32)?;
        self.run(&self.module, launch, &arguments)?;
        let turned = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        let turned: Vec<f32> = turned
            .map(|(row, column)| rounded[row * columns + column])
            .collect();
        self.same("convert_transposed", &out, &turned)
    }

    /// Holds elements in memory against what they are to the bit.
    fn same(&mut self, what: &str, out: &Memory, expected: &[f32]) -> Result<(), Failure> {
        let bits = expected
            .iter()
            .flat_map(|&value| self.element.bits(value).to_ne_bytes());
        let is_same = out.read(&self.stream)?.into_iter().eq(bits);
        let name = self.name();
        self.report
            .judge(&format!("{what} {name}"), is_same, "to the bit");
        Ok(())
    }

    fn name(&self) -> &'static str {
        match self.element {
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
        }
    }

    fn products(&mut self, scale: usize) -> Result<(), Failure> {
        let (module, products) = (Arc::clone(&self.module), Arc::clone(&self.products));
        let load = || Ok(Arc::clone(&products));
        let mut library = Multiplier::new(&self.device, module, self.element, load)?;
        for (number_of, (rows, columns, depth)) in
            [(5, 72, 40), (33, 64, 384), (40 * scale, 384, 128)]
                .into_iter()
                .enumerate()
        {
            let activation = ACTIVATIONS[number_of + 1];
            let (left, left_bits) = self.elements(rows * depth, 1.0);
            let (right, right_bits) = self.elements(columns * depth, 0.2);
            let bias = self.floats(columns, 1.0);
            let expected = reference::multiply(&left, &right, Some(&bias), activation, depth);
            let (left, right) = (self.memory(&left_bits)?, self.memory(&right_bits)?);
            let bias = self.memory(&bytes_of(&bias))?;
            let out = Memory::new(&self.device, expected.len() * 2)?;
            let arguments = [
                at(&left),
                at(&right),
                at(&bias),
                Argument::U32(activation as u32),
                number(rows),
                number(columns),
                number(depth),
                at(&out),
            ];
            let size = format!("{rows} x {columns} x {depth}");
            let (small, large) = (1, 1000);
            for (rows_of, tile) in [(small, 32), (large, 128)] {
                let launch = launch::multiply(rows_of, columns as u32, depth as u32)?;
                let grid = [(rows as u32).div_ceil(tile), launch.grid[1]];
                let launch = Launch { grid, ..launch };
                self.run(&self.products, launch, &arguments)?;
                self.judge(&format!("{} {size}", launch.kernel), &out, &expected, 8e-5)?;
            }
            let product = Product {
                rows: left.address(),
                matrix: right.address(),
                out: out.address(),
                bias: bias.address(),
                activation,
                count: rows as u32,
                depth: depth as u32,
                columns: columns as u32,
            };
            if library.name() == "kernels" {
                self.report
                    .absent("cuBLASLt", "the products are those of the kernels");
                continue;
            }
            // SAFETY: all memory is as large as the product says, and lives until the stream is done.
            unsafe { library.multiply(&self.stream, product) }?;
            self.stream.synchronize()?;
            // The product is rounded before bias and activation.
            let slack = match self.element {
                Element::F16 => 8e-3,
                Element::Bf16 => 6e-2,
            };
            self.judge(&format!("cuBLASLt {size}"), &out, &expected, slack)?;
        }
        Ok(())
    }
}
