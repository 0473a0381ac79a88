/** How far the fetching of a model has come. */
export interface ModelProgress {
  readonly model: string;
  /** Where it comes from: `hub`, `url`, `s3`, `maven`. */
  readonly way: string;
  readonly file: string;
  readonly receivedBytes: number;
  /** Null while the size is unknown. */
  readonly totalBytes: number | null;
}

export type OnProgress = (progress: ModelProgress) => void;
