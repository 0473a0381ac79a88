import { INDEX_NAME_LENGTH_MAX, indexNameProblem } from '@pelorus/contract/names';
import { useState } from 'preact/hooks';
import { FailureNotice } from '../../../parts/notice.js';
import { go } from '../../../router.js';
import type { Failure } from '../../../server/failure.js';
import { isHosted } from '../../../server/session.js';
import { t } from '../../../strings/strings.js';
import { CreateDialog } from '../../indexes/create-dialog.js';
import type { Column } from './columns.js';
import { fieldNamesOf, fieldOf, folded } from './field-names.js';
import { FileDrop } from './file-drop.js';
import { columnsRead, readFailureOf } from './first-look.js';

/** A file whose index was made for it, until the import of the index takes it. */
let waiting: { readonly index: string; readonly file: File } | undefined;

/** The file that an index was made for, once. */
export function takeFileFor(index: string): File | undefined {
  if (waiting?.index !== index) return undefined;
  const { file } = waiting;
  waiting = undefined;
  return file;
}

/** A name that no index has, after a file: `Möbel 2024.csv` becomes `moebel_2024`. */
export function indexNameFor(file: string, taken: readonly string[]): string {
  const stem = folded(file.replace(/\.[^.]*$/, ''))
    .toLowerCase()
    .slice(0, INDEX_NAME_LENGTH_MAX - 8);
  const first = stem !== '' && indexNameProblem(stem) === undefined ? stem : 'documents';
  let name = first;
  for (let count = 2; taken.includes(name); count += 1) name = `${first}_${count}`;
  return name;
}

/** The fields that columns become unless other names are chosen, by their name, with the share of rows that have them. */
function fieldsFor(columns: readonly Column[]): ReadonlyMap<string, number> {
  const names = fieldNamesOf(columns.map(({ name }) => name));
  const fields = columns.map(({ name, share }) => [fieldOf(name, { names }), share] as const);
  return new Map(fields.filter(([field]) => field !== '_id'));
}

/** Takes a file, reads its first rows, makes an index for it, and leads to its import there. */
export function NewIndexDrop({ names }: { names: readonly string[] }) {
  const [read, setRead] = useState<{ readonly file: File; readonly columns: readonly Column[] }>();
  const [failure, setFailure] = useState<Failure>();
  const [isReading, setReading] = useState(false);
  const take = async (file: File) => {
    setReading(true);
    setFailure(undefined);
    try {
      setRead({ file, columns: await columnsRead(file) });
    } catch (error) {
      setFailure(readFailureOf(file.name, error));
    } finally {
      setReading(false);
    }
  };
  return (
    <>
      <FileDrop hint={t.data.dropNewHint} isBusy={isReading} onFile={take} />
      {failure !== undefined && <FailureNotice failure={failure} />}
      {read !== undefined && (
        <CreateDialog
          models={[]}
          proposed={{
            name: indexNameFor(read.file.name, names),
            explanation: t.data.newIndexOf(read.file.name, read.columns.length),
            fields: fieldsFor(read.columns),
          }}
          onClose={() => setRead(undefined)}
          onCreated={(index) => {
            waiting = { index, file: read.file };
            // In the hosted form it takes a while until the index can be called: its page tells how far it is.
            go(isHosted ? ['indexes', index] : ['data', index, 'import']);
          }}
        />
      )}
    </>
  );
}
