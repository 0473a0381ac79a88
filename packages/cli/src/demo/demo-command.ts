import { Command } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { addJsonFlag, type JsonFlag, printJson } from '../terminal/json.js';

/** `pelorus demo`: the sample catalogue, on a server that is running. */
export function demoCommand(): Command {
  const command = new Command('demo');
  addExamples(command, [
    ['demo', 'load it, and print searches to try'],
    ["search products 'waterproof boots'", 'search it'],
  ]);
  return addServerFlags(addJsonFlag(command)).action(async ({ json = false, ...flags }: ServerFlags & JsonFlag) => {
    const { loadDemo } = await import('./load-demo.js');
    const { url, apiKey } = serverOf(flags);
    const loaded = await loadDemo(url, json ? process.stderr : process.stdout, apiKey);
    if (json) printJson(loaded);
  });
}
