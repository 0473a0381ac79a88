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
  /** No native engine for this machine, or one that does not load here. */
  NO_ENGINE: 8,
  /** A command that calls a server reached none, or a start no cluster. */
  NO_SERVER: 9,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The exit codes in words, as help lists them. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  [ExitCode.FAILED]: 'anything that has no code of its own',
  [ExitCode.BAD_CONFIGURATION]: 'a flag, a variable or a file of settings that cannot be used',
  [ExitCode.PORT_IN_USE]: 'the port is in use',
  [ExitCode.DATA_DIRECTORY_IN_USE]: 'the data directory is in use',
  [ExitCode.DATA_DIRECTORY_UNREADABLE]: 'the data directory cannot be read',
  [ExitCode.DATA_DIRECTORY_NEWER]: 'the data directory has a newer format',
  [ExitCode.NOT_STORED]: 'documents of an import were not stored, or its file is damaged',
  [ExitCode.NO_ENGINE]: 'no native engine for this machine',
  [ExitCode.NO_SERVER]: 'no server or cluster answers at the address',
};

/** A reason not to start that its one line tells in full: it is shown without a stack. */
export class StartFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
