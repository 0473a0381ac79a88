import type { ServerProcess } from '../server/server-process.ts';
import type { Request } from './generator.ts';
import {
  HALF,
  type Modifier,
  membersOf,
  modifiersOf,
  NOW,
  SCALE_DAYS,
  type ScoredDocument,
  type ScoreKind,
  type Scores,
} from './scored.ts';
import { single } from './service.ts';
import { httpRequest } from './wire.ts';

const INDEX = '/indexes/scored';

/** Changed scores in our server. */
export class OurScores implements Scores {
  readonly spellings = ['pelorus'];
  readonly #running: () => ServerProcess;

  constructor(running: () => ServerProcess) {
    this.#running = running;
  }

  async create(): Promise<void> {
    const modelProperties = { type: 'no_model', dimensions: 4 };
    await this.#running().call('POST', INDEX, { model: 'no_model', modelProperties });
  }

  addition(documents: readonly ScoredDocument[]): Request {
    const texts = documents.map((document) => `{"_id":"${document.id}",${membersOf(document)}}`);
    return single(httpRequest('POST', `${INDEX}/documents`, `{"documents":[${texts.join(',')}],"tensorFields":[]}`));
  }

  async settle(): Promise<void> {
    await this.#running().untilIdle();
  }

  search(kind: ScoreKind, word: string): Request {
    const { multiply, add } = modifiersOf(kind);
    const named = (modifiers: readonly Modifier[]) =>
      modifiers.map(({ field, weight }) => ({ field_name: field, weight }));
    const page = { q: word, limit: 10, showHighlights: false, attributesToRetrieve: ['time'] };
    const scoreModifiers = {
      ...(multiply.length > 0 && { multiply_score_by: named(multiply) }),
      ...(add.length > 0 && { add_to_score: named(add) }),
    };
    const changed = multiply.length > 0 ? { scoreModifiers } : {};
    const byWords = { searchMethod: 'LEXICAL', searchableAttributes: ['text'], ...changed };
    const aged = {
      searchMethod: 'HYBRID',
      hybridParameters: {
        retrievalMethod: 'lexical',
        rankingMethod: 'lexical',
        searchableAttributesLexical: ['text'],
      },
      recencyParameters: {
        recencyField: 'time',
        scale: `${SCALE_DAYS}d`,
        decayTo: HALF,
        center: NOW,
        applyInRankingPhase: 'exclude-global',
      },
    };
    const body = JSON.stringify({ ...page, ...(kind === 'recency' ? aged : byWords) });
    return single(httpRequest('POST', `${INDEX}/search`, body));
  }
}
