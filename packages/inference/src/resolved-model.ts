import type { PatchDetector } from '@pelorus/node';

/** The kinds of input that a model takes. */
export type Modality = 'text' | 'image' | 'audio' | 'video';

/**
 * The steps from a picture to the tensor of a vision tower: `[3, size, size]`, red, green and blue,
 * `(x / 255 - mean) / std`.
 */
export interface PicturePreprocessing {
  /** Pixels of each edge. */
  readonly size: number;
  readonly mean: readonly [red: number, green: number, blue: number];
  readonly std: readonly [red: number, green: number, blue: number];
  /** As Pillow resizes bytes; `tensor`: as PyTorch resizes floats, bicubic and without antialiasing. */
  readonly interpolation: 'bicubic' | 'bilinear' | 'tensor';
  /** `shortest`: the shorter edge becomes `size`, and the square in the centre counts; `squash`: both edges do. */
  readonly resize: 'shortest' | 'squash';
}

/**
 * The steps that clean a text before it is cut into tokens. `none`: nothing. The others mend characters that were
 * decoded wrongly, resolve character references twice and make blanks one; then `lower` takes lower case, and
 * `canonicalize` takes lower case, makes blanks of underscores and leaves ASCII punctuation out.
 */
export type TextCleaning = 'none' | 'whitespace' | 'lower' | 'canonicalize';

/** The steps from a text to token ids. */
export interface TextPreprocessing {
  readonly cleaning: TextCleaning;
  /** Every text is padded to the model's `tokens`; otherwise to the longest of its batch. */
  readonly isFixedLength: boolean;
  /** Id of padding; null leaves it to the tokenizer's file. */
  readonly padId: number | null;
  /** The separator that ends a text, `[SEP]`, becomes id 0. */
  readonly omitsSeparator: boolean;
}

/** The kinds of model that `modelProperties.type` may name. */
export const MODEL_TYPES = [
  'open_clip',
  'clip',
  'sbert',
  'test',
  'sbert_onnx',
  'clip_onnx',
  'multilingual_clip',
  'fp16_clip',
  'random',
  'hf',
  'hf_stella',
  'no_model',
  'languagebind',
  'openai',
  'ollama',
  'cohere',
  'splade',
  'colbert',
] as const;

export type ModelType = (typeof MODEL_TYPES)[number];

/** The forms of HTTP in which services take texts and give vectors, each a {@link ModelType} too. */
export const SERVICE_FORMS = ['openai', 'ollama', 'cohere'] as const satisfies readonly ModelType[];

export type ServiceForm = (typeof SERVICE_FORMS)[number];

/** The kinds of model whose vectors are of one field, and never an index's own, each a {@link ModelType} too. */
export const FIELD_MODEL_TYPES = ['splade', 'colbert'] as const satisfies readonly ModelType[];

/** The steps from a text to the tokens of a model that makes a vector of each, and the tokens whose vectors count. */
export interface TokenVectors {
  /** Tokens of a query, special ones counted. */
  readonly queryTokens: number;
  /** Queries are filled up to that number with the mask of the tokenizer, whose vectors count. */
  readonly fillsQueries: boolean;
  /** Other tokens see these masks. */
  readonly attendsToMasks: boolean;
  /** Tokens that stand behind the first one of a query and of a document; empty for none. */
  readonly queryMarker: string;
  readonly documentMarker: string;
  /** The vectors of ASCII punctuation in documents do not count. */
  readonly skipsPunctuation: boolean;
}

/** The place where the operator has the key of a service. */
export type KeyPlace = { readonly variable: string } | { readonly file: string };

/** A service that computes vectors of texts, asked by HTTP. */
export interface EmbeddingService {
  readonly form: ServiceForm;
  readonly url: string;
  /** The name that the model has there. */
  readonly model: string;
  /** Requests name the dimensions of the model, for services that shorten vectors. */
  readonly sendsDimensions: boolean;
  /** Most texts of one request. */
  readonly batchInputsMax: number;
  /** Time for one request and its whole answer. */
  readonly timeoutMs: number;
  /** Named by the operator, so that its address is not looked at. */
  readonly isOperators: boolean;
  /** Null where the operator has no key for it. */
  readonly keyPlace: KeyPlace | null;
}

/** The way to make one vector of one per token: their mean, or the first. */
export type Pooling = 'mean' | 'cls';

/** A file that must be fetched. `s3` is an object in a bucket, `hub` a file in a hub repository. */
export type RemoteFile =
  | { readonly from: 'url'; readonly url: string }
  | { readonly from: 's3'; readonly bucket: string; readonly key: string }
  | { readonly from: 'hub'; readonly repo: string; readonly file: string };

/** One way in which the graphs of a joint model are published. */
export interface TowerExport {
  /**
   * Files of the graph of each tower, the graph first, by kind of input. Files of tensors beside a graph of the hub
   * need not be listed. A single archive may stand for them, and hold the tokenizer and the folder `text` too.
   */
  readonly graphs: Readonly<Partial<Record<Modality, readonly RemoteFile[]>>>;
  /** Null where it is in an archive or among the files of the graphs. */
  readonly tokenizer: RemoteFile | null;
  /** The graphs themselves end in a normalisation. */
  readonly unitLength: boolean;
}

/** The source of the graph and the tokenizer of a model. */
export type Weights =
  /** The caller brings vectors. */
  | { readonly kind: 'none' }
  /** Vectors are drawn from a hash of the text. */
  | { readonly kind: 'random' }
  /** A folder of the operator's own. */
  | { readonly kind: 'folder'; readonly path: string }
  /** A hub repository; `graphs` are tried in order, each beside its repository's tokenizer. */
  | {
      readonly kind: 'hub';
      readonly repo: string;
      readonly graphs: readonly { readonly repo: string; readonly file: string }[];
    }
  /**
   * The graphs of a joint model: `exports` are tried in order, none where no export is known. `repo` is null for one's own.
   * `tokenizerRepo` is the one that was asked for instead of the publisher's.
   */
  | {
      readonly kind: 'towers';
      readonly repo: string | null;
      readonly exports: readonly TowerExport[];
      readonly tokenizerRepo?: string;
    }
  /** One archive with the contents of a model folder. */
  | { readonly kind: 'archive'; readonly file: RemoteFile }
  /** A service that computes the vectors. */
  | { readonly kind: 'service'; readonly service: EmbeddingService }
  /** Single files; the tokenizer comes from a hub repository where it is not among them. */
  | { readonly kind: 'files'; readonly files: readonly RemoteFile[]; readonly tokenizerRepo: string | null };

/**
 * The facts by which a model is stored, fetched and loaded, whatever its use. A plain value: it may be kept and
 * compared.
 */
export interface LoadableModel {
  /** The name the caller used. */
  readonly name: string;
  /** Its name among the loaded models; `name` where it is absent. */
  readonly listedName?: string;
  /** Hash of what decides the vectors, but for the place of a folder: moving one keeps the key. */
  readonly key: string;
  readonly type: ModelType | 'detector' | 'owl' | 'cross_encoder';
  /** Components of a vector. */
  readonly dimensions: number;
  readonly modalities: readonly Modality[];
  /** Share of the model memory budget, about one per gigabyte. */
  readonly size: number;
  readonly weights: Weights;
}

/** The graph that a patch method asks for the parts of a picture. Its vectors are detections. */
export interface DetectorModel extends LoadableModel {
  readonly type: 'detector';
  readonly detector: PatchDetector;
}

/** The graph that looks for a text in pictures. Its vectors are places. */
export interface OwlModel extends LoadableModel {
  readonly type: 'owl';
  /** Pixels of each edge of its pictures. */
  readonly side: number;
}

/** The graph that reads a query and a text together. Its vectors are scores. */
export interface CrossEncoderModel extends LoadableModel {
  readonly type: 'cross_encoder';
  /** Most tokens of both together, special tokens counted. */
  readonly tokens: number;
}

/** A model name with everything that follows from it. */
export interface ResolvedModel extends LoadableModel {
  readonly type: ModelType;
  /** Most tokens of a text, special tokens counted; the rest is cut off. */
  readonly tokens: number;
  /** Put before queries, null when the model has none. */
  readonly textQueryPrefix: string | null;
  /** Put before document chunks, null when the model has none. */
  readonly textChunkPrefix: string | null;
  /** Null leaves it to what comes with the weights, and to the mean after that. */
  readonly pooling: Pooling | null;
  readonly text: TextPreprocessing;
  /** The preparation of pictures; null for a model that takes none. */
  readonly picture: PicturePreprocessing | null;
  /** False only for `no_model`, whose vectors the caller brings. */
  readonly embeds: boolean;
  /** Vectors have unit length even when normalisation is not asked for. */
  readonly unitLength: boolean;
  /** Absent for any type but `colbert`. */
  readonly tokenVectors?: TokenVectors;
  /** The given `modelProperties` with the defaults that become part of them, null when none were given. */
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/** The model of one field: it makes a sparse vector of each text, whose dimensions are its vocabulary, or many vectors. */
export type FieldModel = ResolvedModel &
  ({ readonly type: 'splade' } | { readonly type: 'colbert'; readonly tokenVectors: TokenVectors });
