import type { PicturePreparation, PreparedPicture } from '@pelorus/node';

/** A picture for a preparation thread. */
export interface PreparationTask {
  /** A file, or what follows `base64,` in a data URI. */
  readonly picture: Uint8Array<ArrayBuffer> | string;
  readonly preparation: PicturePreparation;
  readonly patchMethod: 'simple' | null;
  readonly limits: { readonly bytesMax: number; readonly pixelsMax: number };
}

/** A picture that the limits refuse before memory is taken for its pixels; given back, to be tried under others. */
export interface TooManyPixels {
  readonly tooManyPixels: string;
  readonly picture: PreparationTask['picture'];
}

/** The picture as tensors, or what is wrong with it. */
export type Prepared = PreparedPicture | TooManyPixels | { readonly failure: string };
