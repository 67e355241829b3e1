import { allRuleIds } from '../../audit/audit.ts';
import { knownRule } from '../../audit/audit-config.ts';
import { auditRules, manifestRules } from '../../audit/rules/audit-rules.ts';
import { referenceRules } from '../../audit/rules/reference-rules.ts';
import { usageError } from '../../errors.ts';
import { writeOut } from '../terminal/streams.ts';

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly severity: string;
  readonly consequence: string;
}

/** Wrong references have no severity of their own. */
const shown: readonly Shown[] = [
  ...referenceRules.map(({ id, title }) => ({
    id,
    title,
    severity: 'depends',
    consequence:
      'what the collector does with the object: deleted, kept by another owner, or never collected; how grave it is follows from that',
  })),
  ...auditRules.map(({ id, title, severity, consequence }) => {
    return { id, title, severity, consequence };
  }),
  ...manifestRules.map(({ id, title, severity, consequence }) => {
    return { id, title: `${title} (--against-cluster)`, severity, consequence };
  }),
];

/** Every rule on a line: its id, its severity, what it finds; with `-o name` the ids alone. */
export async function listRules(output: string): Promise<void> {
  if (!['table', 'wide', 'name'].includes(output)) {
    throw usageError(
      'list-rules-output',
      `--list-rules cannot be printed as ${output}`,
      'Use -o table or -o name.',
    );
  }
  const idsOnly = output === 'name';
  const width = Math.max(...shown.map(({ id }) => id.length));
  const lines = shown.map(({ id, severity, title }) =>
    idsOnly ? id : `${id.padEnd(width)}   ${severity.padEnd(8)}   ${title}`,
  );
  const head = `${'RULE'.padEnd(width)}   SEVERITY   FINDS`;
  await writeOut(`${[...(idsOnly ? [] : [head]), ...lines].join('\n')}\n`);
}

/** What one rule finds, what comes of it, what to do about it, and where more is said. */
export async function explainRule(asked: string): Promise<void> {
  const id = knownRule(asked, allRuleIds, '--explain');
  for (const { title, severity, consequence } of shown.filter((one) => one.id === id)) {
    const page = `docs/rules/${id}.md`;
    await writeOut(
      `${id}\n  Finds:        ${title}.\n  Severity:     ${severity}\n  Consequence:  ${consequence}.\n  Fix:          ${fixAdvice[id] ?? ''}\n  Page:         ${page}\n`,
    );
  }
}

/**
 * What to do about what a rule finds, by its id: how the section on its page begins.
 * @internal
 */
export const fixAdvice: Readonly<Record<string, string>> = {
  'missing-owner':
    'To keep the object, remove the reference, before the controller manager is restarted. To let it go, do nothing.',
  'owner-uid-mismatch': 'Point the reference at the uid that lives now, or remove it.',
  'owner-name-mismatch': 'Name the owner as it is called.',
  'owner-kind-mismatch': 'Name the kind that the owner has.',
  'cross-namespace-owner': 'Remove the reference.',
  'namespaced-owner-of-cluster-object':
    "Remove the reference, and let the owner's controller delete the object in a finalizer.",
  'unserved-owner-kind':
    'Where the uid is known, name the owner as it is; else remove the reference, or install the API again.',
  'unserved-owner-version':
    'Name a served version, if an object with that uid lives. If none does, the version alone would not do: with it the object would be deleted at once.',
  'several-controllers': 'Leave one.',
  'duplicate-uid': 'Keep the one that is right.',
  'self-owner':
    'Remove the reference. What hangs already is freed by deleting it once more with --cascade=background.',
  'ownership-cycle':
    'Remove the reference that should not be, or delete one member in the foreground, which undoes the whole ring.',
  'orphaned-job-pods': 'Delete the pods.',
  'event-owner': 'Remove the reference. Events expire by themselves.',
  'doomed-dependents': 'Fix the references of the object before the garbage collector comes to it.',
  'frozen-object':
    'Where the API is down, bring its server back. Else decide about the object: delete it, or remove the references to keep it.',
  'blocked-foreground-deletion':
    'kubectl gc why shows the chain to the blocker. With --fix it offers the smallest step that frees it.',
  'stuck-object':
    'Bring back what should finish it: that cleans up, too. kubectl gc why shows the chain, and with --fix offers the smallest safe step.',
  'stuck-namespace':
    'kubectl gc why shows the chain to the blocker. Do not empty spec.finalizers: that leaves in etcd what was in it.',
  'finalizer-without-controller':
    'Bring the program back, delete the objects while it runs, and uninstall it then.',
  'unavailable-api':
    'Bring the server behind its Service back. If it was uninstalled for good, delete the APIService. kubectl gc why --gc shows what is missing.',
  'unlistable-kind':
    'Bring the conversion webhook back, or find out why the list fails. kubectl gc why --gc shows what is missing.',
  'collector-without-leader':
    'Look at the pod of kube-controller-manager, its log, and its access to the API server.',
  'missing-block-owner-deletion':
    'Set blockOwnerDeletion: true in the reference: the command of the finding does.',
  'oversized-owner-references':
    'Let fewer objects share it, or let it live without owners and clean it up otherwise. References to owners that are gone can be removed.',
  'crowded-owner':
    'Let its controller clean up earlier: history limits of a CronJob, a time to live for Jobs, a revision limit.',
  'unowned-pile': 'Find out what makes them. Let it clean up, or set itself as their owner.',
  'finished-job-without-ttl':
    'Set spec.ttlSecondsAfterFinished in the manifest that makes the Job.',
  'orphaned-replicaset':
    'Delete it, and its pods go with it. To keep the pods, make the Deployment again with the same selector: it adopts the ReplicaSet.',
  'orphaned-endpointslice': 'Delete the slice.',
  'orphaned-claim':
    'See who made it, and delete it when its data is not needed. Set spec.persistentVolumeClaimRetentionPolicy in sets whose data may go with them.',
  'taken-ephemeral-claim':
    'Delete the claim if its data is not needed: the pod gets its own. Else give the volume another name.',
  'cronjob-history-limit':
    'Set limits that keep the last failed run: the command of the finding does.',
  'ended-pods-threshold':
    'Give Jobs spec.ttlSecondsAfterFinished and CronJobs low limits. kubectl gc podgc-preview shows what goes next.',
  'pod-on-missing-node':
    'When the machine is off for good there is nothing to do. If the pod stays, delete it without waiting for a kubelet.',
  'out-of-service-node': 'Take the taint off.',
  'released-volume':
    'To use a kept volume again, remove spec.claimRef, as the command does: whoever claims it then sees the old data.',
  'undeletable-volume':
    'Say Retain, if the data is to be kept. Else delete what backs the volume by hand, then the volume.',
  'overdue-csr':
    'Delete the requests. If the cleaner does not run, switch it on, or see why kube-controller-manager restarts.',
  'orphaned-node-lease': 'Delete the Lease. A kubelet that comes back makes a new one.',
  'node-gone-in-cloud':
    'Look for the machine. If it is gone, delete the Node: its pods are then deleted by pod garbage collection.',
  'token-of-gone-serviceaccount':
    'Delete the Secret, and give whoever used it a token of an account that exists.',
  'unused-legacy-token': 'Delete the Secret. Use tokens that expire instead: kubectl create token.',
  'shared-selector':
    'A selector cannot be changed. Recreate all but one of them with a label of its own in the selector and the template.',
  'claim-retention-mismatch':
    'Where the controller would put it right, see what keeps it from that. Claims that it never touches are to be deleted by hand.',
  'ineffective-image-gc':
    'Set imageGCHighThresholdPercent above imageGCLowThresholdPercent and below 100: the defaults are 85 and 80.',
  'unserved-kind':
    'When another version of the kind is served, write the manifest in that one: the finding names it. Otherwise install first what defines the kind, or put its definition among the manifests.',
  'missing-namespace': 'Create the namespace first; the command of the finding does.',
};
