import type { HeaderCode } from '../headers/header-grades.js';
import type { AsnOf } from '../probe-types/definition.js';
import type { ProbeError } from '../probe-types/error-codes.js';
import type { ZoneFindingCode } from '../probe-types/zone-audit.js';
import type { FindingLanguage } from './finding-rule.js';
import { findingText, type SectionName, sectionNames } from './finding-table.js';
import { hasResponse, judgeHttp, needsPlainHttp } from './judge-http.js';
import {
  areContradictory,
  hasHandshake,
  isBadGrade,
  judgeDns,
  judgePath,
  judgePing,
  judgeSsl,
} from './judge-others.js';
import { isJudged, type NodeResult, Seen } from './node-results.js';
import { type Finding, findingsOf, overallScore, sectionScore, wholeFindingsOf } from './score.js';
import type { DiagnoseTarget } from './target.js';
import { isForNamesOnly } from './task-plan.js';

/** Reasons for which a section is skipped or failed. */
export const sectionReasons = {
  address_target: 'An address has no zone, and no name for a certificate.',
  no_http_or_tls: 'Nothing at the target speaks HTTP or TLS.',
  nodes_failed: 'Only nodes failed: the results say nothing about the target.',
  timeout: 'No result in time.',
} as const;
export type SectionReason = keyof typeof sectionReasons;

export type SectionStatus = 'pending' | 'running' | 'completed' | 'failed' | 'skipped';

export interface Section {
  readonly status: SectionStatus;
  /** 0 to 100; null until completed. */
  readonly score: number | null;
  readonly findings: readonly Finding[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly task_id: string | null;
  readonly reason: SectionReason | null;
}

/** Report as its results make it (API specification 2.7); texts are added for its reader. */
export interface Report {
  readonly status: 'running' | 'completed' | 'failed';
  /** Null until completed. */
  readonly overall_score: number | null;
  readonly sections: Readonly<Partial<Record<SectionName, Section>>>;
}

/** Result of a question that one node answers. */
export interface SingleResult<T> {
  /** Null if unknown, because the answer was kept from an earlier question. */
  readonly nodeId: string | null;
  /** Null if the question has an answer. */
  readonly error: ProbeError | null;
  /** Null without an answer; without an error too, if only nodes failed. */
  readonly value: T | null;
}

/** Analysis of headers: its codes, and everything else of it as facts. */
export interface HeadersOutcome {
  readonly codes: readonly HeaderCode[];
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Results so far, in any order. */
export interface DiagnoseInput {
  readonly target: DiagnoseTarget;
  readonly scope: ReadonlySet<SectionName>;
  readonly nodeIds: readonly string[];
  /** True once the deadline has passed: nothing else arrives. */
  readonly isOver: boolean;
  readonly taskIds: Readonly<Partial<Record<SectionName, string>>>;
  readonly http: readonly NodeResult<'http'>[];
  /** Results of the second attempt by plain http; empty without one. */
  readonly plainHttp: readonly NodeResult<'http'>[];
  readonly ssl: readonly NodeResult<'ssl'>[];
  readonly dns: readonly NodeResult<'dns'>[];
  readonly ping: readonly NodeResult<'ping'>[];
  readonly traceroute: readonly NodeResult<'traceroute'>[];
  readonly zone: SingleResult<{ readonly findings: readonly { readonly code: ZoneFindingCode }[] }> | null;
  readonly headers: SingleResult<HeadersOutcome> | null;
  readonly asnOf: AsnOf;
}

/** True if the second attempt by plain http has to be made: all nodes have failed to connect or shake hands. */
export function wantsPlainHttp({ target, scope, nodeIds, http, isOver }: DiagnoseInput): boolean {
  if (target.plainUrl === null || !scope.has('http') || isOver || http.length < nodeIds.length) return false;
  return needsPlainHttp(http.filter(isJudged));
}

/** The report of these results; the order of their arrival plays no part. */
export function buildReport(input: DiagnoseInput): Report {
  const state = new ReportState(input);
  const sections: Partial<Record<SectionName, Section>> = {};
  for (const name of sectionNames) if (input.scope.has(name)) sections[name] = state.section(name);
  const all = Object.values(sections);
  if (all.some(({ status }) => status === 'pending' || status === 'running'))
    return { status: 'running', overall_score: null, sections };
  const scores: Partial<Record<SectionName, number>> = {};
  for (const name of sectionNames) {
    const score = sections[name]?.score ?? null;
    if (score !== null) scores[name] = score;
  }
  const overall = overallScore({
    scores,
    isWithoutHttp: sections.http?.status === 'completed' && !state.hasHttp,
    hasBadCertificate: input.ssl.some(({ result }) => isBadGrade(result.grade)),
  });
  return { status: overall === null ? 'failed' : 'completed', overall_score: overall, sections };
}

export function withText(finding: Finding, language: FindingLanguage): Finding & { readonly message: string } {
  return { ...finding, message: findingText(finding.code, language) };
}

const byNode = (a: { readonly nodeId: string }, b: { readonly nodeId: string }) => (a.nodeId < b.nodeId ? -1 : 1);

/** Results of a section that say something about the target, and what is missing. */
interface Gathered<T> {
  readonly results: readonly T[];
  readonly judged: readonly T[];
  readonly isDone: boolean;
  readonly missing: readonly string[];
}

class ReportState {
  readonly #input: DiagnoseInput;
  readonly #http: Gathered<NodeResult<'http'>>;
  /** Nodes whose response came by plain http only. */
  readonly #plainNodes: ReadonlySet<string>;

  constructor(input: DiagnoseInput) {
    this.#input = input;
    const plain = input.plainHttp.filter(hasResponse);
    this.#plainNodes = new Set(plain.map(({ nodeId }) => nodeId));
    const first = input.http.filter(({ nodeId }) => !this.#plainNodes.has(nodeId));
    this.#http = this.#gather([...first, ...plain]);
  }

  get hasHttp(): boolean {
    return this.#http.judged.some(hasResponse);
  }

  section(name: SectionName): Section {
    const { target } = this.#input;
    if (target.host.kind === 'address' && isForNamesOnly(name)) return this.#ended(name, 'skipped', 'address_target');
    return this[name]();
  }

  http(): Section {
    const isWaiting =
      wantsPlainHttp(this.#input) && this.#input.plainHttp.length < this.#input.nodeIds.length && !this.#input.isOver;
    return this.#fromNodes('http', this.#http, !isWaiting, (seen) => {
      for (const { nodeId, result } of this.#http.judged)
        for (const code of judgeHttp(result, this.#plainNodes.has(nodeId))) seen.add(code, nodeId);
    });
  }

  ssl(): Section {
    const gathered = this.#gather(this.#input.ssl);
    const hasTls = gathered.judged.some(hasHandshake);
    if (gathered.isDone && this.#isHttpSettled() && gathered.judged.length > 0 && !hasTls && !this.hasHttp)
      return this.#ended('ssl', 'skipped', 'no_http_or_tls');
    return this.#fromNodes('ssl', gathered, hasTls || this.#isHttpSettled(), (seen) => {
      for (const { nodeId, result } of gathered.judged) for (const code of judgeSsl(result)) seen.add(code, nodeId);
    });
  }

  dns(): Section {
    const { zone, asnOf, isOver, dns } = this.#input;
    const gathered = this.#gather(dns);
    return this.#fromNodes('dns', gathered, zone !== null || isOver, (seen) => {
      for (const { nodeId, result } of gathered.judged) for (const code of judgeDns(result)) seen.add(code, nodeId);
      if (areContradictory(gathered.judged, asnOf))
        for (const { nodeId } of gathered.judged) seen.add('dns_contradictory', nodeId);
    });
  }

  ping(): Section {
    const gathered = this.#gather(this.#input.ping);
    return this.#fromNodes('ping', gathered, this.#isHttpSettled(), (seen) => {
      for (const { nodeId, result } of gathered.judged)
        for (const code of judgePing(result, this.#hasHttpAt(nodeId))) seen.add(code, nodeId);
    });
  }

  traceroute(): Section {
    const gathered = this.#gather(this.#input.traceroute);
    return this.#fromNodes('traceroute', gathered, this.#isHttpSettled(), (seen) => {
      for (const { nodeId, result } of gathered.judged)
        for (const code of judgePath(result, this.#hasHttpAt(nodeId))) seen.add(code, nodeId);
    });
  }

  security_headers(): Section {
    const { headers, isOver } = this.#input;
    if (headers === null)
      return isOver ? this.#ended('security_headers', 'failed', 'timeout') : this.#open('security_headers', 'pending');
    if (headers.value === null) {
      const isOurs = headers.error === null || !isJudged({ result: { error: headers.error } });
      if (isOurs) return this.#ended('security_headers', 'failed', 'nodes_failed');
      if (!this.#isHttpSettled()) return this.#open('security_headers', 'running');
      // a site that responds to another node speaks HTTP, and was only too slow for this one
      if (this.hasHttp) return this.#ended('security_headers', 'failed', 'timeout');
      return this.#ended('security_headers', 'skipped', 'no_http_or_tls');
    }
    const { codes, facts } = headers.value;
    const findings = wholeFindingsOf(codes, headers.nodeId);
    return { ...this.#open('security_headers', 'completed'), score: sectionScore(findings), findings, facts };
  }

  /** True once it is known which nodes got an HTTP response; without section `http` nothing will be. */
  #isHttpSettled(): boolean {
    const { scope, isOver } = this.#input;
    return isOver || !scope.has('http') || (this.http().status !== 'running' && this.http().status !== 'pending');
  }

  #hasHttpAt(nodeId: string): boolean {
    return this.#http.judged.some((one) => one.nodeId === nodeId && hasResponse(one));
  }

  #gather<T extends { readonly nodeId: string; readonly result: { readonly error: ProbeError | null } }>(
    unsorted: readonly T[],
  ): Gathered<T> {
    const results = [...unsorted].sort(byNode);
    const arrived = new Set(results.map(({ nodeId }) => nodeId));
    const missing = this.#input.nodeIds.filter((nodeId) => !arrived.has(nodeId)).sort();
    return {
      results,
      judged: results.filter(isJudged),
      isDone: missing.length === 0 || this.#input.isOver,
      missing,
    };
  }

  /** A section from results of several nodes; completed with what there is once nothing else is expected. */
  #fromNodes<T extends { readonly nodeId: string; readonly result: object }>(
    name: SectionName,
    { results, judged, isDone, missing }: Gathered<T>,
    isReady: boolean,
    judge: (seen: Seen) => void,
  ): Section {
    if (!isDone || !isReady) return this.#open(name, results.length === 0 ? 'pending' : 'running');
    if (judged.length === 0) return this.#ended(name, 'failed', missing.length > 0 ? 'timeout' : 'nodes_failed');
    const seen = new Seen();
    judge(seen);
    const findings = [...findingsOf(seen.sightings, judged.length), ...(name === 'dns' ? this.#zoneFindings() : [])];
    const facts = {
      nodes: results.map(({ nodeId, result }) => ({ node_id: nodeId, ...result })),
      missing_node_ids: missing,
      ...(name === 'dns' ? { zone: this.#input.zone?.value ?? null } : {}),
    };
    return { ...this.#open(name, 'completed'), score: sectionScore(findings), findings, facts };
  }

  /** The zone is audited by one node, whose word is whole. */
  #zoneFindings(): Finding[] {
    const { zone } = this.#input;
    if (zone === null || zone.value === null) return [];
    const codes = zone.value.findings.map(({ code }) => code);
    return wholeFindingsOf(codes, zone.nodeId);
  }

  #open(name: SectionName, status: SectionStatus): Section {
    return { status, score: null, findings: [], facts: {}, task_id: this.#input.taskIds[name] ?? null, reason: null };
  }

  #ended(name: SectionName, status: 'failed' | 'skipped', reason: SectionReason): Section {
    return { ...this.#open(name, status), reason };
  }
}
