import { Command } from 'commander';

/** Name of the command that starts the process of a hosted index: for `serve --hosted` alone. */
export const INDEX_PROCESS = 'index-process';

export function indexProcessCommand(): Command {
  return new Command(INDEX_PROCESS).action(async () => {
    const { serveIndex } = await import('./serve-index.js');
    await serveIndex();
  });
}
