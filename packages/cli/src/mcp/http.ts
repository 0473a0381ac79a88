import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { say } from '../terminal/lines.js';
import { withoutControls } from '../terminal/width.js';

const HOST = '127.0.0.1';
const PATH = '/mcp';
/** Bytes of one message, as of standard input. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
const CONNECTIONS_MAX = 256;

/**
 * Serves Streamable HTTP to programs of this machine, until a signal comes. Pages of other sites reach the port too: the
 * headers Host and Origin of their requests give them away.
 */
export async function serveHttp(factory: () => McpServer, port: number, started: (address: string) => void) {
  const handler = createMcpHandler(factory, {
    maxRequestBodySize: BODY_BYTES_MAX,
    onerror: (error) => say(`pelorus mcp: ${error.message}`),
  });
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: Error) => {
      // A client that is gone hears nothing.
      if (!response.destroyed && !response.headersSent) response.writeHead(500).end();
      else response.destroy();
      if (!request.destroyed) say(withoutControls(`pelorus mcp: ${error.message}`));
    });
  });
  server.maxConnections = CONNECTIONS_MAX;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = requestOf(incoming, outgoing);
    if (request === undefined) return void outgoing.writeHead(400).end();
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    const isHere = new URL(request.url).pathname === PATH;
    const response = refused ?? (isHere ? await handler.fetch(request) : new Response(null, { status: 404 }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body as never), outgoing);
  }

  server.listen(port, HOST);
  await once(server, 'listening');
  started(`http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await handler.close();
  server.close().closeAllConnections();
}

/** The request as the web's standards have it, undefined of one that these do not know; aborted where its client goes. */
function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request | undefined {
  const { method = 'GET', url = '/', headers } = incoming;
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('the client is gone'));
  });
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    return new Request(new URL(url, `http://${HOST}`), {
      ...{ method, headers: pairs, signal: gone.signal },
      ...(hasBody && { body: Readable.toWeb(incoming) as never, duplex: 'half' }),
    });
  } catch {
    return undefined;
  }
}
