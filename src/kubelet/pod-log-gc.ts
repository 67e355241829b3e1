import type { ContainerState, PodStates } from './container-gc.ts';

export interface PodLogs {
  /** Names in /var/log/pods: `namespace_name_uid`, or only a uid. */
  readonly directories: readonly string[];
  /** Links in /var/log/containers whose file is missing. */
  readonly deadLinks: readonly string[];
}

export interface PodLogPassInput extends PodLogs {
  readonly pods: PodStates;
  readonly sourcesReady: boolean;
  /** The state of a container by its id; undefined: the runtime does not know it. */
  readonly stateOf: (containerId: string) => ContainerState | undefined;
}

/** The log directories and dead links that one pass removes (CTR-10). */
export function collectPodLogs(input: PodLogPassInput): PodLogs {
  const { directories, deadLinks, pods, sourcesReady, stateOf } = input;
  return {
    directories: sourcesReady
      ? directories.filter((name) => pods.contentRemoved(podUidOf(name)))
      : [],
    deadLinks: deadLinks.filter((link) => {
      const id = containerIdOf(link);
      const state = id === undefined ? undefined : stateOf(id);
      // A log that is being rotated is missing for a moment.
      return state === undefined || state === 'exited';
    }),
  };
}

/** The pod of a log directory: what follows the last `_`. */
function podUidOf(directory: string): string {
  return directory.slice(directory.lastIndexOf('_') + 1);
}

const shortestId = 6;

/** `web_shop_app-0a1b2c3d.log` → `0a1b2c3d`. */
function containerIdOf(link: string): string | undefined {
  const last = link.slice(link.lastIndexOf('-') + 1);
  const id = last.endsWith('.log') ? last.slice(0, -4) : '';
  return id.length < shortestId ? undefined : id;
}
