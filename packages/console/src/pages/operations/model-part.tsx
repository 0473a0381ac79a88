import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { Empty, Skeleton } from '../../parts/empty.js';
import { FailureNotice } from '../../parts/notice.js';
import { TableScroll } from '../../parts/table-scroll.js';
import { useAction, useLoad } from '../../server/load.js';
import { t } from '../../strings/strings.js';

interface Model {
  readonly model_name: string;
  readonly model_device: string;
  readonly encoder: string;
  readonly precision: string;
}

const EVERY_MS = 10_000;

/** The models in memory. */
export function ModelPart() {
  const { data, failure, reload } = useLoad(
    (client, signal) => client.call<{ models: readonly Model[] }>('GET', '/models', undefined, { signal }),
    [],
    EVERY_MS,
  );
  const unload = useAction(async (client, { model_name, model_device }: Model) => {
    const query = new URLSearchParams({ model_name, model_device });
    await client.call('DELETE', `/models?${query}`);
    announce(t.operations.unloaded(model_name));
    reload();
  });
  const told = unload.failure ?? failure;
  return (
    <>
      {told !== undefined && <FailureNotice failure={told} retry={reload} />}
      <div class="panel">
        {data === undefined ? (
          failure === undefined && <Skeleton />
        ) : data.models.length === 0 ? (
          <Empty title={t.operations.modelsNone}>
            <p>{t.operations.modelsNoneHint}</p>
          </Empty>
        ) : (
          <TableScroll label={t.operations.models}>
            <thead>
              <tr>
                <th scope="col">{t.operations.model}</th>
                <th scope="col">{t.operations.device}</th>
                <th scope="col">{t.operations.encoder}</th>
                <th scope="col">{t.operations.precision}</th>
                <th scope="col">
                  <span class="unseen">{t.operations.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.models.map((model) => (
                <tr key={`${model.model_name} ${model.model_device}`}>
                  <td class="strong">{model.model_name}</td>
                  <td>{model.model_device}</td>
                  <td>{model.encoder}</td>
                  <td>{model.precision}</td>
                  <td class="number">
                    <Button
                      size="small"
                      aria-label={t.operations.unloadOf(model.model_name)}
                      isBusy={unload.isRunning}
                      onClick={() => unload.run(model)}
                    >
                      {t.operations.unload}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </TableScroll>
        )}
      </div>
    </>
  );
}
