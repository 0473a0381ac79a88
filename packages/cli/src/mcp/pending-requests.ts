import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

/** The requests of a connection that were received and are not answered. */
export class PendingRequests {
  /** How many have an id: a client may use one twice. */
  readonly #counts = new Map<RequestId, number>();
  #waiting: (() => void)[] = [];

  received(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) {
      // A subscription has no answer before it ends.
      if (message.method === 'subscriptions/listen') return;
      this.#counts.set(message.id, (this.#counts.get(message.id) ?? 0) + 1);
    } else if (message.method === 'notifications/cancelled') {
      // A cancelled request gets no answer.
      this.#settle(message.params?.requestId as RequestId | undefined);
    }
  }

  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#settle(message.id);
  }

  /** Resolves once there are none. */
  async answered(): Promise<void> {
    if (this.#counts.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #settle(id: RequestId | undefined): void {
    const count = id === undefined ? undefined : this.#counts.get(id);
    if (id === undefined || count === undefined) return;
    if (count > 1) this.#counts.set(id, count - 1);
    else this.#counts.delete(id);
    if (this.#counts.size > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
