import { ownTypeName } from '../../../config/channel-settings.js';
import { businessError, fieldError } from '../../../http/errors.js';
import { channelInvalid } from '../channels/channel-refusals.js';
import type { Recipient } from '../deliveries/destination.js';
import type { ChannelTypeName } from '../types/registry.js';
import { type GivenChoice, MAX_RULE_CHANNELS, type TypedChoice } from './policy-schema.js';

// Turns the channels of a request into those that are stored: each has an id, its type, and recipients or null for all of them.
//
//   {channel_id}            the channel
//   {channel_id, to}        the channel, for these of its recipients
//   {type, to}              for each recipient the oldest channel of the type that has it
//
// A channel that is named twice is one choice, so that it gets one message.

/** Channel that may be named. */
export interface KnownChannel {
  readonly id: string;
  readonly type: ChannelTypeName;
  readonly isDefault: boolean;
  /** Null if the type has no recipients. */
  readonly recipients: readonly Recipient[] | null;
}

/**
 * Channels of a rule, a step or a recovery. `known`: oldest first. `field`: path of the list, for errors.
 * @throws ApiError VALIDATION_FAILED, ALERT_CHANNEL_INVALID
 */
export function chosenChannels(
  given: readonly GivenChoice[],
  known: readonly KnownChannel[],
  field: string,
): TypedChoice[] {
  if (given.length > MAX_RULE_CHANNELS)
    throw businessError(field, 'refused', `must have at most ${MAX_RULE_CHANNELS} channels`);
  return merged(given.flatMap((choice, index) => chosen(choice, known, `${field}.${index}`)));
}

/** Choice of a whole channel. @throws ApiError VALIDATION_FAILED */
export function wholeChannel(id: string, known: readonly KnownChannel[], field: string): TypedChoice {
  const { type } = found(id, known, field);
  return { type, channel_id: id, to: null };
}

/** Choice of the default channel, which every account has. */
export function defaultChoice(known: readonly KnownChannel[]): TypedChoice {
  const channel = known.find(({ isDefault }) => isDefault);
  if (channel === undefined) throw new Error('the account has no default channel');
  return { type: channel.type, channel_id: channel.id, to: null };
}

function chosen(choice: GivenChoice, known: readonly KnownChannel[], field: string): TypedChoice[] {
  const { channel_id: id, to } = choice;
  const type = typeOf(choice);
  if (id !== undefined) {
    const channel = found(id, known, `${field}.channel_id`);
    if (type !== undefined && type !== channel.type)
      throw channelInvalid(`${field}.type`, `the channel is of type ${channel.type}`);
    if (to === undefined || to === null) return [{ type: channel.type, channel_id: id, to: null }];
    return to.map((text, index) => {
      const address = recipientOf(channel, text);
      if (address === null) throw channelInvalid(`${field}.to.${index}`, 'is not a verified recipient of the channel');
      return { type: channel.type, channel_id: id, to: [address] };
    });
  }
  if (to === undefined || to === null)
    throw fieldError(`${field}.channel_id`, 'required', 'is required unless type and to are sent');
  if (type === undefined) throw fieldError(`${field}.type`, 'required', 'is required without channel_id');
  const ofType = known.filter((channel) => channel.type === type);
  return to.map((text, index) => {
    for (const channel of ofType) {
      const address = recipientOf(channel, text);
      if (address !== null) return { type, channel_id: channel.id, to: [address] };
    }
    throw channelInvalid(`${field}.to.${index}`, `is not a verified recipient of a channel of type ${type}`);
  });
}

function typeOf({ type }: GivenChoice): ChannelTypeName | undefined {
  return type === undefined ? undefined : ownTypeName<ChannelTypeName>(type);
}

function found(id: string, known: readonly KnownChannel[], field: string): KnownChannel {
  const channel = known.find((candidate) => candidate.id === id);
  if (channel === undefined) throw fieldError(field, 'not_found', 'no such alert channel');
  return channel;
}

/** Recipient of a channel that may be written to, as stored; null if there is no such one. */
function recipientOf({ recipients }: KnownChannel, text: string): string | null {
  const usable = (recipients ?? []).filter(({ isVerified, isUnsubscribed }) => isVerified && !isUnsubscribed);
  const written = text.trim();
  // addresses are stored in lower case; ids of chat users are not
  const match = usable.find(({ to }) => to === written) ?? usable.find(({ to }) => to === written.toLowerCase());
  return match?.to ?? null;
}

function merged(choices: readonly TypedChoice[]): TypedChoice[] {
  const byChannel = new Map<string, TypedChoice>();
  for (const choice of choices) {
    const before = byChannel.get(choice.channel_id);
    const to =
      before === undefined
        ? choice.to
        : before.to === null || choice.to === null
          ? null
          : [...new Set([...before.to, ...choice.to])];
    byChannel.set(choice.channel_id, { ...choice, to });
  }
  return [...byChannel.values()];
}
