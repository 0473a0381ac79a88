import type { Medium, PatchDetector } from '@pelorus/node';

/** The method by which a picture is taken apart into patches with vectors of their own. */
export type PatchMethod = 'simple' | PatchDetector;

/** Pieces of a film or sound, in seconds. */
export interface PieceLengths {
  readonly splitLength: number;
  /** Less than `splitLength`. */
  readonly splitOverlap: number;
}

/** The settings of a request and its index for pictures, films and sounds. */
export interface MediaOptions {
  /** Sent with each fetch, and with no other origin than the one that was named. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fetches of this call at once; as suits the model when absent. */
  readonly connections?: number | undefined;
  /** Null for one vector of each picture, whole. */
  readonly patchMethod: PatchMethod | null;
  /** Null for one vector of the whole film. */
  readonly video: PieceLengths | null;
  /** Null for one vector of the whole sound. */
  readonly audio: PieceLengths | null;
  /** Largest film or sound, in bytes. */
  readonly fileBytesMax: number;
  /** The media that a pointer may turn out to point to, where only the bytes tell; any other pointer is a text. */
  readonly treated: readonly Medium[];
}
