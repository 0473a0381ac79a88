import { request } from 'undici';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A language model that writes what comes next in a conversation. */
export interface ChatModel {
  /**
   * The pieces of its answer, as they come.
   * @throws ChatFailure where it gives none, or stops in the middle
   */
  answer(messages: readonly ChatMessage[], signal: AbortSignal): AsyncIterable<string>;
}

/** An error between this service and a language model: for the log, not for shoppers. */
export class ChatFailure extends Error {
  override readonly name = 'ChatFailure';
}

export interface ChatCompletionsOptions {
  /** Address that `/chat/completions` is below, such as `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token; none where empty. */
  readonly key: string;
  /** Longest silence. Default 15000. */
  readonly silenceMs?: number;
  /** Longest time for a whole answer, be it that pieces of it come all the while. Default 30000. */
  readonly answerMs?: number;
}

/** An answer is cut off here: it is shown to a shopper, not printed as a book. */
const ANSWER_LENGTH_MAX = 8_000;
const BYTES_MAX = 1024 * 1024;
const TOKENS_MAX = 600;

/** Any server that speaks the common form of chat completions, streamed. Redirects are not followed. */
export class ChatCompletions implements ChatModel {
  readonly #options: ChatCompletionsOptions;

  constructor(options: ChatCompletionsOptions) {
    this.#options = options;
  }

  async *answer(messages: readonly ChatMessage[], signal: AbortSignal): AsyncGenerator<string> {
    const { answerMs = 30_000 } = this.#options;
    const limit = AbortSignal.timeout(answerMs);
    try {
      let length = 0;
      for await (const piece of this.#pieces(messages, AbortSignal.any([signal, limit]))) {
        yield piece.slice(0, ANSWER_LENGTH_MAX - length);
        length += piece.length;
        if (length >= ANSWER_LENGTH_MAX) return;
      }
      if (length === 0) throw new ChatFailure('The language model said nothing');
    } catch (error) {
      if (limit.aborted) throw new ChatFailure(`The language model took more than ${answerMs} ms`, { cause: error });
      throw error instanceof ChatFailure ? error : new ChatFailure((error as Error).message, { cause: error });
    }
  }

  async *#pieces(messages: readonly ChatMessage[], signal: AbortSignal): AsyncGenerator<string> {
    const { url, model, key, silenceMs = 15_000 } = this.#options;
    const { statusCode, headers, body } = await request(`${url}/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'text/event-stream' },
        ...(key !== '' && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, messages, stream: true, max_tokens: TOKENS_MAX, temperature: 0 }),
      ...{ headersTimeout: silenceMs, bodyTimeout: silenceMs, signal },
    });
    try {
      const type = String(headers['content-type'] ?? '');
      if (statusCode !== 200) throw new ChatFailure(`The language model answered ${statusCode}`);
      if (!type.startsWith('text/event-stream')) throw new ChatFailure(`The language model sent ${type.slice(0, 100)}`);
      let bytes = 0;
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > BYTES_MAX) throw new ChatFailure(`The language model sent more than ${BYTES_MAX} bytes`);
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const data = /^data: ?(.*?)\r?$/.exec(line)?.[1];
          if (data === '[DONE]') return;
          const piece = data === undefined ? '' : pieceOf(data);
          if (piece !== '') yield piece;
        }
      }
    } finally {
      body.on('error', () => undefined).destroy();
    }
  }
}

/** The text that one event adds to the answer: mostly a word, for the first and the last none. */
function pieceOf(data: string): string {
  const event = JSON.parse(data) as { choices?: readonly { delta?: { content?: unknown } }[] } | null;
  const content = event?.choices?.[0]?.delta?.content;
  return typeof content === 'string' ? content : '';
}
