import { durationText } from '@vantage/shared/durations.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import { lanes } from '@vantage/shared/protocol/lanes.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { wrappedRows } from '@vantage/shared/terminal/wrapped-rows.js';
import type { ReadAgentStatus } from '../agent-status.js';
import { dropReasons } from '../spool/dropped-ranges.js';
import type { SpoolStatus } from '../spool-status.js';
import { sizeText } from './size-text.js';
import type { StatusReport } from './status-report.js';

type Row = readonly [name: string, text: string];

/** The report for people: one fact a line, names on the left. */
export function readableStatus(report: StatusReport, nowMs: number, screen: Screen): string {
  const { problem, agent, stored_spool: stored } = report;
  const rows: Row[] = [
    ['state', problem ?? 'running'],
    ['node', nodeText(report)],
    ...(agent !== null && problem === null ? agentRows(agent, nowMs) : lastWords(report, nowMs)),
    ...(stored === null ? [] : spoolRows(stored, nowMs)),
    ['state directory', report.state_dir],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const tone = report.is_connected ? 'good' : 'bad';
  const lines = wrappedRows(
    rows.map(([name, text]) => [name.padEnd(width), text]),
    screen,
  );
  return `${lines.map((line, i) => (i === 0 ? screen.paint(line, tone) : line)).join('\n')}\n`;
}

function nodeText({ node_id, control_urls, agent }: StatusReport): string {
  if (node_id === null) return 'not enrolled';
  const generation = agent === null ? '' : `, generation ${agent.generation}`;
  return `${node_id}${generation}, of ${control_urls.join(' and ')}`;
}

/** Rows about an agent that is silent now: its last known state. */
function lastWords({ agent }: StatusReport, nowMs: number): Row[] {
  if (agent === null) return [];
  return [
    ['last heard from', sinceText(agent.updated_at, nowMs)],
    ['link then', `${agent.link.state}${placeText(agent.link.url)}`],
    ...lastEndRows(agent, nowMs),
  ];
}

function agentRows(agent: ReadAgentStatus, nowMs: number): Row[] {
  return [
    ['process', `${agent.pid}, since ${sinceText(agent.started_at, nowMs)}, version ${agent.version}`],
    ['link', linkText(agent.link, nowMs)],
    ...creditRows(agent.link),
    ...lastEndRows(agent, nowMs),
    ['clock', clockText(agent.clock)],
    ...spoolRows(agent.spool, nowMs),
    ['probes running', String(agent.running)],
    ...scheduleRows(agent.schedule),
    ...(agent.self_test?.checks ?? []).map(
      ({ name, status, detail }): Row => [`self-test ${name}`, `${status}: ${textCell(detail)}`],
    ),
    ['capabilities', agent.capabilities.join(', ') || 'none beyond plain sockets'],
  ];
}

function scheduleRows(schedule: ReadAgentStatus['schedule']): Row[] {
  if (schedule === undefined) return [];
  const { assignments, running, checks_done, slots_missed, worst_start_late_ms } = schedule;
  if (assignments === 0 && running === 0) return [['monitors', 'none']];
  const late = `latest start in the last minute ${worst_start_late_ms.toFixed(1)} ms late`;
  return [
    ['monitors', `${assignments} watched, ${running} checks running`],
    ['  checks', `${checks_done} done, ${slots_missed} slots missed, ${late}`],
  ];
}

function linkText({ state, url, since, next_try_at }: ReadAgentStatus['link'], nowMs: number): string {
  const next = next_try_at === null ? '' : `, next try in ${durationText(Date.parse(next_try_at) - nowMs)}`;
  return `${state}${placeText(url)}, since ${sinceText(since, nowMs)}${next}`;
}

/** Rows for the credits of the control plane; 0 for a lane: its results wait here. */
function creditRows({ credits }: ReadAgentStatus['link']): Row[] {
  if (credits === null) return [];
  const texts = lanes.map((lane) => `${credits[lane]} of lane ${lane}`);
  return [['credits', `${texts.join(', ')}${credits.check === 0 ? ': the control plane is slow' : ''}`]];
}

function placeText(url: string | null): string {
  return url === null ? '' : ` (${textCell(url)})`;
}

function lastEndRows({ link: { last_end } }: ReadAgentStatus, nowMs: number): Row[] {
  if (last_end === null) return [];
  return [['last link end', `${last_end.reason}, ${sinceText(last_end.at, nowMs)}: ${textCell(last_end.message)}`]];
}

function clockText({ offset_ms, uncertainty_ms }: ReadAgentStatus['clock']): string {
  if (uncertainty_ms < 0) return 'not compared yet';
  const side = offset_ms >= 0 ? 'behind' : 'ahead of';
  return `${Math.abs(offset_ms).toFixed(1)} ms ${side} the control plane, ± ${uncertainty_ms.toFixed(1)} ms`;
}

function spoolRows(spool: SpoolStatus, nowMs: number): Row[] {
  const { rows, bytes, oldest_at, held_bytes, max_bytes, max_age_ms } = spool;
  const oldest = oldest_at === null ? '' : `, oldest ${sinceText(oldest_at, nowMs)}`;
  return [
    ['spool', rows === 0 ? 'no results wait' : `${rows} results wait (${sizeText(bytes)})${oldest}`],
    ...(rows === 0 ? [] : lanes.map((lane): Row => laneRow(lane, spool.lanes[lane], nowMs))),
    ['  kept', `${sizeText(held_bytes)} of ${sizeText(max_bytes)}, no longer than ${durationText(max_age_ms)}`],
    ['  dropped', droppedText(spool)],
    ['  epoch', spool.epoch],
    ...(spool.problem === null ? [] : [['  DISK', `cannot store results: ${textCell(spool.problem)}`] as const]),
    ...(spool.set_aside === null ? [] : [['  SET ASIDE', `${spool.set_aside} (damaged)`] as const]),
  ];
}

function laneRow(lane: string, { rows, bytes, oldest_at }: SpoolStatus['lanes']['task'], nowMs: number): Row {
  if (oldest_at === null) return [`  lane ${lane}`, 'nothing'];
  return [`  lane ${lane}`, `${rows} results (${sizeText(bytes)}), oldest ${sinceText(oldest_at, nowMs)}`];
}

function droppedText({ dropped, dropped_for }: SpoolStatus): string {
  if (dropped === 0) return 'none';
  const reasons = dropReasons.filter((reason) => dropped_for[reason] > 0);
  return `${dropped}: ${reasons.map((reason) => `${dropped_for[reason]} ${reason.replaceAll('_', ' ')}`).join(', ')}`;
}

/** `2026-11-20 12:00:00Z (4 min ago)` */
function sinceText(iso: string, nowMs: number): string {
  const at = iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
  return `${at} (${durationText(nowMs - Date.parse(iso))} ago)`;
}
