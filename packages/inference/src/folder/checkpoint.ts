import { TOKENIZER } from './layout.js';

/** Weights of a model of texts as its publisher trained them, and what they are for: in place of a graph that nobody has. */
export const CHECKPOINT = 'model.safetensors';
export const CONFIG = 'config.json';

/** The files, within its folder, of a model of texts without a graph. */
export const CHECKPOINT_FILES: readonly string[] = [CHECKPOINT, CONFIG, TOKENIZER];

/** Other files that publishers have for the weights of a model, and the reason why they are not read. */
export const UNREAD_WEIGHTS: readonly (readonly [name: string, reason: string])[] = [
  [`${CHECKPOINT}.index.json`, `names weights in several files: put them into one, ${CHECKPOINT}`],
  ['pytorch_model.bin', `is a pickle, which may run any program: save its weights as ${CHECKPOINT}`],
];

/** Tells whether a path is that of a checkpoint and not of a graph. */
export const isCheckpoint = (path: string) => path.endsWith('.safetensors');

/** The words for a checkpoint of an architecture that is not known. */
export const notRunnable = (reason: string) => `cannot be run without a graph: ${reason}`;
