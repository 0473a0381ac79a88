import { folderBytes } from '../documents/disk.ts';
import { recall } from '../vector/recall.ts';
import type { Corpus, Filter } from './corpus.ts';
import type { Generator, Order, Outcome, Request } from './generator.ts';
import { type Load, loadOf } from './load.ts';
import { useOf } from './process-tree.ts';
import { FILTERS, type GraphSettings, type Service, WORKLOADS, type Workload } from './service.ts';

/** Documents of one request. */
const BATCH = 128;
/** Requests that are made ready at a time: all together may be gigabytes. */
const READY = 64;
/** Connections of searches that are not timed. */
const UNTIMED_CONNECTIONS = 4;
/** The share of the best ten that makes a first answer right. */
const RIGHT = 0.9;
/** Milliseconds for which a started service may answer wrongly. */
const START_MS = 300_000;

export interface Ingested {
  acknowledged: number;
  settled: number;
  cpuSeconds: number | null;
}

/** A service on its way through the bench. */
export class Entrant {
  readonly service: Service;
  readonly recalls = new Map<Workload, number | null>();
  /** The mean number of hits of an answer. */
  readonly hits = new Map<Workload, number>();
  readonly loads = new Map<string, Load[]>();
  /** Null for one that decides itself. */
  effort: number | null = null;
  readonly #corpus: Corpus;
  readonly #generator: Generator;
  #searches = new Map<Workload, Request[]>();

  constructor(service: Service, corpus: Corpus, generator: Generator) {
    this.service = service;
    this.#corpus = corpus;
    this.#generator = generator;
  }

  /** Its name, with how far it looks and what that finds. */
  titleIn(workload: Workload): string {
    const found = this.recalls.get(workload) ?? null;
    const parts = [
      ...(this.effort === null || FILTERS[workload] === null ? [] : [`ef ${this.effort}`]),
      ...(found === null ? [`${this.hits.get(workload)} hits`] : [`recall ${found}`]),
    ];
    return `${this.service.title} (${parts.join(', ')})`;
  }

  has(workload: Workload): boolean {
    return this.#searches.has(workload);
  }

  /** Makes its index and adds everything, over so many connections; documents a second. */
  async ingest(graph: GraphSettings, connections: number): Promise<Ingested> {
    const { service } = this;
    await service.create(this.#corpus, graph);
    const before = useOf(service.pid);
    const step = BATCH * READY;
    let seconds = 0;
    for (let first = 0; first < this.#corpus.count; first += step) {
      const glosses = this.#corpus.glosses(first, first + step);
      const count = Math.ceil(glosses.length / BATCH);
      const batches = Array.from({ length: count }, (_, at) => glosses.slice(at * BATCH, (at + 1) * BATCH));
      const requests = batches.map((batch) => service.addition(batch));
      const outcome = await this.#send({ requests, connections, seconds: null, keepsAnswers: true });
      seconds += outcome.seconds;
      for (const answer of outcome.answers) service.checkAdded(Buffer.from(answer));
    }
    const started = performance.now();
    await service.settle();
    const settledSeconds = seconds + (performance.now() - started) / 1000;
    const after = useOf(service.pid);
    const cpuSeconds = before === null || after === null ? null : after.cpuSeconds - before.cpuSeconds;
    return { acknowledged: this.#corpus.count / seconds, settled: this.#corpus.count / settledSeconds, cpuSeconds };
  }

  /** Chooses the least effort that finds enough, or the one that finds most, and prepares all searches with it. */
  async prepare(truths: ReadonlyMap<Filter, number[][]>, efforts: readonly number[], enough: number): Promise<void> {
    const { service } = this;
    if (service.takesEffort) {
      const chosen = await leastEffort(efforts, enough, async (effort) => {
        await this.#look(effort);
        return this.#recallOf('kNN', truths);
      });
      await this.#look(chosen);
    }
    for (const workload of WORKLOADS) {
      const requests = this.#requests(workload);
      if (requests === null) continue;
      this.#searches.set(workload, requests);
      this.recalls.set(workload, await this.#recallOf(workload, truths));
    }
  }

  /** Searches over and over, with what that cost the service. */
  load(workload: Workload, connections: number, seconds: number): Promise<Load> {
    const requests = this.#searches.get(workload) ?? [];
    return loadOf(this.#generator, this.service, this.effort ?? 0, requests, connections, seconds);
  }

  /** Searches so many times, not timed. */
  async warmUp(workload: Workload, count: number, connections: number): Promise<void> {
    const searches = this.#searches.get(workload) ?? [];
    const requests = Array.from({ length: count }, (_, at) => searches[at % searches.length] as Request);
    await this.#send({ requests, connections, seconds: null, keepsAnswers: false });
  }

  /** Mebibytes in memory and on the disk. */
  async sizes(): Promise<{ resident: number | null; disk: number }> {
    const use = useOf(this.service.pid);
    const disk = (await folderBytes(this.service.folder)) / 2 ** 20;
    return { resident: use === null ? null : use.residentBytes / 2 ** 20, disk };
  }

  /** Ends the process and starts another; seconds until a right answer to a first query. */
  async restart(truth: readonly number[][]): Promise<number> {
    await this.service.stop();
    const started = performance.now();
    await this.service.start();
    const requests = (this.#searches.get('kNN') ?? []).slice(0, 1);
    for (;;) {
      const found = await this.#answers(requests, 1).catch(() => []);
      if (recall(found, truth.slice(0, 1)) >= RIGHT) return (performance.now() - started) / 1000;
      if (performance.now() - started > START_MS) throw new Error('it does not answer rightly after its start');
    }
  }

  /** Lets all searches from now on look so far. */
  async #look(effort: number): Promise<void> {
    this.effort = effort;
    await this.service.tune(effort);
  }

  async #recallOf(workload: Workload, truths: ReadonlyMap<Filter, number[][]>): Promise<number | null> {
    const found = await this.#answers(this.#requests(workload) ?? [], UNTIMED_CONNECTIONS);
    if (found.every((ids) => ids.length === 0)) throw new Error(`its searches (${workload}) find nothing`);
    const count = found.reduce((sum, ids) => sum + ids.length, 0);
    this.hits.set(workload, Number((count / found.length).toFixed(1)));
    const filter = FILTERS[workload];
    return filter === null ? null : Number(recall(found, truths.get(filter) ?? []).toFixed(4));
  }

  #requests(workload: Workload): Request[] | null {
    const effort = this.effort ?? 0;
    const requests = this.#corpus.queries.map((query) => this.service.search(workload, query, effort));
    return requests.some((request) => request === null) ? null : (requests as Request[]);
  }

  async #answers(requests: readonly Request[], connections: number): Promise<number[][]> {
    const { answers } = await this.#send({ requests, connections, seconds: null, keepsAnswers: true });
    return answers.map((answer) => this.service.idsOf(Buffer.from(answer)));
  }

  #send(order: Omit<Order, 'wire' | 'port' | 'greeting'>): Promise<Outcome> {
    const { wire, port } = this.service;
    return this.#generator.send({ wire, port, greeting: this.service.greeting(this.effort ?? 0), ...order });
  }
}

/** The least effort with enough recall; the one with the most where none has. */
export async function leastEffort(
  efforts: readonly number[],
  enough: number,
  recallAt: (effort: number) => Promise<number | null>,
): Promise<number> {
  let best = { effort: efforts[0] ?? 0, recall: -1 };
  for (const effort of efforts) {
    const found = (await recallAt(effort)) ?? 0;
    if (found > best.recall) best = { effort, recall: found };
    if (found >= enough) break;
  }
  return best.effort;
}
