import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { settings, UNREAD_VARIABLES } from '@pelorus/server';
import { expect, test } from 'vitest';
import { ExitCode } from '../../src/start-failure.js';

const README = readFileSync(fileURLToPath(new URL('../../../../README.md', import.meta.url)), 'utf8');

test.each(Object.values(settings))(
  'the README tells of --$flag, its variable and its default',
  ({ flag, env, fallback }) => {
    const preset = fallback === '' || fallback === null ? 'none' : `\`${fallback}\``;
    expect(README).toContain(`| \`--${flag}\` | \`${env}\` | ${preset} |`);
  },
);

test.each(Object.keys(UNREAD_VARIABLES))('the README tells that %s changes nothing', (name) => {
  const [said] = /Variables that operators.*?\n\n/s.exec(README) as RegExpExecArray;
  expect(said).toContain(`\`${name}\``);
});

test('the README tells every exit code', () => {
  const [said] = /ends with its own code:[^.]*\./.exec(README) as RegExpExecArray;
  for (const code of Object.values(ExitCode)) expect(said).toMatch(new RegExp(`\\b${code}\\b`));
});
