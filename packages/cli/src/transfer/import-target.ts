import { basename } from 'node:path';
import { INDEX_NAME_LENGTH_MAX, indexNameProblem } from '@pelorus/contract';
import { indexPath } from '../api.js';
import { ExitCode } from '../start-failure.js';
import { STARTER_MODEL } from '../starter-model.js';
import { type Api, messageOf } from './api.js';
import type { ColumnKind, Header } from './file-format.js';
import type { RemoteVectors } from './remote/remote.js';
import { TransferFailure } from './transfer-failure.js';

interface Settings {
  readonly type?: string;
  readonly model?: string;
  readonly allFields?: readonly { readonly name: string; readonly type: string }[];
}

interface Stats {
  readonly numberOfDocuments?: number;
  readonly numberOfVectors?: number;
}

/** The index that documents are imported into, which need not be there yet. */
export class ImportTarget {
  readonly index: string;
  readonly #api: Api;
  readonly #settings: Settings | undefined;
  #isMade = false;

  private constructor(api: Api, index: string, settings: Settings | undefined) {
    this.#api = api;
    this.index = index;
    this.#settings = settings;
  }

  static async find(api: Api, index: string): Promise<ImportTarget> {
    const found = await api.send('GET', `${indexPath(index)}/settings`);
    if (found.status === 404) return new ImportTarget(api, index, undefined);
    if (found.status !== 200) throw new TransferFailure(messageOf(found));
    return new ImportTarget(api, index, api.jsonOf<Settings>(found));
  }

  /** An index that nothing is known of. */
  static unknown(api: Api, index: string): ImportTarget {
    return new ImportTarget(api, index, undefined);
  }

  get isThere(): boolean {
    return this.#settings !== undefined;
  }

  get isStructured(): boolean {
    return this.#settings?.type === 'structured';
  }

  /** Tells whether this import made the index. */
  get isMade(): boolean {
    return this.#isMade;
  }

  /** Kinds of the fields that the index declares. */
  kinds(): Map<string, ColumnKind> {
    return new Map((this.#settings?.allFields ?? []).map(({ name, type }) => [name, kindOf(type)]));
  }

  /** Tells whether documents of the index have vectors, or would as the first ones. */
  async embeds(): Promise<boolean> {
    if (this.#settings === undefined) return true;
    if (this.#settings.model === 'no_model') return false;
    const { numberOfDocuments = 0, numberOfVectors = 0 } = await this.#stats();
    return numberOfDocuments === 0 || numberOfVectors > 0;
  }

  async documents(): Promise<number | undefined> {
    return (await this.#stats()).numberOfDocuments;
  }

  /**
   * Makes the index where there is none: as an export says, or else unstructured and of a model.
   * @returns the sentence about it; undefined where the index was there
   */
  async ensure(
    header: Header | undefined,
    model: string | undefined,
    vectors: RemoteVectors | undefined,
  ): Promise<string | undefined> {
    const { model: own } = this.#settings ?? {};
    if (this.#settings !== undefined) {
      if (model === undefined || model === own) return undefined;
      throw new TransferFailure(
        `--model is for an index to make, and ${this.index} has the model ${own}`,
        ExitCode.BAD_CONFIGURATION,
      );
    }
    const chosen = vectors === undefined ? { model: model ?? STARTER_MODEL } : settingsFor(vectors);
    const made = await this.#api.send('POST', indexPath(this.index), JSON.stringify(header?.settings ?? chosen));
    // Another import may have been first.
    if (made.status === 409) return undefined;
    if (made.status >= 300) {
      const as = header === undefined ? '' : ` with the settings of ${header.index}`;
      throw new TransferFailure(`Index ${this.index} cannot be made${as}: ${messageOf(made)}`);
    }
    this.#isMade = true;
    if (header !== undefined) return `Made index ${this.index} with the settings of ${header.index}`;
    const use = chosen.model === 'no_model' ? 'for vectors of your own' : `with the model ${chosen.model}`;
    return `Made index ${this.index} ${use}; \`pelorus indexes show ${this.index}\` shows its settings`;
  }

  async #stats(): Promise<Stats> {
    return this.#api.jsonOf<Stats>(await this.#api.call('GET', `${indexPath(this.index)}/stats`));
  }
}

/** Settings of an index for vectors that come with their documents. */
function settingsFor({ dimensions, spaceType }: RemoteVectors) {
  const modelProperties = { type: 'no_model', dimensions };
  return { model: 'no_model', modelProperties, annParameters: { spaceType } };
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  int: 'integer',
  long: 'integer',
  float: 'float',
  double: 'float',
  bool: 'bool',
};

/** The kind of a declared type's values in a table. */
function kindOf(type: string): ColumnKind {
  if (type === 'text' || type.endsWith('_pointer')) return 'text';
  // Lists, maps and vectors.
  return KINDS[type] ?? 'json';
}

/**
 * The name of an index for a file.
 * @throws TransferFailure for a file whose name gives none
 */
export function indexNameOf(file: string): string {
  const stem = basename(file).replace(/(?<=.)\..*$/s, '');
  const letters = stem.normalize('NFKD').replace(/\p{M}+/gu, '');
  const name = letters
    .replace(/[^a-zA-Z0-9_-]+/g, '-')
    .replace(/^(?=\d)/, '_')
    .replace(/^-+|-+$/g, '')
    .slice(0, INDEX_NAME_LENGTH_MAX);
  if (file !== '-' && name !== '' && indexNameProblem(name) === undefined) return name;
  const what = file === '-' ? 'Standard input' : `The name of ${file}`;
  throw new TransferFailure(
    `${what} names no index: give it first, as in \`pelorus import INDEX FILE\``,
    ExitCode.BAD_CONFIGURATION,
  );
}
