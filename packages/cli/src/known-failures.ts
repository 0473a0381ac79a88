import { PelorusError } from '@pelorus/contract';
import { ExitCode, StartFailure } from './start-failure.js';

const CODES: Readonly<Record<string, ExitCode>> = {
  EADDRINUSE: ExitCode.PORT_IN_USE,
  EACCES: ExitCode.BAD_CONFIGURATION,
  EADDRNOTAVAIL: ExitCode.BAD_CONFIGURATION,
  ENOTFOUND: ExitCode.BAD_CONFIGURATION,
  data_directory_in_use: ExitCode.DATA_DIRECTORY_IN_USE,
  data_directory_unreadable: ExitCode.DATA_DIRECTORY_UNREADABLE,
  newer_format: ExitCode.DATA_DIRECTORY_NEWER,
  server_configuration_error: ExitCode.BAD_CONFIGURATION,
  native_addon_missing: ExitCode.NO_ENGINE,
  native_addon_unusable: ExitCode.NO_ENGINE,
};

/** The failure behind an error that has a code we know; anything else is given back as it came. */
export function asStartFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StartFailure) return error;
  const known = 'code' in error ? CODES[String(error.code)] : undefined;
  // The messages of the interface's own errors are written for those who call it.
  const exitCode = known ?? (error instanceof PelorusError ? ExitCode.FAILED : undefined);
  return exitCode === undefined ? error : new StartFailure(exitCode, error.message);
}
