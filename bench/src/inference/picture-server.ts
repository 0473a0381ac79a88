// A thread that serves pictures on the loopback interface: number `n` of them for a path that ends in `n`.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const pictures = (workerData as readonly string[]).map((file) => readFileSync(file));
const server = createServer((request, response) => {
  const number = Number(/\d+$/.exec(request.url ?? '')?.[0] ?? 0);
  response.end(pictures[number % pictures.length]);
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
