/** Effects on the bytes in one direction of a line; by default both directions are as good as a wire can be. */
export interface Weather {
  /** Added to every piece, order kept. */
  readonly latencyMs: number;
  /** Up to this much more, at random. */
  readonly jitterMs: number;
  /** Null for as fast as it goes. */
  readonly bytesPerSecond: number | null;
  /** True if nothing arrives, including the end of the connection; data sent meanwhile arrives afterwards. */
  readonly isStalled: boolean;
  /** Pieces of at most this size, each in a write of its own; null to send them as they come. */
  readonly sliceBytes: number | null;
  /** Bytes of one connection that pass from now on before it is cut; null for any number. */
  readonly cutAfterBytes: number | null;
}

/** Towards the server, and back. */
export type Direction = 'up' | 'down';

const clear: Weather = {
  latencyMs: 0,
  jitterMs: 0,
  bytesPerSecond: null,
  isStalled: false,
  sliceBytes: null,
  cutAfterBytes: null,
};

/** Reaction of a connection on a line when the line changes. */
export interface LineUser {
  onWeather(): void;
  /** Ends the connection on both sides: by a reset, or in good order as a shutdown does. */
  cut(by: 'rst' | 'fin'): void;
}

/** The wire between two places: its weather, and who uses it now. */
export class Line {
  readonly #weather: Record<Direction, Weather> = { up: clear, down: clear };
  readonly #users = new Set<LineUser>();

  constructor(readonly name: string) {}

  get connections(): number {
    return this.#users.size;
  }

  weather(direction: Direction): Weather {
    return this.#weather[direction];
  }

  /** Changes what is named, from now on, for what is on its way too. */
  set(change: Partial<Weather>, directions: readonly Direction[] = ['up', 'down']): void {
    for (const direction of directions) this.#weather[direction] = { ...this.#weather[direction], ...change };
    for (const user of this.#users) user.onWeather();
  }

  /** Resets all settings. */
  heal(): void {
    this.set(clear);
  }

  /** Ends all connections there are; new ones are welcome. */
  cut(by: 'rst' | 'fin'): void {
    for (const user of this.#users) user.cut(by);
  }

  /** @returns how to leave it */
  join(user: LineUser): () => void {
    this.#users.add(user);
    return () => this.#users.delete(user);
  }
}
