import { type OperationId, PelorusError, truncated } from '@pelorus/contract';
import { type AliasTable, isEngineError, type StorageEngine } from '@pelorus/engine';
import type { Call, Handler } from '../call.js';

/** Operations that name an index which is to be made or deleted: an alias is not what they are about. */
const OF_NAMES: ReadonlySet<OperationId> = new Set(['createIndex', 'validateIndex', 'deleteIndex']);

/** The most times that a request is begun anew, as the index that it was answered from was deleted behind its alias. */
const BEGUN_MAX = 5;

export type AliasesNow = () => AliasTable | undefined;

/** Gives the aliases of the moment; undefined for an engine that has none. */
export function aliasesOfNow({ aliases }: Pick<StorageEngine, 'aliases'>): AliasesNow {
  return () => aliases?.now();
}

/** The index that `name` stands for: that of an alias, or else the name itself. */
export function indexCalled(aliases: AliasTable | undefined, name: string): string {
  return aliases?.indexes.get(name) ?? name;
}

/**
 * Answers a call. An alias in its path stands for one index from here on, whatever it is pointed at meanwhile; only where
 * that index was deleted behind it is the call begun anew, on the index that the alias stands for by then.
 */
export function handleCalled(
  id: OperationId,
  handler: Handler<OperationId>,
  call: Call<OperationId>,
  aliasesNow: AliasesNow,
): ReturnType<Handler<OperationId>> {
  const { calledAs, aliases } = call;
  if (aliases === undefined || calledAs === '' || OF_NAMES.has(id)) return handler(call);
  const index = indexCalled(aliases, calledAs);
  if (index === calledAs && aliases.fault === null) return handler(call);
  return answerBehind(handler, call, index, aliasesNow);
}

async function answerBehind(
  handler: Handler<OperationId>,
  call: Call<OperationId>,
  first: string,
  aliasesNow: AliasesNow,
) {
  let index = first;
  for (let begun = 1; ; begun += 1) {
    try {
      return await handler({ ...call, params: { ...call.params, indexName: index } } as Call<OperationId>);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const now = aliasesNow();
      const moved = indexCalled(now, call.calledAs);
      if (moved === index || begun === BEGUN_MAX) throw faultOr(error, now);
      index = moved;
    }
  }
}

/** Tells whether a call failed for want of its index, having changed nothing. */
export function isMissing(error: unknown): boolean {
  return (error instanceof PelorusError || isEngineError(error)) && error.code === 'index_not_found';
}

/** The error of a name that is no index: where nobody knows which aliases there are, it may be one. */
export function faultOr(error: unknown, aliases: AliasTable | undefined): unknown {
  if (aliases === undefined || aliases.fault === null) return error;
  return new PelorusError('backend_data_parsing_error', aliases.fault);
}

/** @throws PelorusError `bad_request` for an alias where only an index can be meant */
export function refuseAlias(aliases: AliasTable | undefined, name: string): void {
  if (aliases?.indexes.has(name) !== true) return;
  throw new PelorusError(
    'bad_request',
    `${truncated(name)} is an alias, which DELETE /aliases/${truncated(name)} deletes: an index is deleted by its own name`,
  );
}
