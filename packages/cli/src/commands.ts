import type { Command } from 'commander';
import { INDEX_PROCESS } from './hosted/index-process-command.js';

/** A command of the program, as far as its list needs it. */
export interface CommandEntry {
  readonly name: string;
  /** The line that the list shows. */
  readonly about: string;
  readonly isHidden?: boolean;
  /** Loads the module of the command and makes it. Its actions load the rest when they run. */
  load(): Promise<Command>;
}

/** Every command, in the order of the list. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    about: 'Serve the HTTP interface until told to stop',
    load: async () => (await import('./serve/serve-command.js')).serveCommand(),
  },
  {
    name: 'demo',
    about: 'Load a sample catalogue into a running server',
    load: async () => (await import('./demo/demo-command.js')).demoCommand(),
  },
  {
    name: 'search',
    about: 'Search an index',
    load: async () => (await import('./search/search-command.js')).searchCommand(),
  },
  {
    name: 'indexes',
    about: 'The indexes of a server',
    load: async () => (await import('./indexes/indexes-command.js')).indexesCommand(),
  },
  {
    name: 'aliases',
    about: 'Other names of indexes, to rebuild one behind its name',
    load: async () => (await import('./aliases/aliases-command.js')).aliasesCommand(),
  },
  {
    name: 'documents',
    about: 'The documents of an index',
    load: async () => (await import('./documents/documents-command.js')).documentsCommand(),
  },
  {
    name: INDEX_PROCESS,
    about: 'Serve one hosted index to the process that started this one',
    isHidden: true,
    load: async () => (await import('./hosted/index-process-command.js')).indexProcessCommand(),
  },
  {
    name: 'models',
    about: 'Embedding models on this machine',
    load: async () => (await import('./models/models-command.js')).modelsCommand(),
  },
  {
    name: 'keys',
    about: 'Keys that calls of the HTTP interface need',
    load: async () => (await import('./keys/keys-command.js')).keysCommand(),
  },
  {
    name: 'shop',
    about: 'Shops of the hosted form',
    load: async () => (await import('./shop/shop-command.js')).shopCommand(),
  },
  {
    name: 'export',
    about: 'Write all documents of an index, as they are at one moment, to a file',
    load: async () => (await import('./transfer/commands.js')).exportCommand(),
  },
  {
    name: 'import',
    about: 'Add the documents of a file to an index, which is made where there is none',
    load: async () => (await import('./transfer/commands.js')).importCommand(),
  },
  {
    name: 'backup',
    about: 'Back up a server while it serves, and restore an index',
    load: async () => (await import('./backup/backup-command.js')).backupCommand(),
  },
  {
    name: 'restore',
    about: 'Make a data directory of a backup of a whole server',
    load: async () => (await import('./backup/backup-command.js')).restoreCommand(),
  },
  {
    name: 'dual-write',
    about: 'Compare the two engines that a server writes to',
    load: async () => (await import('./dual-write/dual-write-command.js')).dualWriteCommand(),
  },
  {
    name: 'mcp',
    about: 'Give agents the indexes of a server as tools (Model Context Protocol)',
    load: async () => (await import('./mcp/mcp-command.js')).mcpCommand(),
  },
  {
    name: 'verify',
    about: 'Check every file of a data directory that no server uses',
    load: async () => (await import('./verify/verify-command.js')).verifyCommand(),
  },
  {
    name: 'doctor',
    about: 'Tell what a server finds on this machine, and what to do about it',
    load: async () => (await import('./doctor/doctor-command.js')).doctorCommand(),
  },
  {
    name: 'completion',
    about: 'Print a script by which a shell completes this command',
    load: async () => (await import('./completion/completion-command.js')).completionCommand(),
  },
];
