import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Pooling } from '../resolved-model.js';
import { schemaCheck } from '../schema-check.js';
import { isModelPath } from './layout.js';

export const MANIFEST = 'manifest.json';

/** The description of a model folder, stored in it: its files, by path within it, with their sizes and hashes. */
export interface Manifest {
  readonly version: 1;
  /** The source of the files, for people. */
  readonly source: string;
  /** The publisher's pooling, where it said so. */
  readonly pooling?: Pooling;
  /** Tells whether the publisher's own pipeline, or its graphs, end in a normalisation, where that is known. */
  readonly unitLength?: boolean;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

const problemOf = schemaCheck<Manifest>({
  type: 'object',
  required: ['version', 'source', 'files'],
  properties: {
    version: { const: 1 },
    source: { type: 'string' },
    pooling: { enum: ['mean', 'cls'] },
    unitLength: { type: 'boolean' },
    files: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['bytes', 'sha256'],
        properties: {
          bytes: { type: 'integer', minimum: 0 },
          sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        },
      },
    },
  },
});

/** The facts that a source knows of a model besides its files. */
export type Provenance = Omit<Manifest, 'version' | 'files'>;

/** Hashes the files of a finished folder and writes their manifest. */
export async function writeManifest(folder: string, names: readonly string[], provenance: Provenance): Promise<void> {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  for (const name of names) {
    const path = join(folder, name);
    files[name] = { bytes: (await stat(path)).size, sha256: await sha256OfFile(path) };
  }
  await putManifest(folder, { version: 1, ...provenance, files });
}

/** Adds later findings to the manifest of a folder, of which the files stay as they are. */
export async function addToManifest(folder: string, manifest: Manifest, learned: Partial<Provenance>): Promise<void> {
  await putManifest(folder, { ...manifest, ...learned });
}

/** Appears whole or not at all: others may be reading it. */
async function putManifest(folder: string, manifest: Manifest): Promise<void> {
  const temporary = join(folder, `.${MANIFEST}.${process.pid}`);
  await writeFile(temporary, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(temporary, join(folder, MANIFEST));
}

/** The bytes of a folder's manifest, or null where there is none. */
export async function readManifest(folder: string): Promise<{ manifest: Manifest; sha256: string } | null> {
  const bytes = await readFile(join(folder, MANIFEST)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null) return null;
  return { manifest: parse(bytes), sha256: createHash('sha256').update(bytes).digest('hex') };
}

function parse(bytes: Buffer): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Error(`${MANIFEST} is not JSON`);
  }
  const checked = problemOf(value);
  if ('problem' in checked) {
    throw new Error(`${MANIFEST} is not a manifest: ${[...checked.path, checked.problem].join(' ')}`);
  }
  const stray = Object.keys(checked.value.files).find((name) => !isModelPath(name));
  if (stray !== undefined) throw new Error(`${MANIFEST} lists "${stray}", which is not a file of a model`);
  return checked.value;
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
