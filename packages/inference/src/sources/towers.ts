import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { GRAPH, inFolder, TOKENIZER, towerFolder } from '../folder/layout.js';
import { OPEN_CLIP_CONFIG } from '../folder/open-clip-config.js';
import { scanOnnx } from '../onnx/onnx-scan.js';
import { registryEntry } from '../registry/registry.js';
import type { Modality, RemoteFile, TowerExport, Weights } from '../resolved-model.js';
import { type FetchContext, type Filled, fetchFile } from './fetch-context.js';
import { baseName, describeFile, requireWhole, unpackInto } from './location.js';
import { SourceFailure } from './source-failure.js';

const CONFIG_BYTES_MAX = 1 << 20;

type TowerWeights = Extract<Weights, { kind: 'towers' }>;

/** Fills a folder with the towers of the first export that is there. @throws SourceFailure */
export async function fillFromTowers(context: FetchContext, { repo, exports }: TowerWeights): Promise<Filled> {
  const refusals: string[] = [];
  for (const one of exports) {
    try {
      const filled = await fetchExport(context, one);
      return isUnknown(repo, one) ? await withConfig(context, repo, filled) : filled;
    } catch (error) {
      if (!(error instanceof SourceFailure) || error.isUnreachable || error.isCut) throw error;
      refusals.push(`${describeExport(one)} ${error.message}`);
    }
  }
  if (refusals.length === 0) throw new SourceFailure(`no ready-made ONNX export of ${repo} is known`);
  throw new SourceFailure(refusals.join(', '));
}

/** Whether a repository of the hub is all that is known of a model. */
function isUnknown(repo: string | null, { graphs }: TowerExport): repo is string {
  const isThere = (file: RemoteFile | undefined) => file?.from === 'hub' && file.repo === repo;
  return repo !== null && registryEntry(repo) === undefined && Object.values(graphs).every(([file]) => isThere(file));
}

/** What its publisher says of a model that nothing is known of; not every one does. */
async function withConfig(context: FetchContext, repo: string, { files, provenance }: Filled): Promise<Filled> {
  const file: RemoteFile = { from: 'hub', repo, file: OPEN_CLIP_CONFIG };
  const to = join(context.folder, OPEN_CLIP_CONFIG);
  try {
    await fetchFile({ ...context, onProgress: undefined, bytesMax: CONFIG_BYTES_MAX }, file, OPEN_CLIP_CONFIG, to);
    return { files: [...files, OPEN_CLIP_CONFIG], provenance };
  } catch (error) {
    if (!(error instanceof SourceFailure) || error.isUnreachable || error.isCut) throw error;
    return { files, provenance };
  }
}

/** Tells where an export lies: the repository of the hub, or the graphs. */
export function describeExport({ graphs }: TowerExport): string {
  const files = Object.values(graphs).flatMap((some) => some.slice(0, 1));
  return [...new Set(files.map((file) => (file.from === 'hub' ? `hub ${file.repo}` : describeFile(file))))].join(', ');
}

/** The tokenizer comes first: it is small, and missing where the repository holds something else. */
async function fetchExport(context: FetchContext, one: TowerExport): Promise<Filled> {
  const filling = new Filling(context);
  const { tokenizer } = one;
  if (tokenizer !== null && !isZip(tokenizer)) await filling.fetch(tokenizer, TOKENIZER);
  for (const [modality, files] of Object.entries(one.graphs)) await filling.tower(modality as Modality, files);
  if (tokenizer !== null && isZip(tokenizer)) await filling.unpack(tokenizer, '');
  requireWhole(context, filling.files);
  const source = describeExport(one);
  return { files: filling.files, provenance: { source, ...(one.unitLength && { unitLength: true }) } };
}

/** A folder that is being filled, within one bound of bytes. */
class Filling {
  readonly #context: FetchContext;
  readonly #files = new Set<string>();
  #bytesLeft: number;

  constructor(context: FetchContext) {
    this.#context = context;
    this.#bytesLeft = context.bytesMax;
  }

  get files(): string[] {
    return [...this.#files];
  }

  async fetch(file: RemoteFile, path: string): Promise<void> {
    const to = join(this.#context.folder, path);
    this.#bytesLeft -= await fetchFile({ ...this.#context, bytesMax: this.#bytesLeft }, file, path, to);
    this.#files.add(path);
  }

  async tower(modality: Modality, files: readonly RemoteFile[]): Promise<void> {
    const folder = towerFolder(modality, this.#context.modalities);
    const [first] = files;
    if (first !== undefined && isZip(first)) return this.unpack(first, folder);
    for (const [i, file] of files.entries()) {
      const name = baseName(file);
      // However the hub names a graph: what is given as files has the name that it is to have.
      await this.fetch(
        file,
        name === TOKENIZER ? name : inFolder(folder, i === 0 && file.from === 'hub' ? GRAPH : name),
      );
    }
    for (const name of this.#tensorFiles(folder)) {
      if (this.#files.has(inFolder(folder, name)) || first?.from !== 'hub') continue;
      await this.fetch({ ...first, file: posix.join(posix.dirname(first.file), name) }, inFolder(folder, name));
    }
  }

  /** Unpacks an archive whose files belong into `folder`, where they do not lie in the folder of a tower. */
  async unpack(file: RemoteFile, folder: string): Promise<void> {
    const archive = `${folder === '' ? 'tokenizer' : folder}.zip`;
    await this.fetch(file, archive);
    this.#files.delete(archive);
    const path = join(this.#context.folder, archive);
    const known = this.files;
    const unpacked = await unpackInto({ ...this.#context, bytesMax: this.#bytesLeft }, path, folder, known);
    for (const one of unpacked) this.#files.add(one);
    await rm(path);
  }

  #tensorFiles(tower: string): readonly string[] {
    return scanOnnx(join(this.#context.folder, tower, GRAPH)).externalData;
  }
}

function isZip(file: RemoteFile): boolean {
  return baseName(file).toLowerCase().endsWith('.zip');
}
