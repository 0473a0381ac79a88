import { Field } from '../parts/field.js';
import { type Loaded, useLoad } from '../server/load.js';
import { t } from '../strings/strings.js';

interface IndexChoiceProps {
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}

/** The names of the indexes that the key may call. */
export function useIndexNames(): Loaded<readonly string[]> {
  return useLoad((client, signal) => client.listIndexes({ signal }), []);
}

/** Chooses the index that a page is about. */
export function IndexChoice({ chosen, onChoose }: IndexChoiceProps) {
  const { data = [] } = useIndexNames();
  const names = chosen === undefined || data.includes(chosen) ? data : [chosen, ...data];
  return (
    <Field label={t.documents.index}>
      {(control) => (
        <select {...control} value={chosen ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          {chosen === undefined && <option value="">{t.documents.chooseIndex}</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
