import { randomUUID } from 'node:crypto';
import { invalidArgument } from '@pelorus/contract';
import { DamagedFileError } from '@pelorus/files';
import { JsonFile, type Place } from '../json-file.js';
import { closedShop, openKept, type ShopFiles } from '../shop-files.js';
import { checkWebUrl } from '../web-url.js';
import { type Article, HelpPassages, type Passage } from './help-passages.js';

const ID_LENGTH_MAX = 256;
const TITLE_LENGTH_MAX = 256;
const TEXT_LENGTH_MAX = 20_000;

/** The help centre of one shop: its articles, and the passages that are found in them. */
export class HelpCentre {
  readonly #files: ShopFiles;
  #passages: HelpPassages | null = null;
  #fault: string | null;
  /** Changes wait for each other, so that the articles in use are those kept. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(files: ShopFiles) {
    this.#files = files;
    this.#fault = files.fault;
  }

  static create(files: ShopFiles): HelpCentre {
    return new HelpCentre(files);
  }

  static async open(files: ShopFiles): Promise<HelpCentre> {
    const centre = new HelpCentre(files);
    if (centre.#fault !== null) return centre;
    try {
      centre.#passages = await HelpPassages.of(await centre.#stored());
    } catch (error) {
      centre.#fault = (error as Error).message;
    }
    return centre;
  }

  /** The reason that nothing can be found; null where it can. */
  get fault(): string | null {
    return this.#fault;
  }

  /**
   * Makes passages of articles anew: of `articles`, which are durable before they are used and take the place of those
   * that were kept, be it that these cannot be read, or of these.
   * @returns the id of the work, which is done
   * @throws PelorusError `invalid_argument` for articles that cannot be; `backend_data_parsing_error`
   */
  async reindex(articles?: readonly Article[] | null): Promise<string> {
    if (articles != null) checkArticles(articles);
    await this.#inTurn(async () => {
      const used = articles ?? (await this.#stored().catch(refuseDamaged));
      if (articles != null) {
        const file = JsonFile.create(placeOf(this.#files), articles);
        await this.#files.keep({ hasHelpCentre: true }, () => file.change(() => articles));
      }
      this.#passages = await HelpPassages.of(used);
      this.#fault = null;
    });
    return randomUUID();
  }

  /**
   * The passages that say most about a question, best first; none where none does.
   * @throws PelorusError `backend_data_parsing_error` where the articles cannot be read
   */
  find(question: string, limit: number): Passage[] {
    if (this.#fault !== null) throw closedShop(this.#fault);
    return this.#passages?.find(question, limit) ?? [];
  }

  async #stored(): Promise<readonly Article[]> {
    const { hasHelpCentre } = this.#files.kept;
    return (await openKept<readonly Article[]>(placeOf(this.#files), [], hasHelpCentre)).value;
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function refuseDamaged(error: Error): never {
  throw error instanceof DamagedFileError ? closedShop(error.message) : error;
}

export function placeOf(files: ShopFiles): Place<readonly Article[]> {
  return files.place('help-centre', areArticles);
}

function areArticles(value: unknown): value is readonly Article[] {
  const isText = (text: unknown) => typeof text === 'string';
  return Array.isArray(value) && value.every((one) => isText(one?.id) && isText(one?.title) && isText(one?.text));
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
