import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseModelFile } from '@pelorus/inference';
import { expect } from 'vitest';
import { isOnCluster, openService, type Service, type Surroundings } from '../operations/service.js';
import type { Exchange, Expected, Part, SmallModel } from './case.js';

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A whole server on a port of its own, and a connection that is kept open to it, as clients keep theirs. */
export class Connection {
  readonly #service: Service;
  readonly #modelFolder: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #lastCursor = '';

  private constructor(service: Service, modelFolder: string) {
    this.#service = service;
    this.#modelFolder = modelFolder;
  }

  static async open(
    { environment = {}, models, preparation }: Part,
    surroundings: Surroundings = {},
  ): Promise<Connection> {
    const modelFolder = await mkdtemp(join(tmpdir(), 'pelorus-small-models-'));
    const own = models === undefined ? {} : { modelFile: await writtenModels(modelFolder, models) };
    const service = await openService(environment, { ...own, ...surroundings });
    const connection = new Connection(service, modelFolder);
    await connection.#service.app.listen({ host: '127.0.0.1', port: 0 });
    for (const exchange of preparation) await connection.check(exchange);
    return connection;
  }

  /** Answers that were not of the shape that the contract gives them. */
  get faults(): readonly string[] {
    return this.#service.responses.faults;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#service.close();
    await rm(this.#modelFolder, { recursive: true });
  }

  /** Sends a request, and compares its answer with the expected one. */
  async check(exchange: Exchange): Promise<void> {
    const received = await this.#send(exchange);
    this.#lastCursor = /"cursor":"([^"]*)"/.exec(received.text)?.[1] ?? this.#lastCursor;
    const said = `${exchange.request}: ${received.text}`;
    const expected: Expected = (isOnCluster && exchange.onCluster) || exchange;
    expect(received.status, said).toBe(expected.status);
    if (expected.answer !== undefined) expect(JSON.parse(received.text), said).toEqual(expected.answer);
    if (expected.text !== undefined) expect(received.text, said).toEqual(expected.text);
    for (const [name, value] of Object.entries(expected.answerHeaders ?? {})) {
      expect(received.headers[name], `${name} of ${said}`).toEqual(value);
    }
  }

  #send({ request, body, headers }: Exchange): Promise<Received> {
    const { port } = this.#service.app.server.address() as AddressInfo;
    const space = request.indexOf(' ');
    const [method, path] = [request.slice(0, space), request.slice(space + 1)];
    const bytes = bytesOf(typeof body === 'function' ? body(this.#lastCursor) : body);
    // The length is given, as clients do: without it Node sends the body of a GET or DELETE as no body at all.
    const length = bytes.length > 0 ? { 'content-length': bytes.length, 'content-type': 'application/json' } : {};
    return new Promise((resolve, reject) => {
      const options = { port, method, path, agent: this.#agent, headers: withoutEmpty({ ...length, ...headers }) };
      const sent = httpRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      sent.on('error', reject);
      sent.end(bytes);
    });
  }
}

async function writtenModels(folder: string, models: Readonly<Record<string, SmallModel>>) {
  for (const [name, { files }] of Object.entries(models)) {
    for (const [path, file] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name, path)), { recursive: true });
      await writeFile(join(folder, name, path), file);
    }
  }
  const entries = Object.entries(models).map(([name, { properties }]) => [name, { folder: name, properties }]);
  return parseModelFile({ models: Object.fromEntries(entries) }, join(folder, 'models.json'));
}

function bytesOf(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A header that is given as an empty text is not sent. */
function withoutEmpty(headers: Readonly<Record<string, string | number>>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}
