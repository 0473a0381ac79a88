import type { InputBatch } from '@pelorus/node';
import { Semaphore } from '../media/semaphore.js';
import { unusableModel } from '../registry/model-error.js';
import type { EmbeddingService } from '../resolved-model.js';
import type { Device } from '../runtime/device.js';
import type {
  Embeddings,
  EncodeOptions,
  Encoder,
  EncoderWork,
  InputFailure,
  PartedEmbeddings,
  Priority,
} from '../runtime/encoder.js';
import { type EmbeddingServices, failed, InputsRefused } from './embedding-services.js';
import { readVectors, requestBody, WrongAnswer } from './forms.js';

/** Requests of one model that are under way at once. */
const REQUESTS_MAX: Readonly<Record<Priority, number>> = { query: 8, document: 4 };
/** Most components of one answer: it is read on the event loop. */
const COMPONENTS_MAX = 65_536;
/** Most characters of one request that has more than one text. */
const CHARACTERS_MAX = 256 * 1024;
/** Bytes of an answer besides vectors, and for each of their components. */
const ANSWER_BYTES = 64 * 1024;
const COMPONENT_BYTES = 32;
/** Some services repeat the texts, with escapes. */
const ECHO_BYTES = 6;
/** Requests of one call that may be refused before its rest counts as refused. */
const REFUSALS_MAX = 32;

export interface ServiceEncoderParts {
  /** The model's name, for messages. */
  readonly name: string;
  readonly service: EmbeddingService;
  readonly dimensions: number;
  readonly device: Device;
  readonly services: EmbeddingServices;
  /** Counts of all encoders of services. */
  readonly work: ServiceWork;
}

/** The texts of a request and their rows. */
interface Request {
  readonly rows: readonly number[];
  readonly texts: readonly string[];
}

/** The requests and texts that services were asked for. */
export class ServiceWork {
  #batches = 0;
  #inputs = 0;
  #waiting = 0;

  now(): EncoderWork {
    return { batches: this.#batches, inputs: this.#inputs, tokens: 0, waiting: this.#waiting };
  }

  /** Counts inputs that wait for a request, which `sent` takes off again. */
  wait(inputs: number): void {
    this.#waiting += inputs;
  }

  sent(inputs: number): void {
    this.#waiting -= inputs;
    this.#batches += 1;
    this.#inputs += inputs;
  }

  gaveUp(inputs: number): void {
    this.#waiting -= inputs;
  }
}

/** A model that a service runs. There is nothing to load; each call asks for its vectors. */
export class ServiceEncoder implements Encoder {
  readonly dimensions: number;
  readonly device: Device;
  readonly runtime = 'service';
  readonly precision = 'f32';
  readonly sharesWeights = true;
  readonly #parts: ServiceEncoderParts;
  readonly #inputsMax: number;
  readonly #places = { query: new Semaphore(REQUESTS_MAX.query), document: new Semaphore(REQUESTS_MAX.document) };
  readonly #calls = new Set<Promise<unknown>>();

  constructor(parts: ServiceEncoderParts) {
    this.dimensions = parts.dimensions;
    this.device = parts.device;
    this.#parts = parts;
    const fitting = Math.floor(COMPONENTS_MAX / parts.dimensions);
    this.#inputsMax = Math.max(1, Math.min(parts.service.batchInputsMax, fitting));
  }

  get isBusy(): boolean {
    return this.#calls.size > 0;
  }

  encode(inputs: InputBatch, options: EncodeOptions): Promise<PartedEmbeddings> {
    const call = this.#encode(inputs, options);
    this.#calls.add(call);
    const end = () => this.#calls.delete(call);
    call.then(end, end);
    return call;
  }

  /** Services are asked for vectors of texts. */
  async encodeTensors(medium: string): Promise<Embeddings> {
    throw unusableModel(`The model does not take ${medium}`);
  }

  /** There is nothing to copy. */
  setCopies(): void {}

  async release(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }

  async #encode(inputs: InputBatch, options: EncodeOptions): Promise<PartedEmbeddings> {
    options.signal?.throwIfAborted();
    const startedMs = performance.now();
    const texts = inputs.takeTexts();
    const call = new ServiceCall(this.#parts, texts.length, options);
    const places = this.#places[options.priority];
    await call.run(requestsOf(texts, this.#inputsMax), places);
    options.telemetry?.({ tokenizeMs: 0, inferMs: performance.now() - startedMs });
    if (options.normalize) normalize(call.vectors, this.dimensions);
    return { vectors: call.vectors, failures: call.failures.toSorted((a, b) => a.row - b.row), parts: [] };
  }
}

/** The requests of one call, and their answers. */
class ServiceCall {
  readonly vectors: Float32Array;
  readonly failures: InputFailure[] = [];
  readonly #parts: ServiceEncoderParts;
  readonly #options: EncodeOptions;
  /** Aborted when the call fails: what has not been asked then is not asked any more. */
  readonly #end = new AbortController();
  #refusals = 0;

  constructor(parts: ServiceEncoderParts, count: number, options: EncodeOptions) {
    this.#parts = parts;
    this.#options = options;
    this.vectors = new Float32Array(count * parts.dimensions);
  }

  async run(requests: readonly Request[], places: Semaphore): Promise<void> {
    const { signal, priority } = this.#options;
    const within = AbortSignal.any([this.#end.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      await Promise.all(
        requests.map(async (request) => {
          const { work } = this.#parts;
          const { length } = request.texts;
          work.wait(length);
          const place = await places.acquire(1, { priority, signal: within }).catch((error) => {
            work.gaveUp(length);
            throw error;
          });
          work.sent(length);
          try {
            await this.#answer(request, within);
          } finally {
            place.release();
          }
        }),
      );
    } catch (error) {
      this.#end.abort(error);
      throw error;
    }
  }

  /** Fills the rows of a request. Where it is refused for its texts, its halves tell which of them are to blame. */
  async #answer(request: Request, signal: AbortSignal): Promise<void> {
    const { rows, texts } = request;
    const { dimensions } = this.#parts;
    try {
      const vectors = await this.#ask(texts, signal);
      for (const [at, row] of rows.entries()) {
        this.vectors.set(vectors.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions);
      }
    } catch (error) {
      if (!(error instanceof InputsRefused)) throw error;
      this.#refusals += 1;
      if (rows.length === 1 || this.#refusals > REFUSALS_MAX) {
        const message = `${this.#parts.name}: ${error.message}`;
        this.failures.push(...rows.map((row) => ({ row, message })));
        return;
      }
      const half = Math.ceil(rows.length / 2);
      await this.#answer({ rows: rows.slice(0, half), texts: texts.slice(0, half) }, signal);
      await this.#answer({ rows: rows.slice(half), texts: texts.slice(half) }, signal);
    }
  }

  async #ask(texts: readonly string[], signal: AbortSignal): Promise<Float32Array> {
    const { name: model, service, dimensions, services } = this.#parts;
    const { priority, textsAs = priority, serviceKey = null } = this.#options;
    const body = requestBody(service, texts, textsAs, dimensions);
    const count = texts.length;
    const bytesMax = ANSWER_BYTES + count * dimensions * COMPONENT_BYTES + body.length * ECHO_BYTES;
    const answer = await services.ask({ service, model, body, bytesMax, key: serviceKey, priority, signal });
    try {
      return readVectors(service, answer, { count, dimensions });
    } catch (error) {
      throw error instanceof WrongAnswer ? failed({ model, service }, error.message) : error;
    }
  }
}

/** Texts in their order, as many in each request as it may have. */
function requestsOf(texts: readonly string[], inputsMax: number): Request[] {
  const requests: { rows: number[]; texts: string[]; characters: number }[] = [];
  for (const [row, text] of texts.entries()) {
    const last = requests.at(-1);
    if (last === undefined || last.rows.length === inputsMax || last.characters + text.length > CHARACTERS_MAX) {
      requests.push({ rows: [row], texts: [text], characters: text.length });
      continue;
    }
    last.rows.push(row);
    last.texts.push(text);
    last.characters += text.length;
  }
  return requests;
}

/** Brings each vector to length 1; one of zeros keeps its length. */
function normalize(vectors: Float32Array, dimensions: number): void {
  for (let start = 0; start < vectors.length; start += dimensions) {
    const vector = vectors.subarray(start, start + dimensions);
    const length = Math.sqrt(vector.reduce((sum, component) => sum + component * component, 0));
    if (length > 0) for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] as number) / length;
  }
}
