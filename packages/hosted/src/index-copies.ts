import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { PelorusError } from '@pelorus/contract';

/**
 * One state of an index, piece by piece, as an engine gives it. It takes room until it is closed.
 */
export interface IndexPieces {
  readonly documents: number;
  /** Null after the last. */
  nextPiece(): Promise<Buffer | null>;
  close(): void;
}

/** A request: the secret of the process, and a line break. */
const REQUEST_BYTES_MAX = 256;
/** Frames are a kind, the length of what follows, and that. */
const HEAD_BYTES = 5;
const DOCUMENTS = 0;
const PIECE = 1;
const END = 2;
const FAILED = 3;

/** The place where the process of an index gives copies of it: beside the place of its calls. */
export const copyPlaceOf = (socketPath: string): string => `${socketPath}.copies`;

/**
 * Gives copies of the index of this process to the gateway that started it, which shows the secret that it was started
 * with. Pieces go through as bytes, each once the one before is taken.
 */
export async function giveCopies(
  socketPath: string,
  secret: string,
  begin: () => Promise<IndexPieces>,
): Promise<Server> {
  const path = copyPlaceOf(socketPath);
  // A process that was killed leaves its sockets behind.
  if (process.platform !== 'win32') await rm(path, { force: true });
  const server = createServer((socket) => {
    // Whoever asked is gone: so is the need for more.
    socket.on('error', () => undefined);
    void give(socket, secret, begin).finally(() => socket.end());
  });
  server.listen(path);
  await once(server, 'listening');
  return server;
}

async function give(socket: Socket, secret: string, begin: () => Promise<IndexPieces>): Promise<void> {
  if (!(await isAskedWith(socket, secret))) return;
  let copy: IndexPieces | undefined;
  try {
    copy = await begin();
    await send(socket, DOCUMENTS, Buffer.from(String(copy.documents)));
    for (let piece = await copy.nextPiece(); piece !== null; piece = await copy.nextPiece()) {
      await send(socket, PIECE, piece);
    }
    await send(socket, END, Buffer.alloc(0));
  } catch (error) {
    if (!socket.destroyed) await send(socket, FAILED, Buffer.from((error as Error).message)).catch(() => undefined);
  } finally {
    copy?.close();
  }
}

async function isAskedWith(socket: Socket, secret: string): Promise<boolean> {
  let asked = '';
  for await (const bytes of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    asked += bytes.toString('latin1');
    if (asked.endsWith('\n') || asked.length > REQUEST_BYTES_MAX) break;
  }
  return asked === `${secret}\n`;
}

async function send(socket: Socket, kind: number, bytes: Buffer): Promise<void> {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(kind);
  head.writeUInt32LE(bytes.length, 1);
  socket.write(head);
  await new Promise<void>((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Takes a copy of an index of the process that has it. It is of the moment at which this resolves.
 * @throws PelorusError `service_unavailable` where the process does not give it
 */
export async function takeCopy(name: string, socketPath: string, secret: string): Promise<IndexPieces> {
  const socket = connect(copyPlaceOf(socketPath));
  const frames = framesOf(name, socket);
  socket.write(`${secret}\n`);
  try {
    const first = await frames.next();
    if (first.done) throw cutOff(name);
    const [, bytes] = first.value;
    return {
      documents: Number(bytes.toString()),
      nextPiece: async () => {
        const next = await frames.next();
        if (next.done) throw cutOff(name);
        const [kind, piece] = next.value;
        return kind === END ? null : piece;
      },
      close: () => socket.destroy(),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The frames of an answer: read only as far as they are asked for. */
async function* framesOf(name: string, socket: Socket): AsyncGenerator<readonly [kind: number, bytes: Buffer]> {
  let parts: Buffer[] = [];
  let length = 0;
  const taken = (count: number): Buffer => {
    const all = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    parts = [all.subarray(count)];
    length -= count;
    return all.subarray(0, count);
  };
  let head: Buffer | null = null;
  try {
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      parts.push(bytes);
      length += bytes.length;
      for (;;) {
        if (head === null && length >= HEAD_BYTES) head = taken(HEAD_BYTES);
        if (head === null || length < head.readUInt32LE(1)) break;
        const [kind, content] = [head.readUInt8(), taken(head.readUInt32LE(1))] as const;
        head = null;
        if (kind === FAILED) throw new PelorusError('service_unavailable', `Index ${name}: ${content.toString()}`);
        yield [kind, content];
      }
    }
  } catch (error) {
    throw error instanceof PelorusError ? error : cutOff(name, error);
  }
}

function cutOff(name: string, cause?: unknown): PelorusError {
  return new PelorusError('service_unavailable', `The process of index ${name} gave no whole copy of it`, { cause });
}
