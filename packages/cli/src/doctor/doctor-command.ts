import { settingGroups } from '@pelorus/server/config';
import { Command } from 'commander';
import { addSettings, readSettings, type SettingName } from '../configuration.js';
import { addExamples } from '../help-text.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

const SETTINGS: readonly SettingName[] = [
  'host',
  'port',
  'dataDir',
  'modelsFile',
  'modelDir',
  'encoder',
  'encoderPrecision',
  'hosted',
  'maxMemory',
  'httpThreads',
  'inferenceThreads',
  'ffmpeg',
  ...settingGroups['OpenSearch cluster'],
];

/** `pelorus doctor`: the machine, as far as a server on it needs it. */
export function doctorCommand(): Command {
  const command = new Command('doctor');
  addExamples(command, [
    ['doctor', 'before the first start'],
    ['doctor --port 9000 --data /srv/search', 'for a server with these flags'],
  ]);
  return addSettings(addJsonFlag(command), SETTINGS).action(async ({ json = false, ...options }: JsonFlag) => {
    const config = readSettings({ ...options });
    const { examine } = await import('./examine.js');
    await examine(config, json);
  });
}
