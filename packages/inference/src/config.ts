import { availableParallelism, homedir } from 'node:os';
import { join } from 'node:path';
import type { TokenPrecision } from '@pelorus/node';
import type { ModelFile } from './model-entries.js';
import type { CachePolicy } from './runtime/query-cache.js';
import { installedPackage } from './sources/model-packages.js';
import type { S3Credentials } from './sources/s3-request.js';

/** The programs that may run models. */
export type EncoderChoice = 'auto' | 'pelorus' | 'onnxruntime';

/** The numbers that models are computed in. */
export type Precision = TokenPrecision;

/** The settings of an operator. Every member has a default. */
export interface InferenceConfig {
  /** Folder that models are kept in. Default {@link defaultModelDir}. */
  readonly modelDir?: string;
  /** Finds the folder of an npm package with a model, null where it is not installed. Default as Node finds packages. */
  readonly packageFolder?: (name: string) => string | null;
  /** The operator's entries for model names. Default nothing. */
  readonly modelFile?: ModelFile;
  /** Origin of the model hub, or null to download no model from anywhere. Default `https://huggingface.co`. */
  readonly hubUrl?: string | null;
  /** The command that fetches the pinned Java artifacts, or null to do without. Default `mvn`. */
  readonly mavenCommand?: string | null;
  /** Origin of the S3 service. Default the one of `s3Region`. */
  readonly s3Endpoint?: string;
  /** Default `us-east-1`. */
  readonly s3Region?: string;
  /** Credentials for buckets where a request brings none. Default none. */
  readonly s3Credentials?: S3Credentials | null;
  /** Networks (CIDR) that model locations may lie in although they are not public. Default none. */
  readonly allowedNetworks?: readonly string[];
  /** Networks (CIDR) that pictures, films and sounds may be fetched from although they are not public. Default none. */
  readonly mediaNetworks?: readonly string[];
  /** Threads that decode and resize pictures. Default half of the cores. */
  readonly pictureThreads?: number;
  /**
   * The ffmpeg that reads films and sounds, a name on the path or a file, 5.1 or newer; null to do without. Default
   * `ffmpeg`.
   */
  readonly ffmpegCommand?: string | null;
  /** Films and sounds that are decoded at once, each by a process of up to four threads. Default a quarter of the cores. */
  readonly recordingsMax?: number;
  /** Told what went wrong where a call goes on without it: pieces of films and sounds that are left out. Default nobody. */
  readonly report?: (message: string) => void;
  /**
   * Memory for pictures on their way to a model, as files and as tensors, in bytes. A medium that finds no room waits.
   * Default 256 MiB.
   */
  readonly mediaMemoryBytes?: number;
  /** Largest model that is fetched, in bytes. Default 16 GiB. */
  readonly modelBytesMax?: number;
  /** Most bytes of downloads that are not models yet, all together. Default twice `modelBytesMax`: the largest model
   * lies there as an archive and unpacked. */
  readonly incomingBytesMax?: number;
  /**
   * The program that runs models: `pelorus`, an encoder of Pelorus wherever it knows the graph, and ONNX Runtime for the
   * others; `auto`, the same except where ONNX Runtime is faster on this machine; or `onnxruntime` for all. Default `auto`.
   */
  readonly encoder?: EncoderChoice;
  /**
   * The numbers that the encoders of Pelorus multiply in; those of ONNX Runtime are f32. With `int8`, a model of texts needs
   * a calibration, and joint models run in f32. Default `f32`.
   */
  readonly encoderPrecision?: Precision;
  /** Told of each model that `auto` leaves to ONNX Runtime, and why, and of each precision but f32. Default nobody. */
  readonly reportEncoder?: (message: string) => void;
  /** Worker threads that run models, each with a session of a loaded model where there is room. Default the cores. */
  readonly threads?: number;
  /** Tokens of a batch of documents with its padding. A query waits for at most one, and a larger one is
   * no faster: it leaves the core's cache. Default 256. */
  readonly documentBatchTokens?: number;
  /** Most inputs that a model computes at once; null leaves it to their tokens. Default null. */
  readonly batchInputsMax?: number | null;
  /** Memory of the cache of query vectors, in bytes; 0 turns it off. Default 32 MiB. */
  readonly queryCacheBytes?: number;
  /** Most vectors in that cache; 0 turns it off, null leaves it to the bytes. Default null. */
  readonly queryCacheCount?: number | null;
  /** The order in which vectors leave that cache: least recently used first, or least frequently used first. Default `lru`. */
  readonly queryCachePolicy?: CachePolicy;
  /** Sum of the sizes of the models that are loaded at once with all their copies, about one per gigabyte. Default 4. */
  readonly modelMemory?: number;
  /** As `modelMemory`, of each CUDA device. Default 4. */
  readonly cudaModelMemory?: number;
  /** Bytes that each copy of a model counts there besides its weights. Default 0. */
  readonly modelCopyBytes?: number;
}

export type InferenceSettings = Required<Omit<InferenceConfig, 'modelFile'>> & { readonly modelFile: ModelFile };

const MIB = 1024 * 1024;

/** Fills in the defaults. */
export function inferenceSettings(config: InferenceConfig = {}): InferenceSettings {
  const modelBytesMax = config.modelBytesMax ?? 16 * 1024 * MIB;
  const s3Region = config.s3Region ?? 'us-east-1';
  return {
    modelDir: config.modelDir ?? defaultModelDir(),
    packageFolder: config.packageFolder ?? installedPackage,
    modelFile: config.modelFile ?? new Map(),
    hubUrl: config.hubUrl === undefined ? 'https://huggingface.co' : config.hubUrl,
    mavenCommand: config.mavenCommand === undefined ? 'mvn' : config.mavenCommand,
    s3Endpoint: config.s3Endpoint ?? `https://s3.${s3Region}.amazonaws.com`,
    s3Region,
    s3Credentials: config.s3Credentials ?? null,
    allowedNetworks: config.allowedNetworks ?? [],
    mediaNetworks: config.mediaNetworks ?? [],
    pictureThreads: config.pictureThreads ?? Math.ceil(availableParallelism() / 2),
    ffmpegCommand: config.ffmpegCommand === undefined ? 'ffmpeg' : config.ffmpegCommand,
    recordingsMax: config.recordingsMax ?? Math.ceil(availableParallelism() / 4),
    report: config.report ?? (() => undefined),
    mediaMemoryBytes: config.mediaMemoryBytes ?? 256 * MIB,
    modelBytesMax,
    incomingBytesMax: config.incomingBytesMax ?? 2 * modelBytesMax,
    encoder: config.encoder ?? 'auto',
    encoderPrecision: config.encoderPrecision ?? 'f32',
    reportEncoder: config.reportEncoder ?? (() => undefined),
    threads: config.threads ?? Math.max(1, availableParallelism()),
    documentBatchTokens: config.documentBatchTokens ?? 256,
    batchInputsMax: config.batchInputsMax ?? null,
    queryCacheBytes: config.queryCacheBytes ?? 32 * MIB,
    queryCacheCount: config.queryCacheCount ?? null,
    queryCachePolicy: config.queryCachePolicy ?? 'lru',
    modelMemory: config.modelMemory ?? 4,
    cudaModelMemory: config.cudaModelMemory ?? 4,
    modelCopyBytes: config.modelCopyBytes ?? 0,
  };
}

/** `PELORUS_MODEL_DIR`, else `pelorus/models` below the user's cache folder. Empty variables count as unset. */
export function defaultModelDir(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return env.PELORUS_MODEL_DIR || join(cache, 'pelorus', 'models');
}
