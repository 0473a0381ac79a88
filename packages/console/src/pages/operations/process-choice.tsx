import { useIndexNames } from '../../documents/index-choice.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { t } from '../../strings/strings.js';

interface ProcessChoiceProps {
  /** The index whose process is chosen; undefined for the control plane. */
  readonly index: string | undefined;
  readonly onChoose: (index: string | undefined) => void;
}

/** Chooses, in the hosted form, the process that is looked at: the control plane, or that of an index. */
export function ProcessChoice({ index, onChoose }: ProcessChoiceProps) {
  const { data = [], failure, reload } = useIndexNames();
  const names = index === undefined || data.includes(index) ? data : [index, ...data];
  return (
    <>
      {failure !== undefined && <FailureNotice failure={failure} retry={reload} />}
      <Field label={t.hosted.process} hint={t.hosted.processHint}>
        {(control) => (
          <select
            {...control}
            value={index ?? ''}
            onChange={({ currentTarget }) => onChoose(currentTarget.value === '' ? undefined : currentTarget.value)}
          >
            <option value="">{t.hosted.controlPlane}</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {t.hosted.processOf(name)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}
