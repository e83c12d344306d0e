import type { PolicyFields } from './policy-row.js';
import { MAX_RULE_CHANNELS, type TypedChoice } from './policy-schema.js';

/** A policy with a new channel in each rule that has channels: it gets what the policy sends to the others. Null if a rule has no room for it. */
export function withChannel<P extends PolicyFields>(policy: P, choice: TypedChoice): P | null {
  if (policy.rules.some(({ channels }) => channels.length >= MAX_RULE_CHANNELS)) return null;
  const rules = policy.rules.map((rule) =>
    rule.channels.length === 0 ? rule : { ...rule, channels: [...rule.channels, choice] },
  );
  return { ...policy, rules };
}

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
