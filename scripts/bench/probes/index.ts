import type { Part } from '../harness.js';
import { partOf } from './comparison.js';
import { dns } from './dns.js';
import { http } from './http.js';
import { ntp } from './ntp.js';
import { ping } from './ping.js';
import { speedtest } from './speedtest.js';
import { tcp } from './tcp.js';
import { trace } from './trace.js';

/** The one list of comparisons of probes, each in a lab of its own. */
export const probeParts: readonly Part[] = [tcp, dns, http, ping, trace, ntp, speedtest].map(partOf);
