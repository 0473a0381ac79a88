import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Destination, destinationFailed, type StoredObject } from '../../src/backups/destination.js';
import type { OpenedSource } from '../../src/backups/index.js';

/** An empty folder that the system sweeps away. */
export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'pelorus-backups-'));

/** All that there is to read. */
export async function allOf<T>(read: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of read) all.push(one);
  return all;
}

/** A source of one index with these pieces and these files, of a moment. */
export function sourceOf(
  pieces: readonly string[],
  files: Readonly<Record<string, string>> = {},
  at = new Date(),
): OpenedSource {
  return {
    at,
    indexes: [
      {
        name: 'notes',
        store: async (store, tell) => {
          const stored = [];
          for (const piece of pieces) {
            stored.push(await store.put(Buffer.from(piece)));
            tell({ bytes: piece.length });
          }
          return { name: 'notes', folder: '', documents: pieces.length, pieces: stored };
        },
      },
    ],
    files: Object.entries(files).map(([path, text]) => ({
      path,
      read: async function* () {
        yield Buffer.from(text);
      },
    })),
    close: async () => undefined,
  };
}

/** A place in memory that can be made to fail. */
export class MemoryDestination implements Destination {
  readonly text = 'memory';
  readonly objects = new Map<string, Buffer>();
  /** The bytes that it has room for; an object takes one more than it has. */
  bytesMax = Number.POSITIVE_INFINITY;
  /** Called before each change. */
  before: (action: 'write' | 'remove', name: string) => void = () => undefined;

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for (const [name, { length: bytes }] of [...this.objects].sort())
      if (name.startsWith(prefix)) yield { name, bytes };
  }

  async read(name: string): Promise<Buffer | null> {
    return this.objects.get(name) ?? null;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    this.before('write', name);
    const others = [...this.objects].filter(([other]) => other !== name);
    if (others.reduce((sum, [, { length }]) => sum + length + 1, bytes.length + 1) > this.bytesMax) {
      throw destinationFailed(this.text, `writing ${name}`, Object.assign(new Error('no room'), { code: 'ENOSPC' }));
    }
    this.objects.set(name, Buffer.from(bytes));
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.before('remove', name);
      this.objects.delete(name);
    }
  }

  namesOf(prefix: string): string[] {
    return [...this.objects.keys()].filter((name) => name.startsWith(prefix)).sort();
  }
}
