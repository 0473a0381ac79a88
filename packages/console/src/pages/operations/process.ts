import type { Pelorus } from '@pelorus/client';
import { clientAt } from '../../server/session.js';

/** The process that a part of the page is about. */
export interface ProcessProps {
  /** The index whose process it is, in the hosted form; undefined for the server that the page came from. */
  readonly index?: string | undefined;
}

/** The client that asks the process, in place of the one of the page. */
export const clientOf = (client: Pelorus, index: string | undefined): Pelorus =>
  index === undefined ? client : clientAt(index);
