import { systemClock } from '@vantage/shared/clock.js';
import { detectCapabilities } from '../capabilities.js';
import type { MeasuringRoom, RoomOptions } from './child-loop.js';

/**
 * Opens the parts with which a process measures. Its capabilities are reported first: the link waits for them alone,
 * and dials while engines and schemas are still being loaded.
 */
export async function openLocalRoom(options: RoomOptions): Promise<MeasuringRoom & { close(): void }> {
  const { settings, serviceUrl, onEngineFault, onCapabilities } = options;
  const capabilities = detectCapabilities({
    clock: systemClock,
    chromium: settings.chromium,
    onFault: (error) => onEngineFault('icmp', error),
  });
  onCapabilities(capabilities.list());
  const { makeLocalRunner } = await import('./local-runner.js');
  const { icmp } = capabilities;
  const room = await makeLocalRunner({ settings, serviceUrl, icmp, onEngineFault });
  return { ...room, close: () => icmp?.close() };
}
