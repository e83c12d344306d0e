// Prints what this process can do, as one JSON document: {list, rows, kind}.
import { systemClock } from '@vantage/shared/clock.js';
import { detectCapabilities } from '../../src/capabilities.js';

const capabilities = detectCapabilities({ clock: systemClock, onFault: () => {} });
const report = { list: capabilities.list(), rows: capabilities.explain(), kind: capabilities.icmp?.kind ?? null };
process.stdout.write(JSON.stringify(report));
capabilities.icmp?.close();
