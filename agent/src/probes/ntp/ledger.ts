import type { ResolvedAddress } from '../../net/resolved-address.js';
import type { NtpReply } from './packet.js';
import type { Sample } from './sample.js';

/** Measurements so far, so that a probe that fails or is aborted still reports them. */
export class Ledger {
  address: ResolvedAddress | null = null;
  /** One entry for each request that was sent, in order; null is unanswered. */
  readonly samples: (Sample | null)[] = [];
  /** Answers to our requests, those without usable times included. */
  received = 0;
  /** Datagrams that were no answer to any of our requests. */
  ignored = 0;
  /** The first reply that ended the requests, if one did: a kiss-o'-death, or of a server that is not synchronised. */
  refusal: NtpReply | null = null;

  /** The samples there are. */
  get answered(): Sample[] {
    return this.samples.filter((sample) => sample !== null);
  }
}
