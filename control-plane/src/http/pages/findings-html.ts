import { type Html, html } from './html.js';
import { type Pill, pillHtml } from './pill-html.js';

/** A finding on a page. */
export interface PageFinding {
  readonly pill: Pill;
  readonly text: string;
  /** Sentence that says how to mend it; null: there is nothing to mend. */
  readonly remedy: string | null;
  /** Code, by which links lead to it. */
  readonly code: string;
  /** Further facts, such as the nodes that saw it. */
  readonly facts?: readonly string[];
}

/** Findings with their remedies, as a list. */
export function findingsHtml(findings: readonly PageFinding[]): Html | '' {
  if (findings.length === 0) return '';
  return html`<ul class="findings">${findings.map((finding) => findingHtml(finding))}</ul>`;
}

function findingHtml({ pill, text, remedy, code, facts = [] }: PageFinding): Html {
  return html`<li id="${code}">${pillHtml(pill)} ${text}${remedy !== null && html`<br>${remedy}`}
<br><span class="muted small"><code>${code}</code>${facts.map((fact) => ` · ${fact}`)}</span></li>`;
}
