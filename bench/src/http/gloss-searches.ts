import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH } from '../paths.ts';
import { median } from '../quantile.ts';
import { type Better, compare, type Row } from '../row.ts';
import { Connection } from '../server/connection.ts';
import type { ServerProcess } from '../server/server-process.ts';
import { fillArticles, fillGlosses, type GlossIndex, type GlossQuery, searchPath } from './gloss-index.ts';
import { type CostedLoad, costedLoad, load } from './load.ts';
import type { ScaledSearch } from './loop-scaling.ts';

interface GlossPlan {
  warmUpSeconds: number;
  seconds: number;
  connections: number;
  rounds: number;
  glosses: number;
  queries: number;
  /** Long texts, of a hundred glosses each. */
  articles: number;
}

interface GlossCase {
  name: string;
  /** Glosses when absent. */
  index?: GlossIndex;
  query: 'words' | 'vector' | 'vector and words';
  search: object;
  /** It is measured with several event loops too. */
  isScaled?: boolean;
  targets: {
    loopUs?: number;
    p50Ms?: number;
    p99Ms?: number;
    requestsPerSecond?: number;
    /**
     * The share of these that `GET /health`, the fastest answer there is, takes or gives: the same on slow machines and
     * fast ones.
     */
    ofHealth?: { loopUs?: number; requestsPerSecond?: number };
  };
}

interface Measured {
  alone: CostedLoad;
  crowded: CostedLoad;
  /** `GET /health` of the same round, by as many connections. */
  health: CostedLoad;
}

/** Hits that a search asks for, and of which it has a number alone. */
const PAGE = { limit: 10, showHighlights: false, attributesToRetrieve: ['number'] };

/** Searches of as many glosses as `plan` says, no query the same as the one before it; and those to be scaled. */
export async function glossSearches(
  server: ServerProcess,
  plan: GlossPlan,
  say: (line: string) => void,
): Promise<{ rows: Row[]; scaled: ScaledSearch[] }> {
  const cases = JSON.parse(readFileSync(join(BENCH, 'definitions', 'http-glosses.json'), 'utf8')) as GlossCase[];
  const queries = await fillGlosses(server, plan.glosses, plan.queries, say);
  const bodies = new Map(cases.map((each) => [each, queries.map((query) => bodyOf(each, query, {}))]));
  await fillArticles(server, plan.articles, say);
  for (const each of cases) await checkAnswer(server, each, queries);
  say('comparing with exact searches');
  const recalls = new Map<GlossCase, number | null>();
  for (const each of cases) recalls.set(each, await recallOf(server, each, queries));
  const measured = new Map<GlossCase, Measured[]>(cases.map((each) => [each, []]));
  const urlOf = (each: GlossCase) => `${server.address}${pathOf(each)}`;
  for (const [each, texts] of bodies) await load(urlOf(each), texts, plan.connections, plan.warmUpSeconds);
  for (let round = 1; round <= plan.rounds; round += 1) {
    say(`glosses, round ${round} of ${plan.rounds}`);
    const health = await costedLoad(server, `${server.address}/health`, null, plan.connections, plan.seconds);
    for (const [each, results] of measured) {
      results.push({ ...(await measure(server, urlOf(each), bodies.get(each) ?? [], plan)), health });
    }
  }
  const rows = cases.flatMap((each) => rowsOf(each, measured.get(each) ?? [], recalls.get(each) ?? null, plan));
  const scaled = cases.filter(({ isScaled }) => isScaled === true);
  return {
    rows,
    scaled: scaled.map((each) => ({ name: each.name, path: pathOf(each), bodies: bodies.get(each) ?? [] })),
  };
}

const pathOf = ({ index = 'glosses' }: GlossCase) => searchPath(index);

function bodyOf({ query, search }: GlossCase, { words, vector }: GlossQuery, more: object): string {
  const text = JSON.stringify(words);
  const content = query === 'vector and words' ? `,"content":${text}` : '';
  const q = query === 'words' ? text : `{"customVector":{"vector":${vector}${content}}}`;
  return `{"q":${q},${JSON.stringify({ ...PAGE, ...search, ...more }).slice(1)}`;
}

/** A speed counts only for searches that find something, and highlights only where there are some. */
async function checkAnswer(server: ServerProcess, each: GlossCase, queries: readonly GlossQuery[]): Promise<void> {
  const connection = new Connection(server.address);
  const { index = 'glosses', name, search } = each;
  let [found, highlighted] = [0, 0];
  for (const query of queries) {
    const answer = await connection.post(searchPath(index), bodyOf(each, query, {}));
    const { hits } = JSON.parse(answer) as { hits: { _lexicalHighlights?: object }[] };
    found += hits.length;
    highlighted += hits.filter(({ _lexicalHighlights = {} }) => Object.keys(_lexicalHighlights).length > 0).length;
  }
  connection.close();
  if (found === 0) throw new Error(`the ${name} searches find nothing`);
  if ('lexicalHighlights' in search && highlighted < found) {
    throw new Error(`the ${name} searches highlight ${highlighted} of ${found} hits`);
  }
}

/** The share of exact searches' hits that default ones find; null where nothing is approximate. */
async function recallOf(
  server: ServerProcess,
  each: GlossCase,
  queries: readonly GlossQuery[],
): Promise<number | null> {
  if ('searchMethod' in each.search && each.search.searchMethod === 'LEXICAL') return null;
  const connection = new Connection(server.address);
  const ids = async (body: string) => {
    const { hits } = JSON.parse(await connection.post(searchPath('glosses'), body)) as { hits: { _id: string }[] };
    return hits.map(({ _id }) => _id);
  };
  let [found, wanted] = [0, 0];
  for (const query of queries) {
    const exact = await ids(bodyOf(each, query, { approximate: false }));
    const hits = await ids(bodyOf(each, query, {}));
    found += exact.filter((id) => hits.includes(id)).length;
    wanted += exact.length;
  }
  connection.close();
  return Number((found / wanted).toFixed(4));
}

async function measure(
  server: ServerProcess,
  url: string,
  bodies: readonly string[],
  { connections, seconds }: GlossPlan,
): Promise<Omit<Measured, 'health'>> {
  return {
    alone: await costedLoad(server, url, bodies, 1, seconds),
    crowded: await costedLoad(server, url, bodies, connections, seconds),
  };
}

function rowsOf(
  { name, index = 'glosses', targets }: GlossCase,
  results: readonly Measured[],
  recall: number | null,
  { glosses, articles, connections }: GlossPlan,
): Row[] {
  const set = index === 'glosses' ? `${glosses} glosses` : `${articles} long texts`;
  const middle = (pick: (measured: Measured) => number) => median(results.map(pick));
  const row = (what: string, better: Better, pick: (measured: Measured) => number, target?: number): Row => ({
    ...compare(`${name}, ${what}`, better, middle(pick), target === undefined ? null : 'target', target, recall),
    set,
  });
  const besideHealth = (what: string, better: Better, pick: (load: CostedLoad) => number, reach?: number): Row => {
    const [ours, theirs] = [middle(({ crowded }) => pick(crowded)), middle(({ health }) => pick(health))];
    const beside = compare(`${name}, ${what}`, better, ours, 'GET /health', theirs, recall);
    return { ...beside, set, ...(reach !== undefined && { target: { reach, chase: 1 } }) };
  };
  const { loopUs, p50Ms, p99Ms, requestsPerSecond, ofHealth } = targets;
  const crowd = `${connections} connections`;
  const rows = [
    row('1 connection: event loop (CPU us)', 'lower', (m) => m.alone.loopUs, loopUs),
    row('1 connection: all threads (CPU us)', 'lower', (m) => m.alone.cpuUs),
    row('1 connection: p50 (ms)', 'lower', (m) => m.alone.p50Ms, p50Ms),
    row('1 connection: p99 (ms)', 'lower', (m) => m.alone.p99Ms, p99Ms),
    besideHealth(`${crowd}: event loop (CPU us)`, 'lower', (load) => load.loopUs, ofHealth?.loopUs),
    besideHealth(`${crowd}: requests/s`, 'higher', (load) => load.requestsPerSecond, ofHealth?.requestsPerSecond),
  ];
  // These stand beside the health already: of them there is a second row only for a target of their own.
  if (loopUs !== undefined) rows.push(row(`${crowd}: event loop (CPU us)`, 'lower', (m) => m.crowded.loopUs, loopUs));
  if (requestsPerSecond !== undefined) {
    rows.push(row(`${crowd}: requests/s`, 'higher', (m) => m.crowded.requestsPerSecond, requestsPerSecond));
  }
  return rows;
}
