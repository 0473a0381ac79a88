import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** Pieces in which a large answer is sent: its progress is seen piece by piece. */
const PIECE_BYTES = 64 * 1024;
/** Time for which a client may take nothing of the bytes that are there for it. */
const STALL_MAX_MS = 60_000;
const SWEEP_INTERVAL_MS = 5_000;

export interface StallOptions {
  readonly stallMaxMs?: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Ends connections whose clients take nothing of their answers, so that nobody holds memory for ever by not reading.
 * @returns the look at all connections, which is taken every few seconds
 */
export function endStalledConnections(
  app: FastifyInstance,
  { stallMaxMs = STALL_MAX_MS, now = () => performance.now() }: StallOptions = {},
): () => void {
  sendInPieces(app);
  /** The time at which something was last taken from each connection, or nothing was there to be taken. */
  const sinceMs = new Map<Socket, number>();
  const follow = (socket: Socket): void => {
    sinceMs.set(socket, now());
    socket.on('drain', () => sinceMs.set(socket, now()));
    socket.once('close', () => sinceMs.delete(socket));
  };
  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    // A request that is injected has no connection.
    if (socket instanceof Socket && !sinceMs.has(socket)) follow(socket);
    done();
  });
  const sweep = (): void => {
    const nowMs = now();
    for (const [socket, since] of sinceMs) {
      if (socket.writableLength === 0) sinceMs.set(socket, nowMs);
      else if (nowMs - since >= stallMaxMs) {
        app.log.info({ bytes: socket.writableLength }, 'a client took nothing of its answer, and was cut off');
        socket.destroy();
      }
    }
  };
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  return sweep;
}

/** A body that is handed to the system as one piece shows no progress until all of it is gone. */
function sendInPieces(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!Buffer.isBuffer(payload) || payload.length <= PIECE_BYTES) return done(null, payload);
    reply.header('content-length', payload.length);
    done(null, piecesOf(payload));
  });
}

function piecesOf(bytes: Buffer): Readable {
  let at = 0;
  return new Readable({
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, at + PIECE_BYTES) : null);
      at += PIECE_BYTES;
    },
  });
}
