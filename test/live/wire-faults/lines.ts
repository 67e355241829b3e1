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

const asks = `
owners configmap/mid secret/leaf | tree configmap/root | orphans | orphans -A | invalid-ownerrefs | why configmap/stuck |
why configmap/keeper | why -A | why --gc | audit | audit -A | podgc-preview | forecast --within 24h |
simulate --delete configmap/root | settings | delete configmap/root --preview | delete configmap/root --compare`;

const others = `
report --fail-on never --metrics-file FOLDER/answer | snapshot save FOLDER/answer -n ${namespace} |
delete configmap/root -n ${namespace} --dry-run=server --yes | restore BACKUP --preview |
run-controllers --until-settled --beside-controller-manager`;

const deletes = `
configmap/root | configmap/root --cascade=foreground | configmap/root --cascade=orphan |
configmap,secret -l garden=yes --field-selector metadata.name=alone | -f FOLDER/root.json |
pod/left --force --grace-period=0`;

const changes = `
invalid-ownerrefs --fix --yes | why configmap/stuck --fix --yes --remove-finalizer ${hold} |
podgc-preview --apply --yes --timeout 8s | forecast --apply --collector ttl-after-finished --yes --timeout 8s`;

const linesOf = (text: string, made: (line: string) => Line): Line[] =>
  text.split('|').map((line) => made(line.trim()));
const again = `--yes --ignore-not-found --backup FOLDER/again`;

export const lines: readonly Line[] = [
  ...linesOf(asks, (line) => ({ line: `${line} -n ${namespace} -o json` })),
  ...linesOf(others, (line) => ({ line })),
  { line: `__complete tree -n ${namespace} configmap/`, needsProcess: true },
  ...linesOf(deletes, (line) => ({
    line: `delete ${line} -n ${namespace} --yes --timeout 8s --backup FOLDER/backup`,
    again: `delete ${line} -n ${namespace} ${again}`,
    changes: true,
  })),
  {
    first: `delete configmap/root -n ${namespace} --plan FOLDER/plan.json`,
    line: 'delete --plan FOLDER/plan.json --yes --timeout 8s --backup FOLDER/backup',
    again: `delete configmap/root -n ${namespace} ${again}`,
    changes: true,
  },
  ...linesOf(changes, (line) => ({ line: `${line} -n ${namespace}`, changes: true })),
  { line: 'restore BACKUP --yes', changes: true },
];
