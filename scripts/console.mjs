import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { mustRun } from './command.mjs';
import { fromRoot, NODE, STATE } from './paths.mjs';
import { step } from './progress.mjs';
import { fingerprint, readStamp, writeStamp } from './stamp.mjs';

const STAMP = `${STATE}/console.stamp`;
const PACKAGE = fromRoot('packages', 'console');
/** The page, the client and the rule of names that it brings along, and the contract that its forms are made from. */
const INPUTS = [
  'package-lock.json',
  'packages/console',
  'packages/client/src',
  'packages/contract/src/names.ts',
  'packages/contract/src/excerpt.ts',
  'packages/contract/src/generated/openapi.json',
];
const SOURCES = new Set(['.ts', '.tsx', '.css', '.html', '.svg', '.mjs', '.json']);

const isBuildInput = (file) =>
  (SOURCES.has(extname(file)) && !file.includes('/test/')) || basename(file) === 'package-lock.json';

/** The files of `/console`. Its types are checked with all others; the client and the contract must be compiled before. */
export function ensureConsole() {
  const wanted = fingerprint(INPUTS, isBuildInput);
  return step('console', {
    isCurrent: () =>
      existsSync(fromRoot('packages', 'console', 'dist', 'site', 'index.html')) && readStamp(STAMP) === wanted,
    doing: 'building with vite',
    work: async () => {
      await mustRun(NODE, [
        fromRoot('node_modules', 'vite', 'bin', 'vite.js'),
        'build',
        PACKAGE,
        '--config',
        `${PACKAGE}/vite.config.mjs`,
      ]);
      writeStamp(STAMP, wanted);
      return 'built';
    },
  });
}
