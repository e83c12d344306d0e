import { type Clock, systemClock } from '@vantage/shared/clock.js';
import type { EngineSettings } from '../probes/engine-settings.js';
import { CheckRunner } from './check-runner.js';
import { type CheckJob, type FromChild, type MeasureJob, MessageBatch, type ToChild } from './child-messages.js';
import { watchGrowth } from './growth-watch.js';
import { parseJson } from './parse-json.js';
import type { ControlPlaneLists } from './policy-source.js';
import { runJson } from './run-json.js';
import type { ProbeRunner } from './runner.js';

/** Parts of a measuring child. */
export interface MeasuringRoom {
  readonly runner: ProbeRunner;
  /** @throws RangeError naming the bad entry */
  setLists(lists: ControlPlaneLists): void;
}

export interface RoomOptions {
  readonly settings: EngineSettings;
  /** Origin of the control plane this node serves, or null. */
  readonly serviceUrl: string | null;
  readonly onEngineFault: (type: string, error: unknown) => void;
  /** Called with the capabilities of this process beyond plain sockets, before anything slow starts. */
  readonly onCapabilities: (capabilities: readonly string[]) => void;
}

interface OpenRoom extends MeasuringRoom {
  readonly checks: CheckRunner;
}

/**
 * The life of a measuring child: answers its parent's messages until the parent is gone, then ends at once. Signals
 * are the parent's to handle: Ctrl-C and service managers send them to both, and running probes have two seconds.
 * `growthClock`: of the watch over the size of this process.
 */
export function serveParent(
  openRoom: (options: RoomOptions) => Promise<MeasuringRoom>,
  growthClock: Clock = systemClock,
): void {
  const outgoing = new MessageBatch<FromChild>((batch) => {
    if (process.connected) process.send?.(batch, () => undefined);
  }, systemClock);
  let room: Promise<OpenRoom> | null = null;
  process.on('disconnect', () => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('message', (batch: ToChild[]) => {
    for (const message of batch) {
      if (message.kind === 'begin') {
        room = open(openRoom, message, outgoing);
        void room.then(() => reportSize(growthClock, outgoing));
      } else void room?.then((opened) => handle(opened, message, outgoing));
    }
  });
}

async function open(
  openRoom: (options: RoomOptions) => Promise<MeasuringRoom>,
  { settings, serviceUrl }: Extract<ToChild, { kind: 'begin' }>,
  outgoing: MessageBatch<FromChild>,
): Promise<OpenRoom> {
  const onFault = (type: string, error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    outgoing.push({ kind: 'fault', type, message });
  };
  const room = await openRoom({
    settings,
    serviceUrl,
    onEngineFault: onFault,
    onCapabilities: (capabilities) => outgoing.push({ kind: 'ready', capabilities }),
  });
  const { runner, setLists } = room;
  return { runner, setLists, checks: new CheckRunner({ runner, onFault }) };
}

/**
 * Reports the size of this process. Its parent gives new jobs to a fresh child when this one has grown: no leak, in
 * our code or Node's, lasts for ever.
 */
function reportSize(clock: Clock, outgoing: MessageBatch<FromChild>): void {
  outgoing.push({ kind: 'opened' });
  const onGrown = (rssBytes: number) => outgoing.push({ kind: 'grown', rssBytes });
  watchGrowth({ clock, readRss: () => process.memoryUsage.rss(), onGrown });
}

function handle(room: OpenRoom, message: Exclude<ToChild, { kind: 'begin' }>, outgoing: MessageBatch<FromChild>): void {
  switch (message.kind) {
    case 'run':
      void measure(room.runner, message, outgoing);
      break;
    case 'check':
      void check(room.checks, message, outgoing);
      break;
    case 'cancel':
      room.runner.cancel(message.id);
      break;
    case 'lists':
      try {
        room.setLists(message.lists);
      } catch (error) {
        outgoing.push({ kind: 'lists-refused', message: String(error) });
      }
      break;
  }
}

async function measure(runner: ProbeRunner, job: MeasureJob, outgoing: MessageBatch<FromChild>): Promise<void> {
  const { id, type, deadlineMs, caller } = job;
  const request = { id, type, deadlineMs, caller, spec: parseJson(job.specJson) };
  const { resultJson, loopLagMs } = await runJson(runner, request);
  outgoing.push({ kind: 'result', id, resultJson, loopLagMs });
}

async function check(checks: CheckRunner, job: CheckJob, outgoing: MessageBatch<FromChild>): Promise<void> {
  outgoing.pushPatiently({ kind: 'checked', ...(await checks.run(job)) });
}
