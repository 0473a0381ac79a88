import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot } from '../paths.mjs';

const FOLDER = fromRoot('scripts', 'drill', 'faults');

/** Planted faults in the order of their numbers: patches whose first lines say what they do and which tests see it. */
export const readFaults = () =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.patch'))
    .sort()
    .map((name) => readFault(join(FOLDER, name), Number.parseInt(name, 10)));

function readFault(path, number) {
  const text = readFileSync(path, 'utf8');
  const head = text.slice(0, text.indexOf('diff --git')).trim().split('\n');
  const [title, ...tests] = head;
  return { number, path, title, tests: tests.map(readCommand) };
}

/** `NAME=VALUE ... cargo test ...` as what starts it. */
function readCommand(line) {
  const words = line.replace(/^test: /, '').split(' ');
  const first = words.findIndex((word) => !word.includes('='));
  const env = Object.fromEntries(words.slice(0, first).map((word) => word.split('=')));
  return { line: words.join(' '), env, command: words[first], args: words.slice(first + 1) };
}
