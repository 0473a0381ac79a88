import type { MediaInput } from '@pelorus/node';
import type { Embeddings, InputFailure, InputParts, PartedEmbeddings, QueryEmbeddings } from '../runtime/encoder.js';
import type { MediaOutcome } from './media-call.js';

/** The functions that embed each kind of input. */
export interface MixedWork {
  /** The texts, in their order among the inputs. */
  readonly texts: (signal: AbortSignal) => Promise<Embeddings & Partial<PartedEmbeddings>>;
  /** The media, in their order among the inputs. */
  readonly media: (signal: AbortSignal) => Promise<readonly MediaOutcome[]>;
  /** Embeds the texts that stand in for media whose bytes turned out to be none. */
  readonly lateTexts: (texts: readonly string[]) => Promise<Embeddings>;
}

/** The vectors of texts and media, and which are of media. */
export type MixedEmbeddings = PartedEmbeddings & QueryEmbeddings;

/** The vectors of one input, or why it has none. */
type InputRows = Exclude<MediaOutcome, { readonly kind: 'text' }>;

/**
 * Embeds texts and media beside one another, and puts their vectors in the places of the inputs.
 * @throws what one of them throws first; the others are aborted then
 */
export async function embedMixed(
  count: number,
  media: readonly MediaInput[],
  dim: number,
  signal: AbortSignal | undefined,
  work: MixedWork,
): Promise<MixedEmbeddings> {
  const failed = new AbortController();
  const either = AbortSignal.any([failed.signal, ...(signal === undefined ? [] : [signal])]);
  const none: Embeddings = { vectors: new Float32Array(0), failures: [] };
  const [texts, outcomes] = await Promise.all([
    count > media.length ? work.texts(either) : none,
    work.media(either),
  ]).catch((error) => {
    failed.abort();
    throw error;
  });
  const late = outcomes.flatMap((outcome) => (outcome.kind === 'text' ? [outcome.text] : []));
  const ofTexts = eachInput(texts, dim);
  const ofLate = eachInput(late.length === 0 ? none : await work.lateTexts(late), dim);
  const ofMedia = new Map(media.map(({ row }, i) => [row, outcomes[i]]));
  const rows = Array.from({ length: count }, (_, row): InputRows => {
    const outcome = ofMedia.get(row);
    if (outcome !== undefined && outcome.kind !== 'text') return outcome;
    const next = (outcome === undefined ? ofTexts : ofLate).next();
    if (next.done === true) throw new RangeError(`input ${row} of ${count} has no row`);
    return next.value;
  });
  const found = media.filter((_, i) => outcomes[i]?.kind === 'vectors').map(({ row }) => row);
  return { ...joined(rows, dim), media: found };
}

function* eachInput({ vectors, failures, parts = [] }: Embeddings & Partial<PartedEmbeddings>, dim: number) {
  const messages = new Map(failures.map(({ row, message }) => [row, message]));
  const chunks = new Map(parts.map((one) => [one.row, one.chunks]));
  for (let [row, at] = [0, 0]; at < vectors.length; row++) {
    const message = messages.get(row);
    const labels = chunks.get(row) ?? null;
    const end = at + (labels?.length ?? 1) * dim;
    const rows: InputRows =
      message === undefined
        ? { kind: 'vectors', vectors: vectors.subarray(at, end), labels }
        : { kind: 'failure', message };
    yield rows;
    at = end;
  }
}

function joined(rows: readonly InputRows[], dim: number): PartedEmbeddings {
  const length = rows.reduce((sum, one) => sum + (one.kind === 'vectors' ? one.vectors.length : dim), 0);
  const vectors = new Float32Array(length);
  const failures: InputFailure[] = [];
  const parts: InputParts[] = [];
  let at = 0;
  for (const [row, one] of rows.entries()) {
    if (one.kind === 'failure') {
      failures.push({ row, message: one.message });
      at += dim;
      continue;
    }
    vectors.set(one.vectors, at);
    at += one.vectors.length;
    if (one.labels !== null) parts.push({ row, chunks: [...one.labels] });
  }
  return { vectors, failures, parts };
}
