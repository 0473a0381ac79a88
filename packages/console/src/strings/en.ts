const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** Every text that the console shows, in English. */
export const en = {
  product: 'Pelorus',
  console: 'Console',
  skip: 'Skip to the content',
  menu: 'Pages',
  notFound: { title: 'Nothing here', message: 'No page of the console has this address.', back: 'To the indexes' },
  pages: { indexes: 'Indexes', search: 'Search', data: 'Data', operations: 'Operations' },
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  reload: 'Reload',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser does not let the page copy: select the text and copy it yourself',
  loading: 'Loading',
  yes: 'Yes',
  no: 'No',
  none: 'None',
  unknown: 'unknown',
  optional: 'optional',
  required: 'required',
  remove: 'Remove',
  add: 'Add',
  requestId: (id: string) => `Request ${id}`,
  theme: { label: 'Colours', light: 'Light', dark: 'Dark', system: 'As the system' },
  key: {
    title: 'Key',
    wantedTitle: 'This server asks for a key',
    explanation: 'The key stays in the memory of this page and is gone when you close or reload it.',
    label: 'API key',
    show: 'Show the key',
    keep: 'Keep it until this tab is closed',
    keepHint:
      'In the storage of this tab, which every script of this address can read. Leave this off at a machine of others.',
    use: 'Use this key',
    forget: 'Forget the key',
    set: 'Key in use',
    unset: 'No key',
    empty: 'Give a key, such as one of the command “pelorus keys create”.',
    malformed:
      'A key has visible ASCII characters alone, without spaces and line breaks: this one was not copied whole, or with something beside it.',
  },
  server: {
    away: 'The server does not answer',
    awayAdvice:
      'Shown is what it told last. The page asks again every few seconds; changes are not possible until it answers.',
    otherVersion: (page: string, server: string) => `This page is of version ${page}, the server of ${server} by now`,
    otherVersionAdvice: 'Reload the page to work with the version of the server.',
    healthOf: (status: string) => `Health: ${status}`,
    version: (version: string) => `Version ${version}`,
    green: 'all well',
    yellow: 'needs a look',
    red: 'at fault',
  },
  failures: {
    connection: [
      'The server gives no answer.',
      'Check that it runs and that this machine reaches it, then try again. What you have typed is kept.',
    ],
    timeout: [
      'The answer did not come in time.',
      'The server may still carry the call out: look before you send it again.',
    ],
    keyAdvice: 'Give a key that is whole and not revoked.',
    permissionAdvice: 'Use a key of a higher scope, or one for this index.',
    indexGoneAdvice: 'It may have been deleted or renamed elsewhere: the list of indexes shows those that are there.',
    documentGoneAdvice: 'It may have been deleted elsewhere: load the list again.',
    otherVersionAdvice: 'The server is of another version than this page: reload the page.',
    unexpectedAdvice:
      'Something between this page and the server may have answered in its place, such as a proxy. Reload the page.',
    busyAdvice: 'The server has no room for more calls now: try again in a moment.',
    memoryAdvice:
      'Searches go on; writes are accepted again once memory is free. Delete an index, or give the server more memory.',
    storageAdvice: 'Searches go on; writes are accepted again as soon as the disk has room.',
    unexpected: 'The page met a fault of its own.',
    unexpectedHere: 'Reload the page. Nothing of the server is changed by that.',
  } as Record<
    | 'keyAdvice'
    | 'permissionAdvice'
    | 'indexGoneAdvice'
    | 'documentGoneAdvice'
    | 'otherVersionAdvice'
    | 'unexpectedAdvice'
    | 'busyAdvice'
    | 'memoryAdvice'
    | 'storageAdvice'
    | 'unexpected'
    | 'unexpectedHere',
    string
  > & { readonly connection: readonly [string, string]; readonly timeout: readonly [string, string] },
  indexes: {
    title: 'Indexes',
    create: 'Create an index',
    emptyTitle: 'No index yet',
    empty:
      'An index holds documents, their words and their vectors. Create one, then fill it from a file or by a program.',
    caption: 'Indexes of this server',
    name: 'Name',
    health: 'Health',
    documents: 'Documents',
    vectors: 'Vectors',
    memory: 'Memory',
    model: 'Model',
    aliases: 'Aliases',
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
    aliasesTitle: 'Aliases',
    aliasesNone: 'No alias stands for this index. Programs that call an alias can be moved to another index at once.',
    aliasLabel: 'New alias',
    aliasAdd: 'Add the alias',
    aliasRemove: (alias: string) => `Remove the alias ${alias}`,
    aliasAdded: (alias: string) => `The alias ${alias} is set`,
    aliasRemoved: (alias: string) => `The alias ${alias} is removed; its index stays`,
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
      'Letters, digits, - and _, beginning with a letter or _. It cannot be changed, but an alias can stand for it.',
    nameMissing: 'Give the index a name.',
    moreSettings: 'More settings',
    requestShown: 'The request that is sent',
    problemsTitle: 'The server cannot use these settings',
    reasons: 'Needs a look',
  },
  form: {
    default: (value: string) => `Default ${value}`,
    asDefault: 'as default',
    notJson: 'This is no JSON object yet.',
    notNumber: 'This is no number.',
    between: (least: number, most: number) => `From ${least.toLocaleString('en')} to ${most.toLocaleString('en')}.`,
    listHint: 'One each line',
    entry: (name: string, place: number) => `${name}, entry ${place}`,
    addEntry: (name: string) => `Add to ${name}`,
    removeEntry: (name: string, place: number) => `Remove entry ${place} of ${name}`,
  },
};
