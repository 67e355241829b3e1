import { defaultContainerGcPolicy } from '../../kubelet/container-gc.ts';
import { parseGoDuration } from '../../kubelet/go-duration.ts';
import type { KubeletGcSettings } from '../../kubelet/kubelet-settings.ts';

/** The flags for containers in the text of /flagz; undefined when it names none of them. */
export function readFlagz(text: string): KubeletGcSettings['containers'] | undefined {
  const written = (flag: string) =>
    new RegExp(`^\\s*(?:--)?${flag}\\s*[=:\\s]\\s*(\\S+)\\s*$`, 'm').exec(text)?.[1];
  const age = written('minimum-container-ttl-duration');
  const each = written('maximum-dead-containers-per-container');
  const all = written('maximum-dead-containers');
  if (age === undefined && each === undefined && all === undefined) return undefined;
  const fallback = defaultContainerGcPolicy;
  return {
    minAge: (age === undefined ? undefined : parseGoDuration(age)) ?? fallback.minAge,
    maxPerPodContainer: each === undefined ? fallback.maxPerPodContainer : Number(each),
    maxContainers: all === undefined ? fallback.maxContainers : Number(all),
  };
}
