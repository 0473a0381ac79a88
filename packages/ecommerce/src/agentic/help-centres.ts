import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidArgument } from '@pelorus/contract';
import { idsIn, JsonFile } from '../json-file.js';
import { checkWebUrl } from '../web-url.js';
import { type Article, HelpPassages, type Passage } from './help-passages.js';

const ID_LENGTH_MAX = 256;
const TITLE_LENGTH_MAX = 256;
const TEXT_LENGTH_MAX = 20_000;

/** The help centres of all shops, by id of the index: a file of articles each. */
export class HelpCentres {
  readonly #folder: string;
  readonly #passages = new Map<string, HelpPassages>();
  /** Changes wait for each other, so that what is used is what is kept. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens those of the indexes that are there, and removes those of others, which were deleted. */
  static async open(folder: string, isThere: (id: string) => boolean): Promise<HelpCentres> {
    const centres = new HelpCentres(folder);
    for (const id of await idsIn(folder, isThere)) await centres.reindex(id);
    return centres;
  }

  /**
   * Makes passages of articles anew: of `articles`, which are durable before they are used and take the place of those
   * that were kept, or of these.
   * @returns the id of the work, which is done
   * @throws PelorusError `invalid_argument` for articles that cannot be
   */
  async reindex(id: string, articles?: readonly Article[] | null): Promise<string> {
    if (articles != null) checkArticles(articles);
    await this.#inTurn(async () => {
      const file = await JsonFile.open<readonly Article[]>(this.#path(id), []);
      if (articles != null) await file.change(() => articles);
      this.#passages.set(id, await HelpPassages.of(file.value));
    });
    return randomUUID();
  }

  /** The passages that say most about a question, best first; none where none does. */
  find(id: string, question: string, limit: number): Passage[] {
    return this.#passages.get(id)?.find(question, limit) ?? [];
  }

  /** Forgets the help centre of an index that was deleted. */
  remove(id: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#passages.delete(id);
      await rm(this.#path(id), { force: true });
    });
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

function checkArticles(articles: readonly Article[]): void {
  const seen = new Set<string>();
  for (const [place, { id, title, text, url }] of articles.entries()) {
    const name = `articles[${place}]`;
    checkLength(`${name}.id`, id, ID_LENGTH_MAX);
    checkLength(`${name}.title`, title, TITLE_LENGTH_MAX);
    checkLength(`${name}.text`, text, TEXT_LENGTH_MAX);
    if (url != null) checkWebUrl(`${name}.url`, url);
    if (seen.has(id))
      throw invalidArgument(`${name}.id must be the id of one article, but an earlier one has it: ${id}`);
    seen.add(id);
  }
}

function checkLength(name: string, value: string, max: number): void {
  if (value.trim() !== '' && value.length <= max) return;
  throw invalidArgument(`${name} must be a text of 1 to ${max} characters, not all blank, but it has ${value.length}`);
}
