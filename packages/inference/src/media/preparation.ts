import type { PicturePreparation, PreparedPicture } from '@pelorus/node';

/** A picture for a preparation thread. */
export interface PreparationTask {
  /** A file, or what follows `base64,` in a data URI. */
  readonly picture: Uint8Array<ArrayBuffer> | string;
  readonly preparation: PicturePreparation;
  readonly patchMethod: 'simple' | null;
  readonly limits: { readonly bytesMax: number; readonly pixelsMax: number };
}

/** The picture as tensors, or what is wrong with it. */
export type Prepared = PreparedPicture | { readonly failure: string };
