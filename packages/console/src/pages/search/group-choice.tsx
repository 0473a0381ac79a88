import { Field } from '../../parts/field.js';
import { useLoad } from '../../server/load.js';
import { t } from '../../strings/strings.js';
import { GROUP_LIMITS, type Group } from './request.js';

interface GroupChoiceProps {
  readonly index: string;
  /** Undefined where hits are not grouped. */
  readonly group: Group | undefined;
  readonly onChoose: (group: Group | undefined) => void;
}

/** The choice whether hits are grouped, and how many of a group are shown; only of an index that has a field for it. */
export function GroupChoice({ index, group, onChoose }: GroupChoiceProps) {
  const settings = useLoad((client, signal) => client.index(index).settings({ signal }), [index]);
  const field = settings.data?.collapseFields?.[0]?.name;
  if (field === undefined) return null;
  const choose = (limit: string) => onChoose(limit === '' ? undefined : { field, limit: Number(limit) });
  return (
    <Field label={t.search.groups(field)}>
      {(control) => (
        <select
          {...control}
          value={group === undefined ? '' : String(group.limit)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value="">{t.search.groupsNone}</option>
          {GROUP_LIMITS.map((limit) => (
            <option key={limit} value={String(limit)}>
              {t.search.groupsOf(limit)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
