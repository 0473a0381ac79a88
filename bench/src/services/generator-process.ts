// The load generator, a process of its own: sends prepared requests over connections that each wait for their answer.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Order, Outcome } from './generator.ts';
import { WIRES, type Wire } from './wire.ts';

/** A connection that is kept, with one request under way. */
class Line {
  readonly #socket: Socket;
  readonly #wire: Wire;
  #received: Buffer = Buffer.alloc(0);
  /** Answers of the request under way that have yet to come, and how they end. */
  #awaited = 0;
  #start = 0;
  #at = 0;
  #done: ((answer: Buffer) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;

  constructor(socket: Socket, wire: Wire) {
    this.#socket = socket;
    this.#wire = wire;
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('the service closed the connection')));
  }

  /** Sends a request; its answers, as they came. */
  ask(bytes: Uint8Array, answers: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#awaited = answers;
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    while (this.#awaited > 0) {
      const end = this.#wire.end(this.#received, this.#at);
      if (end < 0) return;
      const fault = this.#wire.fault(this.#received.subarray(this.#at, end));
      if (fault !== null) {
        this.#failed?.(new Error(fault));
        return;
      }
      this.#at = end;
      this.#awaited -= 1;
    }
    const answer = this.#received.subarray(this.#start, this.#at);
    this.#received = this.#received.subarray(this.#at);
    this.#start = 0;
    this.#at = 0;
    this.#done?.(answer);
  }
}

async function open({ wire, port, greeting }: Order): Promise<Line> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const line = new Line(socket, WIRES[wire]);
  await once(socket, 'connect');
  for (const bytes of greeting) await line.ask(bytes, 1);
  return line;
}

async function carryOut(order: Order): Promise<Outcome> {
  const { requests, connections, seconds, keepsAnswers } = order;
  const lines = await Promise.all(Array.from({ length: connections }, () => open(order)));
  const times: number[] = [];
  const answers: Uint8Array[] = [];
  const started = performance.now();
  const deadline = seconds === null ? Number.POSITIVE_INFINITY : started + seconds * 1000;
  let next = 0;
  const ask = async (line: Line, at: number) => {
    const { bytes, answers: count } = requests[at] as Order['requests'][number];
    const sent = performance.now();
    const answer = await line.ask(bytes, count);
    const now = performance.now();
    times.push(now - sent);
    if (keepsAnswers) answers[at] = answer;
    return now;
  };
  const once = async (line: Line) => {
    for (let at = next++; at < requests.length; at = next++) await ask(line, at);
  };
  const over = async (line: Line, place: number) => {
    let at = Math.floor((place * requests.length) / connections);
    while ((await ask(line, at)) < deadline) at = (at + 1) % requests.length;
  };
  try {
    await Promise.all(lines.map((line, place) => (seconds === null ? once(line) : over(line, place))));
  } finally {
    for (const line of lines) line.close();
  }
  return { seconds: (performance.now() - started) / 1000, times: Float64Array.from(times), answers };
}

process.on('message', (order: Order) => {
  carryOut(order).then(
    (outcome) => process.send?.(outcome),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit());
