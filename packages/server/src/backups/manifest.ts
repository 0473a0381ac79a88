import { type SealedForm, sealed, unsealed } from '@pelorus/files';

/** A piece of a file or index: the SHA-256 of its bytes, in hexadecimal, and their number. */
export type Piece = readonly [sha256: string, bytes: number];

/** An index in a backup. Its pieces are those of the engine, in their order. */
export interface IndexEntry {
  readonly name: string;
  /** The folder of the engine that has it, within the data directory; empty for that itself. */
  readonly folder: string;
  readonly documents: number;
  readonly pieces: readonly Piece[];
}

/** A file in a backup: the bytes of its pieces in their order. */
export interface FileEntry {
  /** Its place in the data directory, with slashes. */
  readonly path: string;
  readonly pieces: readonly Piece[];
}

/** All that is needed to restore a backup, but for the bytes of its pieces. It is written last. */
export interface Manifest {
  readonly id: string;
  /** The moment that it shows, ISO 8601. */
  readonly createdAt: string;
  readonly finishedAt: string;
  /** Version of the program that made it. */
  readonly version: string;
  /** Whole of a server that can be restored by itself, and not some of its indexes. */
  readonly isWhole: boolean;
  /** Tells whether the schedule made it, and retention may remove it. */
  readonly isScheduled: boolean;
  readonly indexes: readonly IndexEntry[];
  readonly files: readonly FileEntry[];
  /** Bytes of the pieces that no earlier backup had. */
  readonly newBytes: number;
}

const ID = /^\d{8}T\d{9}Z-[0-9a-f]{6}$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** Letters, digits and what the names of our own files have besides; no part leads out of the folder. */
const PATH = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/;

/** The id of a backup of a moment, to the millisecond: ids are ordered as moments are. */
export function newId(at: Date, random: string): string {
  return `${at.toISOString().replace(/[-:.]/g, '')}-${random}`;
}

export const isId = (id: string): boolean => ID.test(id);

export const manifestName = (id: string): string => `backups/${id}.json`;

/** The id in the name of an object; undefined of an object that is no manifest. */
export function idOfName(name: string): string | undefined {
  const id = /^backups\/(.+)\.json$/.exec(name)?.[1];
  return id !== undefined && isId(id) ? id : undefined;
}

/** The pieces of a whole backup, each once. */
export function piecesOf({ indexes, files }: Manifest): Map<string, number> {
  const all = [...indexes, ...files].flatMap(({ pieces }) => pieces);
  return new Map(all);
}

export function bytesOf({ indexes, files }: Manifest): number {
  const all = [...indexes, ...files].flatMap(({ pieces }) => pieces);
  return all.reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** The bytes of a manifest, with a checksum of their own. */
export function writtenManifest(manifest: Manifest): Buffer {
  return Buffer.from(sealed(manifest, formOf(manifest.id)));
}

/** @throws DamagedFileError for bytes that are not those that were written, are of another backup or of a later form */
export function readManifest(bytes: Uint8Array, id: string): Manifest {
  return unsealed(bytes, manifestName(id), formOf(id));
}

function formOf(id: string): SealedForm<Manifest> {
  return { name: `backup/${id}`, isValue: (value): value is Manifest => isManifest(value, id) };
}

/** Checked in full: a path leads to a file that is written, and a piece to one that is read. */
function isManifest(value: unknown, id: string): value is Manifest {
  const { indexes, files, ...rest } = value as Partial<Manifest>;
  return (
    rest.id === id &&
    typeof rest.createdAt === 'string' &&
    typeof rest.isWhole === 'boolean' &&
    Array.isArray(indexes) &&
    Array.isArray(files) &&
    indexes.every(
      ({ name, folder, documents, pieces }: IndexEntry) =>
        typeof name === 'string' &&
        (folder === '' || isPath(folder)) &&
        Number.isSafeInteger(documents) &&
        arePieces(pieces),
    ) &&
    files.every(({ path, pieces }: FileEntry) => isPath(path) && arePieces(pieces))
  );
}

const isPath = (path: unknown): boolean => typeof path === 'string' && PATH.test(path);

function arePieces(pieces: unknown): boolean {
  const isPiece = ([sha256, bytes]: Piece) => SHA256.test(sha256) && Number.isSafeInteger(bytes);
  return Array.isArray(pieces) && pieces.every((one) => Array.isArray(one) && isPiece(one as unknown as Piece));
}
