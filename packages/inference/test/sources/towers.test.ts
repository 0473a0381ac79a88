import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inferenceSettings } from '../../src/config.js';
import { ensureModel, localModels } from '../../src/local-models.js';
import { resolveModel } from '../../src/registry/resolve.js';
import { ModelStore } from '../../src/sources/model-store.js';
import { LoopbackHub } from '../loopback-hub.js';
import { encoder, external, graph, model, wordTokenizer } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { writeZip } from '../zip-file.js';

const FASHION = 'Marqo/marqo-fashionSigLIP';
const VIT_H = 'onnx32/open_clip/ViT-H-14/laion2b_s32b_b79k';
const TENSORS = model(graph({ nodes: [], initializers: [external('w', [2], 'weights.bin')] }));

async function setUp() {
  const hub = await LoopbackHub.start();
  const config = { modelDir: await temporaryDirectory(), hubUrl: hub.url, mavenCommand: null };
  const store = new ModelStore(inferenceSettings(config));
  onTestFinished(() => store.close());
  return { hub, config, store };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

const zipped = async (entries: Parameters<typeof writeZip>[1]) => {
  const path = join(await temporaryDirectory(), 'model.zip');
  await writeZip(path, entries);
  return readFile(path);
};

test('the towers of a joint model come from the hub with their tensors, each into its folder', async () => {
  const { hub, config } = await setUp();
  hub.put('timm/ViT-B-16-SigLIP', 'tokenizer.json', wordTokenizer());
  hub.put(FASHION, 'onnx/text_model.onnx', encoder());
  hub.put(FASHION, 'onnx/vision_model.onnx', TENSORS);
  hub.put(FASHION, 'onnx/weights.bin', 'tensors');
  const folder = await ensureModel(FASHION, undefined, config);
  expect(folder).toBe(join(config.modelDir, 'open_clip--Marqo--marqo-fashionSigLIP'));
  const files = ['image/model.onnx', 'image/weights.bin', 'manifest.json', 'text/model.onnx', 'tokenizer.json'];
  expect(await filesIn(folder ?? '')).toEqual(files);
  const listed = await localModels(config);
  expect(listed.filter((one) => one.folder !== null)).toEqual([{ name: FASHION, folder }]);
});

test('an export without one of the towers is passed over for the next', async () => {
  const { hub, store } = await setUp();
  hub.put('openai/clip-vit-base-patch32', 'tokenizer.json', wordTokenizer());
  hub.put('Marqo/onnx-open_clip-RN50', 'onnx32-open_clip-RN50-openai-textual.onnx', encoder());
  hub.put('immich-app/RN50__openai', 'textual/tokenizer.json', wordTokenizer());
  hub.put('immich-app/RN50__openai', 'textual/model.onnx', encoder());
  hub.put('immich-app/RN50__openai', 'visual/model.onnx', encoder());
  expect(await store.ensure(resolveModel('RN50'))).toMatchObject({ unitLength: true });
});

test('a tower may come as an archive that names its graph and tensors as it likes', async () => {
  const { hub, store } = await setUp();
  const stem = 'onnx32-open_clip-ViT-H-14-laion2b_s32b_b79k';
  hub.put('openai/clip-vit-base-patch32', 'tokenizer.json', wordTokenizer());
  hub.put('Marqo/onnx-open_clip-ViT-H-14', `${stem}-textual.onnx`, encoder());
  const entries = [
    ['v/visual.onnx', TENSORS],
    ['v/weights.bin', 'tensors'],
    ['v/README.md', 'about'],
  ] as const;
  hub.put('Marqo/onnx-open_clip-ViT-H-14', `${stem}-visual.zip`, await zipped(entries));
  const { path } = await store.ensure(resolveModel(VIT_H));
  expect(await filesIn(path)).toEqual(
    expect.arrayContaining(['image/model.onnx', 'image/weights.bin', 'text/model.onnx']),
  );
});

test('one archive holds a whole joint model, a folder for each tower', async () => {
  const { hub, store } = await setUp();
  const modelLocation = { hf: { repoId: 'a/b', filename: 'm.zip' } };
  const mine = resolveModel('mine', { type: 'open_clip', name: 'mine', dimensions: 8, modelLocation });
  const text = ['m/text/model.onnx', encoder()] as const;
  const rest = [
    ['m/image/model.onnx', encoder()],
    ['m/tokenizer.json', wordTokenizer()],
  ] as const;
  hub.put('a/b', 'm.zip', await zipped(rest));
  await expect(store.ensure(mine)).rejects.toThrow('there is no text/model.onnx in it');
  hub.put('a/b', 'm.zip', await zipped([text, ...rest]));
  const again = resolveModel('mine', {
    ...mine.properties,
    modelLocation: { hf: { repoId: 'a/b', filename: 'm.zip' } },
  });
  const other = new ModelStore(
    inferenceSettings({ modelDir: await temporaryDirectory(), hubUrl: hub.url, mavenCommand: null }),
  );
  onTestFinished(() => other.close());
  const { path } = await other.ensure(again);
  expect(await filesIn(path)).toEqual(['image/model.onnx', 'manifest.json', 'text/model.onnx', 'tokenizer.json']);
});

test('archives of LanguageBind bring a tower each, and one of them that of texts', async () => {
  const { hub, store } = await setUp();
  const location = (filename: string) => ({ hf: { repoId: 'a/b', filename } });
  const modelLocation = { image: location('i.zip'), audio: location('a.zip'), tokenizer: location('t.zip') };
  const supportedModalities = ['text', 'image', 'audio'];
  hub.put(
    'a/b',
    'i.zip',
    await zipped([
      ['text/model.onnx', encoder()],
      ['image/model.onnx', encoder()],
    ]),
  );
  hub.put('a/b', 'a.zip', await zipped([['model.onnx', encoder()]]));
  hub.put('a/b', 't.zip', await zipped([['tokenizer.json', wordTokenizer()]]));
  const { path } = await store.ensure(
    resolveModel('b', { type: 'languagebind', dimensions: 8, supportedModalities, modelLocation }),
  );
  const files = ['audio/model.onnx', 'image/model.onnx', 'manifest.json', 'text/model.onnx', 'tokenizer.json'];
  expect(await filesIn(path)).toEqual(files);
});

/** A repository that the registry does not know, with graphs, and what its publisher says of its texts. */
function publishUnknown(hub: LoopbackHub, text_cfg: object | null) {
  hub.put('some/clip', 'text/model.onnx', encoder());
  hub.put('some/clip', 'image/model.onnx', encoder());
  if (text_cfg !== null) hub.put('some/clip', 'open_clip_config.json', JSON.stringify({ model_cfg: { text_cfg } }));
  return resolveModel('mine', { type: 'open_clip', name: 'hf-hub:some/clip', dimensions: 8 });
}

const tokenizerIn = (folder: string) => readFile(join(folder, 'tokenizer.json'), 'utf8');

test.each([
  ['the repository that its publisher names', 'house/tokens', { hf_tokenizer_name: 'house/tokens' }],
  ['CLIP where its publisher names none', 'openai/clip-vit-base-patch32', { context_length: 77 }],
])('a tokenizer that is not beside the graphs comes from %s', async (_, repo, text) => {
  const { hub, store } = await setUp();
  const model = publishUnknown(hub, text);
  const theirs = wordTokenizer('w0');
  hub.put(repo, 'tokenizer.json', theirs);
  const { path } = await store.ensure(model, { auth: { hubToken: 'hf_secret', s3: null } });
  expect(await tokenizerIn(path)).toBe(theirs);
  expect(hub.paths().filter((path) => path.endsWith('open_clip_config.json'))).toHaveLength(1);
});

/** A joint model whose graphs lie on a server of one's own. */
async function ownGraphs(more: readonly string[] = []) {
  const { hub, config } = await setUp();
  const allowed = { ...config, allowedNetworks: ['127.0.0.0/8'] };
  const store = new ModelStore(inferenceSettings(allowed));
  onTestFinished(() => store.close());
  const sources = (name: string) => [`${hub.url}/${name}/model.onnx`];
  const onnx = {
    text: { sources: [...sources('t'), ...more.map((path) => hub.url + path)] },
    image: { sources: sources('i') },
  };
  for (const name of ['t', 'i']) hub.files.set(`/${name}/model.onnx`, { bytes: Buffer.from(encoder()) });
  return { hub, store, model: resolveModel('mine', { type: 'open_clip', name: 'mine', dimensions: 8, onnx }) };
}

test('a tokenizer among the sources of a graph is the only one that is fetched', async () => {
  const { hub, store, model } = await ownGraphs(['/g/tokenizer.json']);
  hub.files.set('/g/tokenizer.json', { bytes: Buffer.from(wordTokenizer('w0')) });
  const { path } = await store.ensure(model);
  expect(await tokenizerIn(path)).toBe(wordTokenizer('w0'));
  expect(hub.paths().sort()).toEqual(['/g/tokenizer.json', '/i/model.onnx', '/t/model.onnx']);
});

test('the file that was not there is named', async () => {
  const { hub, store, model } = await ownGraphs();
  const tokenizer = 'hub openai/clip-vit-base-patch32 tokenizer.json';
  await expect(store.ensure(model)).rejects.toThrow(`(${tokenizer} answered 404)`);
  const brought = await ownGraphs(['/g/tokenizer.json']);
  await expect(brought.store.ensure(brought.model)).rejects.toThrow(
    `(${brought.hub.url}/g/tokenizer.json answered 404)`,
  );
  expect(hub.requests).toHaveLength(1);
});

test.each([
  ['goes to a place that asks for it', { auth_required: true }, 'Bearer hf_secret'],
  ['does not go to a place that does not', {}, undefined],
])('a token %s', async (_, asks, sent) => {
  const { hub, store } = await setUp();
  publishUnknown(hub, null);
  hub.put('some/clip', 'tokenizer.json', wordTokenizer());
  const modelLocation = { hf: { repo_id: 'some/clip' }, ...asks };
  const model = resolveModel('mine', { type: 'open_clip', name: 'x', dimensions: 8, modelLocation });
  const auth = { hubToken: 'hf_secret', s3: null };
  await store.ensure(model, { auth });
  expect(new Set(hub.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([sent]));
  hub.token = 'hf_other';
  const other = { ...modelLocation, hf: { repo_id: 'other/clip' } };
  const refused = store.ensure(resolveModel('mine', { ...model.properties, modelLocation: other }), { auth });
  const advice = 'they are the modelAuth of a request';
  await expect(refused).rejects.toThrow(
    sent === undefined ? `${advice}, which goes to a model_location with auth_required true.` : `${advice}.`,
  );
});

test('a tokenizer beside the graphs is preferred to the one that is named', async () => {
  const { hub, store } = await setUp();
  const model = publishUnknown(hub, { hf_tokenizer_name: 'house/tokens' });
  hub.put('house/tokens', 'tokenizer.json', wordTokenizer('w0'));
  hub.put('some/clip', 'tokenizer.json', wordTokenizer());
  const { path } = await store.ensure(model);
  expect(await tokenizerIn(path)).toBe(wordTokenizer());
  expect(hub.paths()).not.toContain('/house/tokens/resolve/main/tokenizer.json');
});

test('models that differ in their tokenizer alone have a folder each', async () => {
  const { hub, config, store } = await setUp();
  const place = { type: 'open_clip', name: 'x', dimensions: 8, modelLocation: { hf: { repo_id: 'some/clip' } } };
  publishUnknown(hub, null);
  hub.put('some/clip', 'tokenizer.json', wordTokenizer());
  hub.put('house/tokens', 'tokenizer.json', wordTokenizer('w0'));
  const theirs = await store.ensure(resolveModel('mine', place));
  const other = await store.ensure(resolveModel('mine', { ...place, tokenizer: 'house/tokens' }));
  expect(theirs.path).toBe(join(config.modelDir, 'open_clip--some--clip'));
  expect(basename(other.path)).toMatch(/^open_clip--some--clip@[0-9a-f]{16}$/);
  expect([await tokenizerIn(theirs.path), await tokenizerIn(other.path)]).toEqual([
    wordTokenizer(),
    wordTokenizer('w0'),
  ]);
});

test.each(['../../etc/passwd', 'http://127.0.0.1:9/x', 'a/b/c', 'a/..', ''])(
  'a tokenizer is not fetched by the name %j, which is of no repository',
  async (name) => {
    const { hub, store } = await setUp();
    const model = publishUnknown(hub, { hf_tokenizer_name: name });
    await expect(store.ensure(model)).rejects.toThrow(
      `hf_tokenizer_name of open_clip_config.json is not the name of a hub repository`,
    );
    expect(hub.paths().filter((path) => !path.startsWith('/some/clip/'))).toEqual([]);
  },
);

test('a repository without a tokenizer, and without a word on it, is no model', async () => {
  const { hub, store } = await setUp();
  await expect(store.ensure(publishUnknown(hub, null))).rejects.toThrow('(hub some/clip tokenizer.json answered 404, ');
});

test('a tokenizer that is said to be elsewhere and is not there is named', async () => {
  const { hub, store } = await setUp();
  const model = publishUnknown(hub, { hf_tokenizer_name: 'house/tokens' });
  await expect(store.ensure(model)).rejects.toThrow(
    'hub some/clip has no tokenizer of its own, and hub house/tokens tokenizer.json answered 404',
  );
});

test.each(['LanguageBind/Audio_FT', 'open_clip/EVA02-B-16/merged2b_s8b_b131k'])(
  '%s, of which no export is known, is not asked for',
  async (name) => {
    const { hub, store } = await setUp();
    await expect(store.ensure(resolveModel(name))).rejects.toThrow('no ready-made ONNX export');
    expect(hub.requests).toEqual([]);
  },
);

test('a name without a known export says what to put where', async () => {
  const { config, store } = await setUp();
  const folder = join(config.modelDir, 'languagebind--LanguageBind--Audio_FT');
  await expect(store.ensure(resolveModel('LanguageBind/Audio_FT'))).rejects.toThrow(
    `no ready-made ONNX export of LanguageBind/Audio_FT is known). To provide it, put text/model.onnx, audio/model.onnx and tokenizer.json into ${folder}`,
  );
});
