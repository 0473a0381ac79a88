import { plural } from './en-plural.js';

/** The texts of the indexes. */
export const indexes = {
  title: 'Indexes',
  create: 'Create an index',
  emptyTitle: 'No index yet',
  empty:
    'An index holds documents, their words and their vectors. Create one, then fill it from a file or by a program.',
  emptyForKey: 'No index yet that this key may see',
  emptyForKeyHint:
    'Either there is none yet, or the key is for names that no index has. A key of the scope admin for all indexes sees every one; a key that reads alone can make none.',
  caption: 'Indexes of this server',
  name: 'Name',
  health: 'Health',
  documents: 'Documents',
  vectors: 'Vectors',
  memory: 'Memory',
  model: 'Model',
  aliases: 'Aliases',
  openRules: 'Rules and synonyms',
  counts: (documents: number, vectors: number) =>
    `${plural(documents, 'document', 'documents')}, ${plural(vectors, 'vector', 'vectors')}`,
  filter: 'Filter by name',
  filterNone: 'No index has this in its name.',
  openSearch: 'Search',
  openData: 'Documents',
  openImport: 'Import a file',
  back: 'All indexes',
  overview: 'At a glance',
  memoryParts: 'Memory by part',
  memoryTotal: (bytes: string) => `${bytes} in all`,
  parts: {
    vectors: 'Vectors and graphs',
    columns: 'Values of filters',
    lexical: 'Words not in files yet',
    filters: 'Cached filters',
    suggestions: 'Suggested queries',
    documents: 'Cached documents',
  } as Readonly<Record<string, string>>,
  budgetUsed: 'Memory budget used',
  diskUsed: 'Disk used',
  precision: 'Model computed in',
  notLoaded: 'not loaded',
  settings: 'Settings',
  settingsAsJson: 'All settings as JSON',
  fixed:
    'Fixed since the index was created, but for the way in which its model is fetched and run. Rules, synonyms and aliases change at any time.',
  modelOpen: 'Change the model…',
  modelChange: 'Change how the model is fetched and run',
  modelHint:
    'Members such as url, onnx, tokens and precision may change. The type, dimensions and name of the model are those of the stored vectors.',
  modelProperties: 'Properties of the model as JSON',
  modelSecrets: 'Users, passwords and queries of addresses are not shown: give them again, or they are gone.',
  force: 'Change what the stored vectors depend on, too',
  forceHint: 'They stay as they are, and are compared with those of another model from then on.',
  tryChange: 'Try it',
  doChange: 'Change it',
  trialGood: 'The change would be made',
  trialBad: 'The change would be refused',
  modelChanged: 'The model is changed; the next call that needs it loads it',
  aliasesTitle: 'Aliases',
  aliasesNone: 'No alias stands for this index. Programs that call an alias can be moved to another index at once.',
  deleteTitle: 'Delete this index',
  deleteExplanation:
    'Its documents, vectors and settings go for good, and its aliases with them. Only a backup brings them back.',
  deleteOpen: 'Delete this index…',
  deleteConfirm: (name: string) => `Type ${name} to confirm`,
  deleteMismatch: 'This is not its name yet.',
  deleteDo: 'Delete for good',
  deleted: (name: string) => `The index ${name} is deleted`,
  created: (name: string) => `The index ${name} is created`,
  nameLabel: 'Name of the index',
  nameHint:
    'Letters from a to z, digits, - and _, with no digit first. It cannot be changed, but an alias can stand for it.',
  nameMissing: 'Give the index a name.',
  nameLong: (most: number) => `A name has at most ${most} characters.`,
  nameUnfit:
    'No index can have this name: it takes letters from a to z, digits, - and _, begins with no digit, and not with marqo__.',
  modelChoice: 'How texts are searched',
  modelChoiceHint:
    'By meaning, a model turns texts into vectors, so that a search finds what says the same in other words. The choice stays that of the index for good; another one needs a new index.',
  modelChoices: {
    words: 'By words alone, in any language: without a model, and nothing is downloaded.',
    english: 'By words and by meaning, in English: the model comes with Pelorus, small and fast.',
    languages:
      'By words and by meaning, in German and a hundred other languages: the server downloads about 500 MB once, before the first import.',
  },
  variants: 'Show variants as one hit, by',
  variantsHint:
    'The name of a field that variants of a thing share, such as the number of a style. Then every document must have it, as a text. Left empty, each document is a hit of its own.',
  moreSettings: 'More settings',
  requestShown: 'The request that is sent',
  problemsTitle: 'The server cannot use these settings',
  reasons: 'Needs a look',
};

/** The texts of an index in the hosted form. */
export const hosted = {
  states: {
    CREATING: 'Being created',
    READY: 'Ready',
    MODIFYING: 'Being changed',
    DELETING: 'Being deleted',
    DELETED: 'Deleted',
    FAILED: 'Failed',
  },
  creating: 'The index is being created',
  creatingHint: 'Its process starts and loads the model. This page goes on by itself as soon as it answers.',
  deleting: 'The index is being deleted',
  deletingHint: 'Its documents are removed; the list of indexes drops it when they are gone.',
  failed: 'The index has failed',
  failedHint: 'Delete it, put right what is told here, and create it again.',
  resources: 'Share of the machine',
  lacking: (part: string) => `${part}: not at the control plane`,
  slowLacking: 'Each hosted index has a process of its own, which keeps its slow requests: choose one above.',
  process: 'Process',
  processHint: 'Each index has a process of its own; the control plane hands calls on to them.',
  controlPlane: 'Control plane',
  processOf: (index: string) => `Index ${index}`,
  modelsLacking:
    'Each hosted index has a process of its own with copies of its model: ask its endpoint for /models. The resources of the index say how many there are.',
  aliasesLacking: 'Each hosted index has an endpoint of its own: programs are moved by giving them another endpoint.',
};
