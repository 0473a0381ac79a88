import { closeSync, openSync } from 'node:fs';
import { isPlainFileName } from './file-name.js';
import { type ProtobufField, ProtobufReader } from './protobuf-reader.js';

/** The facts that a look at an ONNX file tells before any runtime opens it. */
export interface OnnxScan {
  /** Files beside the graph that hold tensors. */
  readonly externalData: readonly string[];
  /** Activations are quantised by the range of the whole batch, so a text's vector would depend on its mates. */
  readonly isBatchDependent: boolean;
}

/** Field numbers of the ONNX messages that can hold tensors, and of what is read from them. */
const MODEL = { graph: 7, functions: 25 };
const GRAPH = { node: 1, initializer: 5, sparseInitializer: 15 };
const FUNCTION = { node: 7 };
const NODE = { opType: 4, attribute: 5 };
const ATTRIBUTE = { tensor: 5, graph: 6, tensors: 10, graphs: 11, sparseTensor: 22, sparseTensors: 23 };
const SPARSE = { values: 1, indices: 2 };
const TENSOR = { externalData: 13 };
const ENTRY = { key: 1, value: 2 };

/** Graphs nest in attributes of nodes; no real one does so deeply. */
const DEPTH_MAX = 32;

/** Operators of a graph, a tenfold of what the largest encoders have: the model runtime prepares more for minutes. */
const NODES_MAX = 20_000;

/**
 * Scans an ONNX file for the files it refers to. Only plain file names pass: a tensor stored "outside" may
 * otherwise point anywhere on the machine.
 *
 * @throws Error when the file is no ONNX model, has too many operators, or refers to anything but a file beside it.
 */
export function scanOnnx(path: string): OnnxScan {
  const file = openSync(path, 'r');
  try {
    const scan = new Scan(new ProtobufReader(file));
    scan.model();
    return { externalData: [...scan.externalData].sort(), isBatchDependent: scan.isBatchDependent };
  } finally {
    closeSync(file);
  }
}

class Scan {
  readonly externalData = new Set<string>();
  isBatchDependent = false;
  readonly #reader: ProtobufReader;
  #nodes = 0;

  constructor(reader: ProtobufReader) {
    this.#reader = reader;
  }

  model(): void {
    let hasGraph = false;
    for (const field of this.#reader.fields(0, this.#reader.size)) {
      if (field.number === MODEL.graph) {
        hasGraph = true;
        this.#graph(field, 0);
      } else if (field.number === MODEL.functions) {
        for (const inner of this.#inside(field)) if (inner.number === FUNCTION.node) this.#node(inner, 0);
      }
    }
    if (!hasGraph) throw new Error('the file holds no ONNX graph');
  }

  #graph(graph: ProtobufField, depth: number): void {
    if (depth > DEPTH_MAX) throw new Error(`graphs are nested more than ${DEPTH_MAX} deep`);
    for (const field of this.#inside(graph)) {
      if (field.number === GRAPH.node) this.#node(field, depth);
      else if (field.number === GRAPH.initializer) this.#tensor(field);
      else if (field.number === GRAPH.sparseInitializer) this.#sparse(field);
    }
  }

  #node(node: ProtobufField, depth: number): void {
    this.#nodes++;
    if (this.#nodes > NODES_MAX) throw new Error(`the graph has more than ${NODES_MAX} operators`);
    for (const field of this.#inside(node)) {
      if (field.number === NODE.attribute) this.#attribute(field, depth);
      else if (field.number === NODE.opType) this.isBatchDependent ||= this.#text(field) === 'DynamicQuantizeLinear';
    }
  }

  #attribute(attribute: ProtobufField, depth: number): void {
    for (const field of this.#inside(attribute)) {
      const { number } = field;
      if (number === ATTRIBUTE.tensor || number === ATTRIBUTE.tensors) this.#tensor(field);
      else if (number === ATTRIBUTE.graph || number === ATTRIBUTE.graphs) this.#graph(field, depth + 1);
      else if (number === ATTRIBUTE.sparseTensor || number === ATTRIBUTE.sparseTensors) this.#sparse(field);
    }
  }

  #sparse(sparse: ProtobufField): void {
    for (const field of this.#inside(sparse)) {
      if (field.number === SPARSE.values || field.number === SPARSE.indices) this.#tensor(field);
    }
  }

  #tensor(tensor: ProtobufField): void {
    for (const field of this.#inside(tensor)) if (field.number === TENSOR.externalData) this.#external(field);
  }

  #external(entry: ProtobufField): void {
    let key = '';
    let value = '';
    for (const field of this.#inside(entry)) {
      if (field.number === ENTRY.key) key = this.#text(field);
      else if (field.number === ENTRY.value) value = this.#text(field);
    }
    if (key !== 'location') return;
    if (!isPlainFileName(value)) throw new Error(`the graph refers to "${value}", which is not a file beside it`);
    this.externalData.add(value);
  }

  #inside(field: ProtobufField): Iterable<ProtobufField> {
    return field.kind === 'bytes' ? this.#reader.fields(field.start, field.end) : [];
  }

  #text(field: ProtobufField): string {
    return field.kind === 'bytes' ? this.#reader.text(field.start, field.end) : '';
  }
}
