import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { indexNameProblem } from '@pelorus/contract';
import type { Server } from '../server-call.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { say } from '../terminal/lines.js';
import type { McpFlags } from './mcp-command.js';
import { mcpServerOf } from './mcp-server.js';
import { PendingRequests } from './pending-requests.js';

/** Bytes of one message on standard input: a hundred documents of some length. */
const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Serves agents until standard input has ended and what it asked is answered, or a signal comes. Standard output has messages of the protocol and nothing
 * else. The server is not asked before the first call: whether it is there is told then.
 * @throws StartFailure for an index or a port that cannot be used, or a message that is too long
 */
export async function serveMcp(server: Server, { index, readOnly, port }: McpFlags): Promise<void> {
  const problem = index === undefined ? undefined : indexNameProblem(index);
  if (problem !== undefined) {
    throw new StartFailure(ExitCode.BAD_CONFIGURATION, `--index is ${JSON.stringify(index)}: ${problem}`);
  }
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const around = { server, index, log: say };
  const factory = () => mcpServerOf(around, { version, readOnly });
  const what = `${index === undefined ? 'the indexes' : `the index ${index}`} of ${server.url}`;
  if (port === undefined) {
    const hint = process.stdin.isTTY ? '; an agent is to start this command, and standard input is its end' : '';
    say(`MCP over standard input and output for ${what}${hint}`);
    return serveStandard(factory);
  }
  const { serveHttp } = await import('./http.js');
  await serveHttp(factory, port, (address) => say(`MCP at ${address} for ${what}`));
}

/** Resolves as all of standard input is answered, as the reader of standard output is gone, or at a signal. */
async function serveStandard(factory: () => McpServer): Promise<void> {
  const pending = new PendingRequests();
  const input = Readable.from(messages(pending), { objectMode: false });
  const transport = new StdioServerTransport(input, process.stdout, { maxBufferSize: MESSAGE_BYTES_MAX });
  let failure: Error | undefined;
  const onerror = (error: Error): void => {
    if (isTooLong(error)) failure = error;
    else say(`pelorus mcp: ${error.message}`);
  };
  const handle = serveStdio(factory, { transport, onerror });
  const { onclose, onmessage } = transport;
  transport.onmessage = (message) => {
    pending.received(message);
    onmessage?.(message);
  };
  const send = transport.send.bind(transport);
  transport.send = (message) => send(message).finally(() => pending.sent(message));
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void handle.close());
  await closed;
  // Its open end would keep the process.
  input.destroy();
  process.stdin.destroy();
  if (failure === undefined) return;
  throw new StartFailure(
    ExitCode.FAILED,
    `A message on standard input is longer than ${MESSAGE_BYTES_MAX} bytes: send fewer documents at once`,
  );
}

/** Standard input, which ends after what it asked is answered: the transport drops at the end what it has not answered. */
async function* messages(pending: PendingRequests): AsyncGenerator<Buffer, void, void> {
  let last: number | undefined;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    last = chunk.at(-1);
    yield chunk;
  }
  const newline = 0x0a;
  // The last message may lack the end of its line.
  if (last !== undefined && last !== newline) yield Buffer.of(newline);
  await pending.answered();
}

/** Tells the one error of the transport after which it reads no more. */
function isTooLong({ message }: Error): boolean {
  return /exceeded maximum size/.test(message);
}
