import { plural } from './en-plural.js';

const storedAll = (count: number): string =>
  count === 1
    ? 'The row is stored and can be searched'
    : `All ${plural(count, 'row is', 'rows are')} stored and can be searched`;

/** The texts of documents and imports. */
export const data = {
  title: 'Data',
  parts: 'Parts of the data',
  documents: 'Documents',
  importTitle: 'Import a file',
  newIndex: 'A new index of a file',
  show: 'Show',
  showAll: 'Without the filter',
  addDocument: 'Add a document',
  emptyTitle: 'This index has no documents yet',
  nothingPasses: 'No document passes the filter',
  tableLabel: 'Documents as a table',
  fields: 'Fields',
  shown: (first: string, last: string, all: string | undefined) =>
    all === undefined ? `${first} to ${last}` : `${first} to ${last} of ${all}`,
  before: 'Previous page',
  next: 'Next page',
  documentTitle: (id: string) => `Document ${id}`,
  asJson: 'The document as JSON',
  hasVectors: (fields: string) => `Vectors are made of ${fields}. They are made anew where one of these texts changes.`,
  tensorFields: 'Texts to make vectors of',
  tensorFieldsNone: 'The document has no text yet.',
  save: 'Save',
  saved: 'The document is stored',
  deleteOpen: 'Delete…',
  deleteSure: 'The document and its vectors go for good.',
  deleteDo: 'Delete for good',
  deletedOne: 'The document is deleted',
  notJson: (reason: string) => `This is no JSON yet: ${reason}`,
  noDocument: 'A document is a JSON object, in braces.',
  otherId: (id: string) => `Its _id is ${id} and stays so. Add a document for another one.`,
  otherVectors: (field: string) =>
    `${field} has vectors that are not of a text alone, such as a combination or vectors of your own. Store the document by the program that made them.`,
  dropLabel: 'File to import',
  drop: 'Drop a CSV, JSON or Parquet file here',
  dropHint: (bytes: string) =>
    `It is read on this machine and sent row by row. CSV and JSON lines may have any size, one JSON array ${bytes}.`,
  dropNewHint:
    'An index is made for it: you choose its name and model, then see the columns. A spreadsheet is saved as CSV first.',
  newIndexOf: (file: string, columns: number) =>
    `${file} has ${plural(columns, 'column', 'columns')} and gets an index of its own, which holds its rows, their words and their vectors. Its columns are shown next; nothing is sent before you have looked at them.`,
  choose: 'Choose a file',
  jsonLines: 'JSON lines',
  fileUnreadable: (file: string) => `${file} cannot be imported`,
  fileStopped: 'The rest of the file cannot be read',
  columns: 'Columns of the file',
  column: 'Column',
  namesChanged: (count: number) =>
    `${plural(count, 'column has', 'columns have')} a name that no field can have. The table proposes names for the fields, which can be changed.`,
  fieldName: (column: string) => `Field name for ${column}`,
  nameRule:
    'The name of a field has letters from a to z, digits and underscores, begins with no digit, and not with marqo__.',
  nameReserved: (name: string) => `${name} is a name that the server uses itself. Choose another one.`,
  nameTaken: (column: string) => `The column ${column} becomes a field of this name too. Choose another one.`,
  type: 'Type',
  typeOf: (column: string) => `Type of ${column}`,
  types: {
    ...{ text: 'Text', number: 'Number', decimalComma: 'Number, as 1.234,5' },
    ...{ date: 'Date', dayFirst: 'Date, as 31.12.2024' },
    ...{ truth: 'True or false', json: 'List or map', mixed: 'Several' },
  },
  typeWords: {
    ...{ text: 'text', number: 'number', decimalComma: 'number with a decimal comma' },
    ...{ date: 'date', dayFirst: 'date' },
    ...{ truth: 'truth', json: 'list or map' },
  },
  misfits: (count: number, rows: number, value: string, row: number, staysText: boolean) =>
    `${count} of the first ${rows} rows ${count === 1 ? 'does' : 'do'} not fit this type and would ${staysText ? 'stay as text' : 'fail'}, such as “${value}” in line or row ${row}.`,
  leans: (fits: number, values: number, type: 'number' | 'decimalComma' | 'dayFirst' | 'truth') =>
    `${fits} of ${values} values are ${type === 'truth' ? 'true or false' : type === 'dayFirst' ? 'dates' : 'numbers'}.`,
  leansBut: (value: string, row: number) => `Line or row ${row} has “${value}”.`,
  leansTo: (type: string, misfits: number, staysText: boolean) =>
    [
      `As text the column has no ranges. With the type “${type}” it has`,
      misfits === 0
        ? '.'
        : staysText
          ? `, and ${plural(misfits, 'value stays', 'values stay')} as text.`
          : `, and ${plural(misfits, 'row fails', 'rows fail')} unless the file leaves the cell empty.`,
    ].join(''),
  undated: (count: number) => `${plural(count, 'value is no date and stays', 'values are no dates and stay')} as text`,
  undatedFirst: (column: string, value: string, row: number) =>
    `The first is “${value}” in ${column}, line or row ${row}. Ranges and orders by date leave such values out.`,
  groupLacks: (field: string, percent: number, rows: number, lacking: number) =>
    `${percent} % of the first ${rows} rows have ${field}, by which variants are one hit: ${lacking === 1 ? 'the other one' : `the other ${lacking}`} would be refused`,
  groupFillsHint: 'Each of these rows is a hit of its own then.',
  groupNoIdHint:
    'Choose a column with the id of each row, so that the id can stand in for it, or fill the column in the file.',
  groupFills: 'Use the id where it is empty',
  filled: 'Filled',
  examples: 'Examples',
  use: 'Use',
  isId: 'Id of the document',
  isIdAndField: (field: string) => `Id of the document, and the field ${field}`,
  embed: 'Search by meaning',
  leaveOut: 'Leave out',
  idColumn: 'Column with the id of each row',
  idNone: 'None: the server makes ids',
  idDouble: (column: string, value: string, rows: readonly [number, number]) =>
    `${column} is no id as it stands: lines or rows ${rows[0]} and ${rows[1]} both have “${value}”.`,
  idReplaced: (value: string, rows: readonly [number, number]) =>
    `Lines or rows ${rows[0]} and ${rows[1]} both have “${value}”: of rows with one id the last alone is kept.`,
  idHint: 'A document with the same id is replaced, so that the file can be imported again.',
  keepId: 'Keep this column as a field too',
  keptId: (field: string) => `It is also kept as the field ${field}, so that it can be searched for.`,
  lostId: 'An id is found by no words: whoever types it into a search finds nothing.',
  idNoneHint:
    'The server then makes a new id for every row: a second import of the same file replaces nothing and stores all of its rows once more. Choose a column whose value is another one in each row, if there is one.',
  windows: 'The file is not in UTF-8 and is read as Windows-1252, as Excel saves it',
  windowsHint:
    'Look at letters such as ä and signs such as € below. Where they are wrong, save the file again as “CSV UTF-8”.',
  firstRows: 'First rows',
  sampleFaults: (faults: number, rows: number) => `${faults} of the first ${rows} rows cannot become documents`,
  rowFault: (row: number, fault: string) => `Line or row ${row}: ${fault}`,
  structured: 'The index is structured: its settings say which fields get vectors.',
  wordsAlone: 'The index has no model: its rows are found by words and filters.',
  noTensor: 'No column is searched by meaning',
  noTensorHint: 'The rows are found by words and filters alone, unless you choose a column with texts.',
  doImport: 'Import',
  importOf: (file: string, index: string) => `${file} into ${index}`,
  stop: 'Stop',
  another: 'Import another file',
  back: 'Back to the columns',
  withoutMeaning: 'Go on without “Search by meaning”',
  stored: 'Stored',
  failed: 'Failed',
  handled: 'Handled',
  ofAll: (part: string, all: string) => `${part} of ${all}`,
  speed: 'Speed',
  perSecond: (count: string) => `${count} / s`,
  done: (stored: number, failed: number, replaced: number) =>
    [
      failed === 0
        ? storedAll(stored)
        : `${plural(stored, 'row is', 'rows are')} stored, ${plural(failed, 'row', 'rows')} failed`,
      replaced === 0
        ? ''
        : `. These are ${plural(stored - replaced, 'document', 'documents')}: ${plural(replaced, 'row', 'rows')} replaced an earlier one of the same id`,
    ].join(''),
  searchThem: 'Search them',
  seeDocuments: 'See the documents',
  stopped: (stored: number) =>
    `The import ended early: ${plural(stored, 'row is', 'rows are')} stored, the rest is not`,
  goOn: (isRepeatable: boolean) =>
    isRepeatable
      ? 'Import the file again to go on: rows with the same id are replaced, none is stored twice.'
      : 'The rows have no ids: an import of the whole file would store these rows twice. Delete them first, or import the rest alone.',
  failedRows: 'Rows that failed',
  firstOf: (shown: number, all: number) => `The first ${shown} of ${all.toLocaleString('en')}.`,
  saveFailed: 'Save them with their reasons',
  row: 'Line or row',
  reason: 'Reason',
  faults: {
    empty: 'The file is empty. A CSV file begins with a line of names.',
    archive: 'This is an archive or a spreadsheet. Unpack it, or save the sheet as CSV in UTF-8.',
    gzip: 'The file is compressed. Unpack it first, or use the command “pelorus import”, which reads it as it is.',
    binary: 'This is no text and no Parquet file. Save it as CSV in UTF-8, JSON or Parquet.',
    encoding:
      'The text is not in UTF-8. Save the file again with the encoding UTF-8; Excel calls that “CSV UTF-8” among the types of “Save as”.',
    namesAlone: 'The file has no rows: its one line is taken for the names of the columns.',
    noRows: 'The file has no rows.',
    gone: 'The file was moved, changed or deleted while it was read. Choose it again.',
    large:
      'One JSON array of this size does not fit the page. Save it as JSON lines, or use the command “pelorus import”.',
    noName: (column: number) => `Column ${column} has no name. The first line must name every column.`,
    doubleName: (name: string) => `Two columns have the name ${name}. Rename one of them.`,
    cells: (cells: number, names: number) =>
      `The row has ${plural(cells, 'cell', 'cells')}, the first line has ${names}.`,
    quote: (line: number) =>
      `A quote that begins in line ${line} never ends. Close it, or double the quotes within the text.`,
    json: (reason: string) => `This is no JSON: ${reason}`,
    noArray: 'The file is JSON, but no list of objects.',
    noObject: 'This is no object with fields.',
    compression: (reason: string) =>
      `The compression of the file is not known here (${reason}). Use the command “pelorus import”.`,
    parquet: (reason: string) => `The Parquet file is damaged or cut off: ${reason}`,
    id: (column: string) => `The value of ${column} cannot be an id: a text or number of at most 2,048 characters.`,
    noId: (column: string) => `The row has no ${column}, which is to be its id.`,
    value: (column: string, value: string, type: string) => `${value.slice(0, 60)} in ${column} is no ${type}.`,
  },
};
