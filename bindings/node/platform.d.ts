/** The platforms that packages are published for, by name. */
export const PLATFORMS: readonly string[];

/** The name of a platform, as the packages for it end: `linux-x64-gnu` for one. */
export function platformName(machine?: { platform: string; arch: string }, glibc?: boolean): string;

/**
 * Loads the package of this platform whose name begins with `prefix`, or returns null where it is not installed.
 *
 * @throws what Node throws where it is installed and does not load here
 */
export function loadPlatformPackage(prefix: string, name?: string): unknown;
