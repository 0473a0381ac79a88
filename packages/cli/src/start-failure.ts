import { PelorusError } from '@pelorus/contract';

/** The exit codes of the process, for scripts and service managers. Listed in docs/operations.md. */
export const ExitCode = {
  /** A fault of ours, or one that has no code of its own. */
  FAILED: 1,
  /** A flag, an environment variable or a configuration file that cannot be used. */
  BAD_CONFIGURATION: 2,
  PORT_IN_USE: 3,
  DATA_DIRECTORY_IN_USE: 4,
  DATA_DIRECTORY_UNREADABLE: 5,
  DATA_DIRECTORY_NEWER: 6,
  /** An import that is done but for documents that were not stored, or whose file is damaged. */
  NOT_STORED: 7,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** A reason not to start that its one line tells in full: it is shown without a stack. */
export class StartFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

const CODES: Readonly<Record<string, ExitCode>> = {
  EADDRINUSE: ExitCode.PORT_IN_USE,
  EACCES: ExitCode.BAD_CONFIGURATION,
  EADDRNOTAVAIL: ExitCode.BAD_CONFIGURATION,
  ENOTFOUND: ExitCode.BAD_CONFIGURATION,
  data_directory_in_use: ExitCode.DATA_DIRECTORY_IN_USE,
  data_directory_unreadable: ExitCode.DATA_DIRECTORY_UNREADABLE,
  newer_format: ExitCode.DATA_DIRECTORY_NEWER,
  server_configuration_error: ExitCode.BAD_CONFIGURATION,
  native_addon_missing: ExitCode.FAILED,
  native_addon_unusable: ExitCode.FAILED,
};

/** The failure behind an error that has a code we know; anything else is given back as it came. */
export function asStartFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StartFailure) return error;
  const known = 'code' in error ? CODES[String(error.code)] : undefined;
  // The messages of the interface's own errors are written for those who call it.
  const exitCode = known ?? (error instanceof PelorusError ? ExitCode.FAILED : undefined);
  return exitCode === undefined ? error : new StartFailure(exitCode, error.message);
}
