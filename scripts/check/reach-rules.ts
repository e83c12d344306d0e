/** Files that must not come to other files, however many imports lie between. Code of tests is not judged. */
export interface ReachRule {
  readonly name: string;
  readonly says: string;
  readonly from: RegExp;
  readonly to: RegExp;
  /** `runs`: by what is there when the program runs; `knows`: by types too. */
  readonly by: 'runs' | 'knows';
}

export const reachRules: readonly ReachRule[] = [
  {
    name: 'links-never-reach-http',
    says: 'links/ and ingest/ know no HTTP, nor does anything they import',
    from: /^control-plane\/src\/(?:links|ingest)\//,
    to: /^control-plane\/src\/http\//,
    by: 'knows',
  },
  {
    name: 'storage-is-below',
    says: 'db/ and bus/ run without http/, modules/, links/ and ingest/',
    from: /^control-plane\/src\/(?:db|bus)\//,
    to: /^control-plane\/src\/(?:http|modules|links|ingest)\//,
    by: 'runs',
  },
  {
    name: 'modules-are-above',
    says: 'what all modules stand on runs without any of them',
    from: /^control-plane\/src\/(?:audit-log|config|crypto|events|jobs|limits|mail|owners|plans)\//,
    to: /^control-plane\/src\/modules\//,
    by: 'runs',
  },
  {
    name: 'nothing-measures-here',
    says: 'link/ and spool/ of the agent run without anything that measures: probes run in another process',
    from: /^agent\/src\/(?:link|spool)\//,
    to: /^agent\/src\/(?:probes\/|net\/(?!abortable\.ts$)|measuring\/(?:runner|local-runner|local-room)\.ts$)/,
    by: 'runs',
  },
  {
    name: 'checkers-stand-apart',
    says: 'checkers of invariants share no code with the programs they judge',
    from: /^scripts\/invariants\//,
    to: /^(?:agent|control-plane)\//,
    by: 'knows',
  },
];
