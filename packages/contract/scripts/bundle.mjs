// Lints and bundles openapi/ with the Redocly command, offline and without telemetry.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

function redocly(...args) {
  const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
  const command = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.redocly);
  const done = spawnSync(process.execPath, [command, ...args, '--config', 'openapi/redocly.yaml'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  if (done.status !== 0) throw new Error(`redocly ${args[0]} failed:\n${done.stdout}${done.stderr}`);
}

/** Throws with the report when a lint rule is broken. */
export function lint() {
  redocly('lint', 'pelorus');
}

/**
 * Puts the members of the lists that a schema takes by `allOf` after its own, which win, and drops the lists: readers of
 * the document, and the types made of it, see plain objects.
 */
function mergeLists({ components: { schemas } }) {
  const lists = new Set();
  for (const schema of Object.values(schemas)) {
    const { allOf, unevaluatedProperties } = schema;
    if (allOf === undefined) continue;
    const names = allOf.map(({ $ref }) => $ref.split('/').at(-1));
    for (const name of names) lists.add(name);
    const members = names.map((name) => schemas[name].properties);
    schema.properties = { ...schema.properties, ...Object.assign({}, ...members, schema.properties) };
    schema.additionalProperties = unevaluatedProperties;
    delete schema.allOf;
    delete schema.unevaluatedProperties;
  }
  for (const name of lists) delete schemas[name];
}

/** The whole contract as one document, references kept but for those to lists of members. */
export function bundle() {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    redocly('bundle', 'pelorus', '--output', file);
    const document = JSON.parse(readFileSync(file, 'utf8'));
    mergeLists(document);
    return document;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) lint();
