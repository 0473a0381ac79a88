import { Command } from 'commander';
import { addExamples } from '../help-text.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

/** `pelorus verify`: the files of a data directory. */
export function verifyCommand(): Command {
  const command = new Command('verify')
    .argument('<data>', 'The data directory, of either form of service; it is read, and not changed')
    .addHelpText('after', '\nThe exit code is 0 where every file is as it was written, and 1 where one is not.');
  addExamples(command, [
    ['verify .pelorus/data', 'after a server has ended'],
    ['verify /backup/search --json', 'for a program that looks after backups'],
  ]);
  return addJsonFlag(command).action(async (data: string, { json = false }: JsonFlag) => {
    const { verify } = await import('./verify.js');
    await verify(data, json);
  });
}
