import { useState } from 'preact/hooks';
import { useIndexNames } from '../../documents/index-choice.js';
import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Empty, Skeleton } from '../../parts/empty.js';
import { Field } from '../../parts/field.js';
import { FailureNotice } from '../../parts/notice.js';
import { TableScroll } from '../../parts/table-scroll.js';
import { useAction, useLoad } from '../../server/load.js';
import { t } from '../../strings/strings.js';

/** All aliases: each can be moved to another index at once. */
export function AliasPart() {
  const { data, failure, reload } = useLoad((client, signal) => client.listAliases({ signal }), []);
  const names = useIndexNames();
  const [alias, setAlias] = useState('');
  const [index, setIndex] = useState('');
  const change = useAction(async (client, aliasName: string, indexName: string | null) => {
    await client.changeAliases([{ aliasName, indexName }]);
    announce(indexName === null ? t.indexes.aliasRemoved(aliasName) : t.operations.aliasMoved(aliasName, indexName));
    reload();
  });
  const add = async (event: Event) => {
    event.preventDefault();
    if (alias.trim() !== '' && index !== '' && (await change.run(alias.trim(), index))) setAlias('');
  };
  const told = change.failure ?? failure;
  const options = (names.data ?? []).map((name) => (
    <option key={name} value={name}>
      {name}
    </option>
  ));
  return (
    <>
      {told !== undefined && <FailureNotice failure={told} retry={reload} />}
      <section class="panel" aria-label={t.operations.aliases}>
        {data === undefined ? (
          failure === undefined && <Skeleton />
        ) : data.length === 0 ? (
          <Empty title={t.operations.aliasesNone}>
            <p>{t.operations.aliasesHint}</p>
          </Empty>
        ) : (
          <TableScroll label={t.operations.aliasTable}>
            <thead>
              <tr>
                <th scope="col">{t.operations.alias}</th>
                <th scope="col">{t.operations.index}</th>
                <th scope="col">
                  <span class="unseen">{t.operations.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ aliasName, indexName }) => (
                <tr key={aliasName}>
                  <td class="strong">{aliasName}</td>
                  <td>
                    <select
                      class="alias-index"
                      aria-label={t.operations.indexOf(aliasName)}
                      value={indexName}
                      onChange={({ currentTarget }) => change.run(aliasName, currentTarget.value)}
                    >
                      {options}
                    </select>
                  </td>
                  <td class="number">
                    <Button
                      size="small"
                      aria-label={t.indexes.aliasRemove(aliasName)}
                      onClick={() => change.run(aliasName, null)}
                    >
                      {t.remove}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </TableScroll>
        )}
        <form class="panel-body alias-form" onSubmit={add}>
          <Field label={t.indexes.aliasLabel}>
            {(control) => (
              <input
                {...control}
                type="text"
                autocomplete="off"
                spellcheck={false}
                value={alias}
                onInput={({ currentTarget }) => setAlias(currentTarget.value)}
              />
            )}
          </Field>
          <Field label={t.operations.index}>
            {(control) => (
              <select {...control} value={index} onChange={({ currentTarget }) => setIndex(currentTarget.value)}>
                <option value="">{t.documents.chooseIndex}</option>
                {options}
              </select>
            )}
          </Field>
          <Button type="submit" isBusy={change.isRunning} disabled={alias.trim() === '' || index === ''}>
            {t.indexes.aliasAdd}
          </Button>
        </form>
      </section>
    </>
  );
}
