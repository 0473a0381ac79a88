import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { echoed } from '@pelorus/contract';
import type { ModelFile } from '../model-entries.js';
import { type Fetched, Fetcher } from '../outbound/fetcher.js';
import {
  ALLOWING_MODEL_PLACES,
  OutboundPolicy,
  OutboundRefused,
  OutsideNetworks,
} from '../outbound/outbound-policy.js';
import { shownUrl } from '../outbound/shown-url.js';
import { reasonOf } from '../reason.js';
import { unusableModel } from '../registry/model-error.js';
import { isService } from '../registry/service-properties.js';
import type { EmbeddingService, KeyPlace } from '../resolved-model.js';
import type { Priority } from '../runtime/encoder.js';
import { inferenceUnavailable } from '../runtime/unavailable.js';
import { reasonIn } from './forms.js';

/** A request that a service refused for what is in it. The message says why in a clause. */
export class InputsRefused extends Error {
  override readonly name = 'InputsRefused';
}

/** One request to a service. */
export interface ServiceRequest {
  readonly service: EmbeddingService;
  /** The model's name, for messages. */
  readonly model: string;
  readonly body: string;
  /** Most bytes of the answer. */
  readonly bytesMax: number;
  /** The caller's own key, instead of the operator's. */
  readonly key: string | null;
  readonly priority: Priority;
  readonly signal: AbortSignal;
}

export interface EmbeddingServicesOptions {
  readonly modelFile: ModelFile;
  /** Networks (CIDR) in which services may lie that requests name, although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** Waits; `sleep` unless a test has its own. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Where the variables of keys are. Default the environment of the process. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** The patience with a service that fails. A query has somebody who waits. */
const PATIENCE: Readonly<Record<Priority, { readonly triesMax: number; readonly waitMaxMs: number }>> = {
  query: { triesMax: 3, waitMaxMs: 2_000 },
  document: { triesMax: 5, waitMaxMs: 30_000 },
};
/** The wait before the second try; each one after it is twice as long. */
const FIRST_WAIT_MS = 250;
/** Statuses below 500 after which trying again may help. */
const PASSING: readonly number[] = [408, 425, 429];
/** Statuses that blame the inputs. */
const BLAMING: readonly number[] = [400, 413, 422];
/** As much of a refusal as is read. */
const REFUSAL_BYTES_MAX = 64 * 1024;
/** The most seconds that a service may have a client wait. */
const RETRY_AFTER_S_MAX = 3_600;

/** A failure that another try may not have. */
class Passing extends Error {
  /** The time that the service asks for; null where it does not. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null = null, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** Asks services for vectors by HTTP: those of the operator as they are, those that requests name under the outbound policy. */
export class EmbeddingServices {
  readonly #guarded: Fetcher;
  readonly #trusted: Fetcher;
  readonly #pause: NonNullable<EmbeddingServicesOptions['pause']>;
  readonly #environment: NodeJS.ProcessEnv;
  /** The ends of the requests under way. */
  readonly #running = new Set<AbortController>();

  constructor({ modelFile, allowedNetworks, pause, environment }: EmbeddingServicesOptions) {
    this.#guarded = new Fetcher(new OutboundPolicy({ allowedNetworks }));
    this.#trusted = new Fetcher(new OutboundPolicy({ trustedOrigins: operatorOrigins(modelFile) }));
    this.#pause = pause ?? ((ms, signal) => sleep(ms, undefined, { signal }));
    this.#environment = environment ?? process.env;
  }

  /**
   * The answer of a service to a request, which is sent again after failures that pass.
   * @throws InputsRefused for a request that it blames
   * @throws PelorusError `bad_request` where it cannot be asked so, `service_unavailable` where it fails and a later call
   *   may not
   * @throws the reason of the signal once it is aborted
   */
  async ask(request: ServiceRequest): Promise<Buffer> {
    const { signal } = request;
    signal.throwIfAborted();
    const end = new AbortController();
    const abort = () => end.abort(signal.reason);
    signal.addEventListener('abort', abort);
    this.#running.add(end);
    try {
      return await this.#patiently(request, end.signal);
    } finally {
      this.#running.delete(end);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    for (const end of this.#running) end.abort(inferenceUnavailable('Inference is shutting down.'));
    await Promise.all([this.#guarded.close(), this.#trusted.close()]);
  }

  async #patiently(request: ServiceRequest, signal: AbortSignal): Promise<Buffer> {
    const { triesMax, waitMaxMs } = PATIENCE[request.priority];
    const key = request.key ?? (await this.#keyOf(request));
    for (let tries = 1; ; tries++) {
      try {
        return await this.#attempt(request, key, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Passing)) throw error;
        const waitMs = Math.max(error.retryAfterMs ?? 0, backOffMs(tries));
        if (tries === triesMax || waitMs > waitMaxMs) throw unavailable(request, error, tries);
        await this.#pause(waitMs, signal).catch(() => undefined);
        signal.throwIfAborted();
      }
    }
  }

  async #attempt(request: ServiceRequest, key: string | null, signal: AbortSignal): Promise<Buffer> {
    const { service, body, bytesMax } = request;
    const { timeoutMs } = service;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const fetcher = service.isOperators ? this.#trusted : this.#guarded;
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key !== null && { authorization: `Bearer ${key}` }),
      };
      const within = AbortSignal.any([signal, timeout.signal]);
      const answer = await fetcher.post(service.url, headers, body, within);
      if (answer.status === 200) return await whole(request, answer, bytesMax);
      throw await refusal(request, answer, key);
    } catch (error) {
      if (timeout.signal.aborted) throw new Passing(`it did not answer within ${timeoutMs} ms`, null, error);
      throw asFailure(request, error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #keyOf({ service: { keyPlace }, model }: ServiceRequest): Promise<string | null> {
    if (keyPlace === null) return null;
    const key = await this.#read(keyPlace);
    // Control characters would end up in a header.
    if (key !== null && /^[\x20-\x7e]+$/.test(key)) return key;
    const place = 'variable' in keyPlace ? `the variable ${keyPlace.variable}` : `the file ${keyPlace.file}`;
    throw unusableModel(`Model ${model} cannot be asked: ${place}, which the model file names, holds no key`);
  }

  async #read(place: KeyPlace): Promise<string | null> {
    if ('variable' in place) return this.#environment[place.variable]?.trim() ?? null;
    return readFile(place.file, 'utf8').then(
      (text) => text.trim(),
      () => null,
    );
  }
}

function operatorOrigins(modelFile: ModelFile): string[] {
  const services = [...modelFile.values()].map(({ properties }) => properties);
  return services.flatMap((one) => (isService(one?.type) && one.url !== undefined ? [new URL(one.url).origin] : []));
}

/** Twice as long after each try, and as much as half of it less, so that those who failed together part. */
function backOffMs(tries: number): number {
  return FIRST_WAIT_MS * 2 ** (tries - 1) * (1 - Math.random() / 2);
}

/** An answer to its end. @throws PelorusError `bad_request` for one that is too long */
async function whole(request: ServiceRequest, { body, headers }: Fetched, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const isTooLong = () => length > bytesMax || Number(headers['content-length'] ?? 0) > bytesMax;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (isTooLong()) throw failed(request, `it answered with more than the ${bytesMax} bytes that vectors take`);
      chunks.push(chunk);
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks);
}

/** The error of an answer that is no success, in the words of the service. */
async function refusal(request: ServiceRequest, answer: Fetched, key: string | null): Promise<Error> {
  const { status, headers } = answer;
  const told = reasonIn(await beginning(answer));
  // Some repeat the key.
  const reason = told === null ? '' : `: ${echoed(key === null ? told : told.replaceAll(key, '[key]'))}`;
  const message = `it answered ${status}${reason}`;
  if (PASSING.includes(status) || status >= 500) return new Passing(message, retryAfterMs(headers['retry-after']));
  if (BLAMING.includes(status)) return new InputsRefused(message);
  const advice =
    status === 401 || status === 403
      ? '. Its key is the keyFile or keyVariable of the model in the file of --models, or modelAuth.service of a request'
      : '';
  return failed(request, `${message}${advice}`);
}

async function beginning({ body }: Fetched): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > REFUSAL_BYTES_MAX) break;
    }
  } catch {
    // The status says enough.
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, REFUSAL_BYTES_MAX).toString('utf8');
}

/** `Retry-After` in milliseconds, given in seconds or as a moment; null where there is none. */
function retryAfterMs(value: string | undefined): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), RETRY_AFTER_S_MAX * 1_000);
}

/** A failure of the network as one that passes, a place that is not allowed as one that does not. */
function asFailure(request: ServiceRequest, error: unknown): unknown {
  if (error instanceof OutboundRefused) {
    const remedy = error instanceof OutsideNetworks ? `. ${ALLOWING_MODEL_PLACES}` : '';
    return failed(request, `${reasonOf(error)}${remedy}`);
  }
  const isOfNetwork = error instanceof Error && 'code' in error && !('status' in error);
  return isOfNetwork ? new Passing(reasonOf(error), null, error) : error;
}

/** The error of a service that cannot be asked so. */
export function failed({ model, service }: Pick<ServiceRequest, 'model' | 'service'>, reason: string): Error {
  return unusableModel(`Model ${model} has no vectors from ${shownUrl(service.url)}: ${reason}`);
}

function unavailable({ model, service }: ServiceRequest, error: Passing, tries: number): Error {
  const times = tries === 1 ? '' : `, ${tries} times`;
  return inferenceUnavailable(
    `Model ${model} has no vectors from ${shownUrl(service.url)}: ${error.message}${times}. Try again later.`,
    error,
    Math.max(1, Math.ceil((error.retryAfterMs ?? 0) / 1_000)),
  );
}
