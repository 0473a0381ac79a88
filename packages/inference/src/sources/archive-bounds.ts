import { SourceFailure } from './source-failure.js';

/** The bounds of an archive. */
export interface ArchiveBounds {
  /** Most bytes of the unpacked files together. */
  readonly bytesMax: number;
  /** Asked before anything is written, with the bytes to come; throws when there is no room for them. */
  readonly makeRoom?: (bytes: number) => Promise<void>;
}

/** Times its own size that an archive may unpack to: weights shrink a little and tokenizers to a tenth at best. */
export const RATIO_MAX = 100;
/** Most files an archive may list; a model has a handful, a Java archive some hundred. */
export const ENTRIES_MAX = 10_000;

export const tooLarge = (bytesMax: number) =>
  new SourceFailure(`the archive holds more than the ${bytesMax} bytes allowed`);

export const tooMany = (count: number) =>
  new SourceFailure(`the archive lists ${count} files, more than the ${ENTRIES_MAX} allowed`);

export const heldTwice = (name: string) => new SourceFailure(`the archive holds ${name} twice`);

export const damaged = (error: Error) =>
  new SourceFailure(`the archive cannot be unpacked: ${error.message}`, { cause: error });
