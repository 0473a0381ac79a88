import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import { ServerProcess } from '../server/server-process.ts';
import { PlainIndex } from './plain.ts';
import { type ProductQuery, type ProductSizes, Products } from './products.ts';
import {
  additionOf,
  documentsPath,
  GRAPH,
  indexPath,
  KINDS,
  type Kind,
  searchOf,
  searchPath,
  settingsOf,
} from './requests.ts';
import { type ScaleCase, scale } from './scale.ts';

interface ClusterDefinition extends ProductSizes {
  rounds: number;
  warmUpSearches: number;
  /** Documents of a request. */
  batch: number;
  /** Vectors whose growth is measured by itself. */
  scale: readonly ScaleCase[];
}

/** One search by all three, in milliseconds, and the share of hits of our server's two engines that both have. */
interface Compared {
  query: number;
  clusterMs: number;
  plainMs: number;
  embeddedMs: number;
  overlap: number;
}

interface Added {
  clusterMs: number;
  plainMs: number;
}

/** The most that a search may take longer than OpenSearch's own answer, in milliseconds. */
const ADDED_MS = 1.5;
const ADD_TARGET = { reach: 0.8, chase: 1 };
const PLAIN = 'OpenSearch alone';
/** Scores that differ by less, as a share, are equal: the cluster has them in 32 bits. */
const TIE = 1e-5;
const NODES = process.env.PELORUS_TEST_OPENSEARCH ?? '';

/** Our server over an OpenSearch cluster, beside that cluster asked by itself, and beside our own engine. */
export const cluster: Bench = async ({ quick, scale: vectors, say }) => {
  const plan = definition<ClusterDefinition>('cluster', quick);
  if (NODES === '') {
    const skipped = 'skipped: PELORUS_TEST_OPENSEARCH names no cluster; `npm run opensearch` starts one';
    say(skipped);
    return { rows: [], notes: [skipped], dataset: plan };
  }
  if (vectors !== null) {
    const node = new Connection(NODES.split(',')[0] as string);
    return scale(node, plan.scale, vectors, say).finally(() => node.close());
  }
  const products = new Products(plan);
  const prefix = `b${randomBytes(6).toString('hex')}`;
  const folders = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'pelorus-bench-'))));
  const flags = ['--engine', 'opensearch', '--opensearch', NODES, '--opensearch-prefix', prefix];
  const overCluster = await ServerProcess.start(folders[0] as string, ...flags, '--opensearch-replicas', '0');
  const embedded = await ServerProcess.start(folders[1] as string);
  const connections = [NODES.split(',')[0] as string, overCluster.address, embedded.address].map(
    (one) => new Connection(one),
  );
  const [node, ...ours] = connections as [Connection, Connection, Connection];
  const plain = new PlainIndex(node, `${prefix}.plain`);
  try {
    await plain.create(products, GRAPH);
    for (const server of [overCluster, embedded]) await server.call('POST', indexPath, settingsOf(products.dim));
    say(`adding ${products.count} documents`);
    const added = await addAll(products, plan.batch, plain, ours);
    const compared = await searchAll(products, plan, plain, ours, say);
    const load = loadavg()[0]?.toFixed(1);
    const notes = [
      `client, servers and node share the machine, whose load is ${load}`,
      'a time is the least of a query in all rounds, of which the median is shown; searches of both take turns',
    ];
    return {
      rows: [...addRows(added, plan), ...KINDS.flatMap((kind) => searchRows(kind, compared.get(kind) ?? []))],
      notes,
      dataset: plan,
    };
  } finally {
    await overCluster.call('DELETE', indexPath).catch(() => undefined);
    await plain.drop().catch(() => undefined);
    for (const connection of connections) connection.close();
    await Promise.all([overCluster.stop(), embedded.stop()]);
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
};

/** Adds each batch to all three, one after the other, in turns of who begins. */
async function addAll(
  products: Products,
  batch: number,
  plain: PlainIndex,
  [cluster, embedded]: readonly [Connection, Connection],
): Promise<Added[]> {
  const added: Added[] = [];
  for (let first = 0; first < products.count; first += batch) {
    const some = products.products(first, first + batch);
    const body = additionOf(some);
    const send = async (connection: Connection) => {
      const { errors } = JSON.parse(await connection.post(documentsPath, body)) as { errors: boolean };
      if (errors) throw new Error('a document was refused');
    };
    const times = { clusterMs: 0, plainMs: 0 };
    const works = [
      async () => {
        times.clusterMs = await timed(() => send(cluster));
      },
      async () => {
        times.plainMs = await timed(() => plain.add(some));
      },
    ];
    for (const work of added.length % 2 === 0 ? works : works.reverse()) await work();
    await send(embedded);
    added.push(times);
  }
  return added;
}

async function searchAll(
  products: Products,
  { rounds, warmUpSearches }: ClusterDefinition,
  plain: PlainIndex,
  [cluster, embedded]: readonly [Connection, Connection],
  say: (line: string) => void,
): Promise<Map<Kind, Compared[]>> {
  const compared = new Map<Kind, Compared[]>(KINDS.map((kind) => [kind, []]));
  const once = async (kind: Kind, query: number, clusterFirst: boolean): Promise<Compared> => {
    const asked = products.queries[query] as ProductQuery;
    const body = searchOf(kind, asked);
    let [found, expected]: [Hit[], Hit[]] = [[], []];
    const times = { clusterMs: 0, plainMs: 0, embeddedMs: 0 };
    const works = [
      async () => {
        times.clusterMs = await timed(async () => {
          found = await hitsOf(cluster, body);
        });
      },
      async () => {
        times.plainMs = await timed(() => plain.search(kind, asked));
      },
    ];
    for (const work of clusterFirst ? works : works.reverse()) await work();
    times.embeddedMs = await timed(async () => {
      expected = await hitsOf(embedded, body);
    });
    return { query, ...times, overlap: overlapOf(expected, found) };
  };
  const places = products.queries.map((_, place) => place);
  for (const kind of KINDS) for (let at = 0; at < warmUpSearches; at += 1) await once(kind, at % places.length, true);
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`);
    for (const kind of KINDS) {
      for (const query of places) compared.get(kind)?.push(await once(kind, query, (query + round) % 2 === 0));
    }
  }
  return compared;
}

interface Hit {
  _id: string;
  _score: number;
}

async function hitsOf(connection: Connection, body: string): Promise<Hit[]> {
  const { hits } = JSON.parse(await connection.post(searchPath, body)) as { hits: Hit[] };
  if (hits.length === 0) throw new Error('a search finds nothing');
  return hits;
}

/** The share of hits that both have. Hits as good as the last one may stand for each other. */
function overlapOf(expected: readonly Hit[], found: readonly Hit[]): number {
  const last = expected.at(-1)?._score ?? 0;
  const ids = new Set(expected.map(({ _id }) => _id));
  const isShared = ({ _id, _score }: Hit) => ids.has(_id) || Math.abs(_score - last) <= TIE * Math.abs(last);
  return found.filter(isShared).length / expected.length;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function addRows(added: readonly Added[], { batch }: ClusterDefinition): Row[] {
  // The first batches make fields, and the compiler of the node warm.
  const warm = added.slice(Math.ceil(added.length / 10));
  const rate = (pick: (one: Added) => number) => (1000 * batch) / median(warm.map(pick));
  const row = compare(
    'documents added (1/s)',
    'higher',
    rate(({ clusterMs }) => clusterMs),
    PLAIN,
    rate(({ plainMs }) => plainMs),
  );
  return [{ ...row, ratio: median(warm.map(({ clusterMs, plainMs }) => plainMs / clusterMs)), target: ADD_TARGET }];
}

/** The least time of each query, as other programs take the processor away from the rest, and the median of these. */
function searchRows(kind: Kind, compared: readonly Compared[]): Row[] {
  const overlap = compared.reduce((sum, one) => sum + one.overlap, 0) / compared.length;
  const recall = Number(overlap.toFixed(4));
  const byQuery = [...Map.groupBy(compared, ({ query }) => query).values()];
  const least = (pick: (one: Compared) => number) => byQuery.map((all) => Math.min(...all.map(pick)));
  const [ours, plain, embedded] = [
    least(({ clusterMs }) => clusterMs),
    least(({ plainMs }) => plainMs),
    least(({ embeddedMs }) => embeddedMs),
  ];
  const addedMs = median(ours.map((milliseconds, at) => milliseconds - (plain[at] ?? 0)));
  return [
    compare(`${kind}: p50 (ms)`, 'lower', median(ours), PLAIN, median(plain), recall),
    compare(`${kind}: p50 (ms)`, 'lower', median(ours), 'embedded', median(embedded), recall),
    compare(`${kind}: added, p50 (ms)`, 'lower', addedMs, 'target', ADDED_MS, recall),
  ];
}
