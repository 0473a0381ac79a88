import { PelorusError } from '@pelorus/client';
import { useEffect, useState } from 'preact/hooks';
import { announce } from '../parts/announcer.js';
import type { Failure } from '../server/failure.js';
import { useAction, useLoad } from '../server/load.js';
import { type Arrangement, isSameQuery, NO_ARRANGEMENT } from './arrangement.js';
import type { Change, Choices, Curator } from './curator.js';

/** The part of a page that makes a change: its failure is told there. */
export type Editor = 'hits' | 'redirect' | 'synonyms' | 'queries' | 'rules' | 'rule' | 'defaults';

/** The choices that a page shows and changes. */
export interface ShownChoices {
  readonly curator: Curator;
  readonly choices: Choices | undefined;
  /** The reason that they are not loaded. */
  readonly failure: Failure | undefined;
  /** The last change, where it failed. */
  readonly failed:
    | { readonly editor: Editor; readonly query: string | undefined; readonly failure: Failure }
    | undefined;
  readonly isChanging: boolean;
  readonly reload: () => void;
  /** Makes a change and tells of it by `done`; the outcome says whether it is made. */
  readonly change: (change: Change, done: string, editor: Editor) => Promise<boolean>;
  /** Brings an earlier version back. @throws PelorusError */
  readonly rollBack: (version: number) => Promise<void>;
}

export function useChoices(curator: Curator): ShownChoices {
  const loaded = useLoad((client, signal) => curator.load(client, signal), [curator.key]);
  const [choices, setChoices] = useState<Choices>();
  useEffect(() => setChoices(loaded.data), [loaded.data]);
  const [by, setBy] = useState<{ editor: Editor; query: string | undefined }>();
  const replace = async (make: (before: Choices) => Promise<Choices>) => {
    if (choices === undefined) return;
    try {
      setChoices(await make(choices));
    } catch (error) {
      // The choices of others are shown; whoever still wants the change makes it again.
      if (error instanceof PelorusError && error.code === 'version_conflict') loaded.reload();
      throw error;
    }
  };
  const action = useAction(async (_client, change: Change, done: string, editor: Editor) => {
    setBy({ editor, query: 'query' in change ? change.query : undefined });
    if (choices === undefined) return;
    await replace((before) => curator.change(before, change));
    announce(done);
  });
  return {
    ...{ curator, choices },
    failure: loaded.failure,
    failed: by && action.failure && { ...by, failure: action.failure },
    isChanging: action.isRunning,
    reload: loaded.reload,
    change: action.run,
    rollBack: (version) => replace(async (before) => (await curator.versions?.rollBack(before, version)) ?? before),
  };
}

/** The choices about the hits of a query. */
export function arrangementOf(choices: Choices, query: string): Arrangement {
  return choices.queries.find((one) => isSameQuery(one.query, query))?.arrangement ?? NO_ARRANGEMENT;
}
