import { definitionOf, isProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { verdictOf } from '@vantage/shared/probe-types/verdict.js';
import { jsonText, plainText } from '@vantage/shared/terminal/plain-text.js';
import { screenOf } from '@vantage/shared/terminal/screen.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { type AgentConfig, readEnv } from '../config.js';
import { CommandError } from '../exit-codes.js';
import { openLocalRoom } from '../measuring/local-room.js';
import { parseProbeParams } from './probe-params.js';
import { probeReport } from './probe-report.js';

export interface ProbeOptions {
  readonly param: readonly string[];
  readonly json: boolean;
}

/** Runs one probe right here and prints its result; no control plane and no identity are needed. */
export async function probe(
  config: AgentConfig,
  type: string,
  target: string,
  options: ProbeOptions,
): Promise<'ok' | 'failed'> {
  if (!isProbeType(type))
    throw new CommandError('usage', `unknown probe type "${type}": use one of ${probeTypeNames.join(', ')}`);
  const definition = definitionOf(type);
  const checked = compileSchema(definition.Spec)({ target, params: parseProbeParams(type, options.param) });
  if (!checked.ok) throw new CommandError('usage', `"${target}" is not a target for ${type}`);
  const room = await openLocalRoom({
    // probes load no pages
    settings: { ...config.engines, chromium: { path: 'none', hasSandbox: true } },
    serviceUrl: null,
    onEngineFault: report,
    onCapabilities: () => undefined,
  });
  process.once('SIGINT', () => room.runner.cancel('here'));
  const result = await room.runner.run({
    id: 'here',
    type,
    spec: checked.value,
    deadlineMs: definition.deadlineMs(checked.value),
  });
  room.close();
  process.stdout.write(
    options.json
      ? `${jsonText(result)}\n`
      : probeReport(type, target, { ...result }, screenOf(process.stdout, readEnv())),
  );
  return verdictOf(type, { ...result }).look === 'bad' ? 'failed' : 'ok';
}

function report(part: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${plainText(`${part}: ${text}`)}\n`);
}
