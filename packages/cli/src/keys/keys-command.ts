import type { KeyScope } from '@pelorus/keys';
import { keyScopes } from '@pelorus/keys';
import { settingGroups } from '@pelorus/server/config';
import { Command, InvalidArgumentError, Option } from 'commander';
import { addSettings, readSettings, type SettingName } from '../configuration.js';
import { addExamples } from '../help-text.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

const SETTINGS: readonly SettingName[] = ['dataDir', 'keysMax', ...settingGroups['OpenSearch cluster']];

interface CreateFlags extends JsonFlag {
  scope?: KeyScope;
  index?: string[];
  filter?: string;
  origin?: string[];
  expiresAt?: string;
  tracking: boolean;
  customer?: string;
  allowNoOrigin: boolean;
}

/** `pelorus keys`: the keys of a data directory or a cluster, whether a server is running on it or not. */
export function keysCommand(): Command {
  const create = new Command('create')
    .description('Make a key and print its secret, which nothing shows again')
    .argument('<name>')
    .addOption(new Option('--scope <scope>', 'The calls that it may make').choices(keyScopes))
    .option('--index <name>', 'An index that it may call, once for each; all when absent', repeated)
    .option('--filter <filter>', "A filter that all documents of its calls pass, such as 'tenant:acme'")
    .option('--origin <origin>', 'An origin of web pages that may send it, once for each', repeated)
    .option('--expires-at <time>', 'When it ends, such as 2027-01-31T12:00:00Z; never when absent')
    .option('--tracking', 'Make a key that sends the events of a customer, and may do nothing else', false)
    .option('--customer <id>', 'The customer whose events such a key sends')
    .option('--allow-no-origin', 'Let servers, which have no origin, send such a key', false);
  const list = new Command('list').description('Show the keys, without their secrets');
  const rotate = new Command('rotate')
    .description('Give a key another secret and print it')
    .argument('<id>')
    .option('--overlap <seconds>', 'How much longer the secret that it has is good', wholeSeconds, 0);
  const revoke = new Command('revoke').description('End a key, for ever').argument('<id>');

  const reset = new Command('reset')
    .description('Set all keys aside, lost and damaged ones too, and begin anew with one that may do everything')
    .argument('<name>');

  addExamples(create, [
    ['keys create boss --scope admin', 'the first key'],
    ['keys create shop --scope read --index products', 'a key that searches one index'],
    ["keys create acme --scope read_write --filter 'tenant:acme'", 'a key to which other documents are not there'],
  ]);
  return new Command('keys')
    .addCommand(
      withKeys(create).action(async (name: string, flags: CreateFlags) => {
        const { createKey, onKeys } = await import('./change-keys.js');
        await onKeys(readSettings({ ...flags }), (of) => createKey(of, requestOf(name, flags), flags.json ?? false));
      }),
    )
    .addCommand(
      withKeys(list).action(async ({ json = false, ...flags }: JsonFlag) => {
        const { listKeys, onKeys } = await import('./change-keys.js');
        await onKeys(readSettings({ ...flags }), async ({ keys }) => listKeys(keys, json));
      }),
    )
    .addCommand(
      withKeys(rotate).action(
        async (id: string, { overlap, json = false, ...flags }: JsonFlag & { overlap: number }) => {
          const { onKeys, rotateKey } = await import('./change-keys.js');
          await onKeys(readSettings({ ...flags }), ({ keys }) => rotateKey(keys, id, overlap, json));
        },
      ),
    )
    .addCommand(
      withKeys(reset).action(async (name: string, { json = false, ...flags }: JsonFlag) => {
        const { resetKeys } = await import('./change-keys.js');
        await resetKeys(readSettings({ ...flags }), name, json);
      }),
    )
    .addCommand(
      withKeys(revoke).action(async (id: string, { json = false, ...flags }: JsonFlag) => {
        const { onKeys, revokeKey } = await import('./change-keys.js');
        await onKeys(readSettings({ ...flags }), ({ keys }) => revokeKey(keys, id, json));
      }),
    );
}

function withKeys(command: Command): Command {
  return addSettings(addJsonFlag(command), SETTINGS);
}

/** The request that would create the key through the API. */
function requestOf(name: string, flags: CreateFlags) {
  const { scope, index, filter, origin, expiresAt, tracking, customer, allowNoOrigin } = flags;
  return {
    kind: tracking ? ('tracking' as const) : ('api' as const),
    name,
    allowsNoOrigin: allowNoOrigin,
    ...(scope !== undefined && { scope }),
    ...(index !== undefined && { indexes: index }),
    ...(filter !== undefined && { filter }),
    ...(origin !== undefined && { origins: origin }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(customer !== undefined && { customerId: customer }),
  };
}

function repeated(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function wholeSeconds(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('expected a whole number of seconds');
  return Number(text);
}
