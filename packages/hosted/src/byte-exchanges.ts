import { connect, type Socket } from 'node:net';

/** Time after which a connection that nothing needs is closed: well before the process would close it itself. */
const IDLE_MAX_MS = 30_000;
const SWEEP_INTERVAL_MS = 10_000;
/** Longest head of an answer. */
const HEAD_BYTES_MAX = 64 * 1024;

/** Receives an answer as it comes: bytes of HTTP/1.1 that a kept connection can carry as they are. */
export interface ExchangeHandler {
  /** Told before the first bytes, with the length of the body behind the head. An error that it throws ends the exchange. */
  onHead(status: number, bodyBytes: number): void;
  /** @returns whether more may come; if not, {@link Exchange.resume} lets it */
  onBytes(bytes: Buffer): boolean;
  onEnd(): void;
  /** Told in place of the end: the process ended the connection, its answer is none, or `onHead` threw this. */
  onError(error: Error): void;
}

/** A request under way. */
export interface Exchange {
  resume(): void;
  /** Ends it, and with it what the process does for it. The handler is told nothing any more. */
  abort(): void;
}

/**
 * Kept connections to a process, each with one request at a time, that is written, and answered, as bytes: no header of an
 * answer becomes an object on its way.
 */
export class ByteExchanges {
  readonly #path: string;
  /** The connection that was used last is the next one. */
  readonly #idle: Line[] = [];
  readonly #all = new Set<Line>();
  readonly #sweep = setInterval(() => this.#closeIdle(), SWEEP_INTERVAL_MS).unref();

  constructor(path: string) {
    this.#path = path;
  }

  /** Sends a whole request. Its answer must tell its length. */
  exchange(request: Buffer, handler: ExchangeHandler): Exchange {
    const line = this.#idle.pop() ?? this.#open();
    line.send(request, handler);
    return line;
  }

  /** Ends all connections, and with them the requests under way. */
  destroy(): void {
    clearInterval(this.#sweep);
    for (const line of this.#all) line.destroy();
  }

  #open(): Line {
    const line: Line = new Line(this.#path, {
      freed: () => void this.#idle.push(line),
      closed: () => {
        this.#all.delete(line);
        const at = this.#idle.indexOf(line);
        if (at >= 0) this.#idle.splice(at, 1);
      },
    });
    this.#all.add(line);
    return line;
  }

  #closeIdle(): void {
    const since = performance.now() - IDLE_MAX_MS;
    for (const line of this.#idle.filter(({ idleSinceMs }) => idleSinceMs < since)) line.destroy();
  }
}

/** Told of a connection that is free for the next request, and of one that is gone. */
interface LineOwner {
  freed(): void;
  closed(): void;
}

/** One connection. */
class Line implements Exchange {
  idleSinceMs = 0;
  readonly #socket: Socket;
  readonly #owner: LineOwner;
  #handler: ExchangeHandler | null = null;
  /** The start of an answer whose head is not whole. */
  #start: Buffer | null = null;
  /** Bytes of the answer that have yet to come; null before its head is there. */
  #left: number | null = null;
  #isLast = false;
  #reason: Error | null = null;

  constructor(path: string, owner: LineOwner) {
    this.#owner = owner;
    this.#socket = connect({ path });
    this.#socket.on('data', (bytes) => this.#receive(bytes));
    this.#socket.on('error', (error) => {
      this.#reason = error;
    });
    this.#socket.on('close', () => this.#closed());
  }

  send(request: Buffer, handler: ExchangeHandler): void {
    this.#handler = handler;
    this.#socket.write(request);
  }

  resume(): void {
    this.#socket.resume();
  }

  abort(): void {
    this.#handler = null;
    this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    const handler = this.#handler;
    if (handler === null) {
      // Nobody has asked: what comes is no answer.
      this.#socket.destroy();
      return;
    }
    try {
      if (this.#left === null) this.#begin(bytes, handler);
      else this.#goOn(bytes, this.#left, handler);
    } catch (error) {
      this.#reason = error as Error;
      this.#socket.destroy();
    }
  }

  /** Bytes of the head, or the last of them and the first of the body. */
  #begin(bytes: Buffer, handler: ExchangeHandler): void {
    const piece = this.#start === null ? bytes : Buffer.concat([this.#start, bytes]);
    const head = headOf(piece);
    if (head === null) {
      if (piece.length > HEAD_BYTES_MAX) throw new Error('The head of the answer has no end');
      this.#start = piece;
      return;
    }
    const { status, headBytes, bodyBytes } = head;
    this.#start = null;
    if (bodyBytes === null) throw new Error('The answer does not tell its length');
    handler.onHead(status, bodyBytes);
    if (!head.closes) {
      this.#goOn(piece, headBytes + bodyBytes, handler);
      return;
    }
    // The process is about to end: that is no matter of the client's connection.
    this.#isLast = true;
    const kept = Buffer.from(piece.toString('latin1', 0, headBytes).replace(CLOSES, KEEPS), 'latin1');
    this.#goOn(Buffer.concat([kept, piece.subarray(headBytes)]), kept.length + bodyBytes, handler);
  }

  /** @param left bytes of the answer that have yet to come, these among them */
  #goOn(bytes: Buffer, left: number, handler: ExchangeHandler): void {
    if (bytes.length > left) throw new Error('The answer is longer than it tells');
    this.#left = left - bytes.length;
    const goesOn = handler.onBytes(bytes);
    // The handler may have ended it.
    if (this.#handler !== handler) return;
    if (this.#left === 0) this.#end(handler);
    else if (!goesOn) this.#socket.pause();
  }

  #end(handler: ExchangeHandler): void {
    this.#handler = null;
    this.#left = null;
    if (this.#isLast) this.#socket.destroy();
    else {
      this.idleSinceMs = performance.now();
      this.#owner.freed();
    }
    handler.onEnd();
  }

  #closed(): void {
    this.#owner.closed();
    const handler = this.#handler;
    this.#handler = null;
    handler?.onError(this.#reason ?? new Error('The process closed the connection'));
  }
}

interface AnswerHead {
  readonly status: number;
  readonly headBytes: number;
  /** Null where the head does not tell it. */
  readonly bodyBytes: number | null;
  /** Tells that the connection ends behind this answer. */
  readonly closes: boolean;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
const CLOSES = /\r\nconnection: *close(?=\r\n)/i;
const KEEPS = '\r\nconnection: keep-alive';
const NO_CONTENT = 204;

/** The head of an answer that begins with these bytes; null before it is whole. */
function headOf(bytes: Buffer): AnswerHead | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return null;
  const headBytes = end + HEAD_END.length;
  const head = bytes.toString('latin1', 0, headBytes);
  const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  const length = LENGTH.exec(head)?.[1];
  const bodyBytes = length === undefined ? (status === NO_CONTENT ? 0 : null) : Number(length);
  return { status, headBytes, bodyBytes, closes: CLOSES.test(head) };
}
