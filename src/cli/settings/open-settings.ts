import { usageError } from '../../errors.ts';
import { minorOf } from '../../settings/effective/setting-definition.ts';
import { timeOf } from '../clock.ts';
import type { CommonFlags } from '../flags.ts';
import { connectTo } from '../input.ts';
import { startProgress } from '../progress.ts';
import { type FactsOfFiles, settingsOfFiles } from './settings-of-files.ts';

export interface SettingsFlags extends CommonFlags {
  readonly settings?: string | undefined;
  readonly kubelet?: string | undefined;
  readonly selector?: string | undefined;
  readonly 'kubernetes-version'?: string | undefined;
}

/** Reads settings from files that are named, or else from the cluster. */
export async function openSettings(
  flags: SettingsFlags,
  nodes: readonly string[],
): Promise<FactsOfFiles> {
  const { from = [], settings, kubelet, selector } = flags;
  const version = flags['kubernetes-version'];
  if (version !== undefined && minorOf(version) === undefined) {
    throw usageError(
      'invalid-version',
      `--kubernetes-version ${JSON.stringify(version)} is not a version of Kubernetes`,
      'Write it as in v1.35.',
    );
  }
  if (from.length > 0 || settings !== undefined || kubelet !== undefined) {
    if (nodes.length > 0 || selector !== undefined) {
      throw usageError('no-cluster', 'files are read: nodes can only be named for a cluster');
    }
    return settingsOfFiles({
      from,
      settings: settings === undefined ? [] : [settings],
      kubelet: kubelet === undefined ? [] : [kubelet],
      version,
      now: timeOf(flags),
    });
  }
  if (version !== undefined) {
    throw usageError('no-files', '--kubernetes-version is for files: a cluster tells its own');
  }
  const client = await connectTo(flags);
  const progress = startProgress('Reading settings');
  try {
    const { loadSettings } = await import('../../sources/cluster/settings/load-settings.ts');
    const facts = await loadSettings(client, {
      nodes,
      selector,
      onProgress: (done, total) => progress.update(`Reading settings: ${done} of ${total} nodes`),
    });
    return { facts, kubelets: undefined };
  } finally {
    progress.stop();
    client.close();
  }
}
