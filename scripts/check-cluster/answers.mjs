/** A call has no answer after so many milliseconds: more than any deadline of the server. */
const NO_ANSWER_MS = 60_000;
/** The time beyond its deadline that a search may take on a busy machine, in milliseconds. */
const DEADLINE_GRACE_MS = 2_000;
const SHOWN = 20;
const KIND_WIDTH = 'hang of the manager'.length;

/** The answers of a server: those that are no promised ones, and the longest time without any. */
export class Answers {
  #server;
  #lastMs = { reads: performance.now(), writes: performance.now() };
  /** The longest time without an answer since {@link beginFault}, in milliseconds. */
  #stopMs = { reads: 0, writes: 0 };
  /** By kind of fault: their number, and the longest stops. */
  #faults = new Map();
  #refusals = new Map();
  #acknowledged = 0;
  #reads = 0;
  #lost = [];
  #wrong = [];

  constructor(server) {
    this.#server = server;
  }

  /**
   * Calls the server. Gives the body of a success, and null for a refusal that is promised or a server that was killed.
   *
   * @param {'reads' | 'writes'} kind
   */
  async call(kind, method, path, body, deadlineMs) {
    const wasUp = this.#server.isUp;
    const begunMs = performance.now();
    let response, answer;
    try {
      response = await fetch(`${this.#server.address}${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(deadlineMs !== undefined && { 'x-request-timeout-ms': String(deadlineMs) }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(NO_ANSWER_MS),
      });
      answer = await response.json();
    } catch (error) {
      const isKilled = !wasUp || !this.#server.isUp;
      if (!isKilled) this.#isWrong(`${method} ${path}: ${error.cause?.code ?? error.name}: ${error.message}`);
      return null;
    }
    const tookMs = performance.now() - begunMs;
    if (response.ok) {
      this.#answered(kind);
      return answer;
    }
    this.#refused(`${method} ${path}`, response, answer, deadlineMs, tookMs);
    return null;
  }

  /** Takes in a write, or a document of one, that was acknowledged. */
  acknowledged() {
    this.#acknowledged += 1;
  }

  /** Takes in a document of a request that was refused by itself. */
  itemRefused(where, { status, code, message }) {
    this.#count(`item ${status} ${code}`);
    if (![429, 503].includes(status) || typeof message !== 'string')
      this.#isWrong(`${where}: item ${status} ${code}: ${message}`);
  }

  /** Takes in a state that contradicts what was acknowledged. */
  isLost(words) {
    this.#lost.push(words);
    console.log(`     LOST ${words}`);
  }

  beginFault() {
    this.#stopMs = { reads: 0, writes: 0 };
  }

  /** Tells of the stops since it began. */
  endFault(kind) {
    const { reads, writes } = this.#stopMs;
    const known = this.#faults.get(kind) ?? { count: 0, reads: 0, writes: 0 };
    this.#faults.set(kind, {
      count: known.count + 1,
      reads: Math.max(known.reads, reads),
      writes: Math.max(known.writes, writes),
    });
    return `${kind.padEnd(KIND_WIDTH)} longest stop of reads ${seconds(reads)}, of writes ${seconds(writes)}`;
  }

  get isAsPromised() {
    return this.#lost.length === 0 && this.#wrong.length === 0;
  }

  summary() {
    const lines = [
      `${this.#acknowledged} writes acknowledged, ${this.#reads} reads`,
      `${this.#lost.length} acknowledged writes lost, ${this.#wrong.length} answers that are not promised`,
      ...[...this.#faults].map(
        ([kind, { count, reads, writes }]) =>
          `${kind.padEnd(KIND_WIDTH)} ${String(count).padStart(3)} times, longest stop of reads ${seconds(reads)}, of writes ${seconds(writes)}`,
      ),
      `refusals: ${[...this.#refusals].map(([words, count]) => `${count} of ${words}`).join(', ') || 'none'}`,
    ];
    return lines.join('\n');
  }

  #answered(kind) {
    if (kind === 'reads') this.#reads += 1;
    const nowMs = performance.now();
    this.#stopMs[kind] = Math.max(this.#stopMs[kind], nowMs - this.#lastMs[kind]);
    this.#lastMs[kind] = nowMs;
  }

  #refused(where, { status, headers }, answer, deadlineMs, tookMs) {
    const { code, message, type } = answer ?? {};
    this.#count(`${status} ${code}`);
    const hasShape = [code, message, type].every((member) => typeof member === 'string');
    const isLater = [429, 503].includes(status) && /^\d+$/.test(headers.get('retry-after') ?? '');
    const isLate =
      code === 'vector_store_timeout' &&
      deadlineMs !== undefined &&
      tookMs >= deadlineMs - 20 &&
      tookMs <= deadlineMs + DEADLINE_GRACE_MS;
    if (!hasShape || !(isLater || isLate))
      this.#isWrong(`${where}: ${status} after ${Math.round(tookMs)} ms: ${JSON.stringify(answer)}`);
  }

  #count(words) {
    this.#refusals.set(words, (this.#refusals.get(words) ?? 0) + 1);
  }

  #isWrong(words) {
    this.#wrong.push(words);
    if (this.#wrong.length <= SHOWN) console.log(`     WRONG ${words.slice(0, 400)}`);
  }
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
