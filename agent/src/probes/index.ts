import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { dns } from './dns/index.js';
import type { ProbeEngine } from './engine.js';
import { http } from './http/index.js';
import { mtr } from './mtr/index.js';
import { ntp } from './ntp/index.js';
import { ping } from './ping/index.js';
import { smtp } from './smtp/index.js';
import { speedtest } from './speedtest/index.js';
import { ssl } from './ssl/index.js';
import { tcp } from './tcp/index.js';
import { traceroute } from './traceroute/index.js';

/** An engine for every type there is, or it does not compile. */
export type Engines = { readonly [T in ProbeType]: ProbeEngine<T> };

/**
 * What measures each type on this node. Those without a `load` are what a unit is, within what `npm run bench -- probes
 * --only units` can tell (2026-11): tcp 1.3 and dns 2.6 units while they last, which is not long; mtr 0.3 with a cycle a
 * second over five hops, and paths are four times as long; traceroute 3 over those five, which it is done with in 0.1 s,
 * and a fraction where it waits for hops that are silent.
 */
export const engines: Engines = { http, ping, dns, tcp, traceroute, mtr, smtp, ntp, ssl, speedtest };
