import { Command } from 'commander';
import { addSettings, inferenceConfig, readSettings, type SettingName } from '../configuration.js';

const SETTINGS: readonly SettingName[] = ['modelsFile', 'modelDir', 'hub'];

/** `pelorus models`: what is at hand, and fetching ahead of the first use. */
export function modelsCommand(): Command {
  const list = new Command('list').description('Show the models that can be used without fetching anything');
  const pull = new Command('pull')
    .description('Fetch a model, if it is not here, and print the folder it lies in')
    .argument('<name>');
  return new Command('models')
    .description('Embedding models on this machine')
    .addCommand(
      addSettings(list, SETTINGS).action(async (options: object) => {
        const { listModels } = await import('./list-models.js');
        await listModels(inferenceConfig(readSettings({ ...options })));
      }),
    )
    .addCommand(
      addSettings(pull, SETTINGS).action(async (name: string, options: object) => {
        const { pullModel } = await import('./pull-model.js');
        await pullModel(name, inferenceConfig(readSettings({ ...options })));
      }),
    );
}
