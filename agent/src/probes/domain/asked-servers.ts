import { type AskedRegistryServer, MAX_ASKED_SERVERS } from '@vantage/shared/probe-types/domain.js';
import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { ProbeFailure } from '../failure.js';

type Protocol = AskedRegistryServer['protocol'];

/** Refusal of a registry's server to respond to queries for a time. */
export class RegistryRefusal extends ProbeFailure {
  /** `retryAfterS`: seconds, in the words of the server; null if it does not say. */
  constructor(
    code: ProbeErrorCode,
    message: string,
    readonly retryAfterS: number | null,
  ) {
    super(code, message);
  }
}

/** Servers that one lookup has asked, in order, each with its outcome. */
export class AskedServers {
  readonly entries: AskedRegistryServer[] = [];

  /** `skipped` are not asked. */
  constructor(private readonly skipped: readonly string[]) {}

  /**
   * Runs a query to a server and records its outcome. `answered` calls back with the server that responded in its place
   * after a redirect. @throws ProbeFailure no_reply for a server that is skipped; whatever the query throws
   */
  async ask<T>(
    protocol: Protocol,
    server: string,
    query: (answeredBy: (server: string) => void) => Promise<T>,
  ): Promise<T> {
    if (this.skipped.includes(server)) {
      this.#record({ protocol, server, outcome: 'skipped', retry_after_s: null });
      throw new ProbeFailure('no_reply', `"${server}" is not asked at present`);
    }
    let entry = this.#record({ protocol, server, outcome: 'failed', retry_after_s: null });
    const answeredBy = (other: string) => {
      if (other === entry.server) return;
      entry.outcome = 'answered';
      entry = this.#record({ protocol, server: other, outcome: 'failed', retry_after_s: null });
    };
    try {
      const answer = await query(answeredBy);
      entry.outcome = 'answered';
      return answer;
    } catch (error) {
      if (error instanceof RegistryRefusal) {
        entry.outcome = 'refused';
        entry.retry_after_s = error.retryAfterS;
      }
      throw error;
    }
  }

  #record(entry: AskedRegistryServer): AskedRegistryServer {
    if (this.entries.length < MAX_ASKED_SERVERS) this.entries.push(entry);
    return entry;
  }
}
