import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig, settings } from '../src/config.js';
import { IGNORED_MARQO_VARIABLES, ignoredMarqoVariables } from '../src/ignored-marqo-variables.js';

test('without anything set the defaults hold', () => {
  expect(readConfig()).toMatchObject({
    host: '127.0.0.1',
    port: 8882,
    documentsPerBatchMax: 128,
    documentBytesMax: 100_000,
    retrievableDocumentsMax: 10_000,
    searchLimitMax: 1000,
    searchOffsetMax: 10_000,
    efSearchDefault: 2000,
    lockTimeoutSeconds: 5,
  });
});

test('the environment names that operators know are honoured, and a flag wins over them', () => {
  const env = { MARQO_MAX_SEARCH_LIMIT: '50', MARQO_LOG_LEVEL: 'WARNING' };
  expect(readConfig(env)).toMatchObject({ searchLimitMax: 50, logLevel: 'warn' });
  expect(readConfig(env, { 'max-search-limit': '70' })).toMatchObject({ searchLimitMax: 70 });
});

test('an empty document size means no limit, an empty number elsewhere means unset', () => {
  const config = readConfig({ MARQO_MAX_DOC_BYTES: '', MARQO_MAX_SEARCH_LIMIT: ' ' });
  expect(config.documentBytesMax).toBeNull();
  expect(config.searchLimitMax).toBe(1000);
});

test.each([
  ['1073741824', 2 ** 30],
  ['1GiB', 2 ** 30],
  ['1.5 GiB', 1.5 * 2 ** 30],
  ['512MIB', 2 ** 29],
  ['2GB', 2e9],
  ['', null],
])('a memory of %j is %d bytes', (text, bytes) => {
  expect(readConfig({ PELORUS_MAX_MEMORY: text }).maxMemory).toBe(bytes);
  expect(readConfig({ PELORUS_MAX_CODE_MEMORY: text }).codeMemoryMax).toBe(bytes);
});

test.each(['127MiB', '1', '1G', '-1GiB', '1e9', 'much', '99999999999TiB'])('a memory of %j cannot be used', (text) => {
  expect(() => readConfig({}, { 'max-memory': text })).toThrow('--max-memory is');
});

describe('a value that cannot be used fails at start with one line that names the setting', () => {
  test.each([
    [{ MARQO_MAX_SEARCH_LIMIT: 'ten' }, 'MARQO_MAX_SEARCH_LIMIT is "ten", but must be an integer of at least 1'],
    [
      { MARQO_MAX_DOC_BYTES: '-1' },
      'MARQO_MAX_DOC_BYTES is "-1", but must be an integer of at least 1, or empty for no limit',
    ],
    [{ PELORUS_PORT: '70000' }, 'PELORUS_PORT is "70000", but must be an integer from 0 to 65535'],
    [{ MARQO_MAX_SEARCH_OFFSET: '1.5' }, 'MARQO_MAX_SEARCH_OFFSET is "1.5", but must be an integer of at least 0'],
  ])('%j', (env, message) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(message);
  });

  test('without the secrets of URLs', () => {
    expect(() => readConfig({ PELORUS_HUB: 'ftp://user:SECRET@hub?SECRET' })).toThrow('is "ftp://hub/", but');
  });

  test('a flag is named as a flag', () => {
    expect(() => readConfig({}, { port: 'x' })).toThrow('--port is "x"');
  });
});

test('no two settings share a name', () => {
  const all = Object.values(settings);
  expect(new Set(all.map(({ env }) => env)).size).toBe(all.length);
  expect(new Set(all.map(({ flag }) => flag)).size).toBe(all.length);
});

test('a batch of the model is as large as is asked for', () => {
  expect(readConfig({}).vectoriseBatchMax).toBeNull();
  expect(readConfig({ MARQO_MAX_VECTORISE_BATCH_SIZE: '16' }).vectoriseBatchMax).toBe(16);
  for (const wrong of ['0', '-1', '1.5', 'many']) {
    const read = () => readConfig({ MARQO_MAX_VECTORISE_BATCH_SIZE: wrong });
    expect(read, wrong).toThrow(`MARQO_MAX_VECTORISE_BATCH_SIZE is "${wrong}", but must be an integer of at least 1`);
  }
});

test('variables that change nothing are told of when they are set, and no setting is among them', () => {
  expect(ignoredMarqoVariables({ MARQO_LOG_FORMAT: '', MARQO_LOG_LEVEL: 'info' })).toEqual([]);
  expect(ignoredMarqoVariables({ MARQO_LOG_FORMAT: 'plain' })).toEqual([
    'MARQO_LOG_FORMAT is set and changes nothing: lines of the log are JSON, but on a terminal for people',
  ]);
  const read = new Set(Object.values(settings).map(({ env }) => env));
  expect(Object.keys(IGNORED_MARQO_VARIABLES).filter((name) => read.has(name))).toEqual([]);
});

test('the cache of query vectors is as large and of the kind that is asked for', () => {
  expect(readConfig({})).toMatchObject({ inferenceCacheSize: null, inferenceCacheType: 'lru' });
  const asked = { MARQO_INFERENCE_CACHE_SIZE: '500', MARQO_INFERENCE_CACHE_TYPE: 'LFU' };
  expect(readConfig(asked)).toMatchObject({ inferenceCacheSize: 500, inferenceCacheType: 'lfu' });
  for (const wrong of ['-1', '1.5', 'many']) {
    expect(() => readConfig({ MARQO_INFERENCE_CACHE_SIZE: wrong }), wrong).toThrow('an integer of at least 0');
  }
  expect(() => readConfig({ MARQO_INFERENCE_CACHE_TYPE: 'FIFO' })).toThrow('one of lru, lfu');
});

test('hosts and origins are lists, read as browsers spell them', () => {
  const read = (env: Record<string, string>) => readConfig(env);
  expect(read({})).toMatchObject({ allowedHosts: null, allowedOrigins: null });
  expect(read({ PELORUS_ALLOWED_HOSTS: ' ', PELORUS_ALLOWED_ORIGINS: '' })).toMatchObject({
    allowedHosts: null,
    allowedOrigins: null,
  });
  expect(read({ PELORUS_ALLOWED_HOSTS: 'Search.Example., *' }).allowedHosts).toEqual(['search.example', '*']);
  expect(read({ PELORUS_ALLOWED_ORIGINS: 'HTTPS://Shop.Example:443/,http://localhost:3000' }).allowedOrigins).toEqual([
    'https://shop.example',
    'http://localhost:3000',
  ]);
  for (const wrong of ['a:80', 'http://a', 'a,,b', '*.a', 'a b']) {
    expect(() => read({ PELORUS_ALLOWED_HOSTS: wrong }), wrong).toThrow('host names without a port');
  }
  for (const wrong of [
    '*',
    'null',
    'shop.example',
    'https://a/b',
    'https://u:p@a',
    'https://a?b',
    'ftp://a',
    'https://',
  ]) {
    expect(() => read({ PELORUS_ALLOWED_ORIGINS: wrong }), wrong).toThrow('such as https://shop.example');
  }
});

test.each([
  ['media', 'MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS', 'mediaNetworks'],
  ['models', 'PELORUS_MODEL_DOWNLOAD_ALLOWED_NETWORKS', 'modelNetworks'],
] as const)('networks that %s may come from are named by addresses and prefix lengths', (_, name, member) => {
  const read = (networks: string) => readConfig({ [name]: networks })[member];
  expect(readConfig()[member]).toBeNull();
  expect(read('10.1.0.0/16, fd00::/8,::1/128')).toEqual(['10.1.0.0/16', 'fd00::/8', '::1/128']);
  for (const wrong of ['10.1.0.0', '10.1.0.0/33', 'fd00::/129', 'minio/8', '10.1.0.0/16;::1/128', '10.1.0.0/']) {
    expect(() => read(wrong), wrong).toThrow('but must be networks such as 10.1.0.0/16');
  }
});

test('buckets of models are in the region of Amazon that is named, or wherever an address says', () => {
  expect(readConfig()).toMatchObject({ s3Endpoint: '', s3Region: 'us-east-1' });
  const env = { PELORUS_S3_ENDPOINT: 'http://minio:9000', PELORUS_S3_REGION: 'eu-west-1' };
  expect(readConfig(env)).toMatchObject({ s3Endpoint: 'http://minio:9000', s3Region: 'eu-west-1' });
  expect(() => readConfig({ PELORUS_S3_ENDPOINT: 'minio:9000' })).toThrow('an http or https address');
  for (const wrong of ['eu west', 'EU-WEST-1', 'a.b', 'x/../y']) {
    expect(() => readConfig({ PELORUS_S3_REGION: wrong }), wrong).toThrow('the name of a region such as eu-west-1');
  }
});

test('patch methods whose models are loaded at start go by all their names', () => {
  const read = (value: string) => readConfig({ MARQO_PATCH_MODELS_TO_PRELOAD: value }).patchPreloads;
  expect(readConfig().patchPreloads).toBe('');
  expect(read('')).toEqual([]);
  expect(read('["simple", "overlap"]')).toEqual([]);
  expect(read('["fastercnn", "frcnn", "yolox", "marqo-yolo"]')).toEqual(['frcnn', 'marqo-yolo']);
  expect(read('["dino/v2", "dino-v1", "dino-v2", "dino/v1"]')).toEqual(['dino-v2', 'dino-v1']);
  for (const wrong of [
    'frcnn',
    '"frcnn"',
    '{}',
    '["frcnn", "sam"]',
    '["FRCNN"]',
    '[null]',
    '[["frcnn"]]',
    '["toString"]',
  ]) {
    expect(() => read(wrong), wrong).toThrow(
      'but must be a JSON array of names out of simple, overlap, fastercnn, frcnn, marqo-yolo, yolox, dino-v1, dino-v2, dino/v1, dino/v2',
    );
  }
});

test('models to load at start are names or names with properties', () => {
  const read = (value: string) => readConfig({ MARQO_MODELS_TO_PRELOAD: value }).preloads;
  const own = { model: 'house', modelProperties: { dimensions: 3 } };
  expect(readConfig().preloads).toBe('');
  expect(read('')).toEqual([]);
  expect(read('[]')).toEqual([]);
  expect(read(JSON.stringify(['hf/e5-base-v2', own]))).toEqual([{ model: 'hf/e5-base-v2' }, own]);
  for (const wrong of ['hf/e5-base-v2', '{}', '[1]', '[null]', '[{"model":"a"}]', '[{"modelProperties":{}}]']) {
    expect(() => read(wrong)).toThrow('MARQO_MODELS_TO_PRELOAD');
  }
});

test('backups that are to be made by themselves need a place', () => {
  const flags = { 'backup-every': '24h' };
  expect(() => readConfig({}, flags)).toThrow('--backup-every is set, but no place of backups is named');
  expect(readConfig({ PELORUS_BACKUP_TO: '/a' }, flags)).toMatchObject({ backupEverySeconds: 86_400, backupTo: '/a' });
});

test('a precision of our encoders needs one of them', () => {
  const flags = { 'encoder-precision': 'bf16' };
  expect(readConfig({}, { ...flags, encoder: 'auto' })).toMatchObject({ encoder: 'auto', encoderPrecision: 'bf16' });
  expect(readConfig({}, { 'encoder-precision': 'int8', encoder: 'auto' }).encoderPrecision).toBe('int8');
  expect(readConfig({}, flags)).toMatchObject({ encoder: 'auto', encoderPrecision: 'bf16' });
  const theirs = { ...flags, encoder: 'onnxruntime' };
  expect(() => readConfig({}, theirs)).toThrow(ConfigError);
  expect(() => readConfig({ PELORUS_ENCODER_PRECISION: 'bf16', PELORUS_ENCODER: 'onnxruntime' })).toThrow(
    'set --encoder to auto',
  );
  expect(() => readConfig({}, { 'encoder-precision': 'fp8' })).toThrow('f32');
});
