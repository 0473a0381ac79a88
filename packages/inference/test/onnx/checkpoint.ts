import { HEADS, INNER, numbers, POSITIONS, WIDTH } from './transformer-model.js';

/** Files of a model without a graph, as a repository of the hub has them. */
export interface Checkpoint {
  readonly 'model.safetensors': Buffer;
  readonly 'config.json': string;
}

/** The encoder of {@link transformer} with the weights that its graph has, as BERT keeps them. */
export function checkpoint({ layers = 2, vocabulary = 64 } = {}, config: object = {}): Checkpoint {
  const tensors: [name: string, dims: readonly number[], values: Float32Array][] = [];
  const norm = (name: string, seed: number) => {
    tensors.push(
      [`${name}.weight`, [WIDTH], numbers(WIDTH, seed, 1)],
      [`${name}.bias`, [WIDTH], numbers(WIDTH, seed + 1)],
    );
  };
  const product = (name: string, [rows, columns]: readonly [number, number], seed: number) => {
    const values = numbers(rows * columns, seed);
    const turned = values.map((_, at) => values[(at % rows) * columns + Math.floor(at / rows)] ?? 0);
    tensors.push([`${name}.weight`, [columns, rows], turned], [`${name}.bias`, [columns], numbers(columns, seed + 1)]);
  };
  tensors.push(
    ['embeddings.word_embeddings.weight', [vocabulary, WIDTH], numbers(vocabulary * WIDTH, 1)],
    ['embeddings.position_embeddings.weight', [POSITIONS, WIDTH], numbers(POSITIONS * WIDTH, 2)],
    ['embeddings.token_type_embeddings.weight', [2, WIDTH], new Float32Array(2 * WIDTH)],
  );
  norm('embeddings.LayerNorm', 3);
  for (let layer = 0; layer < layers; layer++) {
    const name = (part: string) => `encoder.layer.${layer}.${part}`;
    const seed = 10 + layer * 20;
    for (const [i, part] of ['query', 'key', 'value'].entries()) {
      product(name(`attention.self.${part}`), [WIDTH, WIDTH], seed + 2 * i);
    }
    product(name('attention.output.dense'), [WIDTH, WIDTH], seed + 6);
    norm(name('attention.output.LayerNorm'), seed + 8);
    product(name('intermediate.dense'), [WIDTH, INNER], seed + 10);
    product(name('output.dense'), [INNER, WIDTH], seed + 12);
    norm(name('output.LayerNorm'), seed + 14);
  }
  return {
    'model.safetensors': safetensors(tensors),
    'config.json': JSON.stringify({
      ...{ model_type: 'bert', vocab_size: vocabulary, max_position_embeddings: POSITIONS, type_vocab_size: 2 },
      ...{ hidden_size: WIDTH, num_attention_heads: HEADS, num_hidden_layers: layers, intermediate_size: INNER },
      ...{ hidden_act: 'gelu', layer_norm_eps: 1e-5, ...config },
    }),
  };
}

function safetensors(tensors: readonly [name: string, dims: readonly number[], values: Float32Array][]): Buffer {
  let end = 0;
  const described = tensors.map(([name, shape, { byteLength }]) => {
    const start = end;
    end += byteLength;
    return [name, { dtype: 'F32', shape, data_offsets: [start, end] }];
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(described)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...tensors.map(([, , { buffer }]) => Buffer.from(buffer))]);
}
