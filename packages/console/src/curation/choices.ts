import { PelorusError } from '@pelorus/client';
import { useEffect, useState } from 'preact/hooks';
import { announce } from '../parts/announcer.js';
import type { Failure } from '../server/failure.js';
import { useAction, useLoad } from '../server/load.js';
import { type Arrangement, isSameQuery, NO_ARRANGEMENT } from './arrangement.js';
import type { Change, Choices, Curator } from './curator.js';

/** The choices that a page shows and changes. */
export interface ShownChoices {
  readonly curator: Curator;
  readonly choices: Choices | undefined;
  readonly failure: Failure | undefined;
  readonly isChanging: boolean;
  readonly reload: () => void;
  /** Makes a change and tells of it by `done`; the outcome says whether it is made. */
  readonly change: (change: Change, done: string) => Promise<boolean>;
}

export function useChoices(curator: Curator): ShownChoices {
  const loaded = useLoad((client, signal) => curator.load(client, signal), [curator.key]);
  const [choices, setChoices] = useState<Choices>();
  useEffect(() => setChoices(loaded.data), [loaded.data]);
  const action = useAction(async (_client, change: Change, done: string) => {
    if (choices === undefined) return;
    try {
      setChoices(await curator.change(choices, change));
    } catch (error) {
      // The choices of others are shown; whoever still wants the change makes it again.
      if (error instanceof PelorusError && error.code === 'version_conflict') loaded.reload();
      throw error;
    }
    announce(done);
  });
  return {
    ...{ curator, choices },
    failure: action.failure ?? loaded.failure,
    isChanging: action.isRunning,
    reload: loaded.reload,
    change: action.run,
  };
}

/** The choices about the hits of a query. */
export function arrangementOf(choices: Choices, query: string): Arrangement {
  return choices.queries.find((one) => isSameQuery(one.query, query))?.arrangement ?? NO_ARRANGEMENT;
}
