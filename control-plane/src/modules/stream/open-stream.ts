import type { Account } from '../../http/route.js';
import type { KnownMonitorRow } from '../monitors/index.js';
import type { Stream } from './stream.js';
import type { Topic } from './topics.js';

/** A request for a stream. */
export interface StreamRequest {
  readonly account: Account;
  readonly token: string;
  readonly address: string;
  /** Null: all that the credentials may have. */
  readonly topics: readonly Topic[] | null;
  /** Ids of monitors whose checks are sent. */
  readonly watch: readonly string[];
  readonly lastEventId: string | null;
  onEnding(callback: () => void): () => void;
}

/** An open stream, and the credentials it depends on. */
export interface OpenStream extends Pick<StreamRequest, 'account' | 'token'> {
  readonly stream: Stream;
  readonly topics: readonly Topic[];
  readonly watched: readonly KnownMonitorRow[];
  examinedMs: number;
}
