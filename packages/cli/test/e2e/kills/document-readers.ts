import { expect } from 'vitest';
import type { Random } from '../../../src/demo/random.js';
import type { ServerProcess } from '../server-process.js';
import { expectContent } from './document-checks.js';
import type { DocumentLedger } from './document-ledger.js';
import { COMMON_WORD, vectorOf, wordOf } from './document-states.js';
import { answered, type Reader } from './ledger.js';

/** Ids of one get, at most. */
const GET_MAX = 40;
/** The time after which a cursor is not gone on with. */
const IDLE_MS = 20_000;

/**
 * Gets and searches of each method beside the writes of a ledger. An answer must agree with every document that no write
 * was under way for meanwhile.
 */
export class SearchReader implements Reader {
  readonly name = 'searches and gets';
  answers = 0;
  readonly #ledger: DocumentLedger;
  readonly #random: Random;

  constructor(ledger: DocumentLedger, random: Random) {
    this.#ledger = ledger;
    this.#random = random;
  }

  async read(server: ServerProcess): Promise<boolean> {
    const { states, path, index } = this.#ledger;
    const begun = states.now;
    const some = this.#random.shuffled([...states.alive.keys()].slice(-GET_MAX));
    const sought = some[0];
    const gets = this.#random.chance(0.4);
    const ids = [...some, ...[...states.deleted.keys()].slice(-GET_MAX)];
    if (gets && ids.length === 0) return true;
    const body = await answered(
      gets
        ? server.call('POST', `${path}/documents/get-batch`, { documentIds: ids })
        : server.call('POST', `${path}/search`, { ...this.#search(sought), limit: 20, showHighlights: false }),
    );
    if (body === null) return false;
    this.answers += 1;
    const shown: any[] = gets ? body.results : body.hits;
    for (const document of shown) {
      if (!states.isSettledSince(document._id, begun)) continue;
      const state = states.alive.get(document._id);
      const isFound = document._found !== false;
      expect(isFound, `${document._id} is shown`).toBe(state !== undefined);
      const { _score, _highlights, _tensor_score, _lexical_score, ...fields } = document;
      if (state !== undefined) expectContent(index, document._id, state, fields);
    }
    return true;
  }

  #search(id: string | undefined): object {
    const state = id === undefined ? undefined : this.#ledger.states.alive.get(id);
    const word = id === undefined || state === undefined ? COMMON_WORD : wordOf(id, state);
    const isGiven = this.#ledger.index.vectors === 'given';
    const vector = vectorOf('reader', { vector: this.#random.int(1, 1_000_000) });
    const q = isGiven ? { customVector: { vector, content: word } } : `${COMMON_WORD} ${word}`;
    switch (this.#random.int(0, 4)) {
      case 0:
        return { q: `${COMMON_WORD} ${word}`, searchMethod: 'LEXICAL' };
      case 1:
        return { q, searchMethod: 'HYBRID' };
      case 2:
        return { q, filter: `price:[${this.#random.int(0, 50)} TO *]` };
      case 3:
        return { q, approximate: false };
      default:
        return { q };
    }
  }
}

/**
 * A scan, or a search with a cursor, beside the writes of a ledger. Each shows one state: every document once, and as it
 * was when it began. A server that was started anew knows nothing of it and says so.
 */
export class CursorReader implements Reader {
  readonly name: string;
  answers = 0;
  /** Cursors of servers that are gone, which were refused. */
  refused = 0;
  readonly #ledger: DocumentLedger;
  readonly #random: Random;
  readonly #kind: 'scan' | 'search';
  #begun = 0;
  #cursor: string | null = null;
  /** The time of the last answer; null after a connection that broke. */
  #answeredMs: number | null = null;
  readonly #shown = new Set<string>();

  constructor(ledger: DocumentLedger, random: Random, kind: 'scan' | 'search') {
    this.name = kind === 'scan' ? 'scans' : 'searches with a cursor';
    this.#ledger = ledger;
    this.#random = random;
    this.#kind = kind;
  }

  async read(server: ServerProcess): Promise<boolean> {
    const { states, index } = this.#ledger;
    // A server forgets a cursor that nobody uses for a minute, and one may be used up by an answer that did not come.
    if (this.#answeredMs === null || performance.now() - this.#answeredMs > IDLE_MS) this.#cursor = null;
    if (this.#cursor === null) {
      this.#begun = states.now;
      this.#shown.clear();
    }
    const body = await answered(this.#page(server));
    this.#answeredMs = body === null ? null : performance.now();
    if (body === null) return false;
    this.answers += 1;
    for (const document of this.#kind === 'scan' ? body.documents : body.hits) {
      const { _score, _highlights, ...fields } = document;
      expect(this.#shown.has(fields._id), `${fields._id} comes twice`).toBe(false);
      this.#shown.add(fields._id);
      if (!states.isSettledSince(fields._id, this.#begun)) continue;
      const state = states.alive.get(fields._id);
      if (state === undefined) throw new Error(`${fields._id} was deleted before the ${this.#kind} began`);
      expectContent(index, fields._id, state, fields);
    }
    this.#cursor = body.cursor;
    if (this.#cursor === null) this.#expectWhole();
    return true;
  }

  async resume(server: ServerProcess): Promise<void> {
    if (this.#cursor === null) return;
    const { status, body } = await this.#page(server);
    expect([status, body.code], JSON.stringify(body)).toEqual([400, 'invalid_argument']);
    this.#cursor = null;
    this.refused += 1;
  }

  #page(server: ServerProcess) {
    const { path } = this.#ledger;
    const limit = this.#random.int(20, 300);
    if (this.#kind === 'scan') {
      const body = this.#cursor === null ? { limit, exposeFacets: true } : { cursor: this.#cursor };
      return server.call('POST', `${path}/documents/scan`, body);
    }
    const first = { q: COMMON_WORD, searchMethod: 'LEXICAL', limit, withCursor: true, showHighlights: false };
    return server.call('POST', `${path}/search`, this.#cursor === null ? first : { cursor: this.#cursor });
  }

  /** Every document that did not change since it began was shown. */
  #expectWhole(): void {
    const { states } = this.#ledger;
    const missing = [...states.alive.keys()].filter(
      (id) => states.isSettledSince(id, this.#begun) && !this.#shown.has(id),
    );
    expect(missing, `missing in a ${this.#kind}`).toEqual([]);
  }
}
