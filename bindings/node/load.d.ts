/** The name of this platform's prebuilt package. */
export function platformPackage(machine?: { platform: string; arch: string }, glibc?: boolean): string;

/** Loads the add-on, or throws with code `native_addon_missing` or `native_addon_unusable`. */
export function load(
  environment?: Record<string, string | undefined>,
  localBuild?: string,
  prebuilt?: string,
): typeof import('./generated/index.js');
