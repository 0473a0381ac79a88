import { Command, InvalidArgumentError, Option } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { STARTER_MODEL } from '../starter-model.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';
import { say } from '../terminal/lines.js';
import { ENCODINGS, type NamedEncoding } from './encoding.js';
import { FORMATS, type Format, formatOf } from './file-format.js';
import { NULLS, type Nulls } from './nulls.js';
import { REMOTES, type RemoteName } from './remote/names.js';
import { inOneLine } from './transfer-failure.js';
import { UNSTORABLE, type Unstorable } from './unstorable.js';

/** Stands for the format of what is no file. */
const NO_FILE = { format: 'jsonl', compression: 'none' } as const;

const IMPORT_CODES = `
Exit codes: 7 when documents were refused, which the file of --failed then holds, or when the file is damaged: an export
is compared with the count and the SHA-256 that it ends with, a file before anything is stored, standard input at its end.`;

interface ExportFlags extends ServerFlags, JsonFlag {
  output?: string;
  format?: Format;
  filter?: string;
  vectors: boolean;
  suggestions: boolean;
  rules: boolean;
  force: boolean;
}

/** `pelorus export`: an index into a file. */
export function exportCommand(): Command {
  const command = new Command('export').argument('<index>');
  return addServerFlags(addJsonFlag(command))
    .option('--output <file>', 'File to write, - for standard output; INDEX.jsonl when absent')
    .addOption(formatFlag())
    .option('--filter <filter>', 'Only documents that pass a filter')
    .option('--no-vectors', 'Leave the vectors out: an import will embed anew')
    .option('--no-suggestions', 'Leave out the queries that the index suggests')
    .option('--no-rules', 'Leave out the rules, synonyms and search defaults of the index')
    .option('--force', 'Replace a file that exists', false)
    .action(async (index: string, { output = `${index}.jsonl`, ...flags }: ExportFlags) => {
      const format = formatOf(output, flags.format);
      const { exportIndex } = await import('./exporting.js');
      const { filter, vectors, suggestions, rules, force, json = false } = flags;
      const options = { index, output, format, filter, vectors, suggestions, rules, force, json };
      const api = await apiOf(flags);
      await inOneLine(() => exportIndex(api, options, process.stderr));
    });
}

interface ImportFlags extends ServerFlags, JsonFlag {
  format?: Format;
  from?: RemoteName;
  fromKey?: string;
  fromVector?: string;
  model?: string;
  idField?: string;
  omitFields: string[];
  nulls: Nulls;
  unstorable: Unstorable;
  dryRun: boolean;
  tensorFields?: string[];
  mappings?: string;
  textFields: string[];
  numberFields: string[];
  encoding?: NamedEncoding;
  delimiter?: string;
  batchSize: number;
  requests: number;
  maxFailures: number;
  failed?: string;
  restart: boolean;
  asIs: boolean;
  rules: boolean;
}

/** `pelorus import`: a file into an index. */
export function importCommand(): Command {
  const command = new Command('import')
    .addHelpText('after', IMPORT_CODES)
    .usage('[options] [index] <file>')
    .argument('<index>', 'Index to add to, made where there is none; may be left out, and is then called as the file')
    .argument(
      '[file]',
      'JSON lines or a JSON list (also .gz or .zst), CSV or Parquet; - for standard input; with --from an address',
    );
  addExamples(command, [
    ['import catalogue.csv --dry-run', 'how the file is taken, and its first documents'],
    ['import catalogue.csv', 'into the index catalogue, which is made where there is none'],
    ['import http://127.0.0.1:6333/products --from qdrant', 'a collection of another service, with its vectors'],
    ['import shop catalogue.csv --id-field sku --tensor-fields title', 'with ids of a column, one field embedded'],
  ]);
  return addServerFlags(addJsonFlag(command))
    .addOption(new Option('--format <format>', 'Instead of what name and content of the file tell').choices(FORMATS))
    .addOption(new Option('--from <service>', 'Import from a collection of a service, by its address').choices(REMOTES))
    .addOption(new Option('--from-key <key>', 'Key that the service asks for').env('PELORUS_FROM_KEY'))
    .option('--from-vector <name>', 'Vector to take where documents have several; the first when absent')
    .option('--model <name>', `Model of the index, where one is made; ${STARTER_MODEL} when absent`)
    .option('--tensor-fields <names>', 'Fields to embed, with commas; those of the longest texts when absent', names)
    .option('--mappings <json>', 'Mappings of such documents', jsonObject)
    .option('--id-field <name>', 'Field whose values are the ids; _id, or made ones, when absent')
    .option('--omit-fields <names>', 'Fields to leave out, with commas', names, [])
    .addOption(new Option('--nulls <what>', 'What to do with fields that are null').choices(NULLS).default('drop'))
    .addOption(
      new Option('--unstorable <what>', 'What to do with values that no undeclared field holds, such as nested maps')
        .choices(UNSTORABLE)
        .default('flatten'),
    )
    .option('--text-fields <names>', 'Columns of a CSV file that are texts, whatever they look like', names, [])
    .option('--number-fields <names>', 'Columns of a CSV file that are numbers, however they are written', names, [])
    .addOption(encodingFlag())
    .option(
      '--delimiter <character>',
      'What separates the cells of a CSV file, as it tells itself when absent',
      delimiter,
    )
    .option('--dry-run', 'Show the first three documents, and store nothing', false)
    .option('--batch-size <count>', 'Documents of a request', atLeastOne, 128)
    .option('--requests <count>', 'Requests at once', atLeastOne, 8)
    .option('--max-failures <count>', 'Refused documents after which the import stops', atLeastOne, 1000)
    .option('--failed <file>', 'Where to write documents that were not stored; FILE.failed.jsonl when absent')
    .option('--restart', 'Begin anew where an earlier import of the file stopped', false)
    .option('--no-rules', 'Leave out the rules, synonyms and search defaults of an export')
    .option('--as-is', 'Take what can be read of an export that is damaged or was changed', false)
    .action(async (first: string, second: string | undefined, flags: ImportFlags) => {
      const [{ detectFormat }, { indexNameOf }] = await Promise.all([
        import('./format-detection.js'),
        import('./import-target.js'),
      ]);
      const file = second ?? first;
      const index = second === undefined ? indexNameOf(first) : first;
      const { from: service, fromKey: key, fromVector: vector } = flags;
      const from = service && { name: service, url: file, key, vector };
      const format = from ? NO_FILE : await detectFormat(file, flags.format);
      const failed = flags.failed ?? `${from || file === '-' ? index : file}.failed.jsonl`;
      const { tensorFields, mappings, textFields, numberFields, encoding, delimiter } = flags;
      const { batchSize, requests, maxFailures: failuresMax, restart, asIs, rules } = flags;
      const { idField, omitFields: omittedFields, nulls, unstorable, model, dryRun: isDryRun, json = false } = flags;
      const documents = { idField, omittedFields, nulls, unstorable, tensorFields, mappings, model };
      const { importDocuments } = await import('./importing.js');
      const table = { textFields, numberFields, encoding, delimiter };
      const how = {
        ...documents,
        ...table,
        batchSize,
        requests,
        failuresMax,
        failed,
        restart,
        asIs,
        rules,
        isDryRun,
        json,
      };
      const api = await apiOf(flags);
      await inOneLine(() => importDocuments(api, { index, file, from, format, ...how }, process.stderr));
    });
}

function encodingFlag(): Option {
  return new Option(
    '--encoding <encoding>',
    'Encoding of a CSV or JSON file, by default UTF-16 or UTF-8 as it tells',
  ).choices(ENCODINGS);
}

function formatFlag(): Option {
  return new Option('--format <format>', 'Instead of what the name of the file tells').choices(FORMATS);
}

async function apiOf(flags: ServerFlags) {
  const { Api } = await import('./api.js');
  return new Api(serverOf(flags), { say });
}

function names(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}

function jsonObject(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // As for what is JSON and no object.
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}

function delimiter(text: string): string {
  if (text === 'tab' || text === String.raw`\t`) return '\t';
  if (/^[^"\r\n]$/.test(text)) return text;
  throw new InvalidArgumentError('It must be one character, or tab.');
}

function atLeastOne(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}
