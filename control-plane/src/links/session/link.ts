import type { AgentSpool } from '../records/agent-spool.js';
import type { LaneNumbers } from '../records/catch-up.js';
import type { KnownLink } from '../records/known-link.js';
import type { OutgoingJob } from '../traffic/jobs-out.js';
import type { CloseAdvice, CloseReason } from './closing.js';
import type { NodeFacts } from './node-facts.js';

/** State that an authenticated agent reported it still has. */
export interface ResumeState {
  readonly runningTaskIds: ReadonlySet<string>;
  /**
   * Number of the first link that the node's process opened: jobs sent under an earlier link belong to a previous
   * process.
   */
  readonly bootOpening: number;
}

/** One link of an agent, as the parts see it that do not run it. */
export interface Link {
  readonly sessionId: string;
  /** '' before the agent has proved who it is. */
  readonly nodeId: string;
  /** Row revision that the link was opened with: only newer revisions concern it. */
  readonly revision: number;
  readonly resume: ResumeState;
  readonly isOpen: boolean;
  /** Public address that the agent connects from; '' if unknown. */
  readonly peerAddress: string;
  /** The agent's spool at its last heartbeat. */
  readonly spool: AgentSpool;
  /** Time of the last heartbeat, milliseconds since the epoch; 0: never. */
  readonly heardAt: number;
  /** Jobs sent over this link without a result: the load that this replica knows of. */
  readonly inFlight: number;
  /** True if everything the node held when it connected is stored. */
  readonly isCaughtUp: boolean;
  /** Record that the database must have of this link, as it once confirmed it; null while the link is not open. */
  readonly known: KnownLink | null;
  /** Number of frames from the agent that this build does not know. */
  readonly passedOver: number;
  /** True if the node received or answered this job over this link. */
  hasSent(taskId: string): boolean;
  /** Sends a stored task to the node, unless the node received or answered it over this link. */
  sendJob(job: OutgoingJob): void;
  /** Compares the assignments that the node was sent with those in the database, and sends what differs. */
  lookForAssignments(): void;
  /** Reads the node's assignments of these monitors again, and sends those that changed. */
  lookForAssignmentsOf(monitorIds: readonly string[]): void;
  /** Asks the node, if it watches the monitor, to check it now, in addition to its schedule. */
  askForCheck(monitorId: string, generation: number, request: string): void;
  /** Sends the agent its configuration again after a change. */
  sendConfig(): void;
  /**
   * Sends the agent the number of rows it may have in flight, if that changes; one that does not read gets it later.
   */
  grant(credits: LaneNumbers): boolean;
  /** Acts on the newest record of the node: closes the link, or sends the node its pending requests. */
  takeFacts(node: NodeFacts): void;
  /** Sends the reason and closes; the socket is cut if the peer does not reply. */
  close(reason: CloseReason, message: string, advice?: CloseAdvice): void;
}
