import { useState } from 'preact/hooks';
import { IndexChoice } from '../../documents/index-choice.js';
import { useKnownFields } from '../../documents/known-fields.js';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Field } from '../../parts/field.js';
import { FailureNotice, Notice } from '../../parts/notice.js';
import { useStore } from '../../store.js';
import { t } from '../../strings/strings.js';
import { depth as chosenDepth, compareIndex, judgeIndex, type ShownWay, useWays, writeText } from './choices.js';
import { ComparisonResult } from './comparison-result.js';
import { type ComparisonRun, comparing, runComparison, SIDES, type Side, stopComparison } from './comparison-run.js';
import {
  type Preset,
  presetFields,
  presetsFor,
  presetsOf,
  readWay,
  storingFault,
  textOfPreset,
} from './configuration.js';
import { SavedConfigurations } from './saved-configurations.js';
import type { SetEditor } from './set-editor.js';

const DEPTHS = [10, 20, 50, 100];
/** Faults of both ways to search. */
const NO_FAULTS: readonly (string | undefined)[] = [undefined, undefined];

/** Two ways to search, compared by the judgements of a set. */
export function ComparePart({ editor }: { editor: SetEditor }) {
  const { queries } = useStore(editor.state);
  const depth = useStore(chosenDepth);
  const known = useStore(comparing);
  const run = known?.set === editor.name ? known : undefined;
  const [faults, setFaults] = useState(NO_FAULTS);
  const ways = useWays(editor.name);
  /** Both ways to search as they are written; undefined where one has a fault, which is told beside it. */
  const read = (faultOf?: (search: object) => string | undefined) => {
    const [first, second] = [readWay(ways[0], faultOf), readWay(ways[1], faultOf)];
    setFaults([first.fault, second.fault]);
    return first.fault === undefined && second.fault === undefined ? { first, second } : undefined;
  };
  const start = async (event: Event) => {
    event.preventDefault();
    const both = read();
    if (both === undefined) return;
    const asked = queries.map(({ q }) => q);
    await runComparison(editor.name, asked, [both.first, both.second], depth);
    if (comparing.value?.end === 'done') announce(t.relevance.compared(asked.length));
  };
  return (
    <>
      <form class="stack" onSubmit={start}>
        <div class="sides">
          {SIDES.map((side) => (
            <ConfigurationPanel key={side} set={editor.name} side={side} way={ways[side]} fault={faults[side]} />
          ))}
        </div>
        <div class="panel compare-bar">
          <Field label={t.relevance.depth} hint={t.relevance.depthHint}>
            {(control) => (
              <select
                {...control}
                value={String(depth)}
                onChange={({ currentTarget }) => chosenDepth.set(Number(currentTarget.value))}
              >
                {[...new Set([...DEPTHS, depth])].map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            )}
          </Field>
          <Button tone="primary" type="submit" disabled={queries.length === 0} isBusy={run?.end === 'running'}>
            {t.relevance.run(queries.length)}
          </Button>
        </div>
      </form>
      <SavedConfigurations editor={editor} onRead={() => read(storingFault)} onLoad={() => setFaults(NO_FAULTS)} />
      {queries.length === 0 && (
        <Notice tone="info" title={t.relevance.noQuery}>
          {t.relevance.noQueryHint}
        </Notice>
      )}
      {run !== undefined && <Progress run={run} />}
      {run !== undefined && run.end !== 'running' && run.found.size > 0 && (
        <ComparisonResult editor={editor} run={run} />
      )}
    </>
  );
}

interface ConfigurationPanelProps {
  readonly set: string;
  readonly side: Side;
  readonly way: ShownWay;
  readonly fault: string | undefined;
}

/** One way to search: its index, and members of a search as JSON. */
function ConfigurationPanel({ set, side, way: { index, text, hasMeaning }, fault }: ConfigurationPanelProps) {
  const fields = presetFields(useKnownFields(index === '' ? undefined : index).data ?? [], hasMeaning);
  const presets = presetsOf(fields);
  const title = t.relevance.wayOf(t.relevance.sides[side]);
  return (
    <fieldset class="panel panel-body">
      <legend class="unseen">{title}</legend>
      <div class="row side-title">
        <span class={`side-mark side-${side}`} aria-hidden="true">
          {t.relevance.sides[side]}
        </span>
        <h2>{title}</h2>
      </div>
      <IndexChoice
        chosen={index === '' ? undefined : index}
        onChoose={(name) => {
          if (name === '') return;
          compareIndex(set, side, name);
          if (index === '') judgeIndex(set, name);
        }}
      />
      {!hasMeaning && <p class="muted">{t.search.wordsAlone}</p>}
      <Field label={t.relevance.preset}>
        {(control) => (
          <select
            {...control}
            value=""
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') writeText(side, textOfPreset(currentTarget.value as Preset, fields));
              currentTarget.value = '';
            }}
          >
            <option value="">{t.relevance.presetChoose}</option>
            {presetsFor(hasMeaning).map((preset) => (
              <option key={preset} value={preset} disabled={presets[preset] === undefined}>
                {t.relevance.presets[preset]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t.relevance.members} hint={t.relevance.membersHint} error={fault}>
        {(control) => (
          <textarea
            {...control}
            class="mono"
            rows={6}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => writeText(side, currentTarget.value)}
          />
        )}
      </Field>
    </fieldset>
  );
}

function Progress({ run: { end, done, total, failure } }: { run: ComparisonRun }) {
  if (end === 'done') return null;
  return (
    <section class="panel panel-body" aria-label={t.relevance.progress}>
      <div class="row">
        <p role="status">{t.relevance.progressOf(done, total)}</p>
        {end === 'running' && (
          <Button size="small" onClick={stopComparison}>
            {t.data.stop}
          </Button>
        )}
      </div>
      <progress max={Math.max(total, 1)} value={done} aria-label={t.relevance.progress} />
      {end === 'stopped' && <Notice tone="warn" title={t.relevance.stopped(done, total)} />}
      {failure !== undefined && (
        <>
          <FailureNotice failure={failure} />
          {done > 0 && <Notice tone="warn" title={t.relevance.stopped(done, total)} />}
        </>
      )}
    </section>
  );
}
