import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import { usageError } from '../../errors.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import { parseTargets } from '../../kube/type-argument.ts';
import { cascadePolicies, invalidCascade } from '../../shell/flags/delete-options.ts';
import { repeatedFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import type { ValuesOf } from '../../shell/flags/flags.ts';
import { writeErr } from '../../shell/terminal/streams.ts';
import type { SimulatedRequest } from '../../simulator/api-server/request.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

export const requestFlags = {
  delete: repeatedFlag('TYPE/NAME', 'delete this object, as TYPE/NAME alone does'),
  'delete-node': repeatedFlag('NODE', 'delete this Node, by its name'),
  cascade: textFlag('POLICY', 'how to delete: background, foreground or orphan'),
  'remove-finalizer': repeatedFlag('FINALIZER', 'remove a finalizer, TYPE/NAME=FINALIZER'),
};

type RequestFlags = ValuesOf<typeof requestFlags>;

/** kubectl's `--cascade`, as it spells it; background unless said otherwise. */
export function policyOf(cascade: string | undefined): PropagationPolicy {
  const policy = cascadePolicies.get(cascade ?? 'background');
  if (policy) return policy;
  throw invalidCascade(cascade);
}

/**
 * The requests that flags stand for: every --delete, then every --delete-node and every
 * --remove-finalizer. `namespace`: where namespaced objects are.
 */
export function requestsOf(
  flags: RequestFlags,
  snapshot: Snapshot,
  namespace: string,
): SimulatedRequest[] {
  const propagationPolicy = policyOf(flags.cascade);
  const deletions = (flags.delete ?? []).map((argument): SimulatedRequest => {
    const address = addressOf(argument, namespace, snapshot);
    return { verb: 'delete', ...address, options: { propagationPolicy } };
  });
  const nodes = (flags['delete-node'] ?? []).map((name): SimulatedRequest => {
    if (name === '' || name.includes('/')) {
      throw usageError(`--delete-node "${name}" is not the name of a node`, [
        'Write the name alone, for example worker-1.',
      ]);
    }
    const node = { apiVersion: 'v1', kind: 'Node', namespace: '', name, after: 0 };
    return { verb: 'delete', ...node, options: { propagationPolicy } };
  });
  const removals = (flags['remove-finalizer'] ?? []).map((argument): SimulatedRequest => {
    const [object = '', ...rest] = argument.split('=');
    const finalizer = rest.join('=');
    if (finalizer === '') {
      throw usageError(`--remove-finalizer "${argument}" does not say which finalizer`, [
        'Write TYPE/NAME=FINALIZER, for example pvc/data=kubernetes.io/pvc-protection.',
      ]);
    }
    const address = addressOf(object, namespace, snapshot);
    const patch = { patchType: 'remove-finalizers', patch: [finalizer] } as const;
    return { verb: 'patch', ...address, ...patch, dryRun: false };
  });
  return [...deletions, ...nodes, ...removals];
}

function addressOf(argument: string, asked: string, snapshot: Snapshot) {
  const [target] = parseTargets([argument], snapshot.types).targets;
  if (target?.name === undefined) {
    throw usageError(`"${argument}" names no object`, [
      'Write TYPE/NAME, for example deployment/web.',
    ]);
  }
  const { type, name } = target;
  const namespace = type.namespaced ? asked : '';
  const homes = snapshot.records.flatMap((record) => {
    const isNamed = record.name === name && groupResourceOf(record.type) === groupResourceOf(type);
    return isNamed ? [record.namespace] : [];
  });
  if (homes.length > 0 && !homes.includes(namespace)) {
    const where = homes.sort().join(', ');
    writeErr(
      `Note: ${type.kind} ${name} is not in namespace ${namespace} but in ${where}: use -n.`,
    );
  }
  return { apiVersion: apiVersionOf(type), kind: type.kind, namespace, name, after: 0 };
}
