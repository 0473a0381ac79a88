import { Command, InvalidArgumentError } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';

export interface McpFlags {
  /** The one index that agents see; every index when absent. */
  readonly index?: string;
  readonly readOnly: boolean;
  /** Port of the HTTP transport; standard input and output when absent. */
  readonly port?: number;
}

/** `pelorus mcp`: the indexes of a server as tools of agents. */
export function mcpCommand(): Command {
  const command = new Command('mcp')
    .option(
      '--index <name>',
      'The one index that agents see, without asking them for its name; every index when absent',
    )
    .option('--read-only', 'Leave out the tool that adds documents', false)
    .option('--port <port>', 'Serve Streamable HTTP on this port of this machine, not standard input and output', port);
  addExamples(command, [
    ['mcp --url http://127.0.0.1:8882', 'what the configuration of an agent starts'],
    ['mcp --index notes --read-only', 'one index, for searches alone'],
    ['mcp --port 8890', 'for agents that call http://127.0.0.1:8890/mcp'],
  ]);
  return addServerFlags(command).action(async ({ url, apiKey, ...flags }: ServerFlags & McpFlags) => {
    const { serveMcp } = await import('./serve-mcp.js');
    await serveMcp(serverOf({ url, ...(apiKey !== undefined && { apiKey }) }), flags);
  });
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It must be a port, 0 to 65535.');
}
