import { PelorusError, type types } from '@pelorus/client';
import { type Failure, failureOf } from '../../server/failure.js';
import { type Loaded, noteKeyWanted, useLoad } from '../../server/load.js';
import { session } from '../../server/session.js';
import { Store } from '../../store.js';
import { t } from '../../strings/strings.js';
import type { Configuration } from './configuration.js';
import { type JudgedQuery, queriesOf, sentQueries } from './judged-queries.js';

export const setPath = (name: string): string => `/judgement-sets/${encodeURIComponent(name)}`;

/** All that somebody changes of a set. */
interface SetContent {
  readonly queries: readonly JudgedQuery[];
  readonly configurations: readonly Configuration[];
}

type SentContent = Pick<types.JudgementSet, 'queries'> & Partial<Pick<types.JudgementSet, 'configurations'>>;

/** Those of a server that knows of none: an older one refuses the member. */
const NO_CONFIGURATIONS: readonly Configuration[] = [];

/** A set as the page has it, and how far the server has it too. */
export interface SetState extends SetContent {
  readonly save: 'done' | 'running' | 'failed';
  readonly failure: Failure | undefined;
  /** Tells whether somebody else changed the set: what was changed here since cannot be stored. */
  readonly isOutdated: boolean;
}

/** A set that is being changed. Each change is stored at once, or with the next one where one is on its way. */
export class SetEditor {
  readonly name: string;
  readonly state: Store<SetState>;
  #version: number;
  #stored: SetContent;
  /** The content that was sent last: the answer may have been lost. */
  #sent: SentContent | undefined;
  #isSaving = false;

  constructor({ setName, version, queries, configurations = NO_CONFIGURATIONS }: types.JudgementSet) {
    this.name = setName;
    this.#version = version;
    this.#stored = { queries: queriesOf(queries), configurations };
    this.state = new Store<SetState>({ ...this.#stored, save: 'done', failure: undefined, isOutdated: false });
  }

  get isStored(): boolean {
    const { queries, configurations } = this.state.value;
    return queries === this.#stored.queries && configurations === this.#stored.configurations;
  }

  /** Takes other queries and stores them. */
  change(queries: readonly JudgedQuery[]): void {
    this.#set({ queries });
    void this.save();
  }

  /** Takes other configurations and stores them. */
  keep(configurations: readonly Configuration[]): void {
    this.#set({ configurations });
    void this.save();
  }

  /** Stores what is not stored yet. */
  async save(): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    addEventListener('beforeunload', warn);
    try {
      while (!this.isStored) {
        this.#set({ save: 'running', failure: undefined });
        await this.#send(this.state.value);
      }
      this.#set({ save: 'done', failure: undefined, isOutdated: false });
      removeEventListener('beforeunload', warn);
    } catch (error) {
      noteKeyWanted(error);
      const isOutdated = error instanceof PelorusError && error.code === 'version_conflict';
      const told = isOutdated ? { message: t.relevance.outdated, advice: t.relevance.outdatedAdvice } : {};
      this.#set({ save: 'failed', failure: { ...failureOf(error), ...told }, isOutdated });
    } finally {
      this.#isSaving = false;
    }
  }

  async #send({ queries, configurations }: SetContent): Promise<void> {
    const isNew = configurations !== NO_CONFIGURATIONS;
    const sent: SentContent = { queries: sentQueries(queries), ...(isNew && { configurations }) };
    const { client } = session.value;
    const put = () =>
      client.call<types.JudgementSetSummary>('PUT', setPath(this.name), { version: this.#version, ...sent });
    const before = this.#sent;
    this.#sent = sent;
    const { version } = await put().catch(async (error: unknown) => {
      if (!(error instanceof PelorusError) || error.code !== 'version_conflict' || before === undefined) throw error;
      // The other version may be that of an earlier call of this page, whose answer was lost.
      const found = await client.call<types.JudgementSet>('GET', setPath(this.name));
      if (!isAlike(found, before)) throw error;
      this.#version = found.version;
      return put();
    });
    this.#version = version;
    this.#stored = { queries, configurations };
    this.#sent = undefined;
  }

  #set(changes: Partial<SetState>): void {
    this.state.set({ ...this.state.value, ...changes });
  }
}

function isAlike(found: SentContent, sent: SentContent): boolean {
  const textOf = ({ queries, configurations }: SentContent) => JSON.stringify([queries, configurations ?? []]);
  return textOf(found) === textOf(sent);
}

/** The browser asks before it leaves a page with changes that are not stored. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** The set that was opened last, and those with changes that are not stored yet. */
const editors = new Map<string, SetEditor>();

/** Drops what this page knows of a set, with changes that are not stored. */
export function forgetSet(name: string): void {
  editors.delete(name);
  if ([...editors.values()].every(({ isStored }) => isStored)) removeEventListener('beforeunload', warn);
}

/** Loads a set to change it. One with changes that are not stored stays as it is. */
export function useSetEditor(name: string): Loaded<SetEditor> {
  return useLoad(
    async (client, signal) => {
      const known = editors.get(name);
      if (known !== undefined && !known.isStored) return known;
      const set = await client.call<types.JudgementSet>('GET', setPath(name), undefined, { signal });
      for (const [other, editor] of editors) if (editor.isStored) editors.delete(other);
      const editor = new SetEditor(set);
      editors.set(name, editor);
      return editor;
    },
    [name],
  );
}
