// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.

/**
 * A search in the one normal form that every request is brought into. Whatever needs no
 * index is decided in it: which legs are searched, what is embedded, every default. What
 * needs the index is the engine's to say: whether the fields are there, what the filter
 * means.
 */
export interface SearchPlan {
  /** Hits of the page. */
  readonly limit: number;
  /** Hits before the page. */
  readonly offset: number;
  /** A filter expression; null for every document. */
  readonly filter: string | null;
  /** Fields of each hit; null for all. */
  readonly attributesToRetrieve: readonly string[] | null;
  /** Whether each hit says which of its chunks is the nearest. */
  readonly showHighlights: boolean;
  readonly retrievalMethod: RetrievalMethod;
  readonly rankingMethod: RankingMethod;
  /** With the ranking method rrf, and only then. */
  readonly rrf: ReciprocalRankFusion | null;
  /** Null where vectors neither find nor rank. */
  readonly tensor: TensorLeg | null;
  /** Null where words neither find nor rank. */
  readonly lexical: LexicalLeg | null;
}

/**
 * Which legs find the documents. A disjunction joins both; a TENSOR or LEXICAL search has
 * one.
 */
export type RetrievalMethod = 'disjunction' | 'tensor' | 'lexical';

/** What orders the hits. A disjunction is ordered by rrf, and nothing else is. */
export type RankingMethod = 'rrf' | 'tensor' | 'lexical';

/** How the rankings of two legs become one. */
export interface ReciprocalRankFusion {
  /** Weight of the tensor leg, 0 to 1; the lexical leg has the rest. */
  readonly alpha: number;
  /** Flattens the ranks, at least 0. */
  readonly k: number;
}

/** A search by vectors. */
export interface TensorLeg {
  /** Fields to search; null for all. */
  readonly fields: readonly string[] | null;
  /** Most candidates that a search of the graph keeps, or as many as it returns. */
  readonly efSearch: number;
  /** Whether the graph may be used. */
  readonly approximate: boolean;
  /**
   * Share of documents passing the filter below which the search is exact, 0 to 1; null for
   * none.
   */
  readonly approximateThreshold: number | null;
  /** One for each row of the query vectors, at least one. */
  readonly weights: readonly number[];
  /** Null takes the only row as it is. */
  readonly interpolation: Interpolation | null;
}

/** How weighted vectors become one. */
export type Interpolation = 'lerp' | 'nlerp' | 'slerp';

/** A search by words. */
export interface LexicalLeg {
  /** The query, quoted phrases and all. */
  readonly text: string;
  readonly operand: LexicalOperand;
  /** Fields to search; null for all. */
  readonly fields: readonly string[] | null;
}

/** How many of the words outside of quotes a document must hold, one or all. */
export type LexicalOperand = 'or' | 'and';
