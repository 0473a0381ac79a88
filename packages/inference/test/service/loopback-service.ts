import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { ServiceForm } from '../../src/resolved-model.js';

type Body = Readonly<Record<string, unknown>>;

/** A request as a service got it. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Body;
  readonly texts: readonly string[];
}

/** Answers a request in place of the service; true where it did. */
export type Interruption = (asked: Asked, response: ServerResponse, number: number) => boolean;

export interface LoopbackService {
  readonly form: ServiceForm;
  readonly origin: string;
  readonly url: string;
  /** The requests so far, in order. */
  readonly asked: readonly Asked[];
}

const PATHS: Readonly<Record<ServiceForm, string>> = {
  openai: '/v1/embeddings',
  ollama: '/api/embed',
  cohere: '/v2/embed',
};

/** A text that no service takes. */
export const REFUSED = 'refuse me';

/** The numbers that a service has for a text, of no certain length. */
export function componentsOf(text: string, dimensions: number, as = ''): number[] {
  const hash = createHash('sha256').update(`${as}${text}`).digest();
  return Array.from({ length: dimensions }, (_, at) => Math.fround(hash.readInt8(at % hash.length) / 16 + 0.25));
}

/**
 * A service on the loopback interface that takes requests and answers them as the one of its form does: with its members,
 * bounds and errors. `interrupt` may answer in its place.
 */
export async function serveEmbeddings(
  form: ServiceForm,
  {
    dimensions = 4,
    interrupt = () => false,
    onEnd = onTestFinished,
  }: {
    readonly dimensions?: number;
    readonly interrupt?: Interruption;
    /** Takes what ends the service; that happens with the test when absent. */
    readonly onEnd?: (end: () => void) => void;
  } = {},
): Promise<LoopbackService> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Body;
    const texts = [form === 'cohere' ? body.texts : body.input].flat() as string[];
    const one = { path: request.url ?? '', headers: request.headers, body, texts };
    asked.push(one);
    if (interrupt(one, response, asked.length)) return;
    const [status, answer] = answers[form](one, dimensions);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  // A connection that the service ends while a request is on its way would be one more failure.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { form, origin, url: `${origin}${PATHS[form]}`, asked };
}

type AnswerOf = (asked: Asked, dimensions: number) => readonly [status: number, body: object];

/** The services, each as its own documentation and answers have it. */
const answers: Readonly<Record<ServiceForm, AnswerOf>> = {
  openai: ({ path, body, texts }, dimensions) => {
    const fault = (message: string) => [400, { error: { message, type: 'invalid_request_error' } }] as const;
    if (path !== PATHS.openai) return [404, { error: { message: `Invalid URL (POST ${path})` } }];
    if (texts.includes(REFUSED)) return fault("'$.input' is invalid.");
    const length = typeof body.dimensions === 'number' ? body.dimensions : dimensions;
    const data = texts.map((text, index) => {
      const vector = componentsOf(text, length);
      const embedding = body.encoding_format === 'base64' ? base64Of(vector) : vector;
      return { object: 'embedding', index, embedding };
    });
    // Nothing says that they come in order.
    return [200, { object: 'list', data: data.toReversed(), model: body.model, usage: { prompt_tokens: 1 } }];
  },
  ollama: ({ path, body, texts }, dimensions) => {
    if (path !== PATHS.ollama) return [404, { error: 'not found' }];
    if (body.model !== 'minilm') return [404, { error: `model "${body.model}" not found, try pulling it first` }];
    if (texts.includes(REFUSED)) return [400, { error: 'the input length exceeds the context length' }];
    return [200, { model: body.model, embeddings: texts.map((text) => componentsOf(text, dimensions)) }];
  },
  cohere: ({ path, body, texts, headers }, dimensions) => {
    if (headers.authorization === undefined) return [401, { id: 'a', message: 'no api key supplied' }];
    if (path !== PATHS.cohere) return [404, { message: 'not found' }];
    if (typeof body.input_type !== 'string') return [400, { message: 'valid input_type must be provided' }];
    if (texts.length > 96) return [400, { message: 'too many texts' }];
    if (texts.includes(REFUSED)) return [422, { id: 'a', message: 'invalid text' }];
    const length = typeof body.output_dimension === 'number' ? body.output_dimension : dimensions;
    const float = texts.map((text) => componentsOf(text, length, String(body.input_type)));
    return [200, { id: 'a', texts, embeddings: { float }, meta: { api_version: { version: '2' } } }];
  },
};

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, component] of vector.entries()) bytes.writeFloatLE(component, at * 4);
  return bytes.toString('base64');
}
