import { type Config, ConfigError, readConfig, settingGroups, settings } from '@pelorus/server/config';
import { type Command, Option } from 'commander';
import { ExitCode, StartFailure } from './start-failure.js';

export type SettingName = keyof typeof settings;

const groupedSettings = Object.entries<readonly SettingName[]>(settingGroups).flatMap(([group, names]) =>
  names.map((name) => [name, group] as const),
);

/**
 * Gives a command a flag for each of the named settings, all when absent, in the groups that they have. The text is read
 * and checked by the server's own rules.
 */
export function addSettings(command: Command, names?: readonly SettingName[]): Command {
  for (const [name, group] of groupedSettings) {
    if (names !== undefined && !names.includes(name)) continue;
    const { flag, about, env, fallback } = settings[name];
    const preset = fallback === '' || fallback === null ? '' : `; default ${fallback}`;
    // A switch may be given without a value, which turns it on.
    const switches = typeof fallback === 'boolean';
    const option = new Option(`--${flag} ${switches ? '[value]' : '<value>'}`, `${about} (${env}${preset})`);
    option.helpGroup(`${group}:`);
    command.addOption(switches ? option.preset('true') : option);
  }
  return command;
}

/**
 * The settings in force, from a command's options and the environment.
 *
 * @throws StartFailure for a value that cannot be used.
 */
export function readSettings(options: Readonly<Record<string, unknown>>): Config {
  const flags = Object.values(settings).map(({ flag }) => [flag, options[camelCase(flag)] as string | undefined]);
  try {
    return readConfig(process.env, Object.fromEntries(flags));
  } catch (error) {
    if (error instanceof ConfigError) throw new StartFailure(ExitCode.BAD_CONFIGURATION, error.message);
    throw error;
  }
}

/** The name that commander gives to the option of a flag. */
function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
