import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../command.mjs';
import { SetupFailure } from '../failure.mjs';
import { MODEL, modelFolder } from '../model.mjs';
import { fromRoot, NODE, STATE } from '../paths.mjs';

/** The model of `npm start`, as a package: the files of one Java artifact, which the registry of models pins. */
export const DEFAULT_MODEL = {
  name: MODEL,
  package: '@pelorus/model-all-minilm-l6-v2',
  version: '1',
  license: 'Apache-2.0',
  files: {
    'model.onnx': '759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e',
    'tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
  },
};

/** No hub: it may have another export of the same model. */
const NO_HUB = 'http://127.0.0.1:9';

/**
 * The files of the default model: those of set-up where they are the pinned ones, and else fetched for the purpose.
 *
 * @returns {Promise<{ folder: string, files: string[], source: string }>}
 */
export async function modelFiles() {
  const known = modelFolder();
  const folder = known !== null && isPinned(known) ? known : await fetchPinned();
  const { source } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return { folder, files: ['manifest.json', ...Object.keys(DEFAULT_MODEL.files)], source };
}

async function fetchPinned() {
  const lines = [];
  const models = ['--model-dir', join(STATE, 'released-models'), '--hub', NO_HUB];
  const args = [fromRoot('packages', 'cli', 'dist', 'main.js'), 'models', 'pull', MODEL, ...models];
  const exitCode = await run(NODE, args, { onLine: (line) => lines.push(line), isShown: false });
  const folder = lines.at(-1);
  if (exitCode === 0 && folder !== undefined && isPinned(folder)) return folder;
  throw new SetupFailure(`${MODEL} could not be had with the hashes that scripts/release/model-files.mjs pins.`);
}

function isPinned(folder) {
  const sha256 = (name) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  try {
    return Object.entries(DEFAULT_MODEL.files).every(([name, expected]) => sha256(name) === expected);
  } catch {
    return false;
  }
}
