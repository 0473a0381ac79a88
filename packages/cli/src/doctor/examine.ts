import type { Config } from '@pelorus/server/config';
import { ExitCode } from '../start-failure.js';
import { printJson } from '../terminal/json.js';
import { type Output, stylesFor } from '../terminal/style.js';
import { type Cell, tableOf } from '../terminal/table.js';
import { counted } from '../terminal/units.js';
import type { Finding, Verdict } from './finding.js';
import { encoderFinding, engineFinding, kernelsFinding, memoryFinding, processorFinding } from './machine.js';
import {
  clusterFinding,
  dataFinding,
  diskFinding,
  ffmpegFinding,
  modelsFinding,
  nodeFinding,
  portFinding,
} from './surroundings.js';

/**
 * Prints what a server finds on this machine, and what to do about it; as JSON `{"verdict", "findings": [...]}`, where
 * the verdict is the worst one. A fault makes the exit code 1.
 */
export async function examine(config: Config, json: boolean): Promise<void> {
  const findings = await findingsOf(config);
  if (json) printJson({ verdict: worstOf(findings), findings });
  else process.stdout.write(findingsText(findings));
  if (worstOf(findings) === 'fault') process.exitCode = ExitCode.FAILED;
}

async function findingsOf(config: Config): Promise<Finding[]> {
  return [
    nodeFinding(),
    await engineFinding(),
    await kernelsFinding(),
    await encoderFinding(config),
    processorFinding(config),
    memoryFinding(),
    await diskFinding(config),
    await dataFinding(config),
    ...(config.engine === 'opensearch' || config.dualWrite ? [await clusterFinding(config)] : []),
    await portFinding(config),
    await modelsFinding(config),
    await ffmpegFinding(config),
  ];
}

export function worstOf(findings: readonly Finding[]): Verdict {
  const verdicts = findings.map(({ verdict }) => verdict);
  return (['fault', 'advice'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'ok';
}

/** A table of the findings, each remedy below its finding, and a closing line. */
export function findingsText(findings: readonly Finding[], out?: Output): string {
  const { good, warning, bad, dim } = stylesFor(out);
  const styles = { ok: good, advice: warning, fault: bad };
  const rows = findings.map(({ subject, verdict, found, advice }): Cell[] => [
    { text: verdict, style: styles[verdict] },
    subject,
    [found, ...(advice === null ? [] : [{ text: advice, style: dim }])],
  ]);
  const table = tableOf([{ title: '' }, { title: 'part' }, { title: 'found' }], rows, out);
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length;
  const closing = {
    ok: 'Everything is as a server needs it.',
    advice: `A server works here; ${counted(count('advice'), 'part')} could be better.`,
    fault: `A server does not work here: ${counted(count('fault'), 'fault')}.`,
  };
  return `${table}\n${closing[worstOf(findings)]}\n`;
}
