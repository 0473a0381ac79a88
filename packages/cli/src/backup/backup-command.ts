import { Command, type Command as CommandType, Option } from 'commander';
import { addSettings, readSettings } from '../configuration.js';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

type Flags = ServerFlags & JsonFlag;

/** The place of backups, where a command reads it itself and asks no server. */
interface PlaceFlags {
  readonly from?: string;
  readonly backupS3Endpoint?: string;
  readonly backupS3Region?: string;
}

/** `pelorus backup`: the backups of a server, or of a place that no server has. */
export function backupCommand(): Command {
  const create = new Command('create')
    .description('Back up everything of a server, or some indexes, while it serves')
    .argument('[indexes...]', 'Names of indexes; everything when absent')
    .option('--no-wait', 'End once it has begun');
  addExamples(create, [
    ['backup create', 'everything: indexes, keys, and what the hosted form has besides'],
    ['backup create notes', 'one index'],
  ]);
  const list = new Command('list').description('Show the backups, the latest first');
  const verify = new Command('verify')
    .description('Read all of a backup, and compare it with its checksums')
    .argument('<backup>');
  addExamples(verify, [['backup verify 20260203T040506789Z-0a1b2c --from /mnt/backups', 'without a server']]);
  const restore = new Command('restore')
    .description('Make an index of a backup, while the server serves')
    .argument('<backup>')
    .argument('<index>')
    .option('--as <name>', 'The name that it gets; its own when absent')
    .option('--no-wait', 'End once it has begun');
  const remove = new Command('delete').description('Delete a backup').argument('<backup>');
  return new Command('backup')
    .addCommand(
      withServer(create).action(async (indexes: string[], { json = false, wait, ...flags }: Flags & Waits) => {
        const { createBackup } = await import('./backups-of-server.js');
        await createBackup(serverOf(flags), indexes, { json, wait });
      }),
    )
    .addCommand(
      withPlace(withServer(list)).action(async ({ json = false, ...flags }: Flags & PlaceFlags) => {
        if (flags.from !== undefined) {
          const { listPlace } = await import('./backups-of-place.js');
          return await listPlace(flags.from, readSettings({ ...flags }), json);
        }
        const { listBackups } = await import('./backups-of-server.js');
        await listBackups(serverOf(flags), json);
      }),
    )
    .addCommand(
      withPlace(withServer(verify)).action(async (id: string, { json = false, ...flags }: Flags & PlaceFlags) => {
        if (flags.from !== undefined) {
          const { verifyPlace } = await import('./backups-of-place.js');
          return await verifyPlace(flags.from, readSettings({ ...flags }), id, json);
        }
        const { verifyBackup } = await import('./backups-of-server.js');
        await verifyBackup(serverOf(flags), id, { json, wait: true });
      }),
    )
    .addCommand(
      withServer(restore).action(
        async (
          id: string,
          indexName: string,
          { json = false, wait, as, ...flags }: Flags & Waits & { as?: string },
        ) => {
          const { restoreIndex } = await import('./backups-of-server.js');
          await restoreIndex(serverOf(flags), { id, indexName, as }, { json, wait });
        },
      ),
    )
    .addCommand(
      withServer(remove).action(async (id: string, { json = false, ...flags }: Flags) => {
        const { deleteBackup } = await import('./backups-of-server.js');
        await deleteBackup(serverOf(flags), id, json);
      }),
    );
}

/** `pelorus restore`: a data directory, of a backup of a whole server. */
export function restoreCommand(): Command {
  const command = new Command('restore')
    .addOption(fromOption().makeOptionMandatory())
    .option('--backup <id>', 'The backup; the latest of a whole server when absent');
  addExamples(command, [
    ['restore --from /mnt/backups --data .pelorus/data', 'the latest backup, for pelorus serve to start on'],
    ['restore --from s3://backups/pelorus --data .pelorus/data', 'the same, of a bucket'],
  ]);
  return addSettings(command, ['dataDir', 'backupS3Endpoint', 'backupS3Region']).action(
    async ({ backup, ...flags }: PlaceFlags & { from: string; backup?: string }) => {
      const { restoreServer } = await import('./restore-server.js');
      await restoreServer(flags.from, readSettings({ ...flags }), backup);
    },
  );
}

interface Waits {
  readonly wait: boolean;
}

const fromOption = (): Option =>
  new Option('--from <place>', 'Folder or s3://bucket/prefix of the backups, which is read without a server');

function withServer(command: CommandType): CommandType {
  return addServerFlags(addJsonFlag(command));
}

function withPlace(command: CommandType): CommandType {
  return addSettings(command.addOption(fromOption()), ['backupS3Endpoint', 'backupS3Region']);
}
