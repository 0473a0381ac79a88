/** Thrown where an event loop comes to what the first one alone has: the request then goes to that, as it came. */
export class PassedOn extends Error {
  override readonly name = 'PassedOn';

  constructor() {
    super('the first event loop answers this request');
  }
}

/** Stands for a part that the first event loop alone has: any use of it passes the request on. */
export function onFirstLoop<Part extends object>(): Part {
  return new Proxy({} as Part, {
    get() {
      throw new PassedOn();
    },
  });
}
