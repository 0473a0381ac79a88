import { ExitCode, StartFailure } from '../start-failure.js';

/** The reason that an export or an import stopped: one line tells it all. */
export class TransferFailure extends StartFailure {
  constructor(message: string, exitCode: ExitCode = ExitCode.FAILED) {
    super(exitCode, message);
  }
}

/** Tells that a file is not as it was written. */
export function damaged(file: string, problem: string): TransferFailure {
  return new TransferFailure(`${nameOf(file)} is damaged: ${problem}`, ExitCode.NOT_STORED);
}

/** Names a file, or `-`. */
export function nameOf(file: string): string {
  return file === '-' ? 'Standard input' : file;
}

/** Runs a command; a refusal of the system, such as a folder that is not there, is told in one line as well. */
export async function inOneLine(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof StartFailure || !(error instanceof Error) || !('code' in error)) throw error;
    throw new TransferFailure(error.message);
  }
}
