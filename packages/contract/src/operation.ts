import type { operations } from './generated/operations.js';
import type { Parsed } from './parsed.js';

export type Operations = typeof operations;
export type OperationId = keyof Operations;
export type Scope = Operation['scope'];

/** The operations that `Service` serves: its own, and those of every service. */
export type OperationIdOf<Service extends 'search' | 'hosted'> = {
  [Id in OperationId]: Operations[Id]['service'] extends Service | 'every' ? Id : never;
}[OperationId];

/** A JSON Schema, as far as the contract uses it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly 'x-any-case'?: boolean;
  readonly 'x-any-spelling'?: boolean;
  readonly 'x-error-kind'?: string;
  readonly 'x-hidden-names'?: boolean;
  readonly 'x-refused-as'?: 'invalid_argument';
}

/** A row of the operation table, whichever operation it is. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters in braces: `/indexes/{indexName}`. */
  readonly path: string;
  /**
   * The service that answers it: `search` holds the indexes, `hosted` stands before the processes of hosted indexes.
   */
  readonly service: 'search' | 'hosted' | 'every';
  /** The least scope of an API key that may call it; `none` for what asks for no key at all. */
  readonly scope: 'none' | 'read' | 'read_write' | 'admin';
  /** Tells whether a key with a filter may call it: its answer shows no document, nor any figure of some, that the filter hides. */
  readonly filteredKeys: boolean;
  /**
   * The load that it counts as. A `probe` asks for signs of life, and is answered whatever else waits; of `search`, `add`
   * and `update` only so many run at once, each; `add`, `update` and `fill` fill memory, and are refused where it is short.
   */
  readonly load: 'probe' | 'none' | 'search' | 'add' | 'update' | 'fill';
  /** Says for a row of the interface's table of scopes how a refusal names the scope; null for any other operation. */
  readonly scopeTable: 'named' | 'plain' | null;
  /**
   * The proof of who calls: an API key; or, besides a key, the one that a shop's pages carry, or that of its events.
   */
  readonly credential: 'key' | 'shopper' | 'tracking';
  /** The switch by which the operator turns it on; null for an operation that is always served. */
  readonly switch: 'batchApis' | 'opsApi' | 'debugApi' | null;
  readonly bodyLimitBytes: number;
  /** Most names, texts, arrays and objects that the body, a raw one without its documents, may hold. */
  readonly bodyPartsMax: number;
  /** Most names in the same. */
  readonly bodyNamesMax: number;
  /** Most values of any kind in the same. */
  readonly bodyValuesMax: number;
  /** The handler takes the bytes as they came. */
  readonly rawBody: boolean;
  readonly params: JsonSchema;
  readonly query: JsonSchema;
  /** Headers that the operation itself takes, by their names in lower case. */
  readonly headers: JsonSchema;
  /** Tells whether a request without a body is refused; where it is not, one counts as an empty object. */
  readonly bodyRequired: boolean;
  readonly body: JsonSchema | null;
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

type BodyOf<Row> = Row extends { readonly rawBody: true }
  ? Buffer
  : Row extends { readonly body: infer Schema }
    ? Schema extends null
      ? undefined
      : Parsed<Schema>
    : never;

/** The checked parts of a request to operation `Id`. */
export interface OperationRequest<Id extends OperationId> {
  readonly params: Parsed<Operations[Id]['params']>;
  readonly query: Parsed<Operations[Id]['query']>;
  readonly headers: Parsed<Operations[Id]['headers']>;
  readonly body: BodyOf<Operations[Id]>;
}
