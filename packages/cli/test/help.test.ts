import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { commands } from '../src/commands.js';
import { programOf } from '../src/program.js';
import { exitCodeMeanings } from '../src/start-failure.js';

/** The help of a command with what is put after it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

/** The command behind the first words, and the words that follow its name. */
function found(command: Command, words: readonly string[]): { command: Command; rest: readonly string[] } {
  const next = command.commands.find((one) => one.name() === words[0]);
  return next === undefined ? { command, rest: words } : found(next, words.slice(1));
}

const loaded = new Map<string, Command>();
let program: Command;
beforeAll(async () => {
  for (const { name } of commands) {
    program = await programOf([name], '1.2.3');
    loaded.set(name, program.commands.find((one) => one.name() === name) as Command);
  }
});

test('help lists every exit code', () => {
  const help = helpOf(program);
  for (const [code, meaning] of Object.entries(exitCodeMeanings)) expect(help).toContain(`  ${code}  ${meaning}`);
});

test('a word that is no command, and help of one, load the right one', async () => {
  const helped = await programOf(['help', 'search'], '1.2.3');
  const search = helped.commands.find((one) => one.name() === 'search') as Command;
  expect(search.options.map(({ long }) => long)).toContain('--limit');
  expect((await programOf(['nothing'], '1.2.3')).commands.map((one) => one.options.length)).not.toContain(2);
});

test('options of a command stand before those that it shares, and a switch has no default', () => {
  for (const name of ['export', 'import', 'search', 'serve']) {
    const help = helpOf(loaded.get(name) as Command);
    const groups = [...help.matchAll(/^(\S.*):$/gm)].map(([, group]) => group).filter((group) => group !== 'Examples');
    expect(groups.indexOf('Options'), name).toBeLessThanOrEqual(1);
    expect(help).not.toMatch(/\(default: (false|\[\])|preset/);
  }
});

test('each example names a command that is there, with flags that it has', () => {
  const examples = [program, ...loaded.values()]
    .flatMap((command) => [command, ...command.commands])
    .flatMap((command) => [...helpOf(command).matchAll(/^ {2}pelorus (.*)$/gm)].map(([, line]) => line as string));
  expect(examples.length).toBeGreaterThan(10);
  for (const line of examples) {
    const words = (line.split(' | ')[0]?.match(/'[^']*'|\S+/g) ?? []) as string[];
    const top = loaded.get(words[0] as string);
    expect(top, line).toBeDefined();
    const { command } = found(top as Command, words.slice(1));
    const flags = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
    const known = ['--help', ...command.options.map(({ long }) => long)];
    expect(
      flags.filter((flag) => !known.includes(flag)),
      line,
    ).toEqual([]);
  }
});

test('every flag of serve is in a group', () => {
  const serve = loaded.get('serve') as Command;
  const ungrouped = serve.options.filter(({ helpGroupHeading }) => helpGroupHeading === undefined);
  expect(ungrouped.map(({ long }) => long)).toEqual(['--demo']);
});

test('a long name has its description on the next line, and only a word of its own is wider than 80 columns', () => {
  const help = helpOf(loaded.get('serve') as Command);
  expect(help).toMatch(/^ {2}--media-download-thread-count-per-request <value>\n {34}Pictures/m);
  const options = help.slice(0, help.indexOf('Examples:'));
  expect(options.split('\n').filter((line) => line.length > 80 && line.trim().includes(' '))).toEqual([]);
});
