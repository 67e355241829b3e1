import { hold, namespace } from './garden.ts';

/** A command line to try. FOLDER is a folder of the run, BACKUP one with a backup of what was lost. */
export interface Line {
  readonly line: string;
  /** Run first, without a fault. */
  readonly first?: string;
  /** What completes the work where the line itself cannot be run again. */
  readonly again?: string;
  /** Does it follow what it sends until that has happened? */
  readonly changes?: boolean;
  /** Its process is ended by the command itself. */
  readonly needsProcess?: boolean;
}

const asks = (line: string): Line => ({ line: `${line} -n ${namespace} -o json` });
const deletes = (rest: string, more: Partial<Line> = {}): Line => ({
  line: `delete ${rest} -n ${namespace} --yes --timeout 8s --backup FOLDER/backup`,
  again: `delete ${rest} -n ${namespace} --yes --ignore-not-found --backup FOLDER/again`,
  changes: true,
  ...more,
});
const changes = (line: string): Line => ({ line: `${line} -n ${namespace}`, changes: true });

export const lines: readonly Line[] = [
  asks('owners configmap/mid secret/leaf'),
  asks('tree configmap/root'),
  asks('orphans'),
  asks('orphans -A'),
  asks('invalid-ownerrefs'),
  asks('why configmap/stuck'),
  asks('why configmap/keeper'),
  asks('why -A'),
  asks('why --gc'),
  asks('audit'),
  asks('audit -A'),
  asks('podgc-preview'),
  asks('forecast --within 24h'),
  asks('simulate --delete configmap/root'),
  asks('settings'),
  asks('delete configmap/root --preview'),
  asks('delete configmap/root --compare'),
  { line: `report --fail-on never --metrics-file FOLDER/answer` },
  { line: `snapshot save FOLDER/answer -n ${namespace}` },
  { line: `delete configmap/root -n ${namespace} --dry-run=server --yes` },
  { line: 'restore BACKUP --preview' },
  { line: `run-controllers --until-settled --beside-controller-manager` },
  { line: `__complete tree -n ${namespace} configmap/`, needsProcess: true },
  deletes('configmap/root'),
  deletes('configmap/root --cascade=foreground'),
  deletes('configmap/root --cascade=orphan'),
  deletes('configmap,secret -l garden=yes --field-selector metadata.name=alone'),
  deletes('-f FOLDER/root.json'),
  deletes('pod/left --force --grace-period=0'),
  {
    first: `delete configmap/root -n ${namespace} --plan FOLDER/plan.json`,
    line: 'delete --plan FOLDER/plan.json --yes --timeout 8s --backup FOLDER/backup',
    again: `delete configmap/root -n ${namespace} --yes --ignore-not-found --backup FOLDER/again`,
    changes: true,
  },
  changes('invalid-ownerrefs --fix --yes'),
  changes(`why configmap/stuck --fix --yes --remove-finalizer ${hold}`),
  changes('podgc-preview --apply --yes --timeout 8s'),
  changes('forecast --apply --collector ttl-after-finished --yes --timeout 8s'),
  changes('restore BACKUP --yes'),
];
