import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type OnnxScan, scanOnnx } from '../../src/folder/onnx-scan.js';
import { encoder, external, graph, graphAttribute, model, node } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';

async function scan(bytes: Uint8Array): Promise<OnnxScan> {
  const path = join(await temporaryDirectory(), 'model.onnx');
  await writeFile(path, bytes);
  return scanOnnx(path);
}

const withTensor = (location: string) => model(graph({ nodes: [], initializers: [external('w', [2], location)] }));

test('a graph that holds its own tensors refers to nothing', async () => {
  expect(await scan(encoder())).toEqual({ externalData: [], isBatchDependent: false });
});

test('files beside the graph are listed once', async () => {
  const initializers = ['model.onnx.data', 'model.onnx_data', 'model.onnx.data'].map((name, i) =>
    external(`w${i}`, [2], name),
  );
  const { externalData } = await scan(model(graph({ nodes: [], initializers })));
  expect(externalData).toEqual(['model.onnx.data', 'model.onnx_data']);
});

describe('a place outside the folder is refused', () => {
  test.each(['../secret', '/etc/passwd', 'a/b', '..', '.', '', 'a\\b', 'C:x', 'a\0b', '.hidden'])(
    '%j',
    async (location) => {
      await expect(scan(withTensor(location))).rejects.toThrow('which is not a file beside it');
    },
  );

  test('also deep within the branches of a graph', async () => {
    let inner = graph({ nodes: [], initializers: [external('w', [2], '../secret')] });
    for (let depth = 0; depth < 5; depth++) {
      const attributes = [graphAttribute('then_branch', inner)];
      inner = graph({ nodes: [node({ op: 'If', inputs: ['c'], output: 'o', attributes })] });
    }
    await expect(scan(model(inner))).rejects.toThrow('"../secret"');
  });
});

test('graphs nested without end are refused', async () => {
  let inner = graph({ nodes: [] });
  for (let depth = 0; depth < 40; depth++) {
    inner = graph({ nodes: [node({ op: 'If', inputs: [], output: 'o', attributes: [graphAttribute('b', inner)] })] });
  }
  await expect(scan(model(inner))).rejects.toThrow('nested more than 32 deep');
});

test('graphs with more operators than a runtime prepares in time are refused', async () => {
  const nodes = Array.from({ length: 20_000 }, (_, i) => node({ op: 'Add', inputs: ['x', 'x'], output: `y${i}` }));
  expect((await scan(model(graph({ nodes })))).externalData).toEqual([]);
  nodes.push(node({ op: 'Add', inputs: ['x', 'x'], output: 'last' }));
  await expect(scan(model(graph({ nodes })))).rejects.toThrow('the graph has more than 20000 operators');
});

test('a graph that quantises by the whole batch is told apart', async () => {
  const quantized = node({ op: 'DynamicQuantizeLinear', inputs: ['x'], output: 'y' });
  expect((await scan(model(graph({ nodes: [quantized] })))).isBatchDependent).toBe(true);
});

test.each([
  ['an empty file', new Uint8Array(0)],
  ['text', Buffer.from('{"not": "a model"}')],
  ['a web page', Buffer.from('<!doctype html><html></html>')],
])('%s is no graph', async (_, bytes) => {
  await expect(scan(bytes)).rejects.toThrow();
});

test('a file cut anywhere is refused or scanned, and never hangs', async () => {
  const whole = encoder();
  const directory = await temporaryDirectory();
  for (let end = 0; end < whole.length; end += 7) {
    const path = join(directory, `${end}.onnx`);
    await writeFile(path, whole.subarray(0, end));
    try {
      scanOnnx(path);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
});
