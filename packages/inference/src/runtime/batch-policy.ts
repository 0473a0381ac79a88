/** The rule by which texts that wait for the models of a device become batches. */
export interface BatchPolicy {
  /** Tokens of a batch with its padding. */
  readonly tokensMax: number;
  /** Inputs of a batch. */
  readonly inputsMax: number;
  /** A batch is not split among idle workers below this many tokens. */
  readonly splitTokensMin: number;
  /** Batches of queries in a row after which waiting documents get one. */
  readonly queryRunMax: number;
}

/**
 * The policy of a CPU whose workers run one thread each: batches of `tokensMax` tokens, so that one stays in the cache of
 * its core, and none below 64, as those keep a core less busy than they cost.
 */
export function cpuBatchPolicy(tokensMax: number, inputsMax = Number.POSITIVE_INFINITY): BatchPolicy {
  return { tokensMax, inputsMax, splitTokensMin: 64, queryRunMax: 16 };
}
