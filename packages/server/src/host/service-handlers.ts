import type { schemas } from '@pelorus/contract';
import { mayCall } from '../auth/access.js';
import type { Handlers, Principal, Services } from '../call.js';
import type { AnsweredName } from '../http/counters.js';
import type { LoopFigures } from '../loops/loop-figures.js';
import type { HostMonitor } from '../services/monitor.js';
import { healthOf } from './health.js';

/** Version of the interface that is served; clients compare it before they speak. */
export const INTERFACE_VERSION = '2.26.0';

/** The greeting of a client. `version` is the one of this program. */
export function greeting(version: string) {
  return { message: 'Welcome to Pelorus', version: INTERFACE_VERSION, pelorus: version };
}

type ServiceOperation = 'getRoot' | 'getHealth' | 'getMemory' | 'getCpuInfo' | 'getCudaInfo' | 'listSlowRequests';

/** Greeting, health and the machine. */
export function serviceHandlers(services: Services): Pick<Handlers, ServiceOperation> {
  const { inference, host, loops, slowRequests, version } = services;
  return {
    getRoot: () => ({ body: greeting(version) }),
    getHealth: async ({ principal }) => ({ body: await wholeHealth(services, principal) }),
    getMemory: () => {
      const { heldBytes, budgetBytes } = host.processMemory();
      const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
      const accounts = { held: heldBytes, budget: budgetBytes, resident: rss, heapUsed, external, arrayBuffers };
      const stats = Object.entries(accounts).map(([name, bytes]) => `${name}: ${inMebibytes(bytes)} MiB`);
      return { body: { memory_used: inMebibytes(heldBytes), stats } };
    },
    getCpuInfo: () => ({ body: cpuInfo(host, loops) }),
    listSlowRequests: () => ({ body: { slowRequests: slowRequests.list() } }),
    getCudaInfo: async () => ({ body: { cuda_devices: await inference.cudaDevices() } }),
  };
}

/** The health of a server, with those of its indexes that a caller may call. */
export async function wholeHealth(
  { engine, inference, host, loops, keys, filesProblems, backups }: Services,
  principal: Principal | undefined,
): Promise<schemas.Health> {
  const { status, indexes } = await engine.health();
  const known = indexes.filter(({ name }) => mayCall(principal, name));
  const lost = inference.problems().map((reason) => ({ status: 'yellow', reason }) as const);
  const others = {
    ...{ keys: keys.problems, files: filesProblems, inference: lost, http: loops.problems() },
    ...(typeof backups !== 'string' && { backups: backups.problems }),
  };
  return healthOf(host.usage(), { status, indexes: known }, others);
}

/** The load of the machine, and of this process and its event loops. */
export function cpuInfo(host: HostMonitor, loops: LoopFigures): schemas.CpuInfo {
  const { percent, usedBytes } = host.machineMemory();
  const threads = loops.figures();
  const sum = (name: AnsweredName) => threads.reduce((all, one) => all + one[name], 0);
  return {
    cpu_usage_percent: percentText(host.cpuPercent()),
    memory_used_percent: percentText(percent),
    memory_used_gb: (usedBytes / 1024 ** 3).toFixed(1),
    process_cpu_percent: percentText(host.processCpuPercent()),
    requests: sum('requests'),
    searches: sum('searches'),
    http_threads: threads.map(({ busyPercent, requests, searches }, at) => ({
      ...{ thread: at + 1, busy_percent: percentText(busyPercent), requests, searches },
    })),
  };
}

const percentText = (percent: number) => `${percent.toFixed(1)} %`;

/** To a tenth. */
function inMebibytes(bytes: number): number {
  return Math.round((bytes / 1024 ** 2) * 10) / 10;
}
