import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { CACHE } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare } from '../row.ts';
import { ServerProcess } from '../server/server-process.ts';
import { type Case, cases, EMBEDDING, OWN } from './cases.ts';

interface BodiesDefinition {
  rounds: number;
  /** Number of bodies to show, those that take longest. */
  shown: number;
}

const TARGET_MS = 20;
/** Before and after a body, so that no turn of another is counted. */
const PAUSE_MS = 30;

interface Sent {
  readonly name: string;
  readonly status: number;
  /** The longest turn of each round. */
  readonly turnsMs: readonly number[];
}

/** The longest turn of the event loop that a body can cause, for bodies as large as their routes take. */
export const bodies: Bench = async ({ quick, say }) => {
  const plan = definition<BodiesDefinition>('bodies', quick);
  await mkdir(CACHE, { recursive: true });
  const data = await mkdtemp(join(CACHE, 'bodies-'));
  const server = await ServerProcess.start(data, '--enable-batch-apis', '--enable-ops-api');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    await prepare(server);
    const sent: Sent[] = [];
    for (const [at, one] of cases.entries()) {
      if (at % 20 === 0) say(`body ${at} of ${cases.length}`);
      sent.push(await measure(server, agent, one, plan.rounds));
    }
    const broken = sent.filter(({ status }) => status >= 500);
    if (broken.length > 0) throw new Error(`answered ${broken.map(({ name, status }) => `${status} to ${name}`)}`);
    const middle = ({ turnsMs }: Sent) => median([...turnsMs]);
    const longest = sent.sort((a, b) => middle(b) - middle(a)).slice(0, plan.shown);
    return {
      rows: longest.map((one) => compare(`${one.name} (ms)`, 'lower', middle(one), 'target', TARGET_MS)),
      notes: [`of ${sent.length} bodies, none of which was answered with a 5xx, these take longest`],
      dataset: { ...plan, bodies: sent },
    };
  } finally {
    agent.destroy();
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
};

async function prepare(server: ServerProcess): Promise<void> {
  const dimensions = 384;
  await server.call('POST', OWN, { model: 'no_model', modelProperties: { type: 'no_model', dimensions } });
  await server.call('POST', EMBEDDING, { model: 'random/small' });
  const vector = Array(dimensions).fill(0.1234567);
  await server.call('POST', `${OWN}/documents`, {
    documents: Array.from({ length: 128 }, (_, at) => ({ _id: `v${at}`, t: 'words '.repeat(20), v: { vector } })),
    tensorFields: ['v'],
    mappings: { v: { type: 'custom_vector' } },
  });
}

async function measure(server: ServerProcess, agent: Agent, one: Case, rounds: number): Promise<Sent> {
  const turnsMs: number[] = [];
  let status = 0;
  for (let round = 0; round < rounds; round += 1) {
    const body = Buffer.from(one.body(round));
    await sleep(PAUSE_MS);
    server.reset();
    status = await send(server, agent, one, body);
    await sleep(PAUSE_MS);
    turnsMs.push((await server.read()).longestTurnMs);
  }
  return { name: `${one.method} ${one.path}, ${one.name}`, status, turnsMs };
}

/** Sends a body whatever becomes of it; its status, once all of the answer has come. */
function send({ address }: ServerProcess, agent: Agent, { method, path }: Case, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(`${address}${path}`, { method, agent, headers }, (answer) => {
      answer.on('end', () => resolve(answer.statusCode ?? 0)).on('error', reject);
      answer.resume();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
