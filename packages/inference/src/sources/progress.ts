/** The progress of fetching a model. */
export interface ModelProgress {
  readonly model: string;
  /** The way by which it comes: `hub`, `url`, `s3`, `maven`. */
  readonly way: string;
  readonly file: string;
  readonly receivedBytes: number;
  /** Null while the size is unknown. */
  readonly totalBytes: number | null;
}

export type OnProgress = (progress: ModelProgress) => void;
