import { AliasForm, useAliasChange } from '../../aliases/alias-form.js';
import { useIndexNames } from '../../documents/index-choice.js';
import { Button } from '../../parts/button.js';
import { TablePanel } from '../../parts/data-table.js';
import { useLoad } from '../../server/load.js';
import { t } from '../../strings/strings.js';

/** All aliases: each can be moved to another index at once. */
export function AliasPart() {
  const { data, failure, reload } = useLoad((client, signal) => client.listAliases({ signal }), []);
  const { data: names = [] } = useIndexNames();
  const change = useAliasChange(reload);
  return (
    <TablePanel
      label={t.operations.aliases}
      rows={data}
      failure={change.failure ?? failure}
      reload={reload}
      none={{ title: t.operations.aliasesNone, hint: t.operations.aliasesHint }}
      keyOf={({ aliasName }) => aliasName}
      foot={
        <div class="panel-body">
          <AliasForm change={change} of={names} />
        </div>
      }
      columns={[
        { title: t.operations.alias, class: 'strong', cell: ({ aliasName }) => aliasName },
        {
          title: t.operations.index,
          cell: ({ aliasName, indexName }) => (
            <select
              class="alias-index"
              aria-label={t.operations.indexOf(aliasName)}
              value={indexName}
              onChange={({ currentTarget }) => change.run(aliasName, currentTarget.value)}
            >
              {names.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          ),
        },
        {
          title: t.operations.actions,
          kind: 'actions',
          cell: ({ aliasName }) => (
            <Button size="small" aria-label={t.aliases.remove(aliasName)} onClick={() => change.run(aliasName, null)}>
              {t.remove}
            </Button>
          ),
        },
      ]}
    />
  );
}
