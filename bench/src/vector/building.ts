import type { Curve } from './curve.ts';
import type { Engine } from './measured-engine.ts';
import type { Measurement } from './measurement.ts';

/** Reports the builds with the same parameters: time, size, and whether the graphs are equally good. */
export function reportBuilds(
  { report, plan, ours, peers }: Measurement,
  count: number,
  curves: Map<Engine, Curve>,
): void {
  const threads = plan.buildThreads;
  for (const peer of peers) {
    const used = peer.built.threads ?? threads;
    if (used !== threads) report.note(`${peer.title} builds on ${used} thread(s) only`);
    const matched = atEqualEffort(curves.get(ours), curves.get(peer));
    report.add({
      subject: { metric: 'build', peer: peer.name },
      text: `build, ${threads} threads (s)${matched === null ? '' : `; recall at effort ${matched.ef} ${matched.text}`}`,
      better: 'lower',
      ours: ours.built.seconds,
      peer: peer.title,
      theirs: peer.built.seconds,
    });
  }
  for (const peer of peers) {
    const each = (bytes: number | null | undefined) => (bytes == null ? null : bytes / count);
    const resident = ({ built }: Engine) => each(built.residentBytes ?? built.indexBytes);
    const [mine, theirs] = [resident(ours), resident(peer)];
    const size = { better: 'lower', peer: peer.title } as const;
    report.add({
      subject: { metric: 'resident', peer: peer.name },
      text: 'resident (bytes/vector)',
      ours: mine,
      theirs,
      ...size,
    });
    const [index, theirIndex] = [each(ours.built.indexBytes), each(peer.built.indexBytes)];
    report.add({
      subject: { metric: 'index' },
      text: 'index (bytes/vector)',
      ours: index,
      theirs: theirIndex,
      ...size,
    });
  }
  const mapped = ours.built.mappedBytes;
  if (mapped != null)
    report.note(
      `beside what is resident, ${Math.round(mapped / count)} bytes per vector of mapped files were in memory`,
    );
}

/** The recalls of both at an effort near the middle that both were measured at. */
function atEqualEffort(ours: Curve | undefined, theirs: Curve | undefined): { ef: number; text: string } | null {
  if (!ours || !theirs) return null;
  const shared = ours.points.flatMap((point) => {
    const other = theirs.points.find(({ ef }) => ef === point.ef);
    return other ? [{ ef: point.ef, mine: point.recall, other: other.recall }] : [];
  });
  const middle = shared[Math.floor(shared.length / 2)];
  return middle ? { ef: middle.ef, text: `${middle.mine.toFixed(3)} : ${middle.other.toFixed(3)}` } : null;
}
