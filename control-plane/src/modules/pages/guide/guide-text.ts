import type { Html } from '../../../http/pages/html.js';
import type { GuideStep } from './commands.js';

export interface StepText {
  readonly heading: string;
  /** Text above the commands. */
  readonly before: Html;
  /** Text below the commands, about the response. */
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
