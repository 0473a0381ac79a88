import { formatDay, t } from '../strings/strings.js';
import { DataTable } from './data-table.js';

/** A value of one day. */
export interface Point {
  /** Its begin, in ISO 8601. */
  readonly start: string;
  readonly value: number;
}

interface PlotProps {
  readonly title: string;
  readonly points: readonly Point[];
  readonly format: (value: number) => string;
  /** Its place in the row of colours. */
  readonly colour?: number;
}

/** Units of the drawing, which is as wide and as high as its place. */
const WIDTH = 100;
const HEIGHT = 40;
/** The share of its room that a bar takes. */
const BAR = 0.8;

/** Values by day as bars, and the same as a table: the bars alone are for eyes. */
export function Plot({ title, points, format, colour = 0 }: PlotProps) {
  const most = points.reduce((so, { value }) => Math.max(so, value), 0);
  const room = WIDTH / Math.max(points.length, 1);
  const [first, last] = [points[0], points.at(-1)];
  const highest = points.find(({ value }) => value === most);
  const told = most === 0 || highest === undefined ? t.plot.empty : t.plot.most(format(most), formatDay(highest.start));
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong> <span class="faint">{told}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${told}`}
        class={`plot-bars plot-${colour}`}
      >
        {points.map(({ start, value }, place) => {
          const height = most === 0 ? 0 : (Math.max(value, 0) / most) * HEIGHT;
          return (
            <rect key={start} x={(place + (1 - BAR) / 2) * room} y={HEIGHT - height} width={room * BAR} height={height}>
              <title>{`${formatDay(start)}: ${format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="plot-ends faint" aria-hidden="true">
        <span>{first !== undefined && formatDay(first.start)}</span>
        <span>{last !== undefined && formatDay(last.start)}</span>
      </p>
      <details>
        <summary>{t.asTable(title)}</summary>
        <DataTable
          label={t.asTable(title)}
          rows={points}
          keyOf={({ start }) => start}
          columns={[
            { title: t.plot.day, cell: ({ start }) => formatDay(start) },
            { title, kind: 'number', cell: ({ value }) => format(value) },
          ]}
        />
      </details>
    </figure>
  );
}
