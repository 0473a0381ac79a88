// Writes generated/index.d.ts and generated/index.js, what the add-on exports, from the signatures and comments of the
// `#[napi]` items: napi-derive notes each while it expands, in the folder that the environment names. `--check` writes
// nothing and fails when what is committed differs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { areCommitted, writeOrCompare } from '../../../scripts/generated-files.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const out = new URL('../generated/', import.meta.url);
const header = '// Generated from src/ by `npm run generate -w @pelorus/node`. Never edited by hand.\n\n';

/** The crate alone, with what it depends on. */
const ALONE = ['check', '--quiet', '--locked', '-p', 'pelorus-node'];

/**
 * The command of the lints, to the letter: after them only this crate is expanded anew. One process at a time, as that
 * of the crate and that of its tests note the same items in one file, which each begins anew.
 */
const AS_LINTED = [
  ...['clippy', '--quiet', '--workspace', '--all-targets', '--locked', '--jobs', '1'],
  ...['--', '-D', 'warnings'],
];

/** The items as napi-derive notes them. Another folder each time: cargo then expands them anew. */
function nativeItems(args) {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-napi-'));
  try {
    const { error, status } = spawnSync('cargo', args, {
      cwd: root,
      env: { ...process.env, NAPI_TYPE_DEF_TMP_FOLDER: folder },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (error !== undefined) throw error;
    if (status !== 0) throw new Error(`cargo ${args[0]} ended with exit code ${status}`);
    const lines = readFileSync(join(folder, 'pelorus-node'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Declarations, one a line among their comments, indented and closed by a semicolon. */
function members(def) {
  const isComment = (line) => /^(?:\/\*\*| \*)/.test(line);
  const lines = def.split('\n').map((line) => (isComment(line) ? line : `${line.trim()};`));
  return lines.map((line) => `  ${line}\n`).join('');
}

function declaration({ kind, name, js_doc: doc, def }, items) {
  if (kind === 'fn') return `${doc}export ${def};\n`;
  if (kind === 'type') return `${doc}export type ${name} =\n${def};\n`;
  if (kind === 'interface') return `${doc}export interface ${name} {\n${members(def)}}\n`;
  // Values and not names: who calls writes 'image', and the object that napi makes of an enum is not exported.
  if (kind === 'string_enum') return `${doc}export type ${name} = ${def.match(/'[^']*'/g).join(' | ')};\n`;
  if (kind !== 'struct') throw new Error(`${name}: no declaration is known for a ${kind}`);
  const methods = items.filter((item) => item.kind === 'impl' && item.name === name).map((item) => members(item.def));
  // None of our classes is constructed: each is made by a call that gives it.
  return `${doc}export class ${name} {\n  private constructor();\n${methods.join('')}}\n`;
}

const conventions = `// Bytes are JSON in UTF-8. Inputs are copied before a call returns, so buffers may be reused at once. Every error is an
// \`Error\` with a stable \`code\`; that of a wrong type of argument is "InvalidArg".\n\n`;

function generated(args) {
  const items = nativeItems(args);
  const declarations = items.filter(({ kind }) => kind !== 'impl').map((item) => declaration(item, items));
  const values = items.filter(({ kind }) => kind === 'struct' || kind === 'fn').map(({ name }) => name);
  const files = [
    ['index.d.ts', header + conventions + declarations.join('\n')],
    [
      'index.js',
      `${header}import { load } from '../load.js';\n\nexport const {\n${values.map((name) => `  ${name},\n`).join('')}} = load();\n`,
    ],
  ];
  return files.map(([name, text]) => [new URL(name, out), text]);
}

function isCurrent() {
  try {
    return areCommitted(generated(AS_LINTED));
  } catch {
    return false; // the crate alone tells what is wrong
  }
}

if (!process.argv.includes('--check') || !isCurrent()) {
  writeOrCompare(generated(ALONE), 'npm run generate -w @pelorus/node');
}
