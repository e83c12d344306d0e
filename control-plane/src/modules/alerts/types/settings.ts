import type { ChannelUrls, Gateway, VendorName } from '../../../config/channel-settings.js';

/** Settings of the operator that channel types use. */
export interface ChannelSettings {
  readonly channelUrls: ChannelUrls;
  readonly smsGateway: Gateway | null;
  readonly voiceGateway: Gateway | null;
}

/** Origin of a vendor, and true if it is the operator's own. */
export interface Base {
  readonly origin: string;
  readonly isOwn: boolean;
}

/** Origin to use for a vendor, whose own one is `usual`. */
export function baseOf(settings: ChannelSettings, vendor: VendorName, usual: string): Base {
  const own = settings.channelUrls[vendor];
  return own === undefined ? { origin: usual, isOwn: false } : { origin: own, isOwn: true };
}

/** Addresses that the target policy judges: none if the origin is the operator's own. */
export function judgedUrls({ origin, isOwn }: Base): readonly string[] {
  return isOwn ? [] : [origin];
}
