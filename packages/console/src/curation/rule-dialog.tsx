import schema from 'virtual:schema/search-rule';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { FailureNotice } from '../parts/notice.js';
import { isUnfinished, type Values, wordsOf } from '../parts/schema-form/schema.js';
import { SchemaMembers } from '../parts/schema-form/schema-form.js';
import type { Failure } from '../server/failure.js';
import { t } from '../strings/strings.js';
import type { ShownChoices } from './choices.js';
import type { Rule } from './curator.js';

const MEMBERS = ['id', 'condition', 'consequence'];
const MOMENTS = ['condition.from', 'condition.until'];

interface RuleDialogProps {
  readonly shown: ShownChoices;
  /** The rule that is changed; undefined for a new one. */
  readonly rule: Rule | undefined;
  readonly onClose: () => void;
}

/** A rule with all that it may have: words and their place, filter and times of the search, and what becomes of it. */
export function RuleDialog({ shown, rule, onClose }: RuleDialogProps) {
  const { change, choices, failed, isChanging } = shown;
  const failure = failed?.editor === 'rule' ? failed.failure : undefined;
  const [values, setValues] = useState<Values>(() =>
    rule === undefined ? { id: freeId(choices?.ids ?? []) } : valuesOf(rule),
  );
  const [fault, setFault] = useState<string>();
  const [isTried, setTried] = useState(false);
  const told = isTried && failure !== undefined ? toldOf(failure) : [];
  const problems = new Map(fault === undefined ? told : [...told, ['id', fault] as const]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const made = ruleOf(values);
    const isTaken = made.id !== rule?.id && choices?.ids.includes(made.id) === true;
    setFault(isTaken ? t.curation.ruleTaken : undefined);
    if (isTaken || isUnfinished(values)) return;
    setTried(true);
    if (await change({ rule: made, former: rule?.id }, t.curation.ruleSaved(made.id), 'rule')) onClose();
  };
  return (
    <Dialog title={rule === undefined ? t.curation.ruleNew : t.curation.ruleEditOf(rule.id)} onClose={onClose} isWide>
      <form class="stack" onSubmit={submit}>
        {isTried && failure !== undefined && <FailureNotice failure={named(failure, told)} />}
        <SchemaMembers
          schema={schema}
          names={MEMBERS}
          values={values}
          onChange={setValues}
          problems={problems}
          moments={MOMENTS}
        />
        <div class="actions">
          <Button tone="primary" type="submit" isBusy={isChanging} disabled={isUnfinished(values)}>
            {t.curation.ruleSave}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The words of the server about members of the rule, by their path in it: of `rules.3.condition.from` its end. */
function toldOf({ problems, message }: Failure): (readonly [path: string, message: string])[] {
  const ofOne = /^rules\[\d+\]\.([\w.]+): (.*)$/s.exec(message);
  const others = problems.map((one) => [one.field.replace(/^rules\.\d+\./, ''), one.message] as const);
  return ofOne === null ? others : [...others, [ofOne[1] ?? '', ofOne[2] ?? '']];
}

/** The failure with the members in words, as the controls have them; one that is about no member stays as it is. */
function named(failure: Failure, told: readonly (readonly [path: string, message: string])[]): Failure {
  if (told.length === 0) return failure;
  const problems = told.map(([path, message]) => ({ field: path.split('.').map(wordsOf).join(', '), message }));
  return { ...failure, message: t.curation.failed.rule, problems };
}

/** Members that are null are as good as absent, and no control shows one. */
function valuesOf(rule: Rule): Values {
  const present = (object: object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value != null));
  return { id: rule.id, condition: present(rule.condition), consequence: present(rule.consequence) };
}

/** The first name of a rule that none has, for whoever does not care what it is called. */
function freeId(ids: readonly string[]): string {
  let number = ids.length + 1;
  while (ids.includes(`rule-${number}`)) number += 1;
  return `rule-${number}`;
}

/** The rule that the controls show, with a condition and a consequence where nobody gave one: the server tells of it. */
const ruleOf = ({ id, condition, consequence }: Values): Rule => ({
  id: typeof id === 'string' ? id.trim() : '',
  condition: (condition ?? {}) as Rule['condition'],
  consequence: (consequence ?? {}) as Rule['consequence'],
});
