import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Generator, type Order } from './generator.ts';
import { respCommand } from './wire.ts';

const generator = new Generator();
let server: Server;
let order: Omit<Order, 'requests' | 'seconds'>;

/** Answers every command with its last part, in two pieces, and `bad` with a fault. */
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('data', (bytes) => {
      const commands = bytes.toString().split('*1\r\n').slice(1);
      for (const command of commands) {
        const text = command.split('\r\n')[1] ?? '';
        const answer = text === 'bad' ? '-ERR bad\r\n' : `$${text.length}\r\n${text}\r\n`;
        socket.write(answer.slice(0, 2));
        socket.write(answer.slice(2));
      }
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  order = { wire: 'resp', port, greeting: [respCommand('hello')], connections: 2, keepsAnswers: true };
});

afterAll(() => {
  generator.close();
  server.close();
});

const request = (text: string) => ({ bytes: respCommand(text), answers: 1 });
const texts = (answers: readonly Uint8Array[]) => answers.map((answer) => Buffer.from(answer).toString());

it('sends each request once and keeps the answers in their order', async () => {
  const requests = ['a', 'bc', 'def', 'gh', 'i'].map(request);
  const { answers, times } = await generator.send({ ...order, requests, seconds: null });
  expect(texts(answers)).toEqual(['a', 'bc', 'def', 'gh', 'i'].map((text) => `$${text.length}\r\n${text}\r\n`));
  expect(times).toHaveLength(5);
});

it('waits for all answers of a request', async () => {
  const both = { bytes: Buffer.concat([respCommand('a'), respCommand('b')]), answers: 2 };
  const { answers } = await generator.send({ ...order, requests: [both], seconds: null });
  expect(texts(answers)).toEqual(['$1\r\na\r\n$1\r\nb\r\n']);
});

it('sends over and over until the time is over', async () => {
  const { times } = await generator.send({ ...order, requests: [request('a')], seconds: 0.05, keepsAnswers: false });
  expect(times.length).toBeGreaterThanOrEqual(2);
});

it('fails with the fault that is answered, and goes on', async () => {
  const requests = [request('a'), request('bad')];
  await expect(generator.send({ ...order, requests, seconds: null })).rejects.toThrow('ERR bad');
  const { answers } = await generator.send({ ...order, requests: [request('a')], seconds: null });
  expect(answers).toHaveLength(1);
});
