import type { ReadAgentStatus } from '../agent-status.js';
import type { SpoolStatus } from '../spool-status.js';

/** Output of `status`: the agent's own report, whether it can be trusted, and what is on disk. */
export interface StatusReport {
  readonly is_running: boolean;
  readonly is_connected: boolean;
  readonly state_dir: string;
  /** Id of the node; null if not enrolled. */
  readonly node_id: string | null;
  readonly control_urls: readonly string[];
  /** Problem, with advice where there is any, or null. */
  readonly problem: string | null;
  /** Newest report of the agent; null if none is usable. */
  readonly agent: ReadAgentStatus | null;
  /**
   * Contents of the spool file when the agent does not report them itself; null if there is no spool file, or the agent reports
   * them.
   */
  readonly stored_spool: SpoolStatus | null;
}
