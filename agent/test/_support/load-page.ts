// Loads a page that never ends until it is killed, as a measuring process would.

import { systemClock } from '@vantage/shared/clock.js';
import { defaultChromiumWish } from '../../src/probes/browser/chromium.js';
import { BrowserEngine } from '../../src/probes/browser/index.js';
import { aContext, aSpec } from './probe-context.js';

const engine = new BrowserEngine(defaultChromiumWish);
await engine.run(aSpec('browser', process.argv[2] ?? ''), aContext({ clock: systemClock }));
