import type { Command } from 'commander';
import type { Output } from './style.js';
import { withEscapes } from './width.js';

export interface JsonFlag {
  readonly json?: boolean;
}

/** Gives a command the flag for answers that programs read. */
export function addJsonFlag(command: Command): Command {
  return command.option('--json', 'Print one JSON value, for programs');
}

/** Prints a value of our own. */
export function printJson(value: unknown, out: Output = process.stdout): void {
  printJsonText(JSON.stringify(value, null, 2), out);
}

/** Prints the answer of a server, byte for byte: its numbers may have more digits than JavaScript keeps. */
export function printAnswer(body: Buffer, out: Output = process.stdout): void {
  printJsonText(body, out);
}

/** Prints JSON with a line break at its end; on a terminal with escapes for what would change that. */
export function printJsonText(json: Buffer | string, out: Output): void {
  const text = out.isTTY === true ? withEscapes(json.toString()) : json;
  out.write(text);
  if (text.at(-1) !== '\n' && text.at(-1) !== 0x0a) out.write('\n');
}
