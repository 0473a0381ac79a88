/** Thrown where an event loop comes to what the first one alone has: the request then goes to that, as it came. */
export class PassedOn extends Error {
  override readonly name = 'PassedOn';
  /** The body, decoded; null where that was not read. */
  readonly body: Buffer | null;

  constructor(body: Buffer | null = null) {
    super('the first event loop answers this request');
    this.body = body;
  }
}

/**
 * Gives a request that is to be passed on a copy of its body: the bytes that were read count for this loop no more when
 * the other one reads them, which would else refuse a large one beside itself.
 */
export function withItsBody(bytes: Buffer): (error: unknown) => never {
  return (error) => {
    throw error instanceof PassedOn ? new PassedOn(Buffer.from(bytes)) : error;
  };
}

/** Stands for a part that the first event loop alone has: any use of it passes the request on. */
export function onFirstLoop<Part extends object>(): Part {
  return new Proxy({} as Part, {
    get() {
      throw new PassedOn();
    },
  });
}
