import type { PicturePreprocessing, TextPreprocessing } from './resolved-model.js';

type Colours = Pick<PicturePreprocessing, 'mean' | 'std'>;

const OPENAI: Colours = {
  mean: [0.48145466, 0.4578275, 0.40821073],
  std: [0.26862954, 0.26130258, 0.27577711],
};
const HALF: Colours = { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] };
const IMAGENET: Colours = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };

const OPENCLIP = { size: 224, ...OPENAI, interpolation: 'bicubic', resize: 'shortest' } as const;

/** The preparation of pictures by families of models, where nothing else is said of one. */
export const PICTURE_PRESETS = {
  OpenCLIP: OPENCLIP,
  OpenAI: OPENCLIP,
  SigLIP: { size: 224, ...HALF, interpolation: 'bicubic', resize: 'squash' },
  CLIPA: { size: 224, ...IMAGENET, interpolation: 'bilinear', resize: 'squash' },
  MobileCLIP: { size: 224, mean: [0, 0, 0], std: [1, 1, 1], interpolation: 'bilinear', resize: 'shortest' },
  LanguageBind: { size: 224, ...OPENAI, interpolation: 'tensor', resize: 'shortest' },
} as const satisfies Record<string, PicturePreprocessing>;

export type PicturePreset = keyof typeof PICTURE_PRESETS;

/** The picture that models without weights look at: enough of it to tell one from another. */
export const RANDOM_PICTURE: PicturePreprocessing = {
  size: 32,
  mean: [0, 0, 0],
  std: [1, 1, 1],
  interpolation: 'bilinear',
  resize: 'squash',
};

/** Text as encoders with hidden states take it: as it is, padded as far as need be. */
export const PLAIN_TEXT: TextPreprocessing = {
  cleaning: 'none',
  isFixedLength: false,
  padId: null,
  omitsSeparator: false,
};

/** The preparation of texts by families of joint models. */
export const TEXT_PRESETS = {
  /** Byte pairs of CLIP. Padding is id 0, which is also a token. */
  clip: { cleaning: 'lower', isFixedLength: true, padId: 0, omitsSeparator: false },
  /** A tokenizer of another model in an OpenCLIP tower. */
  hf: { cleaning: 'whitespace', isFixedLength: true, padId: null, omitsSeparator: false },
  clipa: { cleaning: 'whitespace', isFixedLength: true, padId: 0, omitsSeparator: true },
  siglip: { cleaning: 'canonicalize', isFixedLength: true, padId: 1, omitsSeparator: false },
  siglip2: { cleaning: 'canonicalize', isFixedLength: true, padId: 0, omitsSeparator: false },
  /** Padded to the longest: its towers have a mask. */
  'm-clip': PLAIN_TEXT,
  /** The tokenizer of CLIP as the transformers library has it: it takes lower case itself, and is not cleaned before. */
  languagebind: { cleaning: 'none', isFixedLength: true, padId: null, omitsSeparator: false },
} as const satisfies Record<string, TextPreprocessing>;

export type TextPreset = keyof typeof TEXT_PRESETS;

/** The places of tokenizers that families share. */
export const TOKENIZER_REPOS: Readonly<Partial<Record<TextPreset, string>>> = {
  clip: 'openai/clip-vit-base-patch32',
  siglip: 'timm/ViT-B-16-SigLIP',
};
