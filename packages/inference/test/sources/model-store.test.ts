import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type InferenceConfig, inferenceSettings } from '../../src/config.js';
import { resolveModel } from '../../src/registry/resolve.js';
import type { ModelAuth } from '../../src/sources/model-auth.js';
import { ModelStore } from '../../src/sources/model-store.js';
import type { ModelProgress } from '../../src/sources/progress.js';
import { fakeMaven } from '../fake-maven.js';
import { Arrivals, LoopbackHub } from '../loopback-hub.js';
import { checkpoint } from '../onnx/checkpoint.js';
import { encoder, external, graph, model, wordTokenizer } from '../onnx/onnx-model.js';
import { tar } from '../tar-file.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { writeZip } from '../zip-file.js';

const MINILM = resolveModel('hf/all-MiniLM-L6-v2');
const REPO = 'sentence-transformers/all-MiniLM-L6-v2';
const NORMALIZE = '[{"type": "sentence_transformers.models.Normalize"}]';
const FOLDER = 'sentence-transformers--all-MiniLM-L6-v2';

async function setUp(config: Partial<InferenceConfig> = {}) {
  const hub = await LoopbackHub.start();
  const modelDir = await temporaryDirectory();
  const settings = inferenceSettings({ modelDir, hubUrl: hub.url, mavenCommand: null, ...config });
  const store = new ModelStore(settings);
  onTestFinished(() => store.close());
  return { hub, modelDir, store };
}

function publish(hub: LoopbackHub, repo = REPO, graphFile = 'onnx/model.onnx'): void {
  hub.put(repo, 'tokenizer.json', wordTokenizer());
  hub.put(repo, graphFile, encoder(), { redirect: true });
}

test('a model that nobody has published as a graph says how it is exported', async () => {
  const { store } = await setUp({ hubUrl: null });
  await expect(store.ensure(resolveModel('hf/ember-v1'))).rejects.toThrow(
    'or run "pelorus models export hf/ember-v1" where its library is.',
  );
  // Nor is there a recipe for the other: it is in no package index.
  const { message } = (await store
    .ensure(resolveModel('LanguageBind/Audio_FT'))
    .catch((error: Error) => error)) as Error;
  expect(message).not.toContain('models export');
});

describe('a model from a package', () => {
  test('is used where it lies, and nothing is asked for or written', async () => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, 'model.onnx'), encoder());
    await writeFile(join(folder, 'tokenizer.json'), wordTokenizer());
    const packageFolder = (name: string) => (name === '@pelorus/model-all-minilm-l6-v2' ? folder : null);
    const { hub, modelDir, store } = await setUp({ packageFolder });
    expect((await store.ensure(MINILM)).path).toBe(folder);
    expect(hub.requests).toEqual([]);
    expect(await readdir(modelDir)).toEqual([]);
    await expect(store.ensure(resolveModel('hf/e5-small-v2'))).rejects.toThrow('is not on this machine');
  });

  test('is named among the ways where it is not whole, and advised where it is not installed', async () => {
    const folder = await temporaryDirectory();
    const damaged = await setUp({ packageFolder: () => folder, hubUrl: null });
    await expect(damaged.store.ensure(MINILM)).rejects.toThrow(
      /package @pelorus\/model-all-minilm-l6-v2 \(.*model\.onnx/,
    );
    const { store } = await setUp({ packageFolder: () => null, hubUrl: null });
    await expect(store.ensure(MINILM)).rejects.toThrow(
      'install the package @pelorus/model-all-minilm-l6-v2 in the version of pelorus',
    );
  });
});

describe('a model of the hub without a graph', () => {
  const repo = 'llmrails/ember-v1';
  const EMBER = resolveModel('hf/ember-v1');
  const put = (hub: LoopbackHub, files: object) => {
    for (const [name, content] of Object.entries(files)) hub.put(repo, name, content);
    hub.put(repo, 'tokenizer.json', wordTokenizer());
  };

  test('is fetched with its weights and its configuration, and with what its publisher says', async () => {
    const { hub, modelDir, store } = await setUp();
    put(hub, {
      ...checkpoint(),
      '1_Pooling/config.json': '{"pooling_mode_cls_token": true}',
      'modules.json': NORMALIZE,
    });
    const folder = await store.ensure(EMBER);
    expect(folder).toMatchObject({ pooling: 'cls', unitLength: true });
    expect(folder.graphs.text).toBe(join(folder.path, 'model.safetensors'));
    const { files, source } = JSON.parse(await readFile(join(folder.path, 'manifest.json'), 'utf8'));
    expect(Object.keys(files).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
    expect(source).toContain(`${repo} model.safetensors`);
    expect(await readdir(modelDir)).toContain('llmrails--ember-v1');
    await writeFile(join(folder.path, 'config.json'), '{}');
    hub.files.clear();
    await expect(store.ensure(EMBER)).rejects.toThrow('config.json has 2 bytes, its manifest says');
  });

  test('is not fetched where its architecture is none that is known, and says how it is exported', async () => {
    const { hub, store } = await setUp();
    put(hub, checkpoint({}, { model_type: 'deberta' }));
    const { message } = (await store.ensure(EMBER).catch((error: Error) => error)) as Error;
    expect(message).toContain(
      `${repo} model.safetensors cannot be run without a graph: its model_type "deberta" is none that is known`,
    );
    expect(message).toContain('or run "pelorus models export hf/ember-v1" where its library is');
    expect(hub.paths().some((path) => path.endsWith('model.safetensors'))).toBe(false);
  });

  test('is not kept where its weights are not those of its configuration', async () => {
    const { hub, modelDir, store } = await setUp();
    put(hub, checkpoint({}, { hidden_size: 16 }));
    await expect(store.ensure(EMBER)).rejects.toThrow('has the shape [64, 8], its config.json says [64, 16]');
    expect(await readdir(modelDir)).not.toContain('llmrails--ember-v1');
  });

  test('has its graph where there is one', async () => {
    const { hub, store } = await setUp();
    publish(hub);
    for (const [name, content] of Object.entries(checkpoint())) hub.put(REPO, name, content);
    const { path, graphs } = await store.ensure(MINILM);
    expect(graphs.text).toBe(join(path, 'model.onnx'));
  });
});

describe('a model from the hub', () => {
  test('is fetched once, with progress, and found again afterwards', async () => {
    const { hub, modelDir, store } = await setUp();
    publish(hub);
    const progress: ModelProgress[] = [];
    const first = await store.ensure(MINILM, { onProgress: (told) => progress.push(told) });
    expect(first.path).toBe(join(modelDir, FOLDER));
    expect((await readdir(first.path)).sort()).toEqual([
      '.verified.json',
      'manifest.json',
      'model.onnx',
      'tokenizer.json',
    ]);
    expect(progress.at(-1)).toMatchObject({ model: 'hf/all-MiniLM-L6-v2', way: 'hub', file: 'model.onnx' });
    const { requests } = hub;
    const count = requests.length;
    expect(await store.ensure(MINILM)).toEqual(first);
    expect(requests).toHaveLength(count);
  });

  test('is looked for in the next repository when the first has none', async () => {
    const { hub, store } = await setUp();
    publish(hub, 'Qdrant/all-MiniLM-L6-v2-onnx', 'model.onnx');
    const { path } = await store.ensure(MINILM);
    const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'));
    expect(manifest.source).toBe(`${hub.url}/Qdrant/all-MiniLM-L6-v2-onnx model.onnx`);
  });

  test('brings the tensor files that its graph refers to', async () => {
    const { hub, store } = await setUp();
    const split = model(graph({ nodes: [], initializers: [external('w', [2], 'model.onnx_data')] }));
    hub.put(REPO, 'tokenizer.json', wordTokenizer());
    hub.put(REPO, 'onnx/model.onnx', split);
    hub.put(REPO, 'onnx/model.onnx_data', 'tensors');
    const { path } = await store.ensure(MINILM);
    expect(await readFile(join(path, 'model.onnx_data'), 'utf8')).toBe('tensors');
  });

  test('is refused when its graph reaches out of the folder', async () => {
    const { hub, store } = await setUp();
    hub.put(REPO, 'tokenizer.json', wordTokenizer());
    hub.put(REPO, 'onnx/model.onnx', model(graph({ nodes: [], initializers: [external('w', [2], '../x')] })));
    await expect(store.ensure(MINILM)).rejects.toThrow('the graph refers to "../x"');
  });

  test('says how it pools and, for a pipeline, that it normalises', async () => {
    const { hub, store } = await setUp();
    publish(hub, 'house/encoder');
    hub.put('house/encoder', '1_Pooling/config.json', '{"pooling_mode_cls_token": true}');
    hub.put('house/encoder', 'modules.json', NORMALIZE);
    const pipeline = resolveModel('x', { name: 'house/encoder', dimensions: 8 });
    expect(await store.ensure(pipeline)).toMatchObject({ pooling: 'cls', unitLength: true });
  });

  test('says whether its pipeline normalises, whatever it is used as first', async () => {
    const { hub, store } = await setUp();
    publish(hub, 'house/encoder');
    hub.put('house/encoder', 'modules.json', NORMALIZE);
    const plain = resolveModel('x', { type: 'hf', name: 'house/encoder', dimensions: 8 });
    expect(await store.ensure(plain)).toMatchObject({ unitLength: true });
    publish(hub, 'house/other');
    const other = resolveModel('y', { type: 'hf', name: 'house/other', dimensions: 8 });
    expect(await store.ensure(other)).toMatchObject({ unitLength: false });
  });

  test('is asked once for what the folder of an older version does not say of its pipeline', async () => {
    const { hub, store } = await setUp();
    publish(hub, 'house/encoder');
    const plain = resolveModel('x', { type: 'hf', name: 'house/encoder', dimensions: 8 });
    const { path } = await store.ensure(plain);
    const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'));
    await writeFile(join(path, 'manifest.json'), JSON.stringify({ ...manifest, unitLength: undefined }));
    hub.put('house/encoder', 'modules.json', NORMALIZE);
    const pipeline = resolveModel('x', { name: 'house/encoder', dimensions: 8 });
    hub.requests.length = 0;
    expect(await store.ensure(plain)).toMatchObject({ unitLength: null });
    expect(await store.ensure(pipeline)).toMatchObject({ unitLength: true });
    expect(await store.ensure(pipeline)).toMatchObject({ unitLength: true });
    expect(hub.paths()).toEqual(['/house/encoder/resolve/main/modules.json']);
    expect(JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'))).toEqual({ ...manifest, unitLength: true });
  });

  test('is used as it is where what its folder does not say cannot be asked for', async () => {
    const { hub, modelDir, store } = await setUp();
    publish(hub, 'house/encoder');
    const pipeline = resolveModel('x', { name: 'house/encoder', dimensions: 8 });
    const { path } = await store.ensure(pipeline);
    const manifest = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'));
    await writeFile(join(path, 'manifest.json'), JSON.stringify({ ...manifest, unitLength: undefined }));
    for (const hubUrl of [null, 'http://127.0.0.1:1']) {
      const cutOff = new ModelStore(inferenceSettings({ modelDir, hubUrl, mavenCommand: null }));
      onTestFinished(() => cutOff.close());
      expect(await cutOff.ensure(pipeline)).toMatchObject({ path, unitLength: null });
    }
  });

  test('says how it pools by name, as newer pipelines have it', async () => {
    const { hub, store } = await setUp();
    publish(hub, 'house/encoder');
    hub.put('house/encoder', '1_Pooling/config.json', '{"embedding_dimension": 8, "pooling_mode": "cls"}');
    const model = resolveModel('x', { type: 'hf', name: 'house/encoder', dimensions: 8 });
    expect(await store.ensure(model)).toMatchObject({ pooling: 'cls' });
  });

  test('is asked for with the token of the request', async () => {
    const { hub, store } = await setUp();
    publish(hub);
    await store.ensure(MINILM, { auth: { hubToken: 'hf_secret', s3: null } });
    expect(hub.requests[0]?.headers.authorization).toBe('Bearer hf_secret');
  });
});

test('calls for one model at once are one fetch', async () => {
  const { hub, store } = await setUp();
  publish(hub);
  const same = resolveModel('onnx/all-MiniLM-L6-v2');
  const [a, b] = await Promise.all([store.ensure(MINILM), store.ensure(same)]);
  expect(a).toBe(b);
  expect(hub.paths().filter((path) => path.startsWith('/stored'))).toHaveLength(1);
});

test('a fetch that is refused without credentials does not fail one that has them', async () => {
  const { hub, store } = await setUp();
  publish(hub);
  Object.assign(hub, { token: 'hf_good', delayMs: 100 });
  const as = (hubToken: string) => ({ auth: { hubToken, s3: null } });
  const calls = [store.ensure(MINILM), store.ensure(MINILM, as('hf_bad')), store.ensure(MINILM, as('hf_good'))];
  const [none, bad, good] = await Promise.allSettled(calls);
  expect([none?.status, good?.status]).toEqual(['rejected', 'fulfilled']);
  // It may find what the other brought: a model on this machine is everybody's.
  expect(bad).toBeDefined();
});

test('a refusal of bad credentials is not remembered for callers without any', async () => {
  const { hub, store } = await setUp();
  publish(hub);
  hub.token = 'hf_good';
  await expect(store.ensure(MINILM, { auth: { hubToken: 'hf_bad', s3: null } })).rejects.toThrow('answered 401');
  hub.token = null;
  await expect(store.ensure(MINILM)).resolves.toBeDefined();
});

test('two stores on one folder do not disturb each other', async () => {
  const { hub, modelDir, store } = await setUp();
  publish(hub);
  const other = new ModelStore(inferenceSettings({ modelDir, hubUrl: hub.url, mavenCommand: null }));
  onTestFinished(() => other.close());
  const [a, b] = await Promise.all([store.ensure(MINILM), other.ensure(MINILM)]);
  expect(a).toEqual(b);
  expect(hub.paths().filter((path) => path.startsWith('/stored'))).toHaveLength(1);
  expect(await readdir(join(modelDir, '.incoming'))).toEqual([]);
});

test('a fetch that failed half way leaves no model, and the next one completes it', async () => {
  const { hub, modelDir, store } = await setUp();
  publish(hub);
  hub.put(REPO, 'onnx/model.onnx', encoder(), { announcedHash: '0'.repeat(64) });
  await expect(store.ensure(MINILM)).rejects.toThrow('expected 0000');
  expect(existsSync(join(modelDir, FOLDER))).toBe(false);
  hub.put(REPO, 'onnx/model.onnx', encoder());
  const again = new ModelStore(inferenceSettings({ modelDir, hubUrl: hub.url, mavenCommand: null }));
  onTestFinished(() => again.close());
  await expect(again.ensure(MINILM)).resolves.toBeDefined();
});

test('a damaged model in the store is replaced', async () => {
  const { hub, store } = await setUp();
  publish(hub);
  const { path } = await store.ensure(MINILM);
  await writeFile(join(path, 'tokenizer.json'), 'damaged');
  await store.ensure(MINILM);
  expect(await readFile(join(path, 'tokenizer.json'), 'utf8')).toBe(wordTokenizer());
});

test('when the hub has nothing, the Java artifact is tried, and its hash is held against it', async () => {
  const home = await temporaryDirectory();
  const mavenCommand = await fakeMaven(home, `fs.writeFileSync(jar, 'not the jar');`);
  const { store } = await setUp({ mavenCommand });
  await expect(store.ensure(MINILM)).rejects.toThrow(
    /Maven artifact dev\.langchain4j:\S+ \(\S+\.jar has sha256 [0-9a-f]{64}, expected 7b969e95/,
  );
});

describe('a model that cannot be had', () => {
  test('is an error that names every way and how to provide it', async () => {
    const { hub, modelDir, store } = await setUp({ mavenCommand: 'no-such-maven' });
    const error = await store.ensure(MINILM).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'PelorusError', code: 'bad_request', status: 400 });
    expect(error.message).toContain('Model hf/all-MiniLM-L6-v2 is not on this machine.');
    expect(error.message).toContain(`folder ${join(modelDir, FOLDER)} (absent)`);
    expect(error.message).toContain(`hub ${hub.url} (${REPO} onnx/model.onnx answered 404, Qdrant/`);
    expect(error.message).toContain('(the command no-such-maven was not found)');
    expect(error.message).toContain(`put model.onnx and tokenizer.json into ${join(modelDir, FOLDER)}`);
    expect(error.message).toContain('--models');
    expect(error.message).toContain('pelorus models pull hf/all-MiniLM-L6-v2');
  });

  test('is not asked for again for a while, but found when it has been put there', async () => {
    const { hub, modelDir, store } = await setUp();
    await expect(store.ensure(MINILM)).rejects.toThrow();
    const count = hub.requests.length;
    await expect(store.ensure(MINILM)).rejects.toThrow('is not on this machine');
    expect(hub.requests).toHaveLength(count);
    const folder = join(modelDir, FOLDER);
    await mkdir(folder);
    await writeFile(join(folder, 'model.onnx'), encoder());
    await writeFile(join(folder, 'tokenizer.json'), wordTokenizer());
    await expect(store.ensure(MINILM)).resolves.toMatchObject({ path: folder });
  });

  test('is told of with what can help, and with nothing else', async () => {
    const { hub, store } = await setUp();
    const told = async (name: string, properties?: object, auth?: ModelAuth) => {
      const model = resolveModel(name, properties);
      const error = await store.ensure(model, auth && { auth }).catch((thrown) => thrown);
      return (error as Error).message;
    };
    expect(await told('hf/all-MiniLM-L6-v2')).toMatch(/or run "pelorus models pull hf\/all-MiniLM-L6-v2" where/);
    const described = await told('mine', { type: 'hf', name: 'house/absent', dimensions: 8 });
    expect(described).toMatch(/To provide it, put .*, or map the name to a folder in the file given with --models\.$/);
    for (const name of ['LanguageBind/Audio_FT', 'open_clip/coca_ViT-B-32/laion2b_s13b_b90k']) {
      expect(await told(name)).not.toContain('models pull');
    }
    expect(described).not.toContain('modelAuth');
    hub.token = 'hf_good';
    const auth = { hubToken: 'hf_other', s3: null };
    const clip = { type: 'open_clip', name: 'hf-hub:house/clip', dimensions: 8 };
    for (const properties of [{ type: 'hf', name: 'house/secret', dimensions: 8 }, clip]) {
      const refused = await told('mine', properties, auth);
      expect(refused).toMatch(/answered 401.*may need credentials, or others: they are the modelAuth of a request\./);
      expect(refused).not.toContain('hf_other');
    }
  });

  test('is told of by the name that was asked for, though it failed by another before', async () => {
    const { hub, store } = await setUp();
    const properties = { type: 'hf', name: 'house/absent', dimensions: 8 };
    const pairs = [
      ['alpha', 'beta'].map((name) => resolveModel(name, properties)),
      ['sentence-transformers/all-mpnet-base-v2', 'hf/all-mpnet-base-v2'].map((name) => resolveModel(name)),
    ];
    for (const pair of pairs) {
      const counts = [];
      for (const model of pair) {
        await expect(store.ensure(model)).rejects.toThrow(`Model ${model.name} is not on this machine. Tried: folder`);
        counts.push(hub.requests.length);
      }
      expect(counts[1]).toBe(counts[0]);
    }
  });

  test('is asked for at one repository only when the hub is not there', async () => {
    const { store } = await setUp({ hubUrl: 'http://127.0.0.1:1' });
    const error = await store.ensure(MINILM).catch((thrown) => thrown);
    expect(error.message).toMatch(/hub http:\/\/127\.0\.0\.1:1 \([^,()]*ECONNREFUSED[^,()]*\)/);
  });

  test('is looked for nowhere else when downloads are turned off', async () => {
    const hub = await LoopbackHub.start();
    hub.files.set('/m.zip', { bytes: Buffer.from('never asked for') });
    const home = await temporaryDirectory();
    const mavenCommand = await fakeMaven(home, `fs.writeFileSync(${JSON.stringify(join(home, 'called'))}, '');`);
    const { store } = await setUp({
      hubUrl: null,
      s3Endpoint: hub.url,
      allowedNetworks: ['127.0.0.0/8'],
      mavenCommand,
    });
    const own = { type: 'hf', dimensions: 8 };
    for (const model of [
      MINILM,
      resolveModel('x', { ...own, url: `${hub.url}/m.zip` }),
      resolveModel('x', { ...own, modelLocation: { s3: { Bucket: 'b', Key: 'm.zip' } } }),
      resolveModel('x', { ...own, onnx: { text: { sources: [`${hub.url}/model.onnx`] } } }),
    ]) {
      await expect(store.ensure(model)).rejects.toThrow('downloads (turned off with --hub none)');
    }
    expect([hub.requests, existsSync(join(home, 'called'))]).toEqual([[], false]);
  });

  test('has no ready-made export to fetch, for some names', async () => {
    const { store } = await setUp();
    await expect(store.ensure(resolveModel('hf/ember-v1'))).rejects.toThrow(
      'no ready-made ONNX export of llmrails/ember-v1 is known',
    );
  });

  test('lies in a folder of the operator that is not there', async () => {
    const { store } = await setUp();
    const missing = { ...MINILM, weights: { kind: 'folder', path: '/no/such/folder' } } as const;
    await expect(store.ensure(missing)).rejects.toThrow(
      'Tried: folder /no/such/folder (absent). To provide it, put model.onnx and tokenizer.json into /no/such/folder.',
    );
  });
});

describe('a model at a location of its own', () => {
  const properties = { type: 'hf', dimensions: 8 };
  const allowedNetworks = ['127.0.0.0/8'];

  async function archive(): Promise<Buffer> {
    const path = join(await temporaryDirectory(), 'm.zip');
    await writeZip(path, [
      ['m/model.onnx', encoder()],
      ['m/tokenizer.json', wordTokenizer()],
    ]);
    return readFile(path);
  }

  test('is unpacked from a zip at a URL', async () => {
    const { hub, store } = await setUp({ allowedNetworks });
    hub.files.set('/m.zip?signature=s', { bytes: await archive() });
    const { path } = await store.ensure(resolveModel('x', { ...properties, url: `${hub.url}/m.zip?signature=s` }));
    expect((await readdir(path)).sort()).toEqual(['.verified.json', 'manifest.json', 'model.onnx', 'tokenizer.json']);
    expect(await readFile(join(path, 'manifest.json'), 'utf8')).not.toContain('signature');
  });

  test.each(['m.tar', 'm.tar.gz', 'm.TGZ'])('is unpacked from %s at a URL', async (name) => {
    const { hub, store } = await setUp({ allowedNetworks });
    const packed = tar([
      { name: 'm/model.onnx', bytes: encoder() },
      { name: 'm/tokenizer.json', bytes: wordTokenizer() },
    ]);
    hub.files.set(`/${name}`, { bytes: name.endsWith('.tar') ? packed : gzipSync(packed) });
    const { path } = await store.ensure(resolveModel('x', { ...properties, url: `${hub.url}/${name}` }));
    expect((await readdir(path)).sort()).toEqual(['.verified.json', 'manifest.json', 'model.onnx', 'tokenizer.json']);
  });

  test('is refused at a private address that the operator did not allow', async () => {
    const { hub, store } = await setUp();
    const elsewhere = await LoopbackHub.start();
    elsewhere.files.set('/m.zip', { bytes: await archive() });
    const named = resolveModel('x', { ...properties, url: `${elsewhere.url}/m.zip?signature=secret` });
    const error = await store.ensure(named).catch((thrown) => thrown);
    expect(error.message).toContain(
      '127.0.0.1 is not a public address. If this place is intended, its network has to be among those of --model-download-allowed-networks',
    );
    expect(error.message).not.toContain('secret');
    expect([...elsewhere.requests, ...hub.requests]).toEqual([]);
  });

  test('is fetched from a bucket with a signed request', async () => {
    const s3 = await LoopbackHub.start();
    const { store } = await setUp({ s3Endpoint: s3.url });
    s3.files.set('/models/m.zip', { bytes: await archive() });
    const place = { modelLocation: { s3: { Bucket: 'models', Key: 'm.zip' } } };
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
    await store.ensure(resolveModel('x', { ...properties, ...place }), { auth: { hubToken: null, s3: credentials } });
    expect(s3.requests[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
  });

  test("is fetched from a bucket with the operator's credentials where a request brings none", async () => {
    const s3 = await LoopbackHub.start();
    const own = { accessKeyId: 'AKIDOWN', secretAccessKey: 'own' };
    const { hub, store } = await setUp({ s3Endpoint: s3.url, s3Credentials: own, allowedNetworks });
    const theirs = { accessKeyId: 'AKIDTHEIRS', secretAccessKey: 'theirs' };
    for (const name of ['a', 'b']) s3.files.set(`/models/${name}.zip`, { bytes: await archive() });
    const at = (Key: string) => resolveModel('x', { ...properties, modelLocation: { s3: { Bucket: 'models', Key } } });
    await store.ensure(at('a.zip'));
    await store.ensure(at('b.zip'), { auth: { hubToken: null, s3: theirs } });
    const keys = s3.requests.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]);
    expect(keys).toEqual(['AKIDOWN', 'AKIDTHEIRS']);
    hub.files.set('/m.zip', { bytes: await archive() });
    await store.ensure(resolveModel('x', { ...properties, url: `${hub.url}/m.zip` }));
    expect(hub.requests.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  test('is asked for again in the region that the bucket is in', async () => {
    const zip = await archive();
    const scopes: string[] = [];
    const s3 = createServer((request, response) => {
      const scope = /Credential=[^/]+\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      scopes.push(scope);
      if (scope === 'eu-west-1') response.end(zip);
      else response.writeHead(301, { 'x-amz-bucket-region': 'eu-west-1' }).end('<Error/>');
    });
    await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      s3.close();
    });
    const { store } = await setUp({ s3Endpoint: `http://127.0.0.1:${(s3.address() as AddressInfo).port}` });
    const place = { modelLocation: { s3: { Bucket: 'models', Key: 'm.zip' } } };
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
    await store.ensure(resolveModel('x', { ...properties, ...place }), { auth: { hubToken: null, s3: credentials } });
    expect(scopes).toEqual(['us-east-1', 'eu-west-1']);
  });

  test('is put together from single files', async () => {
    const { hub, store } = await setUp({ allowedNetworks });
    hub.files.set('/model.onnx', { bytes: Buffer.from(encoder()) });
    hub.put('house/encoder', 'tokenizer.json', wordTokenizer());
    const onnx = { text: { sources: [`${hub.url}/model.onnx`] } };
    const { path } = await store.ensure(resolveModel('x', { ...properties, name: 'house/encoder', onnx }));
    expect(existsSync(join(path, 'tokenizer.json'))).toBe(true);
  });

  test('names the one of its files that is not there', async () => {
    const { hub, store } = await setUp({ allowedNetworks });
    hub.files.set('/model.onnx', { bytes: Buffer.from(encoder()) });
    const onnx = { text: { sources: [`${hub.url}/model.onnx`] } };
    const model = resolveModel('x', { ...properties, name: 'house/absent', onnx });
    await expect(store.ensure(model)).rejects.toThrow('(hub house/absent tokenizer.json answered 404)');
  });

  describe('leaves nothing behind when it is refused', () => {
    const refused = async (entries: [string, string | Uint8Array][], config: Partial<InferenceConfig> = {}) => {
      const { hub, modelDir, store } = await setUp({ allowedNetworks, ...config });
      const path = join(await temporaryDirectory(), 'm.zip');
      await writeZip(path, entries);
      hub.files.set('/m.zip', { bytes: await readFile(path) });
      const error = await store
        .ensure(resolveModel('x', { ...properties, url: `${hub.url}/m.zip` }))
        .catch((thrown) => thrown);
      expect([await readdir(modelDir), await readdir(join(modelDir, '.incoming'))]).toEqual([['.incoming'], []]);
      return error.message as string;
    };
    const random = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * i * 31) >> 5));

    test('because it is a bomb', async () => {
      const zeros = Buffer.alloc(30_000_000);
      expect(await refused([['model.onnx', zeros]])).toContain('more than 100 times its size');
    });

    test('because it is too large, as a file or unpacked', async () => {
      expect(await refused([['model.onnx', random]], { modelBytesMax: 1000 })).toContain('larger than the 1000 bytes');
      const shrinking = [['model.onnx', 'ab'.repeat(10_000)]] as [string, string][];
      expect(await refused(shrinking, { modelBytesMax: 10_000 })).toContain('more than the 10000 bytes allowed');
    });

    test('because there is no room for it', async () => {
      expect(await refused([['model.onnx', random]], { incomingBytesMax: 1000 })).toContain('there is no room for');
    });

    test('because it was damaged on the way', async () => {
      const { hub, modelDir, store } = await setUp({ allowedNetworks });
      const bytes = await archive();
      // The sum of the graph stands 16 bytes into the first line of the directory.
      bytes.writeUInt32LE(1, bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1')) + 16);
      hub.files.set('/m.zip', { bytes });
      const named = resolveModel('x', { ...properties, url: `${hub.url}/m.zip` });
      await expect(store.ensure(named)).rejects.toThrow('model.onnx in the archive has CRC-32');
      expect([await readdir(modelDir), await readdir(join(modelDir, '.incoming'))]).toEqual([['.incoming'], []]);
    });

    test('because it is no model', async () => {
      expect(await refused([['model.onnx', encoder()]])).toContain('there is no tokenizer.json in it');
    });
  });

  test('is held to the bound with all its files together', async () => {
    const { hub, modelDir, store } = await setUp({ allowedNetworks, modelBytesMax: 5000 });
    hub.files.set('/tokenizer.json', { bytes: Buffer.alloc(3000) });
    hub.files.set('/model.onnx', { bytes: Buffer.alloc(3000) });
    const sources = ['tokenizer.json', 'model.onnx'].map((name) => `${hub.url}/${name}`);
    const split = resolveModel('x', { ...properties, onnx: { text: { sources } } });
    await expect(store.ensure(split)).rejects.toThrow('larger than the 2000 bytes allowed');
    expect(await readdir(join(modelDir, '.incoming'))).toEqual([]);
  });

  test('is gone on with after a cut, of which only the part of the file was kept', async () => {
    const { hub, modelDir, store } = await setUp({ allowedNetworks });
    const bytes = await archive();
    const model = resolveModel('x', { ...properties, url: `${hub.url}/m.zip` });
    const arrivals = new Arrivals();
    hub.files.set('/m.zip', { bytes, cuts: { afterBytes: 100, times: 1, whenRead: arrivals.next } });
    const onProgress = () => {
      hub.files.set('/m.zip', { bytes, cuts: { afterBytes: 0, times: 9 } });
      arrivals.note();
    };
    await expect(store.ensure(model, { onProgress })).rejects.toThrow('is not on this machine');
    const folder = join(modelDir, '.incoming', basename(store.folderOf(model)));
    expect((await readdir(folder)).sort()).toEqual(['archive.zip.part', 'archive.zip.part.json']);
    hub.files.set('/m.zip', { bytes });
    const again = new ModelStore(inferenceSettings({ modelDir, hubUrl: hub.url, allowedNetworks }));
    onTestFinished(() => again.close());
    await again.ensure(model);
    expect(hub.requests.at(-1)?.headers.range).toMatch(/^bytes=[1-9]\d*-$/);
    expect(await readdir(join(modelDir, '.incoming'))).toEqual([]);
  });

  test('is given up without a trace when the disk does not take it', async () => {
    const { hub, modelDir, store } = await setUp({ allowedNetworks });
    hub.files.set('/m.zip', { bytes: await archive() });
    const model = resolveModel('x', { ...properties, url: `${hub.url}/m.zip` });
    const name = basename(store.folderOf(model));
    await mkdir(join(modelDir, '.incoming', name, 'archive.zip.part'), { recursive: true });
    await expect(store.ensure(model)).rejects.toThrow('archive.zip.part');
    expect(await readdir(join(modelDir, '.incoming'))).toEqual([]);
    expect(hub.requests).toHaveLength(1);
  });

  test('is told of without the secrets in its address', async () => {
    const { hub, modelDir, store } = await setUp({ allowedNetworks });
    const named = resolveModel('x', { ...properties, url: `${hub.url}/m.zip?signature=SECRET` });
    const missing = await store.ensure(named).catch((thrown) => thrown);
    expect(missing.message).toContain(
      `Tried: folder ${store.folderOf(named)} (absent); ${hub.url}/m.zip (answered 404)`,
    );
    const mirrored = new ModelStore(
      inferenceSettings({ modelDir, hubUrl: `${hub.url.replace('//', '//user:SECRET@')}`, mavenCommand: null }),
    );
    onTestFinished(() => mirrored.close());
    const refused = await mirrored.ensure(MINILM).catch((thrown) => thrown);
    expect(refused.message).toContain(`hub ${hub.url}`);
    for (const { message } of [missing, refused]) expect(message).not.toContain('SECRET');
  });

  test('needs both files', async () => {
    const { hub, store } = await setUp({ allowedNetworks });
    hub.files.set('/model.onnx', { bytes: Buffer.from(encoder()) });
    const onnx = { text: { sources: [`${hub.url}/model.onnx`] } };
    await expect(store.ensure(resolveModel('x', { ...properties, onnx }))).rejects.toThrow(
      'there is no tokenizer.json',
    );
  });
});
