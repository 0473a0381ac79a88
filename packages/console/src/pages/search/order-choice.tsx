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

/** An order in words: dates are early and late, numbers low and high. */
export const orderWords = ({ field, order, type }: Sort): string =>
  (type === 'date' ? t.search.dateOrders : t.search.orders)[order](field);

/** The choice of the order of hits: by their relevance, or by a field of numbers or dates; only where there is such a field. */
export function OrderChoice({ fields, sort, isRanked, onChoose }: OrderChoiceProps) {
  const sorts = sortsOf(fields, sort);
  if (sorts.length === 0) return null;
  const chosen = sorts.findIndex(
    (one) => one.field === sort?.field && one.order === sort.order && one.type === sort.type,
  );
  return (
    <Field label={t.search.order}>
      {(control) => (
        <select
          {...control}
          value={String(chosen)}
          onChange={({ currentTarget }) => onChoose(sorts[Number(currentTarget.value)])}
        >
          <option value="-1">{isRanked ? t.search.orderRelevance : t.search.orderNone}</option>
          {sorts.map((one, place) => (
            <option key={`${one.order} ${one.type} ${one.field}`} value={String(place)}>
              {orderWords(one)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The orders to choose from. One that an address names is among them, whatever the documents that are known have. */
function sortsOf(fields: readonly KnownField[], sort: Sort | undefined): readonly Sort[] {
  const ordered = fields.flatMap(({ name, kind, isDate }): Omit<Sort, 'order'>[] => {
    if (isDate) return [{ field: name, type: 'date' }];
    return kind === 'number' ? [{ field: name }] : [];
  });
  const isOffered = sort === undefined || ordered.some(({ field, type }) => field === sort.field && type === sort.type);
  return [...ordered, ...(isOffered ? [] : [sort])].flatMap((one) => ORDERS.map((order) => ({ ...one, order })));
}
