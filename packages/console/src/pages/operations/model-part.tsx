import { announce } from '../../parts/announcer.js';
import { Button } from '../../parts/button.js';
import { TablePanel } from '../../parts/data-table.js';
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
  return (
    <TablePanel
      label={t.operations.models}
      rows={data?.models}
      failure={unload.failure ?? failure}
      reload={reload}
      none={{ title: t.operations.modelsNone, hint: t.operations.modelsNoneHint }}
      keyOf={({ model_name, model_device }) => `${model_name} ${model_device}`}
      columns={[
        { title: t.operations.model, class: 'strong', cell: ({ model_name }) => model_name },
        { title: t.operations.device, cell: ({ model_device }) => model_device },
        { title: t.operations.encoder, cell: ({ encoder }) => encoder },
        { title: t.operations.precision, cell: ({ precision }) => precision },
        {
          title: t.operations.actions,
          kind: 'actions',
          cell: (model) => (
            <Button
              size="small"
              aria-label={t.operations.unloadOf(model.model_name)}
              isBusy={unload.isRunning}
              onClick={() => unload.run(model)}
            >
              {t.operations.unload}
            </Button>
          ),
        },
      ]}
    />
  );
}
