import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sha256OfFile } from '../../src/folder/manifest.js';
import { Fetcher } from '../../src/outbound/fetcher.js';
import { OutboundPolicy } from '../../src/outbound/outbound-policy.js';
import type { FetchContext } from '../../src/sources/fetch-context.js';
import { fillFromMaven } from '../../src/sources/maven.js';
import { type MavenArtifact, mavenArtifact } from '../../src/sources/maven-artifacts.js';
import { NO_AUTH } from '../../src/sources/model-auth.js';
import type { ModelProgress } from '../../src/sources/progress.js';
import { fakeMaven } from '../fake-maven.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { writeZip } from '../zip-file.js';

/** An artifact whose jar a fake Maven brings. */
async function setUp(entries: readonly (readonly [string, string])[], script?: string) {
  const home = await temporaryDirectory();
  const jar = join(home, 'made.jar');
  await writeZip(jar, entries);
  const artifact: MavenArtifact = {
    coordinates: 'org.example:tiny-model:1.0',
    sha256: await sha256OfFile(jar),
    bytes: 100,
    graph: 'tiny.onnx',
    tokenizer: 'tiny-tokenizer.json',
  };
  const command = await fakeMaven(home, script ?? `fs.copyFileSync(${JSON.stringify(jar)}, jar);`);
  const progress: ModelProgress[] = [];
  const folder = join(home, 'folder with a blank');
  await mkdir(folder);
  const fetcher = new Fetcher(new OutboundPolicy({}));
  onTestFinished(() => fetcher.close());
  const context: FetchContext = {
    model: 'tiny',
    modalities: ['text'],
    folder,
    fetcher,
    auth: NO_AUTH,
    hubUrl: 'http://127.0.0.1:1',
    s3: { endpoint: '', region: '' },
    bytesMax: 10_000,
    makeRoom: async () => undefined,
    onProgress: (told) => progress.push(told),
    signal: undefined,
  };
  return { jar, artifact, command, context, folder, progress };
}

const WHOLE = [
  ['tiny.onnx', 'graph'],
  ['tiny-tokenizer.json', 'tokenizer'],
  ['META-INF/MANIFEST.MF', 'manifest'],
] as const;

test('the two files are taken out of the jar, and nothing else stays', async () => {
  const { artifact, command, context, folder, progress } = await setUp(WHOLE);
  const { files, provenance } = await fillFromMaven(context, artifact, command);
  expect([...files].sort()).toEqual(['model.onnx', 'tokenizer.json']);
  expect((await readdir(folder)).sort()).toEqual(['model.onnx', 'tokenizer.json']);
  expect(await readFile(join(folder, 'model.onnx'), 'utf8')).toBe('graph');
  expect(provenance).toEqual({ source: 'maven org.example:tiny-model:1.0' });
  expect(progress.map(({ file, receivedBytes, totalBytes }) => [file, receivedBytes, totalBytes])).toEqual([
    ['tiny-model-1.0.jar', 0, 100],
    ['tiny-model-1.0.jar', 100, 100],
  ]);
});

describe('a failure is told', () => {
  test('a command that is not there', async () => {
    const { artifact, context } = await setUp(WHOLE);
    await expect(fillFromMaven(context, artifact, 'no-such-maven')).rejects.toMatchObject({
      message: 'the command no-such-maven was not found',
      isUnreachable: true,
    });
  });

  test('a command that fails, with its own first error', async () => {
    const script = `console.log('[INFO] x\\n\\u001b[31m[ERROR]\\u001b[0m Could not resolve'); process.exit(1);`;
    const { artifact, command, context } = await setUp(WHOLE, script);
    await expect(fillFromMaven(context, artifact, command)).rejects.toThrow(
      /fake-maven\S* failed with exit code 1: Could not resolve$/,
    );
  });

  test('a command that fails at an address, without the secrets in it', async () => {
    const script = `console.log('[ERROR] no https://user:SECRET@mirror.example/repo?key=SECRET: 401'); process.exit(1);`;
    const { artifact, command, context } = await setUp(WHOLE, script);
    const error = await fillFromMaven(context, artifact, command).catch((thrown) => thrown);
    expect(error.message).toMatch(/ 1: no https:\/\/mirror\.example\/repo 401$/);
  });

  test('a command that brings nothing', async () => {
    const { artifact, command, context } = await setUp(WHOLE, '');
    await expect(fillFromMaven(context, artifact, command)).rejects.toThrow(
      'succeeded but brought no tiny-model-1.0.jar',
    );
  });

  test('a jar that is not the pinned one', async () => {
    const { artifact, command, context, folder } = await setUp(WHOLE);
    const other = { ...artifact, sha256: '0'.repeat(64) };
    await expect(fillFromMaven(context, other, command)).rejects.toThrow(
      `tiny-model-1.0.jar has sha256 ${artifact.sha256}, expected ${other.sha256}`,
    );
    expect(await readdir(folder)).not.toContain('model.onnx');
  });

  test('a jar without the model', async () => {
    const { artifact, command, context } = await setUp([['tiny.onnx', 'graph']]);
    await expect(fillFromMaven(context, artifact, command)).rejects.toThrow('lacks tiny.onnx or tiny-tokenizer.json');
  });
});

test('a run that was broken off is begun anew', async () => {
  const { jar, artifact, command, context, folder } = await setUp(WHOLE);
  await mkdir(join(folder, 'maven'));
  await copyFile(jar, join(folder, 'maven', 'half.jar'));
  await expect(fillFromMaven(context, artifact, command)).resolves.toBeDefined();
});

test('three models have a pinned artifact', () => {
  const repos = ['sentence-transformers/all-MiniLM-L6-v2', 'intfloat/e5-small-v2', 'BAAI/bge-small-en-v1.5'];
  expect(repos.map((repo) => mavenArtifact(repo)?.sha256.length)).toEqual([64, 64, 64]);
  expect(mavenArtifact('intfloat/e5-base-v2')).toBeUndefined();
  expect(mavenArtifact('toString')).toBeUndefined();
});
