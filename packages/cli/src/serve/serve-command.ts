import { Command } from 'commander';
import { addSettings, readSettings } from '../configuration.js';
import { addExamples } from '../help-text.js';

/** `pelorus serve`: a flag for every setting of the server, and `--demo`. */
export function serveCommand(): Command {
  const command = new Command('serve');
  addExamples(command, [
    ['serve --port 9000 --data ~/search', 'another port and another folder'],
    ['serve --demo', 'with a sample catalogue to search'],
    ['serve --host 0.0.0.0 --max-memory 4GiB', 'for other machines, which takes a key: see keys create'],
    ['serve --hosted', 'each index in a process of its own, and shops'],
  ]);
  return addSettings(command)
    .option('--demo', 'Load a sample catalogue of products and print searches to try')
    .action(async ({ demo = false, ...options }: { demo?: boolean }) => {
      const config = readSettings(options);
      // Loaded here, so that help and refusals do not wait for the engine.
      const { ignoredMarqoVariables } = await import('@pelorus/server');
      for (const message of ignoredMarqoVariables(process.env)) console.warn(`Warning: ${message}`);
      if (config.hosted) {
        const { serveHosted } = await import('../hosted/serve-hosted.js');
        return await serveHosted(config);
      }
      const { serve } = await import('./serve.js');
      await serve(config, { demo });
    });
}
