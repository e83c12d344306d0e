import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { MAX_SPEEDTEST_BYTES, MAX_SPEEDTEST_MS } from '../speedtest/limits.js';
import type { Host } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { parseHttpUrl } from '../target-policy/url.js';
import { msCell, textCell } from './cells.js';
import { NoTaskFields, type ProbeTypeDefinition } from './definition.js';
import {
  ipVersionField,
  ipVersionParam,
  nullableMilliseconds,
  outcomeFields,
  resolvedIpField,
  targetField,
  timeoutParam,
} from './fields.js';
import { meanOf, roundMs } from './statistics.js';

/** Bytes of a download that weigh on a target as one plain probe does. */
export const BYTES_PER_WEIGHT = 1_600_000;

const Params = Type.Object(
  {
    bytes: Type.Integer({
      minimum: 100_000,
      maximum: MAX_SPEEDTEST_BYTES,
      default: MAX_SPEEDTEST_BYTES,
      description: 'Greatest number of bytes in each direction.',
    }),
    duration_ms: timeoutParam(
      1000,
      MAX_SPEEDTEST_MS,
      MAX_SPEEDTEST_MS,
      'Greatest duration of each direction, in milliseconds.',
    ),
    upload: Type.Boolean({
      default: true,
      description: 'Measure the upload too, if the target is a /speedtest.',
    }),
    ip_version: ipVersionParam,
    timeout_ms: timeoutParam(
      1000,
      10000,
      5000,
      'Deadline of each connection, and of the head of each response, in milliseconds.',
    ),
  },
  { additionalProperties: false },
);

const Spec = Type.Object(
  {
    target: targetField('The /speedtest of an agent or control plane, or any http or https URL to download.', 2048),
    params: Params,
  },
  { additionalProperties: false },
);

const nullableBps = (description: string) => nullable(Type.Integer({ minimum: 0 }), description);
const transferred = (description: string) =>
  Type.Object(
    {
      bytes: Type.Integer({ minimum: 0, description: 'Bytes of the body that arrived.' }),
      ms: nullableMilliseconds(
        'Time from the first of them to the last; for an upload, from its beginning to the last count of the server.',
      ),
      latency_ms: nullableMilliseconds(
        'Median TCP connect time during the transfer: the excess over latency_ms is the delay in queues.',
      ),
    },
    { additionalProperties: false, description },
  );

const Result = Type.Object(
  {
    ...outcomeFields,
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    download_bps: nullableBps(
      'Bits of body per second from the server, without the ramp-up; null if everything arrived at once.',
    ),
    upload_bps: nullableBps('The same to the server; null if it is not a /speedtest.'),
    latency_ms: nullableMilliseconds('Median TCP connect time before anything else is sent.'),
    jitter_ms: nullableMilliseconds('Mean difference between a connect time and the next.'),
    bytes: Type.Integer({ minimum: 0, description: 'Both directions together.' }),
    download: transferred('Transfer from the server.'),
    upload: transferred('Transfer to the server.'),
  },
  { additionalProperties: false },
);

const Summary = Type.Object(
  {
    download_avg_bps: nullableBps('Mean over successful nodes.'),
    upload_avg_bps: nullableBps('Mean over successful nodes that measured it.'),
  },
  { additionalProperties: false },
);

type SpeedtestSpec = Static<typeof Spec>;
type SpeedtestResult = Static<typeof Result>;

function targetHost(spec: SpeedtestSpec): Host {
  return parseHttpUrl(spec.target).host;
}

function checkTarget(spec: SpeedtestSpec, policy: TargetPolicy): void {
  policy.checkHost(targetHost(spec));
}

/** Bits per second for people. */
function rateCell(bps: number | null): string {
  if (bps === null) return '-';
  return bps >= 999_500_000 ? `${(bps / 1e9).toFixed(2)} Gbit/s` : `${(bps / 1e6).toFixed(bps < 1e7 ? 2 : 1)} Mbit/s`;
}

const meanBps = (values: readonly (number | null)[]) => {
  const mean = meanOf(values.filter((value) => value !== null));
  return mean === null ? null : Math.round(mean);
};

const NOTHING = { bytes: 0, ms: null, latency_ms: null };

/** Throughput over one connection each way, and what it does to latency. */
export const speedtest = {
  type: 'speedtest',
  title: 'Speedtest',
  summary: 'Download, upload and latency under load, against a /speedtest or any URL',
  capability: null,
  Params,
  formParams: ['upload'],
  Spec,
  Result,
  maxResultBytes: 16 * 1024,
  Summary,
  TaskFields: NoTaskFields,
  exampleTarget: 'https://vantage.example.com/speedtest',
  // name, three connections and heads, both directions with the rest in buffers, and the connects before them
  deadlineMs: ({ params }: SpeedtestSpec) => 15_000 + 3 * params.timeout_ms + 2 * (params.duration_ms + 2000),
  // uploads go only to /speedtest, which has its own limits
  targetWeight: ({ params }: SpeedtestSpec) => Math.ceil(params.bytes / BYTES_PER_WEIGHT),
  blank: () => ({
    resolved_ip: null,
    ip_version: null,
    download_bps: null,
    upload_bps: null,
    latency_ms: null,
    jitter_ms: null,
    bytes: 0,
    download: NOTHING,
    upload: NOTHING,
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
  columns: [
    { title: 'Download', cell: (r: SpeedtestResult) => rateCell(r.download_bps) },
    { title: 'Upload', cell: (r: SpeedtestResult) => rateCell(r.upload_bps) },
    { title: 'Latency', isInDetails: true, cell: (r: SpeedtestResult) => msCell(r.latency_ms) },
    { title: 'Jitter', isInDetails: true, cell: (r: SpeedtestResult) => msCell(r.jitter_ms) },
    { title: 'Downloading', isInDetails: true, cell: (r: SpeedtestResult) => msCell(r.download.latency_ms) },
    { title: 'Uploading', isInDetails: true, cell: (r: SpeedtestResult) => msCell(r.upload.latency_ms) },
    { title: 'Bytes', cell: (r: SpeedtestResult) => textCell(r.bytes) },
    { title: 'Address', cell: (r: SpeedtestResult) => textCell(r.resolved_ip) },
  ],
  details: {
    shows: ['download_bps', 'upload_bps', 'latency_ms', 'jitter_ms', 'download', 'upload'],
    lines: (r: SpeedtestResult) =>
      r.latency_ms === null
        ? []
        : [
            `latency   ${msCell(r.latency_ms)}, jitter ${msCell(r.jitter_ms)}`,
            ...(r.download.bytes === 0 ? [] : [wayLine('download', r.download_bps, r.download)]),
            ...(r.upload.bytes === 0 ? [] : [wayLine('upload', r.upload_bps, r.upload)]),
          ],
  },
  summarise: (results: readonly SpeedtestResult[]) => {
    const successes = results.filter((r) => r.success);
    return {
      download_avg_bps: meanBps(successes.map((r) => r.download_bps)),
      upload_avg_bps: meanBps(successes.map((r) => r.upload_bps)),
    };
  },
  taskFields: () => ({}),
} satisfies ProbeTypeDefinition<typeof Params, typeof Spec, typeof Result, typeof Summary, typeof NoTaskFields>;

/** Line for one direction; a transfer that arrived in too few pieces has no rate but is still reported. */
function wayLine(name: string, bps: number | null, { bytes, ms, latency_ms }: SpeedtestResult['download']): string {
  const took = `${(bytes / 1e6).toFixed(1)} MB in ${((ms ?? 0) / 1000).toFixed(1)} s`;
  return `${name.padEnd(8)}  ${rateCell(bps)}, ${took}, latency during it ${msCell(roundMs(latency_ms))}`;
}
