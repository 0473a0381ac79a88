import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Connection, ConnectionPool, errors } from '@opensearch-project/opensearch';

/** The time between two looks at the nodes that calls wait for, or that were away, in milliseconds. */
const LOOK_MS = 250;
/** A node that calls wait for so long is asked whether it is there, in milliseconds. */
const SILENCE_MS = 750;
/**
 * One that has not answered by then gets no calls, and those that it has fail by the second time, in milliseconds. It gets
 * none before the cluster lets it go: a node that hung then serves what it had until it has heard of that.
 */
const [DOUBT_MS, ANSWER_MS] = [500, 1_500];
/**
 * For so long after a node was lost, calls that may be given up are, where they wait at another one: a cluster that has not
 * noticed sends parts of them to it, and some that it had never end. In milliseconds.
 */
const GIVE_UP_MS = 15_000;
/** Good answers in a row after which a node that was away gets calls. */
const GOOD_ANSWERS = 3;
/** Questions that each node answers by itself. */
const [HEALTH, STATE] = ['/_cluster/health', '/_cluster/state/version'];

type Callback = Parameters<Connection['request']>[1];

/** A header of calls that may be given up, which no node gets. */
const PATIENCE = 'pelorus-patience';

/**
 * Headers of a call that may be given up after so many milliseconds where a node was lost: it can be sent twice, and
 * whoever sends it sends it again, or can do without.
 */
export const withPatience = (ms: number): Record<string, string> => ({ [PATIENCE]: String(ms) });

/** The error of a call that was given up at a node which answers, as another one was lost. */
export class GivenUpError extends errors.ConnectionError {
  override readonly name = 'GivenUpError';
}

/** A request whose answer is not read to its end. */
interface Pending {
  readonly sinceMs: number;
  /** It may be given up after so many milliseconds. */
  readonly patienceMs: number;
  fail(error: Error): void;
}

/** A node as calls know it. */
interface Watched {
  readonly connection: Connection;
  readonly pending: Set<Pending>;
  /** The call of the connection itself. */
  readonly request: Connection['request'];
  isAsked: boolean;
  goodAnswers: number;
  /** The time at which it was found to hang, or to be gone; undefined where it answers. */
  lostSinceMs: number | undefined;
}

/**
 * The nodes of a cluster. One that does not answer gets no calls while another does, and those that it has fail: a
 * process that hangs, or a machine that is gone, keeps its connections. It is asked until it answers as a part of the
 * cluster.
 */
export class NodePool extends ConnectionPool {
  readonly #nodes = new Map<Connection, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ConstructorParameters<typeof ConnectionPool>[0]) {
    // The client's own way asks a minute later, and then less and less often.
    super({ ...options, resurrectStrategy: 'none' } as ConstructorParameters<typeof ConnectionPool>[0]);
  }

  override createConnection(options: Parameters<ConnectionPool['createConnection']>[0]): Connection {
    const connection = super.createConnection(options);
    const request = connection.request.bind(connection);
    const pending = new Set<Pending>();
    const node: Watched = { connection, request, pending, isAsked: false, goodAnswers: 0, lostSinceMs: undefined };
    this.#nodes.set(connection, node);
    connection.request = (params, callback) => this.#send(node, params, callback);
    return connection;
  }

  override markDead(connection: Connection): this {
    const node = this.#nodes.get(connection);
    if (node !== undefined) node.goodAnswers = 0;
    super.markDead(connection);
    this.#watch();
    return this;
  }

  override empty(callback?: () => void): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#timer = undefined;
    // The client would wait for their answers.
    for (const { pending } of this.#nodes.values()) failAll(pending, 'the connection was closed');
    super.empty(callback);
  }

  #send(node: Watched, params: Parameters<Connection['request']>[0], callback: Callback): ClientRequest {
    let isOver = false;
    let answer: IncomingMessage | undefined;
    const over = () => node.pending.delete(pending);
    const { [PATIENCE]: patience, ...headers } = (params.headers ?? {}) as OutgoingHttpHeaders;
    const pending: Pending = {
      sinceMs: performance.now(),
      patienceMs: Number(patience ?? Number.POSITIVE_INFINITY),
      fail: (error) => {
        over();
        if (answer !== undefined) answer.destroy(error);
        else if (!isOver) {
          isOver = true;
          callback(error, null);
          // With an error, by which the connection counts it as over.
          request.destroy(error);
        }
      },
    };
    node.pending.add(pending);
    const request = node.request({ ...params, headers }, (error, response) => {
      if (isOver) {
        response?.destroy();
        return;
      }
      isOver = true;
      if (error instanceof errors.ConnectionError) node.lostSinceMs ??= performance.now();
      if (response === null) over();
      else {
        answer = response;
        response.once('close', over);
        // Whoever reads it hears of it; nobody does who has read it to its end.
        response.on('error', () => undefined);
      }
      callback(error, response);
    });
    this.#watch();
    return request;
  }

  /** Looks at nodes from now on, as long as there is something to look for. */
  #watch(): void {
    if (!this.#isClosed) this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  #look(): void {
    const silentSinceMs = performance.now() - SILENCE_MS;
    let isIdle = true;
    for (const node of this.#nodes.values()) {
      const isDead = this.dead.includes(node.connection.id);
      if (isDead || node.pending.size > 0) isIdle = false;
      const isSilent = [...node.pending].some(({ sinceMs }) => sinceMs < silentSinceMs);
      if ((isDead || isSilent) && !node.isAsked) void this.#ask(node);
    }
    this.#giveUp();
    if (!isIdle) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Gives up what waits at nodes that answer, after the loss of another one. */
  #giveUp(): void {
    const nowMs = performance.now();
    const lost = [...this.#nodes.values()].filter(({ lostSinceMs = -GIVE_UP_MS }) => lostSinceMs > nowMs - GIVE_UP_MS);
    if (lost.length === 0) return;
    for (const node of this.#nodes.values()) {
      if (lost.includes(node)) continue;
      for (const one of [...node.pending])
        if (one.sinceMs + one.patienceMs < nowMs)
          one.fail(new GivenUpError('another node of the cluster was lost, which may have had a part of this'));
    }
  }

  async #ask(node: Watched): Promise<void> {
    node.isAsked = true;
    const doubt = setTimeout(() => {
      node.lostSinceMs ??= performance.now();
      this.markDead(node.connection);
    }, DOUBT_MS);
    const answer = await health(node);
    clearTimeout(doubt);
    if (answer === 'good') node.lostSinceMs = undefined;
    if (answer === 'none') {
      this.markDead(node.connection);
      failAll(node.pending, 'the node does not answer');
    } else if (this.dead.includes(node.connection.id)) {
      node.goodAnswers = answer === 'good' && (await this.#isCurrent(node)) ? node.goodAnswers + 1 : 0;
      if (node.goodAnswers >= GOOD_ANSWERS) this.markAlive(node.connection);
    }
    node.isAsked = false;
  }

  /** Tells whether a node has heard of all that another one, which gets calls, knows of the cluster. */
  async #isCurrent(node: Watched): Promise<boolean> {
    const others = [...this.#nodes.values()].filter((one) => one !== node && !this.dead.includes(one.connection.id));
    const [other] = others;
    if (other === undefined) return true;
    const known = await stateVersion(other);
    const own = await stateVersion(node);
    return known !== undefined && own !== undefined && own >= known;
  }
}

function failAll(pending: ReadonlySet<Pending>, words: string): void {
  for (const one of [...pending]) one.fail(new errors.ConnectionError(words));
}

/** Asks a node whether it is there: `good` is the answer of one that knows the manager of its cluster. */
async function health(node: Watched): Promise<'none' | 'bad' | 'good'> {
  const answer = await asked(node, HEALTH);
  if (answer === undefined) return 'none';
  if (answer.isRefused) return 'good';
  return answer.body?.discovered_cluster_manager === false || answer.body === undefined ? 'bad' : 'good';
}

/** The version of the state of the cluster that a node has, undefined where it does not answer. They only grow. */
async function stateVersion(node: Watched): Promise<number | undefined> {
  const answer = await asked(node, STATE);
  return answer?.isRefused ? Number.POSITIVE_INFINITY : answer?.body?.version;
}

/** An answer of a node that is there. */
interface Told {
  /** Whoever may not ask is told so by a node that is there. */
  readonly isRefused: boolean;
  /** Undefined for an answer that is no good one. */
  readonly body: { readonly discovered_cluster_manager?: boolean; readonly version?: number } | undefined;
}

/** Asks a node by itself; undefined where it does not answer. */
async function asked({ request }: Watched, path: string): Promise<Told | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage | null>();
  const question = { method: 'GET', path, querystring: 'local=true' } as const;
  const call = request(question, (error, response) => (error === null ? resolve(response) : reject(error)));
  const timer = setTimeout(() => call.destroy(new Error('the node does not answer')), ANSWER_MS);
  try {
    const response = await promise;
    if (response === null) return undefined;
    const body = await text(response);
    const status = response.statusCode ?? 0;
    return { isRefused: status === 401 || status === 403, body: status >= 400 ? undefined : JSON.parse(body) };
  } catch (error) {
    return error instanceof SyntaxError ? { isRefused: false, body: undefined } : undefined;
  } finally {
    clearTimeout(timer);
  }
}
