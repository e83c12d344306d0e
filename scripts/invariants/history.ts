// History of a run, as observed outside of the product: by the network between the programs, the engine that measured,
// the script that sent requests and caused faults, and the database at the end. JSON, one record a line.
//
//   accepted -> started -> produced -> durable -> sent -> acknowledged          kept (read at the end)
//   API         engine     engine      spool      wire    wire                  database
//
// A `subject` identifies a result: the id of a node task, or the name of a check. Times (`at`, `storedAt`, …) are
// milliseconds since the epoch by the clock of the database, or by the single clock of the run. The order of lines is
// the order of events where a checker requires it.

/** Position of a row of the spool, which (epoch, lane, sequence) identify. */
export interface RowRange {
  readonly nodeId: string;
  /** Hex. */
  readonly epoch: string;
  readonly lane: string;
  readonly first: number;
  readonly last: number;
}

/** One monitor on one node. */
export interface WatchOf {
  readonly nodeId: string;
  readonly monitorId: string;
}

/** Slots at even distances, both ends included. Milliseconds since the epoch. */
export interface SlotRunOf extends WatchOf {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
}

/** Fields of a record, by its type. */
export interface HistoryEvents {
  /** The API (or whatever makes work) has said yes; `subject` is the id of the node task. */
  readonly accepted: { readonly subject: string; readonly nodeId: string };
  /** An engine began to measure; `bootId` names the agent process. */
  readonly started: { readonly subject: string; readonly nodeId: string; readonly bootId: string };
  /** An engine has a result; `durationMs` as the result itself says. */
  readonly produced: { readonly subject: string; readonly nodeId: string; readonly durationMs: number };
  /** A row that is no result was given to an agent's spool on purpose: it has to be refused, and must not be kept. */
  readonly nonsense: { readonly subject: string; readonly nodeId: string };
  /** The agent's disk has it: from here on it may not vanish without a word. */
  readonly durable: { readonly subject: string; readonly nodeId: string };
  /**
   * An agent's spool was lost as a whole. Restored from a copy: no one can know what it held, which is excused. Corrupted
   * (`isNoticed`): the agent can, and declares what waited in it.
   */
  readonly 'spool-lost': { readonly nodeId: string; readonly isNoticed?: boolean };
  /** A batch on the wire: `subjects[i]` has sequence `first + i`. */
  readonly sent: Omit<RowRange, 'last'> & { readonly subjects: readonly string[] };
  /** An acknowledgement that reached the agent; every number through `mark` is said to be durable. */
  readonly acknowledged: Omit<RowRange, 'first' | 'last'> & {
    readonly mark: number;
    readonly rejected: readonly number[];
  };
  /** The database came back without what was committed after `since`. */
  readonly 'database-rolled-back': { readonly since: number };
  readonly banned: { readonly nodeId: string };
  readonly unbanned: { readonly nodeId: string };
  /** An enrollment with a token succeeded. */
  readonly 'token-used': { readonly token: string; readonly publicKey: string };
  /** An enrollment with a token was refused. */
  readonly 'token-refused': { readonly token: string; readonly publicKey: string };
  /** The caller read the end of a node task: `success`, or the error's code. */
  readonly read: { readonly subject: string; readonly outcome: string };
  /** A program ended, or ended otherwise than asked, and no one had broken it. */
  readonly crashed: { readonly of: string; readonly how: string };
  /** A node's link opened, as the node itself saw it. */
  readonly online: { readonly nodeId: string };
  readonly offline: { readonly nodeId: string };
  /** A value that has a bound, looked at now: bytes of memory, bytes of a spool, rows. */
  readonly gauge: { readonly name: string; readonly of: string; readonly value: number; readonly limit: number };
  /** An agent's belief about the server's time: `errorMs` is its error. A negative uncertainty: it knew nothing. */
  readonly clock: { readonly nodeId: string; readonly errorMs: number; readonly uncertaintyMs: number };
  /** An agent wanted to send a packet there; `isRefused`: to a range that is refused. */
  readonly packet: { readonly nodeId: string; readonly to: string; readonly isRefused: boolean };
  /** A node was asked to measure what it has to refuse, or what leads there. */
  readonly tempted: { readonly to: string };
  /** Text that people or other programs may see: a log line, a result, a URL. */
  readonly text: { readonly where: string; readonly text: string };
  /** A frame about what a node is to watch went over its link. */
  readonly heard: {
    readonly nodeId: string;
    readonly set: readonly { readonly monitorId: string; readonly generation: number; readonly intervalMs: number }[];
    readonly dropped: readonly string[];
    /** True if monitors that are not named are dropped. */
    readonly isEverything: boolean;
  };
  /** A node answers for every slot of a monitor that is due after `afterMs`: it was sent the assignment, and its disk knows. */
  readonly 'watch-begun': WatchOf & {
    readonly generation: number;
    readonly intervalMs: number;
    readonly afterMs: number;
    /** Due time of its first check: at once, not at the start of its slot. Absent if it waited for a slot. */
    readonly firstMs?: number;
  };
  /** Assignment that was withdrawn, or replaced by another generation. */
  readonly 'watch-ended': WatchOf;
  /** The database has forgotten that it was ever to watch it: what it reports of that is no one's. */
  readonly 'watch-forgotten': WatchOf;
  /** A process of an agent handed a report of slots to its spool. */
  readonly told: SlotRunOf & { readonly subject: string };
  /**
   * A request about an episode of trouble reached the receiver of a channel, which accepted it or not. `key`: the id that is the
   * same for every attempt at the message.
   */
  readonly 'message-taken': {
    readonly channel: string;
    readonly alertId: string;
    readonly key: string;
    readonly about: 'begin' | 'end';
    readonly isAccepted: boolean;
  };
  /** A process that sends messages, or its way to the database or to a receiver, was broken or mended. */
  readonly 'sender-interrupted': Readonly<Record<never, never>>;
  /** Moment after which nothing is broken any more. `patienceMs`: time within which all must be well. */
  readonly healed: { readonly patienceMs: number };
  /** All is well again: from here on no link may end. */
  readonly calm: Readonly<Record<never, never>>;
  /** Read at the end: a node task as the database has it. */
  readonly task: {
    readonly subject: string;
    readonly nodeId: string;
    readonly state: 'pending' | 'done' | 'lost';
    readonly storedAt: number | null;
    /** `success`, or the error's code; null while it is pending. Absent where no one looked. */
    readonly outcome?: string | null;
  };
  /** Read at the end: a result as the database keeps it, wherever that is. */
  readonly kept: {
    readonly subject: string;
    readonly nodeId: string;
    /** `result`: it counts; `superseded`: a second one, or one that came too late; `dead-letter`: could not be stored. */
    readonly as: 'result' | 'superseded' | 'dead-letter';
    readonly storedAt: number;
  };
  /** Read at the end: numbers that the agent declared as dropped. */
  readonly gap: RowRange & { readonly reason: string };
  /** Read at the end: slots as the database keeps them; `missed`: why they were not run, null if they were. */
  readonly slots: SlotRunOf & { readonly missed: string | null };
  /** Read at the end: an event of a monitor whose target was there all the time; `endedAt` is null while it is open. */
  readonly event: {
    readonly monitorId: string;
    readonly startedAt: number;
    readonly endedAt: number | null;
    /** Type and reason. */
    readonly what: string;
  };
  /** Read at the end: an episode of trouble and one channel that is to be notified of it; `endedAt` is null while it goes on. */
  readonly episode: {
    readonly channel: string;
    readonly alertId: string;
    readonly startedAt: number;
    readonly endedAt: number | null;
  };
  /** Read at the end: what a node is to watch. */
  readonly assigned: WatchOf & { readonly generation: number };
  /** Read at the end: rows that an agent still holds unacknowledged. */
  readonly backlog: { readonly nodeId: string; readonly rows: number };
}

/** The types of records. */
export type HistoryType = keyof HistoryEvents;

export type HistoryRecordOf<T extends HistoryType> = { readonly at: number; readonly type: T } & HistoryEvents[T];

/** Any record. */
export type HistoryRecord = { readonly [T in HistoryType]: HistoryRecordOf<T> }[HistoryType];

/** A run as it was seen, in order, and what no one may have seen. */
export interface History {
  readonly records: readonly HistoryRecord[];
  /** Key material and tokens that were in use, as they would appear in a text; never written down with the records. */
  readonly secrets: readonly string[];
}

/** The records of one type, in order. */
export function recordsOf<T extends HistoryType>({ records }: History, type: T): HistoryRecordOf<T>[] {
  return records.filter((record): record is HistoryRecord & HistoryRecordOf<T> => record.type === type);
}

/** One line, without its end. */
export function encodeRecord(record: HistoryRecord): string {
  return JSON.stringify(record);
}
