import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Filled } from '../folder/complete-folder.js';
import { GRAPH, inFolder, TOKENIZER, towerFolder } from '../folder/layout.js';
import { scanOnnx } from '../folder/onnx-scan.js';
import { OPEN_CLIP_CONFIG, type PublishedInputs, readOpenClipConfig } from '../folder/open-clip-config.js';
import { isArchive, isRepo } from '../registry/property-places.js';
import { registryEntry } from '../registry/registry.js';
import type { Modality, RemoteFile, TowerExport, Weights } from '../resolved-model.js';
import { type FetchContext, fetchFile } from './fetch-context.js';
import { archiveName, baseName, describeFile, requireWhole, unpackInto } from './location.js';
import { allRefused, isRefusal, SourceFailure } from './source-failure.js';

const CONFIG_BYTES_MAX = 1 << 20;

type TowerWeights = Extract<Weights, { kind: 'towers' }>;

/** Fills a folder with the towers of the first export that is there. @throws SourceFailure */
export async function fillFromTowers(context: FetchContext, { repo, exports }: TowerWeights): Promise<Filled> {
  if (exports.length === 0) throw new SourceFailure(`no ready-made ONNX export of ${repo} is known`);
  const published =
    repo !== null && exports.every((one) => isUnknown(repo, one)) ? await fetchConfig(context, repo) : null;
  const refusals: SourceFailure[] = [];
  for (const one of exports) {
    try {
      const { files, provenance } = await fetchExport(context, one, published?.tokenizerRepo);
      return { files: published === null ? files : [...files, OPEN_CLIP_CONFIG], provenance };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push(error);
    }
  }
  throw allRefused(refusals);
}

/** Tells whether nothing but a repository of the hub is known of a model. */
function isUnknown(repo: string, { graphs }: TowerExport): boolean {
  const isThere = (file: RemoteFile | undefined) => file?.from === 'hub' && file.repo === repo;
  return registryEntry(repo) === undefined && Object.values(graphs).every(([file]) => isThere(file));
}

/** Fetches the publisher's configuration of an unknown model, and keeps it in its folder; null where there is none. */
async function fetchConfig(context: FetchContext, repo: string): Promise<PublishedInputs | null> {
  const file: RemoteFile = { from: 'hub', repo, file: OPEN_CLIP_CONFIG };
  const to = join(context.folder, OPEN_CLIP_CONFIG);
  try {
    await fetchFile({ ...context, onProgress: undefined, bytesMax: CONFIG_BYTES_MAX }, file, OPEN_CLIP_CONFIG, to);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return null;
  }
  return readOpenClipConfig(context.folder).catch((error: Error) => {
    throw new SourceFailure(error.message, { cause: error });
  });
}

/** Tells where an export lies: the repository of the hub, or the graphs. */
export function describeExport({ graphs }: TowerExport): string {
  const files = Object.values(graphs).flatMap((some) => some.slice(0, 1));
  return [...new Set(files.map((file) => (file.from === 'hub' ? `hub ${file.repo}` : describeFile(file))))].join(', ');
}

/** The tokenizer comes first: it is small, and missing where the repository holds something else. */
async function fetchExport(
  context: FetchContext,
  one: TowerExport,
  tokenizerRepo: string | undefined,
): Promise<Filled> {
  const filling = new Filling(context);
  const { tokenizer } = one;
  if (tokenizer !== null && !isArchive(baseName(tokenizer))) {
    await filling.fetch(tokenizer, TOKENIZER).catch((error) => {
      if (!isRefusal(error) || tokenizerRepo === undefined || !isBesideGraphs(tokenizer, one)) throw error;
      return saidOf(describeExport(one), () => namedTokenizer(filling, tokenizerRepo));
    });
  }
  for (const [modality, files] of Object.entries(one.graphs)) await filling.tower(modality as Modality, files);
  if (tokenizer !== null && isArchive(baseName(tokenizer))) await filling.unpack(tokenizer, '');
  const source = describeExport(one);
  await saidOf(source, async () => requireWhole(context, filling.files));
  return { files: filling.files, provenance: { source, ...(one.unitLength && { unitLength: true }) } };
}

/** Returns the result of `work`; where it is refused, the failure names what was fetched. */
async function saidOf<T>(what: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error) => {
    throw isRefusal(error) ? error.retold(`${what} ${error.message}`) : error;
  });
}

function isBesideGraphs(tokenizer: RemoteFile, { graphs }: TowerExport): boolean {
  const repoOf = (file: RemoteFile | undefined) => (file?.from === 'hub' ? file.repo : null);
  return Object.values(graphs).some(([graph]) => repoOf(graph) === repoOf(tokenizer));
}

/** The tokenizer that the publisher names, who may be anybody: as a repository, of the hub that he is on. */
async function namedTokenizer(filling: Filling, repo: string): Promise<void> {
  if (!isRepo(repo))
    throw new SourceFailure(`hf_tokenizer_name of ${OPEN_CLIP_CONFIG} is not the name of a hub repository`);
  await filling.fetch({ from: 'hub', repo, file: TOKENIZER }, TOKENIZER).catch((error) => {
    throw isRefusal(error) ? error.retold(`has no tokenizer of its own, and ${error.message}`) : error;
  });
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
    const context = { ...this.#context, bytesMax: this.#bytesLeft };
    this.#bytesLeft -= await saidOf(describeFile(file), () => fetchFile(context, file, path, to));
    this.#files.add(path);
  }

  async tower(modality: Modality, files: readonly RemoteFile[]): Promise<void> {
    const folder = towerFolder(modality, this.#context.modalities);
    const [first] = files;
    if (first !== undefined && isArchive(baseName(first))) return this.unpack(first, folder);
    for (const [i, file] of files.entries()) {
      const name = baseName(file);
      // However the hub names a graph: files that are given have the name that they are to have.
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
    const archive = archiveName(folder === '' ? 'tokenizer' : folder, file);
    await this.fetch(file, archive);
    this.#files.delete(archive);
    const path = join(this.#context.folder, archive);
    const known = this.files;
    const context = { ...this.#context, bytesMax: this.#bytesLeft };
    const unpacked = await saidOf(`${describeFile(file)}:`, () => unpackInto(context, path, folder, known));
    for (const one of unpacked) this.#files.add(one);
    await rm(path);
  }

  #tensorFiles(tower: string): readonly string[] {
    return scanOnnx(join(this.#context.folder, tower, GRAPH)).externalData;
  }
}
