import { Command } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';

/** `pelorus demo`: the sample catalogue, on a server that is running. */
export function demoCommand(): Command {
  const command = new Command('demo');
  addExamples(command, [
    ['demo', 'load it, and print searches to try'],
    ["search products 'waterproof boots'", 'search it'],
  ]);
  return addServerFlags(command).action(async (flags: ServerFlags) => {
    const { loadDemo } = await import('./load-demo.js');
    const { url, apiKey } = serverOf(flags);
    await loadDemo(url, process.stdout, apiKey);
  });
}
