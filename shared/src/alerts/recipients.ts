import type { ChannelChoice, EscalationStep } from './policy.js';

/** Channels and people that a step of the escalation turns to at an instant. */
export type Recipients = (step: EscalationStep, instantMs: number) => readonly ChannelChoice[];

/** The only place that turns a step into recipients. There are no schedules yet: the channels of the step. */
export const recipients: Recipients = (step) => step.channels;
