import { Checkbox } from '../../../parts/field.js';
import { Notice } from '../../../parts/notice.js';
import { t } from '../../../strings/strings.js';

interface GroupGapProps {
  readonly field: string;
  /** The share of the rows that have it. */
  readonly share: number;
  readonly rows: number;
  readonly hasIds: boolean;
  readonly isFilled: boolean;
  readonly onFill: (isOn: boolean) => void;
}

/** Warns of rows without the field that hits are grouped by, which the server refuses, and offers their ids for it. */
export function GroupGap({ field, share, rows, hasIds, isFilled, onFill }: GroupGapProps) {
  return (
    <>
      {!(hasIds && isFilled) && (
        <Notice
          tone="warn"
          title={t.data.groupLacks(field, Math.floor(share * 100), rows, Math.round((1 - share) * rows))}
        >
          {hasIds ? undefined : t.data.groupNoIdHint}
        </Notice>
      )}
      {hasIds && (
        <Checkbox
          label={t.data.groupFills}
          hint={t.data.groupFillsHint}
          checked={isFilled}
          onChange={({ currentTarget }) => onFill(currentTarget.checked)}
        />
      )}
    </>
  );
}
