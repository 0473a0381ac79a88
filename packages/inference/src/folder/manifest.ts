import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from 'typebox';
import Value from 'typebox/value';
import { isPlainFileName } from './graph-scan.js';

export const MANIFEST = 'manifest.json';
export const GRAPH = 'model.onnx';
export const TOKENIZER = 'tokenizer.json';

const ManifestSchema = Type.Object({
  version: Type.Literal(1),
  /** Where the files came from, for people. */
  source: Type.String(),
  /** How the publisher pools, where it said so. */
  pooling: Type.Optional(Type.Enum(['mean', 'cls'])),
  /** The publisher's own pipeline ends in a normalisation. */
  unitLength: Type.Optional(Type.Boolean()),
  files: Type.Record(
    Type.String(),
    Type.Object({ bytes: Type.Integer({ minimum: 0 }), sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
  ),
});

/** What a model folder says of itself: its files with their sizes and hashes. */
export type Manifest = Static<typeof ManifestSchema>;

/** What a source knows of a model besides its files. */
export type Provenance = Omit<Manifest, 'version' | 'files'>;

/** Hashes the files of a finished folder and writes their manifest. */
export async function writeManifest(folder: string, names: readonly string[], provenance: Provenance): Promise<void> {
  const files: Manifest['files'] = {};
  for (const name of names) {
    const path = join(folder, name);
    files[name] = { bytes: (await stat(path)).size, sha256: await sha256OfFile(path) };
  }
  const manifest: Manifest = { version: 1, ...provenance, files };
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
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
  if (!Value.Check(ManifestSchema, value)) {
    const [problem] = Value.Errors(ManifestSchema, value);
    throw new Error(`${MANIFEST} is not a manifest: ${problem?.instancePath} ${problem?.message}`);
  }
  const stray = Object.keys(value.files).find((name) => !isPlainFileName(name));
  if (stray !== undefined) throw new Error(`${MANIFEST} lists "${stray}", which is not a file beside it`);
  return value;
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
