import type { Clock } from '@vantage/shared/clock.js';

// The control plane's time, as a line along this machine's monotonic clock. The wall clock is no part of it.
//
//   exchanges ──best of the last eight──> target line ──estimate(): at once──> times of results
//                                            └──serverNow(): slewed by 500 ppm at most──> schedules
//
// A target over a second away is not drift: the line steps there, and listeners record it. Time that the machine slept,
// which its monotonic clock does not count, moves both lines.

/** Number of exchanges from which the best one is chosen. */
const KEPT_EXCHANGES = 8;
/** Drift of a quartz and of the daemon that steers it: milliseconds of uncertainty per millisecond of age. */
const DRIFT = 100e-6;
/** Greatest rate at which the time of schedules is slewed. */
const SLEW = 500e-6;
/** Further away than this, and the line steps. */
const STEP_MS = 1000;
/** Beyond what two exchanges allow for: they speak of different clocks. */
const TOLERANCE_MS = 50;
/** A monotonic clock that has fallen behind the uptime by this was asleep. */
const SLEPT_MS = 50;
/** Shortest interval of reading the system's uptime, which is a file, unless the wall clock moved otherwise than this one. */
const UPTIME_MS = 100;
/** Readings of two clocks this close together were made at once. */
const AT_ONCE_MS = 2;
/** A process may be held up between two readings, again and again. */
const READINGS = 5;
/** Added to what another process of this boot knew, and to what is known from before this boot by the wall clock alone. */
const HANDED_OVER_MS = { sameBoot: 20, otherBoot: 1000 };

/** One question and answer (RFC 5905 section 8): the agent's times are monotonic, the server's are wall clock. */
export interface ClockExchange {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** Time at which the server received the request, milliseconds since the epoch. */
  readonly serverReceivedAt: number;
  /** Time at which the server replied. */
  readonly serverSentAt: number;
}

/** Clock fields of a result. */
export interface ClockEstimate {
  /** Server time minus this machine's wall clock, now. */
  readonly offsetMs: number;
  /** Half of the best exchange's round trip, and what a clock may have drifted since; -1: never exchanged, and the offset is 0. */
  readonly uncertaintyMs: number;
}

/** The line of schedules went somewhere else: slots between were not, or would be twice. */
export interface ClockStep {
  /** Server time after it, milliseconds since the epoch. */
  readonly at: number;
  /** Positive: forward. */
  readonly byMs: number;
}

/** Clock estimate that is kept for the next process. */
export interface KeptClock {
  readonly bootId: string;
  /** Uptime at that moment, sleep included. */
  readonly uptimeMs: number;
  /** This machine's wall clock at that moment, milliseconds since the epoch. */
  readonly wallAt: number;
  /** Server time then. */
  readonly serverAt: number;
  readonly uncertaintyMs: number;
}

/** The machine as it has been up. */
export interface Uptime {
  /** Changes with every boot; '' when it is not known. */
  readonly bootId: string;
  /** Milliseconds since boot, sleep included (CLOCK_BOOTTIME). */
  uptimeMs(): number;
}

interface Sample {
  /** Server time minus monotonic time without sleep. */
  readonly lineMs: number;
  readonly halfTripMs: number;
  /** Time at which it was taken, on that monotonic clock. */
  readonly takenMs: number;
}

interface ClockSyncOptions {
  readonly uptime?: Uptime;
  /** Estimate of the previous process, or null. */
  readonly kept?: KeptClock | null;
}

/** The control plane's time on this machine. */
export class ClockSync {
  readonly #clock: Clock;
  readonly #uptime: Uptime | null;
  readonly #behindAtFirstMs: number;
  readonly #listeners = new Set<(step: ClockStep) => void>();
  #samples: Sample[] = [];
  #sleptMs = 0;
  /** Uptime minus monotonic time, and when it was looked at, on both clocks. */
  #behind = { ms: 0, atMs: Number.NEGATIVE_INFINITY, wallAt: 0 };
  /** Time at which a sleep was last noticed, monotonic. */
  #wokeMs = Number.NEGATIVE_INFINITY;
  /** The line of schedules, and when it was bent last. */
  #shown: { lineMs: number; atMs: number } | null = null;

  constructor(clock: Clock, { uptime, kept }: ClockSyncOptions = {}) {
    this.#clock = clock;
    this.#uptime = uptime ?? null;
    this.#behindAtFirstMs = uptime === undefined ? 0 : readWithBounds(clock, () => uptime.uptimeMs()).most;
    if (kept) this.#samples = [this.#takeOver(kept)];
  }

  /** True if this process or one before it has had an exchange; without one, no schedule runs. */
  get isKnown(): boolean {
    return this.#samples.length > 0;
  }

  /** Hears of every step over a second. @returns how to hear no more */
  onStep(listener: (step: ClockStep) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds an exchange; ignores one whose times run backwards, and one during which the machine slept. */
  add(exchange: ClockExchange): void {
    const { sentMs, receivedMs, serverReceivedAt, serverSentAt } = exchange;
    const roundTripMs = receivedMs - sentMs - (serverSentAt - serverReceivedAt);
    if (!(roundTripMs >= 0) || serverSentAt < serverReceivedAt) return;
    const takenMs = this.#awakeMs();
    if (sentMs < this.#wokeMs) return;
    const lineMs = (serverReceivedAt + serverSentAt) / 2 - (sentMs + receivedMs) / 2 - this.#sleptMs;
    const sample = { lineMs, halfTripMs: roundTripMs / 2, takenMs };
    const isOfOneClock = this.#samples.every((older) => agree(older, sample));
    this.#samples = isOfOneClock ? [...this.#samples.slice(1 - KEPT_EXCHANGES), sample] : [sample];
    this.serverNow();
  }

  /** The best there is, for the times of results: it may jump as exchanges come in. */
  estimate(): ClockEstimate {
    const nowMs = this.#awakeMs();
    const best = this.#best(nowMs);
    if (best === null) return { offsetMs: 0, uncertaintyMs: -1 };
    const offsetMs = best.lineMs + this.#sleptMs - this.#wallAheadMs();
    return { offsetMs, uncertaintyMs: uncertaintyAt(best, nowMs) };
  }

  /** Server time for schedules, milliseconds since the epoch: never backwards but by a reported step; null if not known. */
  serverNow(): number | null {
    const nowMs = this.#awakeMs();
    const best = this.#best(nowMs);
    if (best === null) return null;
    const before = this.#shown ?? { lineMs: best.lineMs, atMs: nowMs };
    const missingMs = best.lineMs - before.lineMs;
    const slewMs = (nowMs - before.atMs) * SLEW;
    const isStep = Math.abs(missingMs) > STEP_MS;
    const lineMs = before.lineMs + (isStep ? missingMs : Math.min(slewMs, Math.max(-slewMs, missingMs)));
    this.#shown = { lineMs, atMs: nowMs };
    if (isStep) this.#announce({ at: lineMs + nowMs, byMs: missingMs });
    return lineMs + nowMs;
  }

  /** Server time of a moment of this machine's clock a short while ago; where it is not known, the machine's. */
  serverTimeOf(at: number): number {
    this.serverNow();
    return at + (this.#shown === null ? 0 : this.#shown.lineMs + this.#sleptMs - this.#wallAheadMs());
  }

  /** Estimate for the next process; null if nothing is known, or the boot cannot be identified. */
  keep(): KeptClock | null {
    const nowMs = this.#awakeMs();
    const best = this.#best(nowMs);
    if (best === null || this.#uptime === null) return null;
    const { bootId } = this.#uptime;
    const serverAt = best.lineMs + nowMs;
    const uptimeMs = this.#behindAtFirstMs + nowMs;
    const wallAt = this.#wallAheadMs() + nowMs - this.#sleptMs;
    return { bootId, uptimeMs, wallAt, serverAt, uncertaintyMs: uncertaintyAt(best, nowMs) };
  }

  /** This machine's wall clock minus its monotonic one. */
  #wallAheadMs(): number {
    const { least, most } = readWithBounds(this.#clock, () => this.#clock.now());
    return (least + most) / 2;
  }

  #announce(step: ClockStep): void {
    for (const listener of this.#listeners) listener(step);
  }

  /** Within one boot the uptime continues; over a reboot only the wall clock does, with unknown accuracy. */
  #takeOver(kept: KeptClock): Sample {
    const takenMs = this.#clock.monotonicMs();
    const uptimeMs = this.#uptime?.uptimeMs() ?? 0;
    const isSameBoot = kept.bootId !== '' && kept.bootId === this.#uptime?.bootId && uptimeMs >= kept.uptimeMs;
    const passedMs = isSameBoot ? uptimeMs - kept.uptimeMs : this.#clock.now() - kept.wallAt;
    const addedMs = isSameBoot ? HANDED_OVER_MS.sameBoot : HANDED_OVER_MS.otherBoot;
    const halfTripMs = kept.uncertaintyMs + addedMs + Math.abs(passedMs) * DRIFT;
    return { lineMs: kept.serverAt + passedMs - takenMs, halfTripMs, takenMs };
  }

  /** Monotonic time that also counts what the machine slept. A short sleep is no step of anything. */
  #awakeMs(): number {
    const monotonicMs = this.#clock.monotonicMs();
    if (this.#uptime === null) return monotonicMs;
    const behindMs = this.#behindMs(this.#uptime, monotonicMs) - this.#behindAtFirstMs;
    const sleptMs = behindMs - this.#sleptMs;
    if (sleptMs > SLEPT_MS) {
      this.#sleptMs = behindMs;
      this.#wokeMs = monotonicMs;
      const at = this.#shown && this.#shown.lineMs + monotonicMs + behindMs;
      if (at !== null && sleptMs > STEP_MS) this.#announce({ at, byMs: sleptMs });
    }
    return monotonicMs + this.#sleptMs;
  }

  /** A sleep is noticed at once, because the wall clock continues during it. */
  #behindMs(uptime: Uptime, atMs: number): number {
    const passedMs = atMs - this.#behind.atMs;
    const wallAt = this.#clock.now();
    const isFresh = passedMs < UPTIME_MS && Math.abs(wallAt - this.#behind.wallAt - passedMs) < SLEPT_MS / 2;
    if (!isFresh) this.#behind = { ms: readWithBounds(this.#clock, () => uptime.uptimeMs()).least, atMs, wallAt };
    return this.#behind.ms;
  }

  #best(nowMs: number): Sample | null {
    const [first, ...rest] = this.#samples;
    if (first === undefined) return null;
    return rest.reduce((a, b) => (uncertaintyAt(b, nowMs) <= uncertaintyAt(a, nowMs) ? b : a), first);
  }
}

/**
 * Another clock minus the monotonic one, in milliseconds: between `least` and `most`. A process may be held up between two
 * readings, which must not pass for sleep or for a clock that was set: the closest of several readings counts.
 */
function readWithBounds(clock: Clock, read: () => number): { readonly least: number; readonly most: number } {
  let closest = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
  for (let reading = 0; reading < READINGS && closest.most - closest.least > AT_ONCE_MS; reading += 1) {
    const before = clock.monotonicMs();
    const other = read();
    const between = { least: other - clock.monotonicMs(), most: other - before };
    if (between.most - between.least < closest.most - closest.least) closest = between;
  }
  return closest;
}

function uncertaintyAt({ halfTripMs, takenMs }: Sample, nowMs: number): number {
  return halfTripMs + (nowMs - takenMs) * DRIFT;
}

/**
 * True if two exchanges can both be right; otherwise the server's clock was set, or this machine was suspended
 * unnoticed.
 */
function agree(older: Sample, newer: Sample): boolean {
  const allowedMs = uncertaintyAt(older, newer.takenMs) + newer.halfTripMs + TOLERANCE_MS;
  return Math.abs(older.lineMs - newer.lineMs) <= allowedMs;
}
