import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** Folders at the top of a package that its code does not run from. */
const FOLDERS_LEFT = /^(\.|(__)?tests?(__)?$|bench(marks?)?$|examples?$|docs?$|e2e$|coverage$|node_modules$)/;
/** Files that only readers and compilers look at; a licence is kept by its own name. */
const FILES_LEFT = /(^\.|^(tsconfig|eslint|playwright)\b|\.(map|md|markdown|ts|mts|cts|flow|tsbuildinfo)$)/;
const DECLARATION = /\.d\.[cm]?ts$/;
const LICENCE = /^(licen[cs]e|copying|notice|unlicense|copyright)/i;

/** Builds for browsers and phones beside those for Node. */
const NOT_FOR_NODE = /^dist\/(iife|umd)\/|(^|\/)(browser|react-native)\/|^static\/swagger-ui\.js$/;

/** The build of packages that only `@fastify/static` loads, which is of CommonJS. */
const ES_MODULES = /^dist\/esm\//;

/**
 * Files of packages that bring a second build, or parts, which nothing here loads: our code imports the build of ES
 * modules, and what it imports of them is all that is asked of them.
 */
const NEVER_LOADED = {
  '@isaacs/nonrecursive-glob-match': ES_MODULES,
  '@modelcontextprotocol/core': /\.cjs$/,
  '@modelcontextprotocol/server': /\.cjs$|(^|\/)(cf-?Worker|shims(Browser|Workerd))|^dist\/ext/i,
  'balanced-match': ES_MODULES,
  'brace-expansion': ES_MODULES,
  'csv-stringify': /^dist\//,
  glob: ES_MODULES,
  minimatch: ES_MODULES,
  'path-scurry': ES_MODULES,
  tar: /^dist\/commonjs\//,
  zod: /\.cjs$|^(v3|mini|v4-mini|v4\/mini|locales)\//,
};

/** Third-party packages that declarations of ours refer to. */
const TYPED = new Set(['typebox']);
/** The packages of ours that a declaration refers to. */
const IMPORT = /(?:from|import\()\s*['"](@pelorus\/[\w-]+)/g;

/** Copies the files of a third-party package that it runs with, and its licence. */
export function copyThirdParty({ name, folder, manifest }, to) {
  const keeps = (path) => {
    const [top, ...rest] = path.split('/');
    const file = rest.at(-1) ?? top;
    if (LICENCE.test(file)) return true;
    if (rest.length > 0 && FOLDERS_LEFT.test(top)) return false;
    if (NOT_FOR_NODE.test(path) || NEVER_LOADED[name]?.test(path)) return false;
    if (file === 'package.json' && rest.length === 0) return false;
    return !FILES_LEFT.test(file) || (TYPED.has(name) && DECLARATION.test(file));
  };
  copy(folder, to, listFiles(folder).filter(keeps));
  writeManifest(to, runtimeManifest(manifest));
}

/**
 * Copies the files that a package of ours lists, without what only the clone has a use for.
 *
 * @param {boolean} isTyped whether compilers of others come to its declarations
 */
export function copyOurs({ folder, manifest }, to, isTyped) {
  const isOfClone = (path) => /(^|\/)\.|\.(map|pyc)$/.test(path);
  const keeps = (path) => !isOfClone(path) && (isTyped || !DECLARATION.test(path));
  const files = filesOf(folder, manifest).filter(keeps);
  copy(folder, to, files, withoutMapComment);
}

/**
 * The names of packages of ours that the declarations of one refer to, and theirs again.
 *
 * @param {{ folder: string, manifest: Record<string, any> }} start
 * @param {import('./locked-packages.mjs').LockedPackage[]} behind
 */
export function typedPackages(start, behind) {
  const typed = new Set([start]);
  for (const { folder, manifest } of typed) {
    const declarations = filesOf(folder, manifest).filter((path) => DECLARATION.test(path));
    const names = declarations.flatMap((path) => [...readFileSync(join(folder, path), 'utf8').matchAll(IMPORT)]);
    for (const [, name] of names) typed.add(behind.find((one) => one.name === name) ?? start);
  }
  return new Set([...typed].map(({ manifest }) => manifest.name));
}

/** The fields that Node reads of a manifest, and who made the package. Nothing in it is run or built. */
function runtimeManifest(manifest) {
  const { name, version, license, author, type, main, module, exports, imports, engines, dependencies } = manifest;
  return { name, version, license, author, type, main, module, exports, imports, engines, dependencies };
}

export function writeManifest(folder, manifest) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The licence files at the top of a package or crate, by name. */
export function licenceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE.test(entry.name) && extname(entry.name) !== '.js')
    .map(({ name }) => name)
    .sort();
}

/** Paths of all files below a folder, with slashes and sorted, but for packages in it. */
export function listFiles(folder, prefix = '') {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listFiles(folder, path);
      return entry.isFile() ? [path] : [];
    });
}

/** The files that a manifest lists for publishing. */
function filesOf(folder, { files }) {
  return listFiles(folder).filter((path) => files.some((entry) => path === entry || path.startsWith(`${entry}/`)));
}

export function copy(from, to, paths, change) {
  for (const path of paths) {
    const target = join(to, path);
    mkdirSync(dirname(target), { recursive: true });
    if (change && /\.(js|d\.ts)$/.test(path)) writeFileSync(target, change(readFileSync(join(from, path), 'utf8')));
    else copyFileSync(join(from, path), target);
  }
}

/** Compiled code without the comment that names its map. */
const withoutMapComment = (code) => code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
