import { settings } from '@pelorus/server/config';
import { Command } from 'commander';
import { addSettings, readSettings, type SettingName } from '../configuration.js';

/** `pelorus serve`: a flag for every setting of the server, and `--demo`. */
export function serveCommand(): Command {
  const command = new Command('serve');
  return addSettings(command, Object.keys(settings) as SettingName[])
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
