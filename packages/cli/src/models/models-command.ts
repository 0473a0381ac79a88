import { Command, Option } from 'commander';
import { addSettings, readSettings, type SettingName } from '../configuration.js';
import { addExamples } from '../help-text.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

const SETTINGS: readonly SettingName[] = ['modelsFile', 'modelDir', 'hub', 'modelNetworks', 's3Endpoint', 's3Region'];

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';

interface CalibrateFlags extends JsonFlag {
  readonly texts?: string;
  readonly output?: string;
}

interface ExportFlags extends JsonFlag {
  readonly from?: string;
  readonly output?: string;
  readonly python: string;
  readonly trustRemoteCode?: boolean;
}

/**
 * `pelorus models`: lists models at hand, fetches them ahead of the first use, exports those that nobody has
 * published, and calibrates models for int8.
 */
export function modelsCommand(): Command {
  const list = new Command('list')
    .description('Show the models that can be used without fetching anything')
    .option('--all', 'Those too that can be fetched', false);
  const pull = new Command('pull')
    .description('Fetch a model, if it is not here, and print the folder it lies in')
    .argument('<name>');
  const exportOne = new Command('export')
    .description('Make the graphs of a model with Python and its original library, and print the folder they lie in')
    .argument('<name>')
    .option('--from <place>', 'Folder or repository of the original, instead of the one that the name stands for')
    .option('--output <folder>', 'Folder to make; the one that the model is looked for in when absent')
    .addOption(new Option('--python <program>', 'Python that has the library').env('PELORUS_PYTHON').default(PYTHON))
    .option(
      '--trust-remote-code',
      'Run the code that the repository of the original brings, where a model is made of it',
    );
  const calibrate = new Command('calibrate')
    .description('Measure the ranges by which int8 of a text model is scaled, and print the file they are kept in')
    .argument('<name>')
    .option('--texts <file>', 'Texts like those to be embedded, one a line; everyday sentences when absent')
    .option('--output <file>', 'File to write; the one that the server looks for when absent');
  addExamples(calibrate, [
    ['models calibrate hf/all-MiniLM-L6-v2 --texts titles.txt', 'with texts of your own: a few hundred are enough'],
  ]);
  addExamples(list, [['models list --all', 'every name that an index may have as its model']]);
  addExamples(pull, [['models pull hf/e5-small-v2', 'fetch a model ahead of its first use']]);
  return new Command('models')
    .addCommand(
      withFlags(list).action(async ({ all, json = false, ...options }: JsonFlag & { all: boolean }) => {
        const { listModels } = await import('./list-models.js');
        await listModels(readSettings({ ...options }), { all, json });
      }),
    )
    .addCommand(
      withFlags(pull).action(async (name: string, { json = false, ...options }: JsonFlag) => {
        const { pullModel } = await import('./pull-model.js');
        await pullModel(name, readSettings({ ...options }), json);
      }),
    )
    .addCommand(
      withFlags(calibrate).action(async (name: string, flags: CalibrateFlags) => {
        const { texts, output, json = false, ...options } = flags;
        const { calibrateByName } = await import('./calibrate-model.js');
        await calibrateByName(name, { texts, output }, readSettings({ ...options }), json);
      }),
    )
    .addCommand(
      withFlags(exportOne).action(async (name: string, flags: ExportFlags) => {
        const { from, output, python, trustRemoteCode: trustsCode, json = false, ...options } = flags;
        const { exportByName } = await import('./export-model.js');
        await exportByName(name, { from, output, python, trustsCode }, readSettings({ ...options }), json);
      }),
    );
}

function withFlags(command: Command): Command {
  return addSettings(addJsonFlag(command), SETTINGS);
}
