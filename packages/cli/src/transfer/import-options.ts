import type { NamedEncoding } from './encoding.js';
import type { FileFormat } from './file-format.js';
import type { Nulls } from './nulls.js';
import type { RemotePlace } from './remote/open-remote.js';
import type { Unstorable } from './unstorable.js';

/** The order that an import is given. */
export interface ImportOptions {
  readonly index: string;
  /** `-` for standard input. */
  readonly file: string;
  /** The collection of another service in place of a file, whose address `file` is then. */
  readonly from: RemotePlace | undefined;
  readonly format: FileFormat;
  /** Fields to embed of documents that bring no vectors; undefined to name none. */
  readonly tensorFields: readonly string[] | undefined;
  /** The mappings of such documents, as JSON. */
  readonly mappings: string | undefined;
  /** Columns of a CSV file that are texts, whatever they look like. */
  readonly textFields: readonly string[];
  /** Columns of a CSV file that are numbers, however they are written. */
  readonly numberFields: readonly string[];
  /** The encoding of a CSV file; undefined for the one that it tells. */
  readonly encoding: NamedEncoding | undefined;
  /** The character between the cells of a CSV file; undefined for the one that it tells. */
  readonly delimiter: string | undefined;
  /** The field whose values are the ids; undefined for `_id`, or ids that are made where there is none. */
  readonly idField: string | undefined;
  /** Fields that are left out. */
  readonly omittedFields: readonly string[];
  /** The fate of fields that are null. */
  readonly nulls: Nulls;
  /** The fate of values that no field of an unstructured index holds. */
  readonly unstorable: Unstorable;
  /** The model of an index that is made; undefined for the server's own. */
  readonly model: string | undefined;
  /** Tells whether to show the first documents in place of storing any. */
  readonly isDryRun: boolean;
  /** Documents of a request. */
  readonly batchSize: number;
  /** Requests at once. */
  readonly requests: number;
  /** Documents that may be refused before the import stops. */
  readonly failuresMax: number;
  /** The file for documents that were not stored. */
  readonly failed: string;
  /** Tells whether to begin anew where an earlier import stopped. */
  readonly restart: boolean;
  /** Tells whether to take the readable part of an export that is damaged or was changed. */
  readonly asIs: boolean;
  /** Tells whether the rules, synonyms and search defaults of an export come along. */
  readonly rules: boolean;
  /** Tells whether to print one JSON value about it, for programs. */
  readonly json: boolean;
}
