import { indexPath } from '../api.js';
import type { Progress } from '../progress.js';
import { type Api, messageOf } from './api.js';
import type { Batch } from './batches.js';
import type { Document } from './document-rules.js';
import type { Failure, FailureReport } from './failures.js';
import type { ImportOptions } from './import-options.js';
import type { ImportState } from './import-state.js';
import type { Source } from './source.js';
import { TransferFailure } from './transfer-failure.js';

/** Bytes within which an answer says whether anything was refused, before it tells of each document. */
const ANSWER_START_BYTES = 200;

/** Stops an import of which more is refused than its user wants to hear of. */
export class TooManyFailures extends Error {}

/** Sends batches, several at once, and keeps account of how far the file is done with. */
export class Importing {
  readonly #api: Api;
  readonly #options: ImportOptions;
  readonly #report: FailureReport;
  readonly #state: ImportState | undefined;
  readonly #source: Source;
  readonly #progress: Progress;
  /** Batches under way, in the order of the file: done ones too, until all before them are. */
  readonly #underWay: { end: number; isDone: boolean }[] = [];
  #failed: unknown;
  #stored = 0;

  constructor(
    api: Api,
    options: ImportOptions,
    report: FailureReport,
    state: ImportState | undefined,
    source: Source,
    progress: Progress,
  ) {
    this.#api = api;
    this.#options = options;
    this.#report = report;
    this.#state = state;
    this.#source = source;
    this.#progress = progress;
  }

  /** Documents that the server stored. */
  get stored(): number {
    return this.#stored;
  }

  /** @throws what a request throws first, or else what reading throws, after all that was read before was sent */
  async run(batches: AsyncIterable<Batch>): Promise<void> {
    const running = new Set<Promise<void>>();
    try {
      for await (const batch of batches) {
        if (this.#report.countOfPart >= this.#options.failuresMax) throw new TooManyFailures();
        const entry = { end: batch.end, isDone: false };
        this.#underWay.push(entry);
        const sending = this.#send(batch, entry)
          .catch((error: unknown) => {
            this.#failed ??= error;
          })
          .finally(() => running.delete(sending));
        running.add(sending);
        if (running.size >= this.#options.requests) await Promise.race(running);
        if (this.#failed !== undefined) break;
      }
    } catch (error) {
      await Promise.all(running);
      throw this.#failed ?? error;
    }
    await Promise.all(running);
    if (this.#failed !== undefined) throw this.#failed;
  }

  async #send(batch: Batch, entry: { isDone: boolean }): Promise<void> {
    const refused = await this.#add(batch.documents, batch.given);
    this.#stored += batch.documents.length - refused.length;
    const failures = [...batch.failures, ...refused];
    // Reported before it counts as done: after a crash it is reported twice rather than never.
    await this.#report.add(failures.toSorted((a, b) => a.place - b.place));
    entry.isDone = true;
    this.#progress.advance(batch.items, this.#source.done);
    let end: number | undefined;
    while (this.#underWay[0]?.isDone) end = this.#underWay.shift()?.end;
    if (end !== undefined) await this.#state?.reach(end);
  }

  /** Adds documents; gives those that were refused. A batch too large for one request is sent in two. */
  async #add(documents: readonly Document[], given: boolean): Promise<Failure[]> {
    if (documents.length === 0) return [];
    const answer = await this.#api.send(
      'POST',
      `${indexPath(this.#options.index)}/documents`,
      this.#body(documents, given),
    );
    if (answer.status === 413) {
      const [only] = documents;
      if (documents.length === 1 && only !== undefined)
        return [refused(only, { status: 413, message: messageOf(answer) })];
      const middle = Math.ceil(documents.length / 2);
      const first = await this.#add(documents.slice(0, middle), given);
      return [...first, ...(await this.#add(documents.slice(middle), given))];
    }
    if (answer.status >= 300) throw new TransferFailure(messageOf(answer));
    if (answer.body.subarray(0, ANSWER_START_BYTES).includes('"errors":false')) return [];
    const { errors, items } = this.#api.jsonOf<{ errors?: boolean; items?: AnswerItem[] }>(answer);
    if (errors === false) return [];
    if (items?.length !== documents.length) {
      throw new TransferFailure(`An answer about ${documents.length} documents tells of ${items?.length ?? 'none'}`);
    }
    // By their order, as no two have one id: an id that cannot be read is not told again.
    return items.flatMap((item, i) => (item.status < 300 ? [] : [refused(documents[i] as Document, item)]));
  }

  #body(documents: readonly Document[], given: boolean): string {
    const { tensorFields, mappings } = this.#options;
    const own = [
      ...(tensorFields === undefined ? [] : [`"tensorFields":${JSON.stringify(tensorFields)}`]),
      ...(mappings === undefined ? [] : [`"mappings":${mappings}`]),
    ];
    const members = [`"documents":[${documents.map(({ text }) => text).join(',')}]`];
    return `{${[...members, ...(given ? ['"useGivenTensors":true'] : own)].join(',')}}`;
  }
}

interface AnswerItem {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
}

function refused({ place, id, text }: Document, item: AnswerItem): Failure {
  const { status, code, message = `status ${status}` } = item;
  return { place, id, status, ...(code !== undefined && { code }), message, document: text };
}
