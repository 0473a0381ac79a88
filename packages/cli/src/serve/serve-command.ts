import { type Config, ConfigError, readConfig, settings } from '@pelorus/server';
import { Command, Option } from 'commander';
import { ExitCode, StartFailure } from '../start-failure.js';

/**
 * `pelorus serve`: a flag for every setting of the server, and `--demo`. The flags carry text; the
 * server reads and checks it together with the environment, so that both obey the same rules.
 */
export function serveCommand(): Command {
  const command = new Command('serve').description('Serve the HTTP interface until told to stop');
  for (const { flag, about, env, fallback } of Object.values(settings)) {
    const preset = fallback === '' || fallback === null ? '' : `; default ${fallback}`;
    command.addOption(new Option(`--${flag} <value>`, `${about} (${env}${preset})`));
  }
  return command
    .option('--demo', 'Load a sample catalogue of products and print searches to try')
    .action(async ({ demo = false, ...options }: Record<string, string> & { demo?: boolean }) => {
      // Loaded here, so that help and refusals do not wait for the engine.
      const { serve } = await import('./serve.js');
      await serve(configOf(options), { demo });
    });
}

function configOf(options: Record<string, string>): Config {
  const flags = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (upper) => `-${upper.toLowerCase()}`),
      value,
    ]),
  );
  try {
    return readConfig(process.env, flags);
  } catch (error) {
    if (error instanceof ConfigError) throw new StartFailure(ExitCode.BAD_CONFIGURATION, error.message);
    throw error;
  }
}
