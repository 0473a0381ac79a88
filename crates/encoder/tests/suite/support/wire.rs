//! Writes ONNX files.

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

pub fn number(field: u64, value: i64) -> Vec<u8> {
    [varint(field << 3), varint(value as u64)].concat()
}

pub fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [
        &varint(field << 3 | 2)[..],
        &varint(value.len() as u64),
        value,
    ]
    .concat()
}

pub fn text(field: u64, value: &str) -> Vec<u8> {
    bytes(field, value.as_bytes())
}

fn attribute(name: &str, kind: i64, value: Vec<u8>) -> Vec<u8> {
    [text(1, name), value, number(20, kind)].concat()
}

pub fn int(name: &str, value: i64) -> Vec<u8> {
    attribute(name, 2, number(3, value))
}

pub fn float(name: &str, value: f32) -> Vec<u8> {
    attribute(
        name,
        1,
        [&varint(2 << 3 | 5)[..], &value.to_le_bytes()].concat(),
    )
}

pub fn ints(name: &str, values: &[i64]) -> Vec<u8> {
    attribute(
        name,
        7,
        values.iter().flat_map(|&value| number(8, value)).collect(),
    )
}

pub fn tensor_attribute(name: &str, tensor: &[u8]) -> Vec<u8> {
    attribute(name, 4, bytes(5, tensor))
}

pub fn tensor(name: &str, kind: i64, dims: &[usize], raw: &[u8]) -> Vec<u8> {
    let dims: Vec<u8> = dims.iter().flat_map(|&dim| number(1, dim as i64)).collect();
    [dims, number(2, kind), text(8, name), bytes(9, raw)].concat()
}

pub fn floats(name: &str, dims: &[usize], values: &[f32]) -> Vec<u8> {
    let raw: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    tensor(name, 1, dims, &raw)
}

pub fn integers(name: &str, dims: &[usize], values: &[i64]) -> Vec<u8> {
    let raw: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    tensor(name, 7, dims, &raw)
}

#[derive(Clone)]
pub struct Node {
    pub operator: String,
    /// Empty for the operators of ONNX itself.
    pub domain: String,
    pub inputs: Vec<String>,
    pub output: String,
    /// Outputs after the first.
    pub further: Vec<String>,
    pub attributes: Vec<Vec<u8>>,
}

pub fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[Vec<u8>]) -> Node {
    Node {
        operator: operator.into(),
        domain: String::new(),
        inputs: inputs.iter().map(|&name| name.into()).collect(),
        output: output.into(),
        further: Vec::new(),
        attributes: attributes.to_vec(),
    }
}

fn value(name: &str, kind: i64, axes: &[&str]) -> Vec<u8> {
    let dims: Vec<u8> = axes
        .iter()
        .flat_map(|axis| bytes(1, &text(2, axis)))
        .collect();
    let shaped = [number(1, kind), bytes(2, &dims)].concat();
    [text(1, name), bytes(2, &bytes(1, &shaped))].concat()
}

pub fn graph(nodes: &[Node], tensors: &[Vec<u8>], inputs: &[&str], output: &str) -> Vec<u8> {
    let axes: &[&str] = &["batch", "length"];
    let inputs: Vec<Input<'_>> = inputs.iter().map(|&name| (name, (7, axes))).collect();
    graph_of(nodes, tensors, &inputs, output)
}

/// The name of an input, its type and its axes.
pub type Input<'a> = (&'a str, (i64, &'a [&'a str]));

pub fn graph_of(
    nodes: &[Node],
    tensors: &[Vec<u8>],
    inputs: &[Input<'_>],
    output: &str,
) -> Vec<u8> {
    let mut graph = Vec::new();
    for node in nodes {
        let mut written = Vec::new();
        for input in &node.inputs {
            written.extend(text(1, input));
        }
        written.extend(text(2, &node.output));
        for further in &node.further {
            written.extend(text(2, further));
        }
        written.extend(text(4, &node.operator));
        written.extend(text(7, &node.domain));
        for attribute in &node.attributes {
            written.extend(bytes(5, attribute));
        }
        graph.extend(bytes(1, &written));
    }
    for tensor in tensors {
        graph.extend(bytes(5, tensor));
    }
    for &(name, (kind, axes)) in inputs {
        graph.extend(bytes(11, &value(name, kind, axes)));
    }
    graph.extend(bytes(12, &value(output, 1, &["batch", "length", "width"])));
    graph
}

pub fn model(graph: &[u8]) -> Vec<u8> {
    let operators = [text(1, ""), number(2, 17)].concat();
    [number(1, 8), bytes(7, graph), bytes(8, &operators)].concat()
}
