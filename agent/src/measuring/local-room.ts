import { systemClock } from '@vantage/shared/clock.js';
import { detectCapabilities } from '../capabilities.js';
import { defaultChromiumWish } from '../probes/browser/chromium.js';
import { defaultSources } from '../probes/sources.js';
import type { MeasuringRoom, RoomOptions } from './child-loop.js';

/**
 * Everything a process needs to measure here. What it can do is told first: the link waits for that alone, and dials
 * while engines and schemas are still being loaded.
 */
export async function openLocalRoom(options: RoomOptions): Promise<MeasuringRoom & { close(): void }> {
  const { onEngineFault, onCapabilities, allow, serviceUrl, rootHints = [], sources = defaultSources } = options;
  const { chromium = defaultChromiumWish } = options;
  const capabilities = detectCapabilities({
    clock: systemClock,
    chromium,
    onFault: (error) => onEngineFault('icmp', error),
  });
  onCapabilities(capabilities.list());
  const { makeLocalRunner } = await import('./local-runner.js');
  const { icmp } = capabilities;
  const room = await makeLocalRunner({ allow, serviceUrl, rootHints, sources, chromium, icmp, onEngineFault });
  return { ...room, close: () => icmp?.close() };
}
