import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

interface Waiting {
  what: string;
  resolve: (body: string) => void;
  reject: (error: Error) => void;
}

/**
 * One connection that is kept, with one request under way at most. HTTP as far as a bench needs it: the client of
 * `node:http` takes half a millisecond for a request after a pause, as long as a search, whose it would seem to be.
 */
export class Connection {
  readonly #url: URL;
  readonly #headers: string;
  /** None before the first request, and after the server ended it between two. */
  #socket: Socket | null = null;
  #waiting: Waiting | null = null;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  /** Bytes of the answer that is being received, once its head is there. */
  #answerBytes = Number.POSITIVE_INFINITY;

  /** @param apiKey that every request carries */
  constructor(address: string, apiKey?: string) {
    this.#url = new URL(address);
    this.#headers = `Host: ${this.#url.host}\r\n${apiKey === undefined ? '' : `x-api-key: ${apiKey}\r\n`}`;
  }

  post(path: string, body: string): Promise<string> {
    return this.send('POST', path, body);
  }

  /** Sends JSON, or no body, and gives the body of the answer; fails unless it is a success. */
  send(method: string, path: string, body = ''): Promise<string> {
    const what = `${method} ${path}`;
    if (this.#waiting !== null) throw new Error(`${what} while another request is under way`);
    return new Promise((resolve, reject) => {
      this.#waiting = { what, resolve, reject };
      const json = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
      const socket = this.#socket ?? this.#open();
      socket.write(`${what} HTTP/1.1\r\n${this.#headers}${body === '' ? '' : json}\r\n${body}`);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const { hostname, port } = this.#url;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => this.#end(socket, error));
    socket.on('close', () => this.#end(socket, new Error('the server closed the connection')));
    this.#socket = socket;
    return socket;
  }

  /** An earlier socket's last error is not about the request under way. */
  #end(socket: Socket, error: Error): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#forget()?.reject(error);
  }

  /** Gives whoever waits, and is ready for the next request. */
  #forget(): Waiting | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#received = [];
    this.#receivedBytes = 0;
    this.#answerBytes = Number.POSITIVE_INFINITY;
    return waiting;
  }

  #receive(bytes: Buffer): void {
    this.#received.push(bytes);
    this.#receivedBytes += bytes.length;
    if (this.#answerBytes === Number.POSITIVE_INFINITY)
      this.#answerBytes = bytesOfAnswer(Buffer.concat(this.#received));
    if (Number.isNaN(this.#answerBytes)) this.#socket?.destroy(new Error('an answer that does not say how long it is'));
    if (!(this.#receivedBytes >= this.#answerBytes)) return;
    const answer = Buffer.concat(this.#received);
    const status = answer.toString('latin1', 'HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
    const text = answer.toString('utf8', answer.indexOf(HEAD_END) + HEAD_END.length);
    const waiting = this.#forget();
    if (status === '200') waiting?.resolve(text);
    else waiting?.reject(new Error(`${waiting.what} answered ${status}: ${text.slice(0, 500)}`));
  }
}

/** The length of an answer, by its head: infinite while that is not whole, not a number where it does not say. */
export function bytesOfAnswer(start: Buffer): number {
  const headEnd = start.indexOf(HEAD_END);
  if (headEnd < 0) return Number.POSITIVE_INFINITY;
  const length = /^content-length: *(\d+)/im.exec(start.toString('latin1', 0, headEnd))?.[1];
  return headEnd + HEAD_END.length + Number(length);
}
