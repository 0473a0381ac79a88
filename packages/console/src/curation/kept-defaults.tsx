import { Button } from '../parts/button.js';
import { TablePanel } from '../parts/data-table.js';
import { t } from '../strings/strings.js';
import { ChangeFailure } from './change-failure.js';
import type { ShownChoices } from './choices.js';
import { defaultSentence } from './default-sentence.js';
import { type DefaultMember, defaultsOf, membersOf } from './search-defaults.js';

/** The members that searches of an index have where they leave them out, each in words, to be removed. */
export function KeptDefaults({ shown }: { shown: ShownChoices }) {
  const { choices, change, isChanging, reload } = shown;
  const members = choices && membersOf(choices.searchDefaults);
  const remove = (member: DefaultMember) => {
    const others = (members ?? []).filter((one) => one !== member);
    return change({ searchDefaults: defaultsOf(others) }, t.defaults.removed(member.name), 'defaults');
  };
  return (
    <TablePanel<DefaultMember>
      label={t.defaults.title}
      rows={members}
      failure={undefined}
      reload={reload}
      none={{ title: t.defaults.none, hint: t.defaults.hint }}
      keyOf={({ name }) => name}
      head={<h2>{t.defaults.title}</h2>}
      foot={<ChangeFailure shown={shown} editor="defaults" title={t.defaults.notRemoved} />}
      columns={[
        { title: t.defaults.member, cell: ({ name }) => <code>{name}</code> },
        { title: t.defaults.effect, cell: defaultSentence },
        {
          title: t.operations.actions,
          kind: 'actions',
          cell: (member) => (
            <Button
              size="small"
              aria-disabled={isChanging}
              aria-label={t.defaults.removeOf(member.name)}
              onClick={() => remove(member)}
            >
              {t.remove}
            </Button>
          ),
        },
      ]}
    />
  );
}
