/** The platforms that packages are published for, by name. */
export const PLATFORMS: readonly string[];

/** The name of a platform, as the packages for it end: `linux-x64-gnu` for one. */
export function platformName(machine?: { platform: string; arch: string }, glibc?: boolean): string;

/** Tells whether the package of this platform whose name begins with `prefix` is installed. Loads nothing. */
export function hasPlatformPackage(prefix: string): boolean;

/**
 * Loads the package of this platform whose name begins with `prefix`, or returns null where it is not installed.
 *
 * @throws what Node throws where it is installed and does not load here
 */
export function loadPlatformPackage(prefix: string, name?: string): unknown;

/** A part of machine code that not everybody needs. */
export interface PlatformPart {
  /** Start of the name of its packages. */
  readonly prefix: string;
  /** Its name for people. */
  readonly title: string;
  /** Start of the codes of its errors, `missing` and `damaged`. */
  readonly code: string;
  /** End of the sentence that tells how to get it. */
  readonly advice?: string;
}

/** Loads a part, or takes what `absent` makes in its place, whose uses fail with `failure()`. */
export function loadPlatformPart<Part>(part: PlatformPart, absent: (failure: () => Error) => Part): Part;
