import type { Command } from 'commander';

export interface JsonFlag {
  readonly json?: boolean;
}

/** Gives a command the flag for answers that programs read. */
export function addJsonFlag(command: Command): Command {
  return command.option('--json', 'Print one JSON value, for programs');
}

/** Prints a value of our own. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

/** Prints the answer of a server, byte for byte: its numbers may have more digits than JavaScript keeps. */
export function printAnswer(body: Buffer): void {
  process.stdout.write(body.at(-1) === 0x0a ? body : Buffer.concat([body, Buffer.from('\n')]));
}
