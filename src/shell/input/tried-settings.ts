import { usageError } from '../../errors.ts';
import { parseGoDuration } from '../../kube/go-syntax.ts';
import { imageProblems } from '../../kubelet/configuration/image-settings.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import type { ContainerGcPolicy } from '../../kubelet/containers/container-gc.ts';
import type { ImageGcPolicy } from '../../kubelet/images/image-policy.ts';
import type { ValuesOf } from '../flags/flags.ts';
import type { containerSettingFlags, imageSettingFlags } from '../flags/node-flags.ts';
import { readDocument } from './read-document.ts';

/** The settings that flags and a KubeletConfiguration file try; undefined: none. Remarks go to `say`. */
export async function triedImageSettings(
  flags: ValuesOf<typeof imageSettingFlags>,
  say: (line: string) => void,
): Promise<((present: ImageGcPolicy) => ImageGcPolicy) | undefined> {
  const file = flags.kubelet === undefined ? undefined : await readKubelet(flags.kubelet, say);
  const given: Partial<ImageGcPolicy> = {
    ...(flags.high !== undefined && { highThresholdPercent: flags.high }),
    ...(flags.low !== undefined && { lowThresholdPercent: flags.low }),
    ...(flags['min-age'] !== undefined && { minAge: age('--min-age', flags['min-age']) }),
    ...(flags['max-age'] !== undefined && { maxAge: age('--max-age', flags['max-age']) }),
  };
  if (file === undefined && Object.keys(given).length === 0) return undefined;
  if (given.minAge === 0) {
    throw usageError('--min-age 0 cannot be set: a kubelet takes 0 for the default of 2m', [
      'The smallest age that means something is --min-age 1ns.',
    ]);
  }
  return (present) => checked({ ...(file ?? present), ...given });
}

function checked(policy: ImageGcPolicy): ImageGcPolicy {
  const [first, ...others] = imageProblems(policy);
  if (first === undefined) return policy;
  throw usageError(`a kubelet does not start with this: ${first}`, others);
}

async function readKubelet(path: string, say: (line: string) => void): Promise<ImageGcPolicy> {
  const document = await readDocument(path, 'KubeletConfiguration');
  const { settings, problems, remarks } = validateKubeletConfiguration(document);
  const [first, ...others] = problems;
  if (first !== undefined) {
    throw usageError(`a kubelet does not start with ${path}: ${first}`, others);
  }
  for (const remark of remarks) say(`${path}: ${remark}`);
  return settings.images;
}

/** The settings for containers that flags try; undefined: none. */
export function triedContainerSettings(
  flags: ValuesOf<typeof containerSettingFlags>,
): Partial<ContainerGcPolicy> | undefined {
  const each = flags['max-per-pod-container'];
  const all = flags['max-containers'];
  const minAge = flags['min-age'];
  const given: Partial<ContainerGcPolicy> = {
    ...(minAge !== undefined && { minAge: age('--min-age', minAge) }),
    ...(each !== undefined && { maxPerPodContainer: each }),
    ...(all !== undefined && { maxContainers: all }),
  };
  if (given.minAge !== undefined && given.minAge < 0) {
    throw usageError(
      `a kubelet does not start with this: invalid minimum garbage collection age: ${minAge}`,
    );
  }
  return Object.keys(given).length === 0 ? undefined : given;
}

function age(flag: string, value: string): number {
  const parsed = parseGoDuration(value);
  if (parsed !== undefined) return parsed;
  throw usageError(`${flag} "${value}" is not a duration`, [
    'Write it as Go does: 90s, 2m, 72h. There are no days.',
  ]);
}
