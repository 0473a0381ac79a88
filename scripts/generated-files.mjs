// Writes the files of a generator, given as [URL, text]; with `--check` compares them with the committed ones and fails
// when they differ.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

function committed(url) {
  try {
    return readFileSync(url, 'utf8').replaceAll('\r\n', '\n');
  } catch {
    return '';
  }
}

/** Tells whether generated files, given in the same way, are the committed ones. */
export const areCommitted = (files) => files.every(([url, text]) => committed(url) === text);

/** `command` is what writes the files. */
export function writeOrCompare(files, command) {
  for (const [url, text] of files) {
    if (!process.argv.includes('--check')) {
      mkdirSync(new URL('.', url), { recursive: true });
      writeFileSync(url, text);
    } else if (committed(url) !== text) {
      console.error(`${fileURLToPath(url)} is stale: run ${command}`);
      process.exitCode = 1;
    }
  }
}
