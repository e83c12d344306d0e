import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { AdminNode } from '../modules/nodes/index.js';

type Row = readonly [name: string, text: string];

/** One node for people: a fact a line, names on the left. */
export function nodeText(node: AdminNode): string {
  const rows: Row[] = [
    ['node', `${node.id}, ${node.name}`],
    ['status', statusText(node)],
    ['owner', `${node.owner.email} (${node.owner.user_id})`],
    ['agent', `${node.version} on ${node.hostname}, ${node.os} ${node.arch}`],
    ['connected', node.connected_at ?? 'never'],
    ['last seen', node.last_seen_at ?? '-'],
    ['upgrade', upgradeText(node.upgrade)],
    ['spool', spoolText(node.spool)],
    ['place', `${placeText(node)} (${node.location_source})`],
    ['  declared', node.declared === undefined ? '-' : placeText(node.declared)],
    ['  by address', node.derived ? placeText(node.derived) : '-'],
    ...(node.geo_mismatch ? [['  MISMATCH', 'its address contradicts the declared location'] as const] : []),
    ['uptime', node.uptime_percent_30d === null ? '-' : `${node.uptime_percent_30d} % of 30 days`],
    ['can', node.capabilities.join(' ') || '-'],
    ...(node.self_test?.checks ?? []).map(
      ({ name, status, detail }): Row => [`self-test ${name}`, `${status}: ${detail}`],
    ),
    ['tags', node.tags.join(' ') || '-'],
    ['key', keyText(node.key)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 3;
  return rows.map(([name, text]) => `${name.padEnd(width)}${textCell(text)}\n`).join('');
}

function statusText({ status, ban, visibility, is_draining }: AdminNode): string {
  const why = ban === null ? '' : ` since ${ban.at}${ban.is_quarantine ? ', quarantined' : ''}: ${ban.reason ?? ''}`;
  return `${status}${why}, ${visibility}${is_draining && status !== 'draining' ? ', draining' : ''}`;
}

function upgradeText(upgrade: AdminNode['upgrade']): string {
  if (upgrade === null) return '-';
  const why = upgrade.error === null ? '' : `: ${upgrade.error.message} (${upgrade.error.code})`;
  return `${upgrade.state}, to ${upgrade.version}, requested at ${upgrade.requested_at}${why}`;
}

function spoolText(spool: AdminNode['spool']): string {
  if (spool === null) return '-';
  const { rows, bytes, oldest_seconds, dropped_rows, problem } = spool;
  const waiting =
    rows === 0 ? 'no results wait' : `${rows} results wait (${bytes} bytes), the oldest for ${oldest_seconds} s`;
  return `${waiting}, ${dropped_rows} dropped${problem === null ? '' : `; CANNOT STORE RESULTS:  ${problem}`}`;
}

function placeText(place: Pick<AdminNode, 'country' | 'province' | 'city' | 'asn' | 'provider'>): string {
  const { country, province, city, asn, provider } = place;
  return [province ?? country, city, asn === null ? null : `AS${asn}`, provider].filter(Boolean).join(', ') || '-';
}

function keyText({ fingerprint, changed_at, rotation_requested_at }: AdminNode['key']): string {
  const changed = changed_at === null ? 'since enrollment' : `since ${changed_at}`;
  return `${fingerprint}, ${changed}${rotation_requested_at === null ? '' : `, rotation requested at ${rotation_requested_at}`}`;
}
