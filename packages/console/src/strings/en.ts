import { curation } from './en-curation.js';
import { data } from './en-data.js';
import { defaults } from './en-defaults.js';
import { hosted, indexes } from './en-indexes.js';
import { operations } from './en-operations.js';
import { relevance } from './en-relevance.js';
import { rules } from './en-rules.js';
import { search } from './en-search.js';
import { shops } from './en-shops.js';

/** Every text that the console shows, in English. */
export const en = {
  product: 'Pelorus',
  console: 'Console',
  skip: 'Skip to the content',
  menu: 'Pages',
  notFound: { title: 'Nothing here', message: 'No page of the console has this address.', back: 'To the indexes' },
  pages: {
    indexes: 'Indexes',
    search: 'Search',
    relevance: 'Relevance',
    data: 'Data',
    shops: 'Shops',
    operations: 'Operations',
  },
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
  asTable: (label: string) => `${label} as a table`,
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
  work: {
    label: 'Work that goes on',
    progress: (title: string) => `${title}: done so far`,
    look: 'Look at it',
    lookBack: 'Look at the outcome',
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
    setGoneAdvice: 'It may have been deleted elsewhere: the list of sets shows those that are there.',
    conflictAdvice: 'Somebody else changed it meanwhile. Look at what is there now, and make your change once more.',
    otherVersionAdvice: 'The server is of another version than this page: reload the page.',
    unexpectedAdvice:
      'Something between this page and the server may have answered in its place, such as a proxy. Reload the page.',
    busyAdvice: 'The server has no room for more calls now: try again in a moment.',
    memoryAdvice:
      'Searches go on; writes are accepted again once memory is free. Delete an index, or give the server more memory.',
    modelMissing: (model: string) =>
      `The model ${model} turns texts into vectors. It is not on the server, which could not download it.`,
    modelMissingAdvice: (model: string) =>
      `Words need no model: import texts without “Search by meaning”, and search by “Words”. Where the server has a network, “pelorus models pull ${model}” brings the model and says what is in its way.`,
    storageAdvice: 'Searches go on; writes are accepted again as soon as the disk has room.',
    unexpected: 'The page met a fault of its own.',
    pageUnreached:
      'This page is loaded from the server: wait until it answers, then try again, which loads the console anew and asks for a key that was not kept.',
    unexpectedHere: 'Reload the page. Nothing of the server is changed by that.',
  } as Record<
    | 'keyAdvice'
    | 'permissionAdvice'
    | 'indexGoneAdvice'
    | 'documentGoneAdvice'
    | 'setGoneAdvice'
    | 'conflictAdvice'
    | 'otherVersionAdvice'
    | 'unexpectedAdvice'
    | 'busyAdvice'
    | 'memoryAdvice'
    | 'storageAdvice'
    | 'unexpected'
    | 'pageUnreached'
    | 'unexpectedHere',
    string
  > & {
    readonly connection: readonly [string, string];
    readonly timeout: readonly [string, string];
    readonly modelMissing: (model: string) => string;
    readonly modelMissingAdvice: (model: string) => string;
  },
  indexes,
  hosted,
  plot: {
    day: 'Day',
    most: (value: string, day: string) => `at most ${value}, on ${day}`,
    empty: 'nothing in this time',
  },
  shops,
  curation,
  aliases: {
    label: 'New alias',
    add: 'Add the alias',
    remove: (alias: string) => `Remove the alias ${alias}`,
    moved: (alias: string, index: string) => `The alias ${alias} stands for ${index}`,
    removed: (alias: string) => `The alias ${alias} is removed; its index stays`,
  },
  documents: {
    index: 'Index',
    chooseIndex: 'Choose an index',
    filter: 'Filter',
    filterHint: (example: string) => `Such as ${example}. Arrows choose what is offered, Enter takes it.`,
    filterExample: (example: string) => `A filter that can be read: ${example}`,
    filterUnreadable: (reason: string) => `The filter cannot be read. ${reason}`,
    filterFaults: {
      token: (token: string, bracketed: string | undefined) =>
        [
          `“${token}” is no condition, which is a field, a colon and a value.`,
          bracketed === undefined ? '' : ` A value with blanks stands in parentheses: ${bracketed}.`,
        ].join(''),
      joined: (term: string) => `AND or OR is missing before “${term}”. A value with blanks stands in parentheses.`,
      nothingBehind: (word: string) => `Behind ${word} a condition is missing.`,
      nothingBefore: (word: string) => `Before ${word} a condition is missing.`,
      not: 'NOT stands before one condition alone, behind AND or OR.',
      parenthesis: (sign: string) => `There is a “${sign}” too many, or in a place where none can stand.`,
      joinedParentheses: 'AND or OR is missing between two parentheses.',
      open: 'A “(” is opened and never closed.',
      empty: 'There is nothing but blanks.',
      emptyParentheses: 'There is nothing between “(” and “)”.',
      range: (term: string, pointed: string | undefined) =>
        pointed === undefined
          ? `“${term}” is no range, which is two numbers or dates in brackets, such as [10 TO 20]; * stands for no limit.`
          : `“${term}” is no range: its numbers have a point before the decimals, as in ${pointed}.`,
      trailing: (sign: string) => `Behind a bracket must be a blank, not “${sign}”.`,
      list: 'A list is written as brand IN (acme, other), with commas between, and values with blanks in parentheses.',
    },
    completions: 'Completions of the filter',
    filterBy: 'Filter by this value',
    pictureElsewhere: (host: string) => `Open the picture at ${host}`,
  },
  search,
  data,
  relevance,
  rules,
  defaults,
  operations,
  form: {
    default: (value: string) => `Default ${value}`,
    asDefault: 'as default',
    notJson: 'This is no JSON object yet.',
    notNumber: 'This is no number.',
    between: (least: number, most: number) => `From ${least.toLocaleString('en')} to ${most.toLocaleString('en')}.`,
    listHint: 'One on each line.',
    entry: (name: string, place: number) => `${name}, entry ${place}`,
    addOffer: (offer: string) => `Add ${offer}`,
    addEntry: (name: string) => `Add to ${name}`,
    removeEntry: (name: string, place: number) => `Remove entry ${place} of ${name}`,
  },
};
