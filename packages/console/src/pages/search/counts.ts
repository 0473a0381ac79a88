import { t } from '../../strings/strings.js';
import type { Answer } from './searches.js';

/** Tells why no counts are shown: nothing was found, or no field has values to count. */
export const countsLackOf = (answer: Pick<Answer, 'hits'> | undefined): string =>
  answer?.hits.length === 0 ? t.search.facetsNoHits : t.search.facetsNone;
