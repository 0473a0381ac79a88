import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { LRUCache } from 'lru-cache';
import type { InferenceSettings } from '../config.js';
import { completeFolder, type Filled } from '../folder/complete-folder.js';
import { addToManifest, readManifest } from '../folder/manifest.js';
import { folderExists, type ModelFolder, openModelFolder } from '../folder/model-folder.js';
import { Fetcher } from '../outbound/fetcher.js';
import { OutboundPolicy } from '../outbound/outbound-policy.js';
import { shownUrl } from '../outbound/shown-url.js';
import { reasonOf } from '../reason.js';
import { canonicalHash } from '../registry/model-key.js';
import type { LoadableModel, Modality, ResolvedModel } from '../resolved-model.js';
import { DownloadStaging } from './download-staging.js';
import type { FetchContext } from './fetch-context.js';
import { fetchUnitLength, fillFromHub } from './hub.js';
import { describeFile, fillFromArchive, fillFromFiles } from './location.js';
import { fillFromMaven } from './maven.js';
import { mavenArtifact } from './maven-artifacts.js';
import { type FailedWay, missingModel } from './missing-model.js';
import { isSameAuth, type ModelAuth, takesAuth } from './model-auth.js';
import { modelPackage } from './model-packages.js';
import type { OnProgress } from './progress.js';
import { SourceFailure } from './source-failure.js';
import { describeExport, fillFromTowers } from './towers.js';

export interface EnsureOptions {
  readonly auth?: ModelAuth;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface FetchOptions extends EnsureOptions {
  readonly hubUrl: string;
}

interface RunningFetch {
  readonly auth: ModelAuth | undefined;
  readonly fetched: Promise<ModelFolder>;
}

/** A way to a model and how to go it. */
interface Way {
  readonly name: string;
  readonly fill: (context: FetchContext) => Promise<Filled>;
}

/** The folder of calibrations, beside those of models. */
const CALIBRATIONS = '.calibrations';
/** For how long a model that could not be fetched is answered for without asking the network again. */
const MISS_MS = 30_000;
/** The number of these that are remembered: whoever may name models can name any number. */
const MISSES_MAX = 1000;
/** For how long the hub is asked what a folder does not say of its pipeline. */
const PIPELINE_MS = 5_000;

/**
 * The models on this machine. A model is looked for in its folder, then fetched by each way that leads to
 * it, and appears in the store whole or not at all.
 */
export class ModelStore {
  readonly #settings: InferenceSettings;
  readonly #fetcher: Fetcher;
  readonly #staging: DownloadStaging;
  readonly #running = new Map<string, RunningFetch>();
  readonly #misses = new LRUCache<string, readonly FailedWay[]>({ max: MISSES_MAX, ttl: MISS_MS });

  constructor(settings: InferenceSettings) {
    this.#settings = settings;
    this.#staging = new DownloadStaging(join(settings.modelDir, '.incoming'), settings.incomingBytesMax);
    const trusted = [settings.hubUrl, settings.s3Endpoint].filter((origin) => origin !== null);
    this.#fetcher = new Fetcher(
      new OutboundPolicy({ allowedNetworks: settings.allowedNetworks, trustedOrigins: trusted }),
    );
  }

  /** The folder a model lies in or would be put into. */
  folderOf(model: LoadableModel): string {
    const { weights } = model;
    return weights.kind === 'folder' ? weights.path : join(this.#settings.modelDir, folderName(model));
  }

  /**
   * The file by which int8 of a model is scaled. It lies apart from the model's own files, whose folder may be the
   * operator's, or read by many.
   */
  calibrationOf(model: LoadableModel): string {
    return join(this.#settings.modelDir, CALIBRATIONS, `${folderName(model)}.json`);
  }

  /** The folder of an installed package with the model, or null. */
  packagedFolderOf(model: LoadableModel): string | null {
    const name = modelPackage(model);
    return name === null ? null : this.#settings.packageFolder(name);
  }

  /**
   * The model's folder, fetched if need be. Calls for one folder share one fetch; where it fails, those with other
   * credentials try with their own.
   *
   * @throws PelorusError `bad_request` that names every way tried and how to provide the model.
   */
  async ensure(model: LoadableModel, given: EnsureOptions = {}): Promise<ModelFolder> {
    const { auth, ...others } = given;
    const options = auth === undefined || takesAuth(model) ? given : others;
    return this.#withPipeline(model, await this.#shared(model, options), options);
  }

  #shared(model: LoadableModel, options: EnsureOptions): Promise<ModelFolder> {
    const folder = this.folderOf(model);
    const running = this.#running.get(folder);
    if (running !== undefined) {
      if (isSameAuth(running.auth, options.auth)) return running.fetched;
      // The folder is the same for everybody: only a failure may be that of the other's credentials.
      return running.fetched.catch(() => this.#shared(model, options));
    }
    const fetched = this.#ensure(model, folder, options).finally(() => this.#running.delete(folder));
    this.#running.set(folder, { auth: options.auth, fetched });
    return fetched;
  }

  /**
   * Removes what earlier downloads left and nobody goes on with. A file that cannot be removed is left for the next
   * time.
   */
  async sweep(): Promise<void> {
    await this.#staging.sweep().catch(() => undefined);
  }

  /** An error about `model` as a client of the service may see it: without the folders of this machine. */
  withoutFolders(error: unknown, model: LoadableModel): unknown {
    if (!(error instanceof PelorusError)) return error;
    const folder = this.folderOf(model);
    const message = error.message
      .replaceAll(this.#settings.modelDir, '<model-dir>')
      .replaceAll(folder, basename(folder));
    if (message === error.message) return error;
    return new PelorusError(error.code, message, { link: error.link, headers: error.headers, cause: error });
  }

  async close(): Promise<void> {
    await this.#fetcher.close();
  }

  async #ensure(model: LoadableModel, folder: string, options: EnsureOptions): Promise<ModelFolder> {
    const tried: string[] = [];
    const found = await openOrNote(folder, model.modalities, tried);
    if (found !== null) return found;
    if (model.weights.kind === 'folder') throw missingModel(model, folder, tried);
    const packaged = await this.#packaged(model, tried);
    if (packaged !== null) return packaged;
    const { hubUrl } = this.#settings;
    if (hubUrl === null) throw missingModel(model, folder, [...tried, 'downloads (turned off with --hub none)']);
    // Another name of these weights fails for the same reasons, but is told of by itself.
    const key = canonicalHash(model.weights);
    const miss = this.#misses.get(key);
    if (miss !== undefined && options.auth === undefined) throw missingModel(model, folder, tried, miss);
    const failed: FailedWay[] = [];
    const fetch = () => this.#fetch(model, folder, failed, { ...options, hubUrl });
    const fetched = await this.#staging.withLock(folderName(model), fetch, options.signal);
    if (fetched !== null) return fetched;
    // A refusal of one caller's credentials says nothing about those of others.
    if (options.auth === undefined) this.#misses.set(key, failed);
    throw missingModel(model, folder, tried, failed);
  }

  /** The model from its package, where that is installed and whole. */
  async #packaged(model: LoadableModel, tried: string[]): Promise<ModelFolder | null> {
    const folder = this.packagedFolderOf(model);
    if (folder === null) return null;
    return openModelFolder(folder, model.modalities).catch((error) => {
      tried.push(`package ${modelPackage(model)} (${reasonOf(error)})`);
      return null;
    });
  }

  async #fetch(model: LoadableModel, folder: string, failed: FailedWay[], options: FetchOptions) {
    // Another process may have brought it while this one waited for the lock.
    if (await folderExists(folder)) {
      const found = await openOrNote(folder, model.modalities, []);
      if (found !== null) return found;
    }
    await this.sweep();
    const incoming = this.#staging.folder(folderName(model));
    await mkdir(incoming, { recursive: true });
    let isCut = false;
    try {
      for (const way of this.#ways(model, options.hubUrl)) {
        try {
          await completeFolder(incoming, await way.fill(this.#context(model, incoming, options)));
          // A folder that is damaged or lacks files is in the way of the rename; the lock keeps others from both.
          await rm(folder, { recursive: true, force: true });
          await rename(incoming, folder);
          return await openModelFolder(folder, model.modalities);
        } catch (error) {
          // A download that was cut is kept, so that the next one goes on where it ended.
          isCut ||= options.signal?.aborted === true || (error instanceof SourceFailure && error.isCut);
          options.signal?.throwIfAborted();
          const asksForCredentials = error instanceof SourceFailure && error.asksForCredentials;
          failed.push({ told: `${way.name} (${reasonOf(error)})`, asksForCredentials });
        }
      }
      return null;
    } finally {
      // A file that cannot be removed now is swept away later.
      await this.#staging.clear(folderName(model), isCut).catch(() => undefined);
    }
  }

  /**
   * A pipeline's folder with what its publisher says of normalisation. Folders of older versions, and those from elsewhere
   * than the hub, may not say it. Where the hub cannot be asked either, it is left open.
   */
  async #withPipeline(model: LoadableModel, found: ModelFolder, options: EnsureOptions): Promise<ModelFolder> {
    const { weights } = model;
    const { hubUrl } = this.#settings;
    if (!asksForPipeline(model, found) || weights.kind !== 'hub' || hubUrl === null) return found;
    const manifest = (await readManifest(found.path))?.manifest;
    // A folder that was filled by hand says what its owner wants it to.
    if (manifest === undefined) return found;
    const name = folderName(model);
    const ask = async () => {
      const incoming = this.#staging.folder(name);
      const signal = AbortSignal.any([AbortSignal.timeout(PIPELINE_MS), ...(options.signal ? [options.signal] : [])]);
      try {
        await mkdir(incoming, { recursive: true });
        const context = this.#context(model, incoming, { ...options, hubUrl, signal });
        await addToManifest(found.path, manifest, await fetchUnitLength(context, weights.repo));
      } finally {
        await this.#staging.clear(name, true).catch(() => undefined);
      }
    };
    // A folder that cannot be written to is used as it is.
    await this.#staging.withLock(name, ask, options.signal).catch(() => undefined);
    options.signal?.throwIfAborted();
    return openModelFolder(found.path, model.modalities);
  }

  #context(model: LoadableModel, folder: string, { auth, hubUrl, onProgress, signal }: FetchOptions): FetchContext {
    const { s3Endpoint, s3Region, s3Credentials, modelBytesMax } = this.#settings;
    return {
      model: model.name,
      modalities: model.modalities,
      folder,
      fetcher: this.#fetcher,
      auth: { hubToken: auth?.hubToken ?? null, s3: auth?.s3 ?? s3Credentials },
      hubUrl,
      s3: { endpoint: s3Endpoint, region: s3Region },
      bytesMax: modelBytesMax,
      makeRoom: (bytes) => this.#staging.makeRoom(bytes),
      onProgress,
      signal,
    };
  }

  #ways({ weights }: LoadableModel, hubUrl: string): Way[] {
    if (weights.kind === 'archive') {
      return [{ name: describeFile(weights.file), fill: (context) => fillFromArchive(context, weights) }];
    }
    if (weights.kind === 'files') {
      const name = weights.files.map(describeFile).join(', ');
      return [{ name, fill: (context) => fillFromFiles(context, weights) }];
    }
    if (weights.kind === 'towers') {
      const name = [...new Set(weights.exports.map(describeExport))].join(', ') || 'hub';
      return [{ name, fill: (context) => fillFromTowers(context, weights) }];
    }
    if (weights.kind !== 'hub') return [];
    const { mavenCommand } = this.#settings;
    const ways: Way[] = [{ name: `hub ${shownUrl(hubUrl)}`, fill: (context) => fillFromHub(context, weights) }];
    const artifact = mavenArtifact(weights.repo);
    if (mavenCommand !== null && artifact !== undefined) {
      const name = `Maven artifact ${artifact.coordinates}`;
      ways.push({ name, fill: (context) => fillFromMaven(context, artifact, mavenCommand) });
    }
    return ways;
  }
}

async function openOrNote(
  folder: string,
  modalities: readonly Modality[],
  tried: string[],
): Promise<ModelFolder | null> {
  if (!(await folderExists(folder))) {
    tried.push(`folder ${folder} (absent)`);
    return null;
  }
  try {
    return await openModelFolder(folder, modalities);
  } catch (error) {
    tried.push(`folder ${folder} (${reasonOf(error)})`);
    return null;
  }
}

/** Tells whether vectors of a model depend on facts that its folder does not state. */
function asksForPipeline(model: LoadableModel, folder: ModelFolder): boolean {
  return model.type === 'sbert' && folder.unitLength === null && !(model as ResolvedModel).unitLength;
}

/** A folder name that is readable and tells different models apart. */
function folderName({ name, type, weights }: LoadableModel): string {
  if (weights.kind === 'hub') return weights.repo.replaceAll('/', '--');
  // A repository may hold a text model and a joint model.
  if (weights.kind === 'towers' && weights.repo !== null) {
    const { repo, tokenizerRepo } = weights;
    const readable = plain(`${type}--${repo.replace(/^(hf-hub:|open_clip\/)/, '').replaceAll('/', '--')}`);
    return tokenizerRepo === undefined ? readable : `${readable}@${canonicalHash(tokenizerRepo).slice(0, 16)}`;
  }
  const readable = plain(name).slice(0, 60);
  return `${readable}-${canonicalHash(weights).slice(0, 16)}`;
}

const plain = (name: string) => name.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '');
