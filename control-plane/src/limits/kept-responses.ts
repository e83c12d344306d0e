import type { RateLimiter } from '../http/rate-limit.js';

const DAY_MS = 86_400_000;
/** Bytes of responses, and of requests of alert deliveries, that an account may have stored in a day: five thousand of the greatest size. */
const BYTES_PER_DAY = 20 * 1024 * 1024;

/**
 * Decides whether responses of other servers are stored. They are what fills a disk fastest: the owner of an endpoint chooses their length
 * and, by failing, their number.
 */
export class KeptResponses {
  constructor(private readonly limiter: Pick<RateLimiter, 'consume'>) {}

  /** True if an account may have so many bytes stored; they count from then on. */
  async keeps(ownerId: string, bytes: number): Promise<boolean> {
    if (bytes === 0) return true;
    const limit = { key: `kept-responses:${ownerId}`, limit: BYTES_PER_DAY, windowMs: DAY_MS };
    return (await this.limiter.consume(limit, bytes)).isAllowed;
  }
}
