import { isErrorCode, PelorusError, UnprocessableError } from '@pelorus/contract';
import type { HostedIndex, HostedIndexes, IndexRequest, ShopRecord } from '@pelorus/hosted';

/** A hosted index that is a shop's. */
export interface Shop extends HostedIndex {
  readonly shop: ShopRecord;
}

type Members = Readonly<Record<string, unknown>>;

/** Most bytes of a message that is handed on. */
const MESSAGE_LENGTH_MAX = 4096;

/** The index of a shop, called as its own interface has it. */
export class ShopCalls {
  readonly #hosted: HostedIndexes;

  constructor(hosted: HostedIndexes) {
    this.#hosted = hosted;
  }

  /**
   * Calls an operation of the index.
   * @throws PelorusError with the code and message of an answer that is a refusal
   */
  async call<Answer>(
    { name }: Shop,
    operation: IndexRequest['operation'],
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const answer = await this.#hosted.call(name, {
      operation,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    const parsed = JSON.parse(answer.body.toString('utf8')) as Answer & Members;
    if (answer.status < 300) return parsed;
    throw refusal(parsed, answer.headers['retry-after']);
  }
}

function refusal({ code, message, detail }: Members, retryAfter: string | string[] | undefined): PelorusError {
  if (code === 'unprocessable_entity' && Array.isArray(detail)) return new UnprocessableError(detail);
  const known = typeof code === 'string' && isErrorCode(code) ? code : 'internal';
  const headers = typeof retryAfter === 'string' ? { 'retry-after': retryAfter } : {};
  return new PelorusError(known, String(message).slice(0, MESSAGE_LENGTH_MAX), { headers });
}
