import { featureGates } from '../../controllers/settings/feature-gates.ts';
import { minorOf } from '../../controllers/settings/setting-definition.ts';
import { settingsTable } from '../../controllers/settings/settings-table.ts';
import { usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { timeOf } from '../input/clock.ts';
import type { Session } from '../input/session.ts';
import { startProgress } from '../terminal/progress.ts';
import { type FactsOfFiles, settingsOfFiles } from './settings-of-files.ts';

interface SettingsFlags extends CommonFlags {
  readonly settings?: string | undefined;
  readonly kubelet?: string | undefined;
  readonly selector?: string | undefined;
  readonly 'kubernetes-version'?: string | undefined;
}

/** Reads settings from files that are named, or else from the cluster. */
export async function openSettings(
  flags: SettingsFlags,
  nodes: readonly string[],
  session: Session,
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
  const client = await session.client();
  const progress = startProgress('Reading settings');
  try {
    const { loadSettings } = await import('../../cluster/settings/load-settings.ts');
    const facts = await loadSettings(client, {
      nodes,
      selector,
      onProgress: (done, total) => progress.update(`Reading settings: ${done} of ${total} nodes`),
    });
    return { facts, kubelets: undefined };
  } finally {
    progress.stop();
  }
}

/** Refuses collectors that no setting is about. */
export function checkCollector(id: string | undefined): void {
  if (id === undefined) return;
  const all = [...Object.values(settingsTable).flat(), ...featureGates];
  const known = new Set(all.flatMap(({ collectors }) => collectors));
  known.delete('all');
  if (known.has(id)) return;
  throw usageError(
    'unknown-collector',
    `no setting is about a collector "${id}"`,
    ...didYouMean(id, [...known]),
    `Collectors with settings are: ${[...known].sort().join(', ')}.`,
  );
}
