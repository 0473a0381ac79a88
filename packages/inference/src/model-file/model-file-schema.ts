const text = { type: 'string', minLength: 1 };
const count = { type: 'integer', minimum: 1 };

const closed = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const graph = closed({ sources: { type: 'array', items: text } }, ['sources']);
const channels = { type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 };

const properties = closed({
  type: text,
  name: text,
  url: text,
  modelLocation: closed({
    s3: closed({ Bucket: text, Key: text }, ['Bucket', 'Key']),
    hf: closed({ repoId: text, filename: text }, ['repoId']),
  }),
  onnx: closed({ text: graph, image: graph, video: graph, audio: graph }, ['text']),
  outputNormalised: { type: 'boolean' },
  tokenizer: text,
  imagePreprocessor: text,
  size: count,
  mean: channels,
  std: channels,
  supportedModalities: { type: 'array', items: text },
  dimensions: count,
  tokens: count,
  poolingMethod: { enum: ['mean', 'cls'] },
  textQueryPrefix: { type: 'string' },
  textChunkPrefix: { type: 'string' },
  modelSize: { type: 'number', exclusiveMinimum: 0 },
  sendDimensions: { type: 'boolean' },
  batchInputsMax: count,
  timeoutMs: count,
  queryTokens: count,
  queryAugmentation: { type: 'boolean' },
  attendToMask: { type: 'boolean' },
  queryMarker: { type: 'string' },
  documentMarker: { type: 'string' },
  skipPunctuation: { type: 'boolean' },
});

/** The shape of the operator's model file; `ModelFileEntry` tells its meaning. */
export const modelFileSchema = closed(
  {
    models: {
      type: 'object',
      additionalProperties: closed({ folder: text, alias: text, properties, keyFile: text, keyVariable: text }),
    },
  },
  ['models'],
);
