import type { types } from '@pelorus/client';
import { Field } from '../../parts/field.js';
import { t } from '../../strings/strings.js';
import { GROUP_LIMITS, type Group } from './request.js';

interface GroupChoiceProps {
  readonly settings: types.IndexSettingsResponse;
  /** Undefined where hits are not grouped. */
  readonly group: Group | undefined;
  readonly onChoose: (group: Group | undefined) => void;
}

/** The choice whether hits are grouped, and how many of a group are shown; else the place where their field is chosen. */
export function GroupChoice({ settings, group, onChoose }: GroupChoiceProps) {
  const field = settings.collapseFields?.[0]?.name;
  if (settings.type === 'structured') return null;
  if (field === undefined) return <p class="field-hint">{t.search.groupsElsewhere}</p>;
  const choose = (limit: string) => onChoose(limit === '' ? undefined : { field, limit: Number(limit) });
  return (
    <Field label={t.search.groups(field)} hint={t.search.groupsHint}>
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
