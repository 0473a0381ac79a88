import type { KnownField } from '../../documents/fields.js';
import { Field } from '../../parts/field.js';
import { t } from '../../strings/strings.js';
import type { Sort } from './request.js';

interface OrderChoiceProps {
  readonly fields: readonly KnownField[];
  /** Undefined where hits are in the order of their relevance. */
  readonly sort: Sort | undefined;
  /** Tells whether anything ranks the hits where no field does. */
  readonly isRanked: boolean;
  readonly onChoose: (sort: Sort | undefined) => void;
}

const ORDERS = ['asc', 'desc'] as const;

/** The choice of the order of hits: by their relevance, or by a field of numbers; only where there is such a field. */
export function OrderChoice({ fields, sort, isRanked, onChoose }: OrderChoiceProps) {
  const sorts = sortsOf(fields, sort);
  if (sorts.length === 0) return null;
  const chosen = sorts.findIndex((one) => one.field === sort?.field && one.order === sort.order);
  return (
    <Field label={t.search.order}>
      {(control) => (
        <select
          {...control}
          value={String(chosen)}
          onChange={({ currentTarget }) => onChoose(sorts[Number(currentTarget.value)])}
        >
          <option value="-1">{isRanked ? t.search.orderRelevance : t.search.orderNone}</option>
          {sorts.map(({ field, order }, place) => (
            <option key={`${order} ${field}`} value={String(place)}>
              {t.search.orders[order](field)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The orders to choose from. One that an address names is among them, whatever the documents that are known have. */
function sortsOf(fields: readonly KnownField[], sort: Sort | undefined): readonly Sort[] {
  const names = fields.filter(({ kind }) => kind === 'number').map(({ name }) => name);
  const all = sort === undefined || names.includes(sort.field) ? names : [...names, sort.field];
  return all.flatMap((field) => ORDERS.map((order) => ({ field, order })));
}
