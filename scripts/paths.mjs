import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root: this file lies in scripts. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

export const NODE_MODULES = join(ROOT, 'node_modules');

const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const WINDOWS = process.platform === 'win32';

/** The package that holds Node for this platform, or null where the repository brings none. */
export const NODE_PACKAGE =
  [`node-${WINDOWS ? 'win' : process.platform}-${process.arch}`].find((name) => name in optionalDependencies) ?? null;

/** The Node that everything runs on: the repository's own whatever the system has, else the one that runs us. */
export const NODE =
  NODE_PACKAGE === null ? process.execPath : join(NODE_MODULES, NODE_PACKAGE, 'bin', WINDOWS ? 'node.exe' : 'node');

/** The built add-on, beside the package that loads it. */
export const ADDON = join(ROOT, 'bindings', 'node', 'pelorus.node');

/** Where set-up keeps its stamps and the runners their reports: swept away with the build. */
export const STATE = join(ROOT, 'target', 'setup');

export const fromRoot = (...parts) => join(ROOT, ...parts);
