import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Separates the outputs of the commands of a page. */
const SEPARATOR = '\u001e';
/** The addresses that pages name a server by. */
const ADDRESSES = /(?:http:\/\/127\.0\.0\.1|(?:http:\/\/)?localhost):8882/g;

/** The fenced blocks of a page in one language; `path` is relative to the root. */
export function blocks(path: string, language: string): string[] {
  const page = readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, tag]) => tag === language)
    .map(([, , text]) => text as string);
}

/** A text of a page with the address of a server in place of the printed one. */
export function at(address: string, text: string): string {
  return text.replace(ADDRESSES, address);
}

interface Surroundings {
  readonly address: string;
  /** The folder in which the commands run: an empty one. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Addresses in place of those of services that the page names. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/**
 * Runs the shell commands of a page, as printed but for the address, in one shell that ends at the first failure.
 * Returns the output of each; a line of comment begins the next one. Blocks that set up this repository are left out.
 */
export async function outputsOf(
  path: string,
  { address, folder, env = {}, replaced = {} }: Surroundings,
): Promise<string[]> {
  const lines = blocks(path, 'sh').filter((block) => !/^npm /m.test(block));
  const text = Object.entries(replaced).reduce((told, [from, to]) => told.replaceAll(from, to), lines.join(''));
  // Several lines of comment begin one command.
  const script = at(address, text).replace(/(?:^#.*\n)+/gm, `printf '${SEPARATOR}'\n`);
  const { stdout } = await run('sh', ['-e', '-c', script], {
    cwd: folder,
    // Only a loop that waits for what never comes meets it.
    timeout: 300_000,
    env: {
      ...process.env,
      FORCE_COLOR: undefined,
      PELORUS_URL: address,
      ...env,
      PATH: `${commands(folder)}${delimiter}${process.env.PATH}`,
    },
  });
  return stdout
    .split(SEPARATOR)
    .slice(1)
    .map((output) => output.trim());
}

/** A folder with the command `npx`, which runs the command of this repository. */
export function commands(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(bin, 'npx'), 0o755);
  // Windows looks for this name, and its batch files name their arguments one by one.
  const rest = '%2 %3 %4 %5 %6 %7 %8 %9';
  writeFileSync(join(bin, 'npx.cmd'), `@"${process.execPath}" "${MAIN}" ${rest}\r\n`);
  return bin;
}
