import type { AlertTrigger } from '../decision.js';
import type { AlertPolicy, AlertSeverity, AlertType, ChannelChoice, Rule, TimeWindow } from '../policy.js';
import { type History, holdsAt, instantOf, monitorTags, policyAt, TICK_MS, TICKS } from './history.js';

// The alert engine written the slow and simple way: it goes through a history tick by tick, keeps logs, and counts the seconds for
// which something has lasted. It knows UTC windows within one day only.

const TICK_SECONDS = TICK_MS / 1000;
const types = ['no_data', 'degraded', 'down'];
const severities = ['info', 'warning', 'critical'];

interface Known {
  to: readonly string[] | null;
  rule: number | null;
  /** Seconds since the last message that reminds. */
  sinceMessage: number;
  reminders: number;
  knowsAck: boolean;
  /** Length of the log of levels at the last message. */
  levels: number;
}

interface Pending {
  due: number;
  to: readonly string[] | null;
  rule: number;
}

interface Episode {
  readonly openTick: number;
  readonly startedAtMs: number;
  /** Log of what the trouble was. */
  readonly levels: { type: AlertType; severity: AlertSeverity }[];
  readonly pending: Map<string, Pending>;
  readonly known: Map<string, Known>;
  /** Seconds since the acknowledgement, or null. */
  acknowledgedFor: number | null;
  /** Tick of a recovery that is not notified. */
  recoveryNotifyMs: number | null;
  /** True if the window of a rule is to open at the next tick. */
  awaitsWindow: boolean;
  /** Seconds for which the steps of this round have run. */
  ran: number;
  isRunning: boolean;
  step: number;
  round: number;
}

/** Messages of a history, `tick kind channel recipients`, sorted. */
export function naiveMessages(history: History): string[] {
  const messages: string[] = [];
  let episode: Episode | null = null;
  let isShut = false;
  for (let tick = 0; tick < TICKS; tick += 1) {
    const policy = policyAt(history, tick);
    const trigger = history.triggers.get(tick);
    const nowMs = instantOf(tick);
    const say = (kind: string, id: string, to: readonly string[] | null) =>
      messages.push(`${tick} ${kind} ${id} ${to === null ? 'all' : [...to].sort().join(',')}`);
    const end = (ended: Episode, ending: AlertPolicy | null) => {
      if (ended.known.size === 0 || ending?.on_recovery.notify === false) return;
      const all = new Map([...ended.known].map(([id, { to }]) => [id, to]));
      for (const { channel_id: id, to } of ending?.on_recovery.channels ?? [])
        all.set(id, all.has(id) ? union(all.get(id) ?? null, to) : to);
      for (const [id, to] of all) say('resolved', id, to);
    };
    if (trigger?.kind === 'over') isShut = false;

    if (episode !== null) {
      age(episode);
      if (policy === null) {
        if (trigger?.kind === 'resolve' && episode.recoveryNotifyMs === null) isShut = true;
        end(episode, null);
        episode = null;
        continue;
      }
      const ackSeconds = policy.escalation.ack_timeout_sec;
      if (episode.acknowledgedFor !== null && ackSeconds > 0 && episode.acknowledgedFor >= ackSeconds) {
        episode.acknowledgedFor = null;
        ask(episode, policy, tick, episode.openTick);
      }
    }
    if (policy === null) continue;

    if (episode === null) {
      if (trigger?.kind !== 'trouble' || isShut || !lastsLongEnough(trigger, policy, nowMs)) continue;
      episode = open(trigger, tick);
      ask(episode, policy, tick, tick);
    } else if (trigger?.kind === 'trouble' && lastsLongEnough(trigger, policy, nowMs)) {
      const wasOver = episode.recoveryNotifyMs !== null;
      const before = episode.levels.at(-1);
      if (trigger.type !== 'no_data' || before?.type === 'no_data' || wasOver) {
        if (wasOver) ask(episode, policy, tick, episode.openTick);
        episode.recoveryNotifyMs = null;
        episode.levels.push({ type: trigger.type, severity: trigger.severity });
        if (before && height(trigger) > height(before)) {
          episode.acknowledgedFor = null;
          ask(episode, policy, tick, tick);
        }
      }
    } else if (trigger?.kind === 'over' || trigger?.kind === 'resolve') {
      const notifyMs: number = trigger.kind === 'over' ? trigger.atMs + policy.on_recovery.delay_sec * 1000 : nowMs;
      const mayWait = trigger.kind === 'over' && trigger.resolution === 'recovered' && episode.known.size > 0;
      const isWaiting = episode.recoveryNotifyMs !== null;
      if (mayWait && !isWaiting && notifyMs > nowMs) episode.recoveryNotifyMs = notifyMs;
      else if (!mayWait || !isWaiting) {
        if (trigger.kind === 'resolve' && !isWaiting) isShut = true;
        end(episode, policy);
        episode = null;
        continue;
      }
    } else if (trigger?.kind === 'acknowledge' && episode.acknowledgedFor === null) episode.acknowledgedFor = 0;

    if (episode.recoveryNotifyMs !== null && episode.recoveryNotifyMs <= nowMs) {
      end(episode, policy);
      episode = null;
      continue;
    }
    const isOver = episode.recoveryNotifyMs !== null;
    const level = episode.levels.at(-1) ?? { type: 'down', severity: 'critical' };
    const { holds, drops } = heldAt(history, episode, policy, tick);
    follow(episode, policy, tick);
    const fires = !isOver && episode.acknowledgedFor === null;
    if (fires && episode.awaitsWindow) askWindows(episode, policy, tick);
    episode.awaitsWindow = fires && opening(episode, policy, tick + 1).length > 0;
    episode.isRunning = !isOver && episode.acknowledgedFor === null && !holds;
    if (isOver || holds) continue;

    const due = new Map<
      string,
      { kind: string; to: readonly string[] | null; repeats: boolean; rule: number | null }
    >();
    const add = (id: string, kind: string, to: readonly string[] | null, rule: number | null, repeats = false) => {
      const first = due.get(id);
      due.set(id, first === undefined ? { kind, to, repeats, rule } : { ...first, to: union(first.to, to) });
    };
    if (episode.acknowledgedFor !== null) {
      for (const [id, known] of episode.known) if (!known.knowsAck) add(id, 'acknowledged', known.to, known.rule);
    } else {
      const ready = [...episode.pending].filter(([, plan]) => plan.due <= tick);
      for (const [id, plan] of ready) {
        episode.pending.delete(id);
        const known = episode.known.get(id);
        if (known !== undefined) known.rule ??= plan.rule;
      }
      for (const [id, known] of episode.known) {
        const least = Math.min(...episode.levels.slice(known.levels - 1).map(height));
        const rule = policy.rules[known.rule ?? -1];
        const repeat = rule?.channels.some((choice) => choice.channel_id === id) ? rule.repeat : undefined;
        if (height(level) > least) add(id, 'severity', known.to, known.rule);
        else if (known.knowsAck) add(id, 'reminder', known.to, known.rule);
        else if (repeat?.enabled && known.reminders < repeat.max_count && known.sinceMessage >= repeat.interval_sec)
          add(id, 'reminder', known.to, known.rule, true);
      }
      for (const [id, plan] of ready) {
        const known = episode.known.get(id);
        if (known === undefined) add(id, 'firing', plan.to, plan.rule);
        else if (known.to !== null && plan.to === null) add(id, 'reminder', null, plan.rule);
        else if (known.to !== null && plan.to?.some((one) => !known.to?.includes(one)))
          add(
            id,
            'reminder',
            plan.to.filter((one) => !known.to?.includes(one)),
            plan.rule,
          );
      }
      const { steps, repeat } = policy.escalation;
      for (;;) {
        const step = steps[episode.step];
        if (step === undefined || episode.round > repeat || episode.ran < step.after_sec) break;
        for (const choice of step.channels) add(choice.channel_id, 'escalation', choice.to, null);
        episode.step += 1;
        if (episode.step < steps.length) continue;
        Object.assign(episode, { step: 0, ran: 0, round: episode.round + 1 });
      }
    }
    for (const [id, { kind, to, repeats, rule }] of due) {
      const known = episode.known.get(id);
      if (!drops) say(kind, id, to);
      else if (known === undefined) continue;
      const isRemembered = kind === 'escalation' || kind === 'acknowledged';
      episode.known.set(id, {
        to: known === undefined ? to : drops ? known.to : union(known.to, to),
        rule: known?.rule ?? rule,
        sinceMessage: known !== undefined && isRemembered ? known.sinceMessage : 0,
        reminders: (known?.reminders ?? 0) + (repeats ? 1 : 0),
        knowsAck: episode.acknowledgedFor !== null,
        levels: episode.levels.length,
      });
    }
  }
  return messages.sort();
}

function open({ type, severity, startedAtMs }: Extract<AlertTrigger, { kind: 'trouble' }>, tick: number): Episode {
  return {
    openTick: tick,
    startedAtMs,
    levels: [{ type, severity }],
    pending: new Map(),
    known: new Map(),
    acknowledgedFor: null,
    recoveryNotifyMs: null,
    awaitsWindow: false,
    ran: 0,
    isRunning: true,
    step: 0,
    round: 0,
  };
}

/** Adds a tick to everything that lasts. */
function age(episode: Episode): void {
  if (episode.isRunning) episode.ran += TICK_SECONDS;
  if (episode.acknowledgedFor !== null) episode.acknowledgedFor += TICK_SECONDS;
  for (const known of episode.known.values()) known.sinceMessage += TICK_SECONDS;
}

function lastsLongEnough(
  { type, startedAtMs }: Extract<AlertTrigger, { kind: 'trouble' }>,
  { suppression }: AlertPolicy,
  nowMs: number,
): boolean {
  const seconds = suppression.no_data_after_sec;
  return type !== 'no_data' || (seconds > 0 && nowMs - startedAtMs >= seconds * 1000);
}

function ask(episode: Episode, { rules }: AlertPolicy, tick: number, fromTick: number): void {
  for (const [index, rule] of rules.entries()) {
    const window = rule.match.time_window;
    if (!fits(rule, episode) || (window !== null && !covers(window, tick))) continue;
    for (const choice of rule.channels) plan(episode, choice, fromTick + rule.delay_sec / TICK_SECONDS, index);
  }
}

/** Rules whose window opens at a tick, each with its index. */
function opening(episode: Episode, { rules }: AlertPolicy, tick: number): [number, Rule][] {
  return [...rules.entries()].filter(([, rule]) => {
    const window = rule.match.time_window;
    return window !== null && fits(rule, episode) && covers(window, tick) && !covers(window, tick - 1);
  });
}

function askWindows(episode: Episode, policy: AlertPolicy, tick: number): void {
  for (const [index, rule] of opening(episode, policy, tick)) {
    const due = Math.max(tick, episode.openTick + rule.delay_sec / TICK_SECONDS);
    for (const choice of rule.channels) plan(episode, choice, due, index);
  }
}

/** Forgets what no rule names any longer, and asks all rules again if there was any. */
function follow(episode: Episode, policy: AlertPolicy, tick: number): void {
  const gone = [...episode.pending].filter(
    ([id, { rule }]) => !policy.rules[rule]?.channels.some((choice) => choice.channel_id === id),
  );
  for (const [id] of gone) episode.pending.delete(id);
  if (gone.length > 0) ask(episode, policy, tick, episode.openTick);
}

function plan({ pending }: Episode, { channel_id: id, to }: ChannelChoice, due: number, rule: number): void {
  const known = pending.get(id);
  if (known === undefined) pending.set(id, { due, to, rule });
  else pending.set(id, { ...(due < known.due ? { due, rule } : known), to: union(known.to, to) });
}

function fits({ match }: Rule, { levels }: Episode): boolean {
  const severity = levels.at(-1)?.severity ?? 'critical';
  if (match.severity.length > 0 && !match.severity.includes(severity)) return false;
  return match.tags_any.length === 0 || match.tags_any.some((tag) => monitorTags.includes(tag));
}

function heldAt(history: History, episode: Episode, { suppression }: AlertPolicy, tick: number) {
  const severity = episode.levels.at(-1)?.severity ?? 'critical';
  const quiet = suppression.quiet_hours.filter(
    (one) => severities.indexOf(severity) < severities.indexOf(one.below) && covers(one, tick),
  );
  const outside = holdsAt(history, tick).filter(({ hold }) => hold !== 'flapping' || suppression.flapping !== 'all');
  const lasted = (instantOf(tick) - episode.startedAtMs) / 1000;
  const waits = suppression.depends_on.length > 0 && !suppression.depends_on.includes('mon_1');
  const isEarly = lasted < suppression.after_sec || (waits && (tick - episode.openTick) * TICK_SECONDS < 30);
  const holds = outside.length > 0 || isEarly || quiet.some(({ action }) => action === 'hold');
  return { holds, drops: !holds && quiet.length > 0 };
}

function covers({ start, end }: TimeWindow, tick: number): boolean {
  const minute = Math.floor((tick * TICK_SECONDS) / 60);
  return minutesOf(start) <= minute && minute < minutesOf(end);
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
}

function height({ type, severity }: { readonly type: AlertType; readonly severity: AlertSeverity }): number {
  return types.indexOf(type) * 10 + severities.indexOf(severity);
}

function union(a: readonly string[] | null, b: readonly string[] | null): readonly string[] | null {
  return a === null || b === null ? null : [...new Set([...a, ...b])];
}
