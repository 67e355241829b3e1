import type { ConfigurationValues } from './configuration-values.ts';

const field = 'enforceNodeAllocatable (--enforce-node-allocatable)';

/** A kind of reserved resources: its cgroup's field and flag. */
const reserved = [
  ['system-reserved', 'systemReservedCgroup (--system-reserved-cgroup)', 'systemReservedCgroup'],
  ['kube-reserved', 'kubeReservedCgroup (--kube-reserved-cgroup)', 'kubeReservedCgroup'],
] as const;

/** What a kubelet says of enforceNodeAllocatable. */
export function enforcementProblems(values: ConfigurationValues): string[] {
  const enforced = values.texts('enforceNodeAllocatable', ['pods']);
  const problems: string[] = [];
  for (const [name] of reserved) {
    const both = [name, `${name}-compressible`];
    if (both.every((one) => enforced.includes(one))) {
      problems.push(`both "${both[0]}" and "${both[1]}" cannot be specified together in ${field}`);
    }
  }
  const seen = new Set<string>();
  for (const value of enforced) {
    if (seen.has(value)) {
      problems.push(`duplicated enforcements "${value}" in ${field}`);
      continue;
    }
    seen.add(value);
    const kind = reserved.find(([name]) => value === name || value === `${name}-compressible`);
    if (value === 'none') {
      if (enforced.length > 1) {
        problems.push(`${field} may not contain additional enforcements when "none" is specified`);
      }
      continue;
    }
    if (kind) {
      const [name, cgroup, setting] = kind;
      if (values.text(setting) === '') {
        problems.push(
          `${cgroup} must be specified when "${name}" or "${name}-compressible" included in ${field}`,
        );
      }
    } else if (value !== 'pods') {
      problems.push(
        `option "${value}" specified for ${field}. Valid options are "pods", "system-reserved", "system-reserved-compressible", "kube-reserved", "kube-reserved-compressible" or "none"`,
      );
      continue;
    }
    if (!values.flag('cgroupsPerQOS', true)) {
      problems.push(
        `cgroupsPerQOS (--cgroups-per-qos) must be set to true when "${value}" contained in ${field}`,
      );
    }
  }
  return problems;
}
