import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import type { Readable } from 'node:stream';
import { ExitCode, StartFailure } from './start-failure.js';

/** A server and what to show it. */
export interface Server {
  /** As `serverUrl` gives it. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** The header that carries the key, `x-api-key` when absent. */
  readonly keyHeader?: string;
  /** Stands before the key in its header. */
  readonly keyScheme?: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  /** Seconds that it asks to wait. */
  readonly retryAfter?: string | undefined;
}

/** The bounds of an answer that is read, in bytes and time. */
export interface AnswerBounds {
  readonly bytesMax: number;
  /** Until its status and headers are there. */
  readonly headersMs: number;
  /** An answer that brings fewer than `progressBytesMin` in such a time is given up. */
  readonly stallMs: number;
  /** Gives the call up before its answer is there. */
  readonly signal?: AbortSignal;
}

/** A page of a scan has 8 MiB and one document more; an add may have to wait for its model and then for its vectors. */
export const ANSWER_BOUNDS: AnswerBounds = { bytesMax: 128 * 1024 * 1024, headersMs: 300_000, stallMs: 60_000 };
const PROGRESS_BYTES_MIN = 64 * 1024;
const LINE_END = 0x0a;

/** No answer came, or not the whole of one: another try may get it. */
export class NoAnswer extends Error {}

/** A server that listens, and does not begin an answer or go on with it: each further try costs as long as this one. */
export class Silence extends NoAnswer {}

/**
 * The address of a server without a slash at its end.
 * @throws StartFailure for what is none
 */
export function serverUrl(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isUsable) return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  throw new StartFailure(
    ExitCode.BAD_CONFIGURATION,
    `${flag} is ${JSON.stringify(text.replace(/\/\/[^/@]*@/, '//...@'))}, but must be an http or https address without a user, such as http://127.0.0.1:8882`,
  );
}

/** An answer of lines, which is read as far as they are asked for. */
export interface AnswerLines {
  readonly status: number;
  readonly lines: AsyncGenerator<string>;
}

/**
 * Sends one request. A redirect is not followed: the key would go to wherever it points.
 *
 * @param path behind the address of the server, with its slash
 * @throws NoAnswer
 * @throws StartFailure for an answer that another try would not change
 */
export async function callServer(
  server: Server,
  method: Method,
  path: string,
  body?: string,
  bounds: AnswerBounds = ANSWER_BOUNDS,
): Promise<Answer> {
  const response = await responseOf(server, method, path, body, bounds);
  return wholeOf(response, `${server.url} answers ${method} ${path}`, bounds);
}

/**
 * As `callServer`, for an answer of lines that need not fit memory. One that is no success comes whole.
 * @throws NoAnswer here, and by the lines of an answer that is cut or does not go on
 * @throws StartFailure here, and by the lines for one that is longer than an answer may be
 */
export async function linesOfServer(
  server: Server,
  path: string,
  bounds: AnswerBounds = ANSWER_BOUNDS,
): Promise<Answer | AnswerLines> {
  const response = await responseOf(server, 'GET', path, undefined, bounds);
  const what = `${server.url} answers GET ${path}`;
  if (response.status !== 200) return wholeOf(response, what, bounds);
  return { status: response.status, lines: linesOf(response, what, bounds) };
}

/** An answer whose body is to come. */
interface Response {
  readonly status: number;
  readonly body: Readable;
  header(name: string): string | undefined;
  /** Ends the connection, with the reason where there is one; nothing where the body has been read. */
  giveUp(reason?: Error): void;
}

/**
 * Sends one request by `node:http`: `fetch` takes three times the processor time for a request, which in an import is more
 * than reading the file, and ten times as long to load.
 */
async function responseOf(
  server: Server,
  method: Method,
  path: string,
  body: string | undefined,
  { headersMs, signal }: AnswerBounds,
): Promise<Response> {
  const { url } = server;
  const headers = {
    'accept-encoding': 'gzip',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...keyHeaders(server),
  };
  const request = await requestOf(`${url}${path}`, { method, headers, ...(signal !== undefined && { signal }) });
  const silence = setTimeout(() => {
    request.destroy(new Silence(`no answer within ${headersMs / 1000} s`));
  }, headersMs);
  // One that comes when nobody waits any more.
  request.on('error', () => {});
  let answer: IncomingMessage;
  try {
    request.end(body);
    [answer] = (await once(request, 'response')) as [IncomingMessage];
  } catch (error) {
    throw noAnswer(error, signal);
  } finally {
    clearTimeout(silence);
  }
  const { statusCode: status = 0, headers: answered } = answer;
  if (status >= 300 && status < 400) {
    answer.destroy();
    const place = answered.location ?? 'nowhere';
    throw refused(`${url} answers ${method} ${path} with a redirect to ${place.slice(0, 200)}, which is not followed`);
  }
  return {
    status,
    body: answered['content-encoding'] === 'gzip' ? await unpacked(answer) : answer,
    header: (name) => answer.headers[name] as string | undefined,
    giveUp: (reason) => answer.destroy(reason),
  };
}

/** The module for TLS is loaded where it is needed. */
async function requestOf(url: string, options: RequestOptions) {
  return (url.startsWith('https:') ? (await import('node:https')).request : requestHttp)(url, options);
}

async function unpacked(answer: IncomingMessage): Promise<Readable> {
  const { createGunzip } = await import('node:zlib');
  const body = createGunzip();
  answer.on('error', (error) => body.destroy(error));
  body.on('close', () => answer.destroy());
  return answer.pipe(body);
}

async function wholeOf(response: Response, what: string, bounds: AnswerBounds): Promise<Answer> {
  const whole = await bodyOf(response, bounds);
  if (whole === undefined) throw refused(`${what} with more than ${bounds.bytesMax} bytes, which is not read`);
  return { status: response.status, body: whole, retryAfter: response.header('retry-after') };
}

/** The lines of a body. Only while one is waited for must the server go on. */
async function* linesOf(
  { body, giveUp }: Response,
  what: string,
  { bytesMax, stallMs, signal }: AnswerBounds,
): AsyncGenerator<string> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let parts: Buffer[] = [];
  try {
    for (;;) {
      const silence = setTimeout(() => giveUp(new Silence(`the answer stopped for ${stallMs / 1000} s`)), stallMs);
      const chunk = await chunks
        .next()
        .catch((error) => {
          throw noAnswer(error, signal);
        })
        .finally(() => clearTimeout(silence));
      let bytes: Buffer = chunk.value ?? Buffer.alloc(0);
      for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END)) {
        const line = Buffer.concat([...parts, bytes.subarray(0, end)]);
        [parts, bytes] = [[], bytes.subarray(end + 1)];
        if (line.length > 0) yield line.toString();
      }
      parts.push(bytes);
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      if (length > bytesMax) throw refused(`${what} with a line of more than ${bytesMax} bytes, which is not read`);
      if (chunk.done !== true) continue;
      if (length > 0) yield Buffer.concat(parts).toString();
      return;
    }
  } finally {
    giveUp();
  }
}

/**
 * The header that shows a key; none for an empty one, as a variable without a value gives it.
 * @throws StartFailure for one that no header carries: Node would refuse it in words that show it
 */
function keyHeaders({ url, apiKey = '', keyHeader = 'x-api-key', keyScheme = '' }: Server): Record<string, string> {
  if (apiKey === '') return {};
  if (/^[\x21-\x7e]+$/.test(apiKey)) return { [keyHeader]: `${keyScheme}${apiKey}` };
  throw new StartFailure(
    ExitCode.BAD_CONFIGURATION,
    `The key for ${url} must have visible ASCII characters alone, without spaces and line breaks`,
  );
}

/** The failure to reach a server, in words for whoever typed the command. */
export function unreachable(url: string, error: NoAnswer): StartFailure {
  const told =
    error instanceof Silence
      ? `${url} is too slow (${error.message}): try again later, or name the address of another server`
      : `No server answers at ${url} (${error.message}): start one with \`pelorus serve\`, or name the address of another`;
  return new StartFailure(ExitCode.NO_SERVER, told);
}

/**
 * The JSON object that an answer is.
 * @throws StartFailure for what is none: something else than a server of ours answers
 */
export function jsonObject<T>({ status, body }: Answer, url: string): T {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T;
  } catch {
    // As for what is JSON and no object.
  }
  throw refused(`${url} answers ${status} with what is no JSON object: ${body.toString('utf8', 0, 200)}`);
}

/** The body of an answer; undefined of one that is too large. */
function bodyOf({ body, giveUp }: Response, { bytesMax, stallMs, signal }: AnswerBounds): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let [bytes, bytesBefore] = [0, 0];
  const watch = setInterval(() => {
    if (bytes - bytesBefore < PROGRESS_BYTES_MIN) giveUp(new Silence(`the answer stopped after ${bytes} bytes`));
    bytesBefore = bytes;
  }, stallMs);
  return new Promise<Buffer | undefined>((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= bytesMax) return;
      resolve(undefined);
      giveUp();
    });
    body.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes)));
    body.on('error', (error) => reject(noAnswer(error, signal)));
  }).finally(() => clearInterval(watch));
}

function refused(message: string): StartFailure {
  return new StartFailure(ExitCode.FAILED, message);
}

function noAnswer(error: unknown, signal: AbortSignal | undefined): NoAnswer {
  const reason: unknown = signal?.aborted === true ? signal.reason : error;
  if (reason instanceof NoAnswer) return reason;
  // The message is empty where several addresses were tried in turn.
  const { code, message } = reason as NodeJS.ErrnoException;
  return new NoAnswer(message || code);
}
