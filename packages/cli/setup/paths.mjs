import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root: this file lies in packages/cli/setup. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

export const NODE_MODULES = join(ROOT, 'node_modules');

/** The Node that the repository brings itself; scripts run on it whatever the system has. */
export const NODE = join(NODE_MODULES, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** The built add-on, beside the package that loads it. */
export const ADDON = join(ROOT, 'bindings', 'node', 'pelorus.node');

/** Where set-up keeps its stamps and the runners their reports: swept away with the build. */
export const STATE = join(ROOT, 'target', 'setup');

export const fromRoot = (...parts) => join(ROOT, ...parts);
