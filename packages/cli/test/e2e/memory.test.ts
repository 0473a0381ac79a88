import { readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { memoryLimit } from './memory-limit.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const MEBIBYTE = 1024 * 1024;
const LIMIT = 1024 * MEBIBYTE;
const DIMENSIONS = 384;
const CONNECTIONS = 60;
const WRITERS = 4;
/** A writer stops when it was refused so often: the room freed in between is not worth waiting for. */
const REFUSALS = 3;

/** The whole of the limit takes minutes to fill: on demand. Otherwise a smaller budget within it is filled. */
const whole = process.env.PELORUS_TEST_FULL_FILL !== undefined;
const budget = whole ? [] : ['--max-memory', '256MiB'];

const data = emptyFolder('memory');
const limit = memoryLimit(LIMIT);
const agent = new Agent({ keepAlive: true });
afterAll(() => {
  agent.destroy();
  limit?.remove();
  rmSync(data, { recursive: true, force: true });
});
if (limit === null) {
  console.warn('SKIPPED: no memory limit can be set here, neither by control groups nor by systemd-run');
}

test.runIf(limit !== null)(
  'under a limit of 1 GiB large bodies and ingest until full are refused, and everything else is answered',
  async () => {
    const server = await ServerProcess.start(['--data', data, ...budget], { inside: limit?.inside ?? [] });
    const peak = new Peak(server.pid);
    onTestFinished(async () => {
      peak.end();
      await server.end('SIGKILL');
    });
    await server.ok('POST', '/indexes/full', {
      model: 'no_model',
      modelProperties: { type: 'no_model', dimensions: DIMENSIONS },
    });
    expect((await add(server, batch(['first']))).status).toBe(200);
    const reading = new Reading(server);

    const body = largeBody();
    const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => add(server, body)));
    expect(answers.map(({ status }) => status)).toContain(200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ code }) => code)).toContain('too_many_requests');
    for (const refusal of refused) expectRefusal(refusal);
    console.log(`${refused.length} of ${CONNECTIONS} large bodies refused; at most ${peak} of anonymous memory`);

    // The memory of large bodies is freed in the background: until then documents may be refused.
    await expect
      .poll(async () => (await add(server, batch(['room']))).status, { timeout: 60_000, interval: 500 })
      .toBe(200);
    const { added, elapsedSeconds } = await fill(server);
    console.log(`full after ${added} documents and ${elapsedSeconds} s; at most ${peak} of anonymous memory`);

    const deleted = await server.ok('POST', '/indexes/full/documents/delete-batch', ['first', 'd0', 'd1']);
    expect(deleted.status).toBe('succeeded');
    expect((await server.call('GET', '/indexes/full/documents/first')).status).toBe(404);
    expect(await reading.end()).toEqual({ failures: [], answered: expect.any(Number) });
    peak.end();
    expect(await server.end(), 'the server was not killed').toBe(0);
  },
  whole ? 3_600_000 : 600_000,
);

/** Adds documents from several writers until each was refused for want of memory. */
async function fill(server: ServerProcess): Promise<{ added: number; elapsedSeconds: number }> {
  const startedMs = performance.now();
  let next = 0;
  let added = 0;
  const write = async () => {
    for (let refusals = 0; refusals < REFUSALS; ) {
      const answer = await add(server, batch(Array.from({ length: 128 }, () => `d${next++}`)));
      if (answer.status === 200) {
        added += 128;
        continue;
      }
      expectRefusal(answer);
      if (answer.code === 'insufficient_memory') refusals += 1;
      await sleep(200);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return { added, elapsedSeconds: Math.round((performance.now() - startedMs) / 1000) };
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | undefined;
}

function expectRefusal({ status, code, retryAfter }: Answer): void {
  const known: Readonly<Record<string, number>> = { too_many_requests: 429, insufficient_memory: 507 };
  expect(known[code ?? ''], `an answer ${status} ${code}`).toBe(status);
  expect(Number(retryAfter)).toBeGreaterThan(0);
}

/** Posts documents. A client that is refused stops sending: nobody waits for the rest of its bytes. */
function add(server: ServerProcess, body: Buffer): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = request(`${server.address}/indexes/full/documents`, { method: 'POST', agent, headers }, (response) => {
      const { statusCode: status = 0, headers } = response;
      json(response).then((answer) => {
        if (status !== 200) sent.destroy();
        resolve({ status, code: (answer as { code?: string }).code, retryAfter: headers['retry-after'] });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const random = new Random(20_261_122);
const vectors = Array.from({ length: 64 }, () => {
  const vector = Array.from({ length: DIMENSIONS }, () => random.int(-1000, 1000) / 1000);
  return JSON.stringify(vector);
});

function batch(ids: readonly string[]): Buffer {
  const documents = ids.map((id, i) => {
    const vector = vectors[i % vectors.length];
    return `{"_id":"${id}","title":"document ${id}","c":{"vector":${vector},"content":"${id}"}}`;
  });
  return addRequest(documents);
}

/** 31 MiB of numbers, in vectors that are too long: all of it has to be read before that is seen. */
function largeBody(): Buffer {
  const documents = 128;
  const number = '0.123456789,';
  const count = Math.floor((31 * MEBIBYTE) / documents / number.length) - documents;
  const vector = `[${number.repeat(count)}0]`;
  return addRequest(Array.from({ length: documents }, (_, i) => `{"_id":"l${i}","c":{"vector":${vector}}}`));
}

function addRequest(documents: readonly string[]): Buffer {
  return Buffer.from(
    `{"documents":[${documents.join(',')}],"tensorFields":["c"],"mappings":{"c":{"type":"custom_vector"}}}`,
  );
}

/** Gets and searches that go on until told to stop. */
class Reading {
  #stopped = false;
  readonly #done: Promise<{ failures: string[]; answered: number }>;

  constructor(server: ServerProcess) {
    this.#done = this.#read(server);
  }

  end(): Promise<{ failures: string[]; answered: number }> {
    this.#stopped = true;
    return this.#done;
  }

  async #read(server: ServerProcess): Promise<{ failures: string[]; answered: number }> {
    const failures: string[] = [];
    let answered = 0;
    const tensor = { context: { tensor: [{ vector: JSON.parse(vectors[0] ?? ''), weight: 1 }] } };
    const calls: readonly (readonly [string, string, unknown?])[] = [
      ['GET', '/indexes/full/stats'],
      ['POST', '/indexes/full/documents/get-batch', { documentIds: ['first'] }],
      ['POST', '/indexes/full/search', { q: 'document', searchMethod: 'LEXICAL' }],
      ['POST', '/indexes/full/search', tensor],
      ['GET', '/health'],
    ];
    while (!this.#stopped) {
      for (const [method, path, body] of calls) {
        const { status } = await server.call(method, path, body).catch((error: Error) => ({ status: error.message }));
        if (status === 200) answered += 1;
        else failures.push(`${method} ${path}: ${status}`);
      }
      await sleep(100);
    }
    return { failures, answered };
  }
}

/** The most anonymous memory that a process was seen to hold. */
class Peak {
  #kibibytes = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      this.#kibibytes = Math.max(this.#kibibytes, Number(/^RssAnon:\s*(\d+)/m.exec(status)?.[1] ?? 0));
    }, 50);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  toString(): string {
    return `${Math.round(this.#kibibytes / 1024)} MiB`;
  }
}
