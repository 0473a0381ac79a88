import { existsSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { mustRun } from './command.mjs';
import { fromRoot, NODE, STATE } from './paths.mjs';
import { step } from './progress.mjs';
import { fingerprint, readStamp, writeStamp } from './stamp.mjs';

const STAMP = join(STATE, 'typescript.stamp');
const INPUTS = ['tsconfig.json', 'package-lock.json', 'packages', 'bindings', 'bench'];
const SOURCES = new Set(['.ts', '.tsx', '.mts']);

/** Data beside the sources is compiled into the packages as well. */
const isData = (file) => extname(file) === '.json' && file.includes('/src/');
const isBuildInput = (file) => SOURCES.has(extname(file)) || isData(file) || basename(file) === 'tsconfig.json';

/** Every TypeScript project of the repository, in the order of their references. */
export function ensureTypeScript() {
  const wanted = fingerprint(INPUTS, isBuildInput);
  return step('TypeScript', {
    isCurrent: () => existsSync(fromRoot('packages', 'cli', 'dist', 'main.js')) && readStamp(STAMP) === wanted,
    doing: 'compiling with tsc -b',
    work: async () => {
      await mustRun(NODE, [fromRoot('node_modules', 'typescript', 'bin', 'tsc'), '-b']);
      writeStamp(STAMP, wanted);
      return 'compiled';
    },
  });
}
