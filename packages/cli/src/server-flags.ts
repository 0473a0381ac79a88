import { type Command, Option } from 'commander';
import { type Server, serverUrl } from './server-call.js';

const SERVER_URL = 'http://127.0.0.1:8882';

export interface ServerFlags {
  readonly url: string;
  readonly apiKey?: string;
}

/** Gives a command the flags that name the server that it calls. */
export function addServerFlags(command: Command): Command {
  const url = new Option('--url <url>', 'Address of the server, or of a hosted index').env('PELORUS_URL');
  const key = new Option('--api-key <key>', 'Key, where the server asks for one').env('PELORUS_API_KEY');
  return command.addOption(url.default(SERVER_URL).helpGroup('Server:')).addOption(key.helpGroup('Server:'));
}

/** @throws StartFailure for an address that is none */
export function serverOf({ url, apiKey }: ServerFlags): Server {
  return { url: serverUrl('--url', url), apiKey };
}
