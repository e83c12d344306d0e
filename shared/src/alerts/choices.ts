import type { ChannelChoice } from './policy.js';

// A channel that is named more than once gets one message. Recipients are joined; null, which is all of them, wins.

/** Joins choices of the same channel, in the order in which channels are first named. */
export function joinChoices(choices: readonly ChannelChoice[]): ChannelChoice[] {
  const joined = new Map<string, ChannelChoice>();
  for (const choice of choices) {
    const known = joined.get(choice.channel_id);
    joined.set(choice.channel_id, known === undefined ? choice : joinTwo(known, choice));
  }
  return [...joined.values()];
}

/** Both choices of one channel as one. */
export function joinTwo(a: ChannelChoice, b: ChannelChoice): ChannelChoice {
  const to = a.to === null || b.to === null ? null : [...new Set([...a.to, ...b.to])];
  return { channel_id: a.channel_id, to };
}

/** Recipients of `wanted` that `known`, a choice of the same channel, does not have; null if it has them all. */
export function lackingRecipients(wanted: ChannelChoice, known: ChannelChoice): ChannelChoice | null {
  if (known.to === null) return null;
  // some of all recipients are known, but which ones the others are is not known here
  if (wanted.to === null) return wanted;
  const to = wanted.to.filter((recipient) => !known.to?.includes(recipient));
  return to.length === 0 ? null : { channel_id: wanted.channel_id, to };
}
