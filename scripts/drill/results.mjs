import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fromRoot } from '../paths.mjs';

/** The record of the last trial of each fault. */
export const RESULTS = fromRoot('scripts', 'drill', 'results.md');

/** Writes the record of a trial in the place of the one before. */
export function writeResult(faults, { fault, outcome, by, seconds }) {
  const rows = readRows();
  const found = by === '' ? outcome : `${outcome} by \`${by}\``;
  rows.set(fault.number, `| ${fault.number} | ${fault.title} | ${found} | ${seconds} |`);
  const row = ({ number, title }) => rows.get(number) ?? `| ${number} | ${title} | not tried yet | |`;
  const lines = faults.map(row);
  const caught = lines.filter((line) => line.includes(' | caught by ')).length;
  const text = [
    '# Planted faults, and the tests that catch them',
    '',
    `Written by \`npm run drill -- all\`, or with a number: ${caught} of ${faults.length} caught. Seconds are those of`,
    'building what the fault changes and of its tests, on two cores that others use too.',
    '',
    '| no. | fault | outcome | seconds |',
    '|---|---|---|---|',
    ...lines,
  ];
  writeFileSync(RESULTS, `${text.join('\n')}\n`);
}

/** The rows of the record by the numbers of their faults. */
function readRows() {
  const lines = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8').split('\n') : [];
  const rows = lines.filter((line) => /^\| \d+ \|/.test(line));
  return new Map(rows.map((line) => [Number.parseInt(line.slice(2), 10), line]));
}
