import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { IGNORED_MARQO_VARIABLES, settings } from '@pelorus/server';
import { expect, test } from 'vitest';
import { ExitCode } from '../../src/start-failure.js';

function page(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../../docs/${name}.md`, import.meta.url)), 'utf8');
}

const CONFIGURATION = page('configuration');
const OPERATIONS = page('operations');

test.each(Object.values(settings))(
  'the page on configuration tells of --$flag, its variable and its default',
  ({ flag, env, fallback }) => {
    const preset = fallback === '' || fallback === null ? 'none' : `\`${fallback}\``;
    expect(CONFIGURATION).toContain(`| \`--${flag}\` | \`${env}\` | ${preset} |`);
  },
);

test.each(Object.keys(IGNORED_MARQO_VARIABLES))('the page on configuration tells that %s changes nothing', (name) => {
  const [said] = /Variables that operators.*?\n## /s.exec(CONFIGURATION) as RegExpExecArray;
  expect(said).toContain(`\`${name}\``);
});

test('the page on operations tells every exit code', () => {
  const [said] = /ends with its own code:[^.]*\./.exec(OPERATIONS) as RegExpExecArray;
  for (const code of Object.values(ExitCode)) expect(said).toMatch(new RegExp(`\\b${code}\\b`));
});
