import { type InferenceConfig, readModelFile } from '@pelorus/inference';
import { type Config, ConfigError, readConfig, settings } from '@pelorus/server';
import { type Command, Option } from 'commander';
import { ExitCode, StartFailure } from './start-failure.js';

export type SettingName = keyof typeof settings;

/** Gives a command a flag for each of the named settings. The text is read and checked by the server's own rules. */
export function addSettings(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { flag, about, env, fallback } = settings[name];
    const preset = fallback === '' || fallback === null ? '' : `; default ${fallback}`;
    // A switch may be given without a value, which turns it on.
    const switches = typeof fallback === 'boolean';
    const option = new Option(`--${flag} ${switches ? '[value]' : '<value>'}`, `${about} (${env}${preset})`);
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

/** The part of the settings that is about models, with the credentials that the environment has for buckets. */
export function inferenceConfig(config: Config, env: NodeJS.ProcessEnv = process.env): InferenceConfig {
  const { modelsFile, modelDir, hub, modelNetworks, s3Endpoint, s3Region, mediaNetworks, ffmpeg, modelMemoryMax } =
    config;
  const { vectoriseBatchMax, inferenceCacheSize, inferenceCacheType, inferenceThreads } = config;
  return {
    ...(modelDir !== '' && { modelDir }),
    ...(modelsFile !== '' && { modelFile: readModelFile(modelsFile) }),
    hubUrl: hub === 'none' ? null : hub,
    allowedNetworks: modelNetworks ?? [],
    ...(s3Endpoint !== '' && { s3Endpoint }),
    s3Region,
    s3Credentials: ambientCredentials(env),
    mediaNetworks: mediaNetworks ?? [],
    ffmpegCommand: ffmpeg === 'none' ? null : ffmpeg,
    modelMemory: modelMemoryMax,
    batchInputsMax: vectoriseBatchMax,
    queryCacheCount: inferenceCacheSize,
    queryCachePolicy: inferenceCacheType,
    ...(inferenceThreads !== null && { threads: inferenceThreads }),
  };
}

/** As the tools of Amazon read them; they are secrets, and so no flags. Null where they are not whole. */
function ambientCredentials({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
}: NodeJS.ProcessEnv): Required<InferenceConfig>['s3Credentials'] {
  if (!accessKeyId || !secretAccessKey) return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

/** The name that commander gives to the option of a flag. */
function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
