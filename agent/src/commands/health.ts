import { delay, systemClock } from '@vantage/shared/clock.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { AgentConfig } from '../config.js';
import type { ExitName } from '../exit-codes.js';
import { AGENT_VERSION } from '../version.js';
import { collectFacts, judgeStatus, type StatusFacts } from './status.js';

/** The agent writes its status with every change of its link. */
const LOOK_MS = 250;

/** Waits until an agent of this version is healthy. Prints the state, or what is missing. */
export async function health({ stateDir }: AgentConfig, { within }: { readonly within: number }): Promise<ExitName> {
  const until = systemClock.monotonicMs() + within * 1_000;
  for (;;) {
    const lack = findLack(await collectFacts(stateDir, systemClock.now()), AGENT_VERSION);
    if (lack === null) {
      process.stdout.write(`version ${AGENT_VERSION}: link open, spool open, self-test done\n`);
      return 'ok';
    }
    if (systemClock.monotonicMs() >= until) {
      process.stdout.write(`${textCell(lack)}${within === 0 ? '' : ` after ${within} s`}\n`);
      return 'failed';
    }
    await delay(systemClock, LOOK_MS);
  }
}

/** First condition of a healthy agent of a version that these facts do not meet; null if all are met. */
export function findLack(facts: StatusFacts, version: string): string | null {
  const { problem, agent } = judgeStatus(facts);
  if (problem !== null || agent === null) return problem ?? 'the agent has not reported anything';
  if (agent.version !== version) return `version ${agent.version} runs, not ${version}`;
  const { state, last_end: lastEnd } = agent.link;
  if (state !== 'open') return `the link is not open (${state})${lastEnd === null ? '' : `: ${lastEnd.message}`}`;
  if (agent.spool.problem !== null) return `the spool takes no results: ${agent.spool.problem}`;
  return agent.self_test === null ? 'the self-test has not ended' : null;
}
