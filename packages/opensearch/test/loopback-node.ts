import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The address of a server that stands for a node. */
export async function node(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers a request with JSON. */
export function answerWith(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The body of a refusal of a kind. */
export const refusalOf = (type: string, reason = 'told by the test') => ({ error: { type, reason } });

/** The path of a request, without what follows it. */
export const pathOf = (request: IncomingMessage): string => request.url?.split('?')[0] ?? '';

/** Adds the fields of an object to those of another, and theirs to theirs. */
export function merge(into: Record<string, any>, from: Record<string, any>): void {
  for (const [name, value] of Object.entries(from)) {
    if (typeof into[name] === 'object' && typeof value === 'object') merge(into[name], value);
    else into[name] = value;
  }
}
