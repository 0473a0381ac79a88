import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { SHELLS } from '../../src/completion/completion-command.js';
import { completionScript } from '../../src/completion/scripts.js';
import { type CompletedCommand, completedCommands } from '../../src/completion/tree.js';

const run = promisify(execFile);
const has = (program: string) =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  );
const present = new Set(
  (await Promise.all(SHELLS.map(async (name) => ((await has(name)) ? name : '')))).filter(Boolean),
);

let commands: readonly CompletedCommand[];
beforeAll(async () => {
  commands = await completedCommands();
});

test('every command that help lists is completed, and the hidden one is not', () => {
  const paths = commands.map(({ path }) => path.join(' '));
  expect(paths).toEqual(expect.arrayContaining(['', 'serve', 'models', 'models list', 'search', 'completion']));
  expect(paths).not.toContain('index-process');
});

describe.each(SHELLS)('the script of %s', (shell) => {
  test('names every command and flag', async () => {
    const script = await completionScript(shell);
    for (const { path, flags } of commands) {
      for (const word of [...path, ...flags.map(({ name }) => name.slice(2))]) expect(script).toContain(word);
    }
  });

  test.skipIf(!present.has(shell))('is one that the shell can read', async () => {
    await run(shell, ['-n', '-c', await completionScript(shell)]);
  });
});

describe.skipIf(!present.has('bash'))('bash completes', () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const script = `${await completionScript('bash')}
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pelorus; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', script, 'bash', 'pelorus', ...words]);
    return stdout.trim().split('\n');
  };

  test.each([
    [['se'], ['serve', 'search']],
    [['models', 'l'], ['list']],
    [['aliases', 's'], ['set']],
    [['models', 'list', '--a'], ['--all']],
    [
      ['search', 'notes', '--method', ''],
      ['tensor', 'lexical', 'hybrid'],
    ],
    [['search', 'notes', '--limit', ''], ['']],
    [['search', 'notes', '--exp'], ['--explain']],
    [['completion', 'f'], ['fish']],
    [['nothing'], ['']],
  ])('%j', async (words, expected) => {
    expect((await complete(...words)).sort()).toEqual([...expected].sort());
  });
});
