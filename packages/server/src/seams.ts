/** What the server needs of the engine: JSON bytes for control, flat f32 rows for vectors, finished bodies out. */
export interface StorageEngine {
  createIndex(name: string, definition: Uint8Array): Promise<void>;
  dropIndex(name: string): Promise<void>;
  listIndexes(): string[];
  definition(name: string): Buffer;
  stats(name: string): Promise<Buffer>;
  prepareAdd(name: string, body: Uint8Array): Promise<AddBatch>;
  apply(batch: AddBatch, vectors: Float32Array): Promise<Buffer>;
  getDocuments(name: string, request: Uint8Array): Promise<Buffer>;
  deleteDocuments(name: string, ids: Uint8Array): Promise<Buffer>;
  search(name: string, plan: Uint8Array, vectors: Float32Array): Promise<Buffer>;
}

export interface AddBatch {
  readonly envelope: Buffer;
  readonly count: number;
  prepare(options: Uint8Array): Promise<Buffer>;
}

export interface ResolvedModel {
  readonly name: string;
  readonly key: string;
  readonly dimensions: number;
  readonly textQueryPrefix: string;
  readonly textChunkPrefix: string;
  readonly embeds: boolean;
}

export interface EmbedOptions {
  readonly normalize: boolean;
  readonly priority: 'query' | 'document';
  readonly device?: string;
  readonly modelAuth?: object;
}

export interface Inference {
  resolve(model: string, modelProperties?: object): ResolvedModel;
  embed(model: ResolvedModel, texts: string[], options: EmbedOptions): Promise<Float32Array>;
  loaded(): { model_name: string; model_device: string }[];
  eject(name: string, device: string): Promise<boolean>;
}
