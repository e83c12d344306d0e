import { missing } from '@vantage/shared/_support/missing.js';
import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Test } from 'tap';
import { runProbe } from './probes.js';
import type { ApiAnswer, TestApi } from './stack.js';

/** Request of a probe of a type, and the finding of a node. */
export interface ProbeCase {
  readonly target: string;
  readonly params?: object;
  readonly found: object;
  /** True if the target took longer for a result of a node than the probe can wait. */
  readonly cameTooLate?: (result: ApiAnswer['body']) => boolean;
}

const TRIES = 5;

/** Runs the probe of a case and returns its task; a few times if the target responds too late. */
export async function runCase(
  api: TestApi,
  type: ProbeType,
  { target, params = {}, cameTooLate = () => false }: ProbeCase,
): Promise<ApiAnswer['body']> {
  let task = await runProbe(api, type, { target, params });
  for (let tries = 1; tries < TRIES && task.node_results.some(cameTooLate); tries += 1) {
    task = await runProbe(api, type, { target, params });
  }
  return task;
}

/** Places of targets: an address of loopback, and the URL of a control plane with VANTAGE_SPEEDTEST=on. */
interface Place {
  readonly host: string;
  readonly controlPlaneUrl: string;
}

/**
 * Starts a target on loopback for a probe of one type, in a file of its own: `control-plane/test/probe-cases/TYPE.ts`.
 */
export type MakeProbeCase = (t: Test, place: Place) => Promise<ProbeCase>;

/** Case of a type. @throws Error if control-plane/test/probe-cases has no file for it */
export async function makeProbeCase(type: ProbeType, t: Test, place: Place): Promise<ProbeCase> {
  const { makeCase }: { makeCase: MakeProbeCase } = await import(
    new URL(`../probe-cases/${type}.js`, import.meta.url).href
  );
  return makeCase(t, place);
}

/** Options of a test of the type: not every user has raw sockets. */
export function optionsOf(type: ProbeType): { readonly skip: string | false } {
  return { skip: definitionOf(type).capability !== null && missing('raw sockets') };
}

/** Address and port in the form of a target. */
export function endpoint(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
