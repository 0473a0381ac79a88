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
