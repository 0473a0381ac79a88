import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on the loopback interface, and what it was asked. */
export interface MediaServer {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
}

/** A server that answers with these files by path, and with what a listener does. */
export async function serveMedia(files: Readonly<Record<string, Uint8Array | RequestListener>>): Promise<MediaServer> {
  const requests: MediaServer['requests'] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    requests.push({ url, headers: request.headers });
    const file = files[url.replace(/\?.*$/, '')];
    if (file === undefined) response.writeHead(404).end('no such file');
    else if (typeof file === 'function') file(request, response);
    else response.end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A server that speaks as `talk` does with whoever connects, once the request is there. Counts its connections. */
export async function serveRaw(
  talk: (socket: Socket, request: string) => void,
): Promise<{ readonly origin: string; readonly connections: () => number }> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (request) => talk(socket, request.toString('latin1')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, connections: () => connections };
}
