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

/** What measures each type on this node. */
export const engines: Engines = { http, ping, dns, tcp, traceroute, mtr, smtp, ntp, ssl, speedtest };
