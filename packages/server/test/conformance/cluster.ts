import type { Case, Exchange } from './case.js';
import { holding, invalidArgument, noIndex } from './errors.js';

/**
 * An exchange about an index that no cluster takes: its creation is refused by a member of its settings, as
 * `docs/design/cluster.md` lists, and everything else finds no such index there.
 */
export const notOnCluster =
  (member: string) =>
  (exchange: Exchange): Exchange => {
    const [, name = '', rest] = /^\w+ \/indexes\/([^/?]+)(.*)$/.exec(exchange.request) ?? [];
    const isCreation = exchange.request.startsWith('POST ') && rest === '';
    const refusal = invalidArgument(holding(`${member}: an OpenSearch cluster has `));
    return { ...exchange, onCluster: isCreation ? refusal : noIndex(decodeURIComponent(name)) };
  };

/** A case of such an index. */
export const caseNotOnCluster = (member: string, { exchanges, ...one }: Case): Case => ({
  ...one,
  exchanges: exchanges.map(notOnCluster(member)),
});
