import type { PolicyFields } from './policy-row.js';
import type { TypedChoice } from './policy-schema.js';

/**
 * A policy without a channel. Where it was the last one of a rule or a step, the default channel takes its place: no alert is lost
 * because a channel was deleted.
 */
export function withoutChannel<P extends PolicyFields>(policy: P, channelId: string, defaultChannel: TypedChoice): P {
  const others = (choices: readonly TypedChoice[]) => choices.filter((choice) => choice.channel_id !== channelId);
  const replaced = (choices: TypedChoice[]) => {
    const left = others(choices);
    return left.length === 0 && choices.length > 0 ? [defaultChannel] : left;
  };
  return {
    ...policy,
    rules: policy.rules.map((rule) => ({ ...rule, channels: replaced(rule.channels) })),
    escalation: {
      ...policy.escalation,
      steps: policy.escalation.steps.map((step) => ({ ...step, channels: replaced(step.channels) })),
    },
    on_recovery: { ...policy.on_recovery, channels: others(policy.on_recovery.channels) },
  };
}
