import type { Clock } from '@vantage/shared/clock.js';
import type { ChannelUses } from '../channels/channel-uses.js';
import type { ChannelTypeName } from '../types/registry.js';
import type { LookAgain } from './look-again.js';
import { findDefaultChannel, lockDefaultPolicy, lockPoliciesNaming, updatePolicy } from './policy-store.js';
import { withChannel, withoutChannel } from './with-channel.js';

/** Policies that name channels, for the creation and deletion of these. */
export function policyUses({
  clock,
  lookAgain,
}: {
  readonly clock: Clock;
  readonly lookAgain: LookAgain;
}): ChannelUses {
  return {
    list: lockPoliciesNaming,
    async remove(trx, channelId) {
      const policies = await lockPoliciesNaming(trx, channelId);
      const [first] = policies;
      if (first === undefined) return;
      const instead = { type: 'email', channel_id: await findDefaultChannel(trx, first.owner_id), to: null } as const;
      for (const policy of policies)
        await updatePolicy(trx, policy.id, withoutChannel(policy, channelId, instead), new Date(clock.now()));
      await lookAgain.queue(trx, first.owner_id);
    },
    async joinDefault(trx, { id, type, owner_id: ownerId }) {
      const policy = await lockDefaultPolicy(trx, ownerId);
      const choice = { type: type as ChannelTypeName, channel_id: id, to: null };
      const joined = policy === null ? null : withChannel(policy, choice);
      if (joined === null) return false;
      await updatePolicy(trx, joined.id, joined, new Date(clock.now()));
      await lookAgain.queue(trx, ownerId);
      return true;
    },
  };
}
