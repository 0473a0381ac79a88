import { randomUUID } from 'node:crypto';
import type { ChatMessage } from './chat-model.js';

/** Time for which a conversation is known after its last answer. */
const IDLE_MS = 60 * 60 * 1000;
const CONVERSATIONS_MAX = 10_000;
/** Most earlier messages that the language model gets. */
const MESSAGES_MAX = 10;
const MESSAGE_LENGTH_MAX = 2_000;

interface Conversation {
  readonly shopId: string;
  readonly messages: readonly ChatMessage[];
  readonly at: number;
}

/** The conversations of shoppers with the language model, in memory, for a while. */
export class Conversations {
  readonly #conversations = new Map<string, Conversation>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A conversation of this shop that is still known, or a new one. */
  find(
    shopId: string,
    id: string | null | undefined,
  ): { readonly id: string; readonly messages: readonly ChatMessage[] } {
    const known = id == null ? undefined : this.#conversations.get(id);
    if (id == null || known === undefined || known.shopId !== shopId || this.#isOver(known)) {
      return { id: randomUUID(), messages: [] };
    }
    return { id, messages: known.messages };
  }

  note(shopId: string, id: string, said: readonly ChatMessage[]): void {
    const cut = said.map(({ role, content }) => ({ role, content: content.slice(0, MESSAGE_LENGTH_MAX) }));
    const messages = [...(this.#conversations.get(id)?.messages ?? []), ...cut].slice(-MESSAGES_MAX);
    // Entries are in order of their last answer: those that are over, and the oldest, stand in front.
    this.#conversations.delete(id);
    this.#conversations.set(id, { shopId, messages, at: this.#now() });
    for (const [oldest, conversation] of this.#conversations) {
      if (!this.#isOver(conversation) && this.#conversations.size <= CONVERSATIONS_MAX) break;
      this.#conversations.delete(oldest);
    }
  }

  #isOver({ at }: Conversation): boolean {
    return this.#now() - at > IDLE_MS;
  }
}
