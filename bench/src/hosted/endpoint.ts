import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CACHE } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import { ServerProcess } from '../server/server-process.ts';

export interface EndpointPlan {
  documents: number;
  /** Searches of each round, by the endpoint and without one. */
  searches: number;
  rounds: number;
  /** Indexes that are made and deleted again. */
  creations: number;
}

const TARGETS = { addedUs: 100, gatewayUs: 50, keyUs: 30, createSeconds: 1, idleMiB: 90 };
const NAME = 'hosted';
const SETTINGS = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 4 } };
const BATCH = 100;
const POLL_MS = 5;

/**
 * The cost of an endpoint and a process of its own for an index: its searches, its creation, the memory of its process.
 */
export async function endpointRows(plan: EndpointPlan, say: (line: string) => void): Promise<Row[]> {
  await mkdir(CACHE, { recursive: true });
  const folders = [
    await mkdtemp(join(CACHE, 'hosted-')),
    await mkdtemp(join(CACHE, 'alone-')),
    await mkdtemp(join(CACHE, 'keyed-')),
  ] as const;
  const gateway = await ServerProcess.startWithKey(folders[0], '--hosted', '--index-changes-per-minute', '1000000');
  const alone = await ServerProcess.start(folders[1]);
  const keyed = await ServerProcess.startWithKey(folders[2]);
  const hop = await startHop(alone);
  try {
    say(`creating and deleting ${plan.creations} indexes`);
    const seconds: number[] = [];
    for (let i = 0; i < plan.creations; i += 1) seconds.push(await createAndDelete(gateway, `made-${i}`));

    say(`searching ${plan.documents} documents in ${plan.rounds} rounds`);
    const endpoint = await createHosted(gateway, NAME);
    const idleMiB = proportionalMiB(gateway.pid);
    const paths = [`${endpoint}/indexes/${NAME}`, `/indexes/${NAME}`] as const;
    await fill(gateway, paths[0], plan.documents);
    for (const server of [alone, keyed]) {
      await server.call('POST', paths[1], SETTINGS);
      await fill(server, paths[1], plan.documents);
    }
    const connections = [
      new Connection(gateway.address, gateway.apiKey),
      new Connection(alone.address),
      new Connection(keyed.address, keyed.apiKey),
      new Connection(hop.address),
    ] as const;
    const rounds: { hosted: number; gateway: number; alone: number; keyed: number; handedOn: number }[] = [];
    for (let round = 0; round <= plan.rounds; round += 1) {
      const before = await gateway.read();
      const hosted = await searchUs(connections[0], paths[0], plan);
      const after = await gateway.read();
      const gatewayUs = ((after.cpuSeconds - before.cpuSeconds) * 1e6) / plan.searches;
      const searched = await searchUs(connections[1], paths[1], plan);
      const withKey = await searchUs(connections[2], paths[1], plan);
      const handedOn = await searchUs(connections[3], paths[1], plan);
      // The first warms them up.
      if (round > 0) rounds.push({ hosted, gateway: gatewayUs, alone: searched, keyed: withKey, handedOn });
    }
    for (const connection of connections) connection.close();
    const added = median(rounds.map((round) => round.hosted - round.alone));
    const byKey = median(rounds.map((round) => round.keyed - round.alone));
    const byHop = median(rounds.map((round) => round.handedOn - round.alone));
    return [
      compare(
        'search by an endpoint, p50 (us)',
        'lower',
        median(rounds.map(({ hosted }) => hosted)),
        'without one',
        median(rounds.map((round) => round.alone)),
      ),
      compare('an endpoint adds to a search, p50 (us)', 'lower', added, 'target', TARGETS.addedUs),
      compare('an endpoint adds to a search, p50 (us)', 'lower', added, 'bytes handed on', byHop),
      compare('of it, by the key (us)', 'lower', byKey, 'target', TARGETS.keyUs),
      compare(
        'processor time of the gateway for a search (us)',
        'lower',
        median(rounds.map((round) => round.gateway)),
        'target',
        TARGETS.gatewayUs,
      ),
      compare('create to READY (s)', 'lower', median(seconds), 'target', TARGETS.createSeconds),
      compare('process of an idle index, its share of pages (MiB)', 'lower', idleMiB, 'target', TARGETS.idleMiB),
    ];
  } finally {
    await gateway.stop();
    await alone.stop();
    await keyed.stop();
    hop.child.kill();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

/** A process of Node.js between client and server that does nothing but hand bytes on. */
async function startHop({ address }: ServerProcess): Promise<{ child: ChildProcess; address: string }> {
  const child = fork(fileURLToPath(new URL('bare-hop.ts', import.meta.url)), [new URL(address).port]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { child, address: `http://127.0.0.1:${port}` };
}

/** Path of the endpoint of a new index, once it is ready. */
async function createHosted(gateway: ServerProcess, name: string): Promise<string> {
  await gateway.call('POST', `/api/v2/indexes/${name}`, SETTINGS);
  await untilStatus(gateway, name, 'READY');
  const { marqoEndpoint } = await gateway.call<{ marqoEndpoint: string }>('GET', `/api/v2/indexes/${name}`);
  return new URL(marqoEndpoint).pathname;
}

/** Seconds from the order of an index to its being ready. */
async function createAndDelete(gateway: ServerProcess, name: string): Promise<number> {
  const started = performance.now();
  await gateway.call('POST', `/api/v2/indexes/${name}`, SETTINGS);
  await untilStatus(gateway, name, 'READY');
  const seconds = (performance.now() - started) / 1000;
  await gateway.call('DELETE', `/api/v2/indexes/${name}`);
  await untilStatus(gateway, name, 'DELETED');
  return seconds;
}

async function untilStatus(gateway: ServerProcess, name: string, wanted: string): Promise<void> {
  for (;;) {
    const { indexStatus } = await gateway.call<{ indexStatus: string }>('GET', `/api/v2/indexes/${name}/status`);
    if (indexStatus === wanted) return;
    if (indexStatus === 'FAILED') throw new Error(`index ${name} has failed`);
    await sleep(POLL_MS);
  }
}

const word = (i: number) => `word${i % 100}`;

async function fill(server: ServerProcess, path: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, i) => ({
      _id: `${start + i}`,
      title: `${word(start + i)} of many`,
    }));
    const { errors } = await server.call<{ errors: boolean }>('POST', `${path}/documents`, { documents });
    if (errors) throw new Error('a document was refused');
  }
}

/** Median microseconds of a round's searches, each of which must find what it asks for. */
async function searchUs(connection: Connection, path: string, { searches }: EndpointPlan): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < searches; i += 1) {
    const body = JSON.stringify({ q: word(i), searchMethod: 'LEXICAL' });
    const started = performance.now();
    const answer = await connection.post(`${path}/search`, body);
    times.push((performance.now() - started) * 1000);
    if (!answer.includes(word(i))) throw new Error(`no ${word(i)} was found`);
  }
  return median(times);
}

/** Memory of the one process that `pid` started; pages that processes share count in parts. Null where nobody tells. */
function proportionalMiB(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const told = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child}/smaps_rollup`, 'utf8'));
  return told === null ? null : Number(told[1]) / 1024;
}
