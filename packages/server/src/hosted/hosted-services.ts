import type { IndexHosting } from '@pelorus/hosted';
import type { Inference } from '@pelorus/inference';
import type { Config } from '../config.js';

/** The services of handlers of the hosted form. */
export interface HostedServices {
  readonly hosting: IndexHosting;
  /** Knows what names of models mean. Models run in the processes of indexes. */
  readonly inference: Inference;
  readonly config: Config;
}
