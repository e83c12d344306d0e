import type { Html } from '../../../http/html.js';
import type { GuideStep } from './commands.js';

/** What the guide says at one step. */
export interface StepText {
  readonly heading: string;
  /** Above the commands. */
  readonly before: Html;
  /** Below them: what to see in the answer. */
  readonly after?: Html;
}

/** The guide in one language. */
export interface GuideText {
  readonly title: string;
  readonly introduction: Html;
  readonly contents: string;
  readonly steps: Readonly<Record<GuideStep, StepText>>;
  readonly ending: Html;
}
