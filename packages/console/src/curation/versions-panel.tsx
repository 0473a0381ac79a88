import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { TablePanel } from '../parts/data-table.js';
import { useAction, useLoad } from '../server/load.js';
import { formatMoment, formatNumber, t } from '../strings/strings.js';
import { toldChange } from './change-told.js';
import type { ShownChoices } from './choices.js';
import type { RuleVersion, Versions } from './curator.js';
import { membersOf } from './search-defaults.js';
import { changesBetween } from './version-changes.js';

interface VersionsProps {
  readonly shown: ShownChoices;
  readonly versions: Versions;
}

/** The versions of rules, synonyms and search defaults that are kept, each with what changed in it and a button that brings it back. */
export function VersionsPanel({ shown, versions }: VersionsProps) {
  const loaded = useLoad((client, signal) => versions.load(client, signal), [shown.curator.key]);
  const [chosen, setChosen] = useState<RuleVersion>();
  const inForce = shown.choices?.version;
  const listed = useRef<number>();
  // Those before a change are shown until those after it have come.
  useEffect(() => {
    if (inForce === undefined) return;
    if (listed.current !== undefined && listed.current !== inForce) loaded.reload();
    listed.current = inForce;
  }, [inForce]);
  const now = loaded.data?.find(({ version }) => version === inForce);
  return (
    <>
      <TablePanel<RuleVersion>
        label={t.rules.versions}
        rows={loaded.data}
        failure={loaded.failure}
        reload={loaded.reload}
        none={{ title: t.rules.isEmpty }}
        keyOf={({ version }) => version}
        head={<h2>{t.rules.versions}</h2>}
        foot={<p class="panel-body muted">{t.rules.versionsHint}</p>}
        columns={[
          {
            title: t.rules.version,
            cell: ({ version }) => (
              <>
                {formatNumber(version)} {version === inForce && <span class="badge">{t.rules.inForce}</span>}
              </>
            ),
          },
          { title: t.rules.changedAt, cell: ({ updatedAt }) => (updatedAt === null ? '' : formatMoment(updatedAt)) },
          {
            title: t.rules.changes,
            class: 'version-changes',
            cell: (one) => <Sentences of={changesOf(one, loaded.data ?? [])} />,
          },
          {
            title: t.operations.actions,
            kind: 'actions',
            cell: (one) =>
              one.version !== inForce && (
                <Button
                  size="small"
                  aria-disabled={shown.isChanging}
                  aria-label={t.rules.bringBackOf(formatNumber(one.version))}
                  onClick={() => setChosen(one)}
                >
                  {t.rules.bringBack}
                </Button>
              ),
          },
        ]}
      />
      {chosen !== undefined && <RollBack shown={shown} to={chosen} now={now} onClose={() => setChosen(undefined)} />}
    </>
  );
}

/** The changes of a version; of the oldest that is kept, its contents. */
function changesOf(one: RuleVersion, versions: readonly RuleVersion[]): readonly string[] {
  const before = versions[versions.indexOf(one) + 1];
  if (before !== undefined) return changesBetween(before, one);
  const { rules, synonyms, searchDefaults } = one;
  const counts = [rules.length, synonyms.length, membersOf(searchDefaults).length] as const;
  return [counts.every((count) => count === 0) ? t.rules.isEmpty : t.rules.before(...counts)];
}

function Sentences({ of: sentences }: { of: readonly string[] }) {
  return (
    <ul class="sentences">
      {sentences.map((sentence, place) => (
        <li key={place}>{sentence}</li>
      ))}
    </ul>
  );
}

interface RollBackProps {
  readonly shown: ShownChoices;
  readonly to: RuleVersion;
  /** The version in force; undefined until it is known. */
  readonly now: RuleVersion | undefined;
  readonly onClose: () => void;
}

function RollBack({ shown, to, now, onClose }: RollBackProps) {
  const action = useAction((_client) => shown.rollBack(to.version));
  const failure = action.failure && toldChange(action.failure, t.rules.bringBackFailed);
  const version = formatNumber(to.version);
  const changes = now && changesBetween(now, to);
  return (
    <ConfirmDialog
      title={t.rules.bringBackTitle(version)}
      label={t.rules.bringBack}
      action={{ ...action, failure }}
      done={t.rules.broughtBack(version)}
      onClose={onClose}
      onDone={() => undefined}
    >
      <p>{t.rules.bringBackHint}</p>
      {changes !== undefined && <Sentences of={changes.length === 0 ? [t.rules.bringBackNothing] : changes} />}
    </ConfirmDialog>
  );
}
