/** Greatest size of a file of monitors, in bytes. */
const MAX_BYTES = 5 * 1024 * 1024;
/** Greatest number of monitors in a file. */
const MAX_ENTRIES = 10_000;

/** A file with the greatest number of entries that is allowed and fits. */
function fileOf(entryOf: (index: number) => string, [head, between, tail]: readonly [string, string, string]): Buffer {
  const entries: string[] = [];
  let bytes = head.length + tail.length;
  while (entries.length < MAX_ENTRIES) {
    const entry = entryOf(entries.length);
    bytes += Buffer.byteLength(entry) + between.length;
    if (bytes > MAX_BYTES) break;
    entries.push(entry);
  }
  return Buffer.from(head + entries.join(between) + tail);
}

const own = ['{"kind":"vantage.monitors","version":1,"monitors":[', ',', ']}'] as const;

const monitor = (index: number) => ({
  name: `Monitor ${index}`,
  type: 'https',
  target: `https://host-${index}.example.com/health?of=${index}`,
  interval_s: 60,
  node_count: 3,
  tags: ['production', `team-${index % 50}`],
  group: `Group ${index % 40}`,
  config: {
    method: 'GET',
    headers: { Accept: 'application/json', 'X-Trace': 'x'.repeat(30) },
    expected_status: '200-299',
    timeout_ms: 10_000,
  },
  node_selection: { spread: 'asn' },
  trigger_rule: { consecutive_fail: 2, consecutive_ok: 1, fail_node_quorum: '2/3' },
  notify_owner: true,
});

const membersOf = (count: number, name: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, member) => [`${name}${member}`, 1]));

const kumaMonitor = (index: number) => ({
  id: index,
  name: `Kuma ${index}`,
  type: 'http',
  url: `https://host-${index}.example.com/`,
  interval: 60,
  active: true,
  ...membersOf(25, `unknown${index}x`),
});

const endpoint = (index: number) => `  - name: Endpoint ${index}
    group: Group ${index % 40}
    url: https://host-${index}.example.com/health
    interval: 1m
    headers: {Accept: application/json, X-Trace: "${'x'.repeat(180)}"}
    conditions:
      - "[STATUS] == 200"
      - "[RESPONSE_TIME] < 500"
      - "[BODY].status == UP"
      - "[CERTIFICATE_EXPIRATION] > 48h"
`;

/** Files at the limits of an import: description and builder of each. */
export const largeFiles = {
  'ten thousand monitors of an export': () => fileOf((index) => JSON.stringify(monitor(index)), own),
  'a backup with more warnings than are shown': () =>
    fileOf((index) => JSON.stringify(kumaMonitor(index)), ['{"monitorList":[', ',', ']}']),
  'ten thousand endpoints in YAML': () => fileOf(endpoint, ['endpoints:\n', '', '']),
  'a monitor with as many settings as a file may have members': () =>
    Buffer.from(own[0] + JSON.stringify({ ...monitor(1), config: membersOf(390_000, 'k') }) + own[2]),
} as const;

/** YAML whose mapping has so many keys that comparing each with all others takes half a minute: 0.8 MB. */
export function manyKeys(): Buffer {
  return Buffer.from(Array.from({ length: 80_000 }, (_, index) => `k${index}: 1`).join('\n'));
}
