import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

/** The end of a published value that is given to one other thread. */
export interface Subscription {
  readonly port: MessagePort;
  readonly version: SharedArrayBuffer;
}

interface Edition<Value> {
  readonly version: number;
  readonly value: Value;
}

/**
 * A value that one thread sets and all others read. As soon as `publish` has returned, no thread reads an older one: what
 * is revoked, for one, is refused by all of them before the revocation is answered.
 */
export class Published<Value> {
  readonly #version = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #ports: MessagePort[] = [];
  #edition: Edition<Value>;

  constructor(value: Value) {
    this.#edition = { version: 0, value };
  }

  publish(value: Value): void {
    this.#edition = { version: this.#edition.version + 1, value };
    for (const port of this.#ports) port.postMessage(this.#edition);
    // Only now: who sees the version finds the value of it on its port.
    Atomics.store(this.#version, 0, this.#edition.version);
  }

  /** An end for one other thread, whose port goes among what is transferred to it. */
  subscribe(): Subscription {
    const { port1: own, port2: port } = new MessageChannel();
    own.postMessage(this.#edition);
    own.unref();
    this.#ports.push(own);
    return { port, version: this.#version.buffer as SharedArrayBuffer };
  }
}

/** A published value as another thread reads it: without waiting, since it is there before its version is. */
export class Followed<Value> {
  readonly #port: MessagePort;
  readonly #version: Int32Array<SharedArrayBuffer>;
  #edition: Edition<Value> | undefined;

  constructor({ port, version }: Subscription) {
    this.#port = port;
    this.#version = new Int32Array(version);
  }

  /** The value of this moment; the same object until another is published. */
  get value(): Value {
    while (this.#edition === undefined || this.#edition.version < Atomics.load(this.#version, 0)) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) throw new Error('a version was told, and its value is not there');
      this.#edition = received.message as Edition<Value>;
    }
    return this.#edition.value;
  }

  close(): void {
    this.#port.close();
  }
}
