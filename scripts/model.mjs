import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { fromRoot, NODE, STATE } from './paths.mjs';
import { step } from './progress.mjs';
import { readStamp, writeStamp } from './stamp.mjs';

const STAMP = join(STATE, 'model.json');

/** The model of the sample catalogue and of the tests. */
export const MODEL = 'hf/all-MiniLM-L6-v2';

/**
 * Brings the default model by the first way that works. A model that cannot be had does not stop the
 * set-up: the server then starts all the same, and calls that need it say what is missing.
 */
export function ensureModel() {
  return step('model', {
    isCurrent: isComplete,
    doing: `looking for ${MODEL}`,
    work: async () => {
      let folder;
      const args = [fromRoot('packages', 'cli', 'dist', 'main.js'), 'models', 'pull', MODEL];
      const exitCode = await run(NODE, args, {
        onLine: (line) => {
          folder = line;
        },
      });
      if (exitCode !== 0) return 'not found, going on without it';
      writeStamp(STAMP, JSON.stringify({ model: MODEL, where: modelDir(), folder }));
      return `${MODEL} is here`;
    },
  });
}

/** The folder of that model, or null where set-up has none. */
export function modelFolder() {
  return isComplete() ? JSON.parse(readStamp(STAMP)).folder : null;
}

/** The variables that decide where models are kept; the command reads the same ones. */
function modelDir() {
  return `${process.env.PELORUS_MODEL_DIR ?? ''} ${process.env.XDG_CACHE_HOME ?? ''}`;
}

/** Tells whether the folder found last time still holds files of the sizes that its manifest lists. */
function isComplete() {
  try {
    const { model, where, folder } = JSON.parse(readStamp(STAMP));
    if (model !== MODEL || where !== modelDir()) return false;
    const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    return Object.entries(files).every(([name, { bytes }]) => sizeOf(join(folder, name)) === bytes);
  } catch {
    return false;
  }
}

function sizeOf(file) {
  return existsSync(file) ? statSync(file).size : -1;
}
