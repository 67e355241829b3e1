import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import {
  controllerSettingsOf,
  type SimulationSettings,
  startInterval,
} from '../../settings/controller-settings.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { openFrom } from '../input/read-files.ts';
import type { Session } from '../input/session.ts';
import { effective, type FoundSettings, foundIn, settingsInFiles } from './settings-in-files.ts';

/** `--settings`, else what kube-controller-manager was started with, by the cluster or `--from`, else its defaults. */
export async function findControllerSettings(
  flags: CommonFlags & { readonly settings?: string | undefined },
  session: Session,
): Promise<FoundSettings> {
  if (flags.settings !== undefined) return settingsInFile(flags.settings);
  if (flags.from) return settingsInFiles(await openFrom(flags, flags.from, session));
  return settingsOnCluster(await session.client(true));
}

/** What kube-controller-manager and the API server were started with, as far as their Pods show it. */
export async function settingsOnCluster(client: ClusterClient): Promise<FoundSettings> {
  const { loadManagerSettings } = await import('../../cluster/settings/load-settings.ts');
  return foundIn(await loadManagerSettings(client));
}

/**
 * The same for each session of a command: a file, which may be stdin, is read once, and before anything
 * else, as it may be wrong.
 */
export async function settingsFinder(
  flags: Parameters<typeof findControllerSettings>[0],
): Promise<(session: Session) => Promise<FoundSettings>> {
  if (flags.settings === undefined) return (session) => findControllerSettings(flags, session);
  const ofFile = await settingsInFile(flags.settings);
  return async () => ofFile;
}

async function settingsInFile(path: string): Promise<FoundSettings> {
  const { settingsOfFiles } = await import('./settings-of-files.ts');
  return foundIn((await settingsOfFiles({ settings: path })).facts, 'settings');
}

export async function readSimulationSettings(path: string): Promise<SimulationSettings> {
  const { settingsOfFiles } = await import('./settings-of-files.ts');
  const { facts, kubelets } = await settingsOfFiles({ settings: path });
  const read = await effective(facts);
  const pause = read.find(({ name }) => name === 'controllerStartInterval')?.value;
  return {
    ...controllerSettingsOf(read).settings,
    ...(kubelets !== undefined && { kubelets }),
    ...startInterval(pause),
  };
}
