import { Store } from '../store.js';

/** Work of a page that goes on while other pages are looked at. */
export interface BackgroundWork {
  /** The work in a few words, such as the file that is imported. */
  readonly title: string;
  /** The share that is done, from 0 to 1. */
  readonly share: number;
  /** Its outcome in a sentence; undefined while it goes on. */
  readonly outcome: string | undefined;
  /** The place of the page that it is of. */
  readonly place: readonly string[];
}

/** The work that all pages tell of; undefined where there is none, or its outcome has been seen. */
export const backgroundWork = new Store<BackgroundWork | undefined>(undefined);
