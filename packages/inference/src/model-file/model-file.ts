import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import type { ModelFile, ModelFileEntry } from '../model-entries.js';
import { reasonOf } from '../reason.js';
import { isAuxiliary } from '../registry/auxiliary.js';
import { registryEntry } from '../registry/registry.js';
import { resolveModel } from '../registry/resolve.js';
import { isService } from '../registry/service-properties.js';
import { type SchemaProblem, schemaCheck } from '../schema-check.js';
import { modelFileSchema } from './model-file-schema.js';

const check = schemaCheck<{ readonly models: Readonly<Record<string, ModelFileEntry>> }>(modelFileSchema);

/**
 * Reads a model file, for example
 * ```json
 * {
 *   "models": {
 *     "hf/e5-base-v2": { "folder": "/srv/models/e5-base-v2" },
 *     "hf/e5-large-v2": { "alias": "hf/e5-small-v2" },
 *     "house-encoder": { "folder": "house", "properties": { "dimensions": 512, "poolingMethod": "cls" } },
 *     "far-encoder": {
 *       "properties": { "type": "openai", "url": "https://host/v1/embeddings", "name": "small", "dimensions": 512 },
 *       "keyFile": "far-encoder.key"
 *     }
 *   }
 * }
 * ```
 *
 * @throws PelorusError `server_configuration_error` that names the file and the place in it.
 */
export function readModelFile(path: string): ModelFile {
  let value: unknown;
  try {
    // Some editors put a byte order mark before it.
    value = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw invalidFile(path, error instanceof Error ? error.message : String(error));
  }
  return parseModelFile(value, path);
}

/** As {@link readModelFile}, of a value that was read already; `path` is where it came from. */
export function parseModelFile(value: unknown, path: string): ModelFile {
  const checked = check(value);
  if ('problem' in checked) throw invalidFile(path, placed(checked));
  const base = dirname(resolve(path));
  const entries = Object.entries(checked.value.models).map(([name, entry]): [string, ModelFileEntry] => {
    const { folder, keyFile } = entry;
    return [
      name,
      {
        ...entry,
        ...(folder !== undefined && { folder: resolve(base, folder) }),
        ...(keyFile !== undefined && { keyFile: resolve(base, keyFile) }),
      },
    ];
  });
  const file: ModelFile = new Map(entries);
  for (const [name, entry] of file) checkEntry(path, file, name, entry);
  return file;
}

function checkEntry(path: string, file: ModelFile, name: string, entry: ModelFileEntry): void {
  const at = `models["${name}"]`;
  if (name === 'no_model') throw invalidFile(path, `${at}: no_model has no weights and cannot be mapped`);
  if (isAuxiliary(name)) {
    if (Object.keys(entry).join() !== 'folder')
      throw invalidFile(path, `${at}: such a model has a folder and nothing else`);
    return;
  }
  if (Object.keys(entry).length === 0) throw invalidFile(path, `${at}: one of folder, alias, properties is needed`);
  if (entry.alias !== undefined) {
    if (Object.keys(entry).length > 1) throw invalidFile(path, `${at}: alias must stand alone`);
    checkAlias(path, file, name);
  } else if (isService(entry.properties?.type)) {
    checkService(path, file, name, entry);
  } else if (entry.keyFile !== undefined || entry.keyVariable !== undefined) {
    throw invalidFile(path, `${at}: only a service, such as one of type openai, has a key`);
  } else if (registryEntry(name) === undefined && entry.properties?.dimensions === undefined) {
    throw invalidFile(path, `${at}.properties.dimensions: needed, because the registry does not know this name`);
  }
}

function checkService(path: string, file: ModelFile, name: string, entry: ModelFileEntry): void {
  const at = `models["${name}"]`;
  if (entry.folder !== undefined) throw invalidFile(path, `${at}.folder: a service has none`);
  if (entry.keyFile !== undefined && entry.keyVariable !== undefined) {
    throw invalidFile(path, `${at}: only one of keyFile and keyVariable may be given`);
  }
  try {
    resolveModel(name, undefined, file);
  } catch (error) {
    throw invalidFile(path, `${at}.properties: ${reasonOf(error)}`);
  }
}

function checkAlias(path: string, file: ModelFile, name: string): void {
  const seen = [name];
  for (let next = file.get(name)?.alias; next !== undefined; next = file.get(next)?.alias) {
    const at = `models["${seen.at(-1)}"].alias`;
    if (seen.includes(next)) throw invalidFile(path, `${at}: goes round in a circle, ${[...seen, next].join(' -> ')}`);
    if (!file.has(next) && registryEntry(next) === undefined) {
      throw invalidFile(path, `${at}: no model is called "${next}"`);
    }
    seen.push(next);
  }
}

/** The problem behind its place: `models["hf/e5-base-v2"].folder: must be string`. */
function placed({ path, problem }: SchemaProblem): string {
  const place = path.map((part, i) => (i === 1 ? `["${part}"]` : i === 0 ? part : `.${part}`)).join('');
  return place === '' ? problem : `${place}: ${problem}`;
}

function invalidFile(path: string, problem: string): PelorusError {
  return new PelorusError('server_configuration_error', `model file ${path}: ${problem}`);
}
