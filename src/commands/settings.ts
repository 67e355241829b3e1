import { GcError, usageError } from '../errors.ts';
import { parseLabelSelector } from '../kube/label-selector.ts';
import { didYouMean } from '../kube/names.ts';
import { isNode } from '../kube/well-known-kinds.ts';
import { documentFormats } from '../questions/render.ts';
import { settingsReport } from '../questions/settings/document.ts';
import { featureGates } from '../settings/feature-gates.ts';
import {
  decodeSettings,
  type ProgramFacts,
  type SettingsFacts,
} from '../settings/settings-facts.ts';
import { settingsTable } from '../settings/settings-table.ts';
import { textFlag } from '../shell/flags/flag-kinds.ts';
import { type CommonFlags, outputFlag, type ValuesOf } from '../shell/flags/flags.ts';
import { givenTime } from '../shell/input/clock.ts';
import { openSaved } from '../shell/input/read-files.ts';
import type { Session } from '../shell/input/session.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { type FactsOfFiles, settingsOfFiles } from '../shell/settings/settings-of-files.ts';
import { withProgress } from '../shell/terminal/progress.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export default class Settings extends GcCommand {
  static override summary = 'Show the settings of the controllers and their sources';
  static override description = [
    'Reads the command lines of the control plane, of several replicas the one that leads, and asks',
    'kubelets for /configz. What cannot be read is unknown; the default of that version is',
    'shown beside it. With --settings, --kubelet or --from: what files say, checked as upstream does.',
  ].join(' ');
  static override usage =
    '<%= command.id %> [NODE... | --settings FILE | --kubelet FILE | --from PATH]';
  static override examples = [
    '<%= config.bin %> settings',
    '<%= config.bin %> settings worker-1 --collector image-gc -o wide',
    '<%= config.bin %> settings --from manifests/',
    '<%= config.bin %> settings --settings examples/settings/kube-controller-manager.yaml',
    '<%= config.bin %> settings --from examples/settings',
    '<%= config.bin %> settings --kubelet examples/settings/kubelet.yaml',
  ];
  static override strict = false;
  static override flags = {
    settings: textFlag(
      'FILE',
      'a settings file, or the static pod of kube-controller-manager; - for stdin',
    ),
    kubelet: textFlag('FILE', 'a KubeletConfiguration file'),
    collector: textFlag('ID', 'only settings of this collector'),
    selector: textFlag('SELECTOR', 'only kubelets of nodes with these labels, as in -l pool=spot', {
      char: 'l',
    }),
    output: outputFlag(documentFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Settings);
    const print = this.printer(
      { ...flags, filename: flags.kubelet ? [flags.kubelet] : [] },
      documentFormats,
    );
    checkCollector(flags.collector);
    const { facts, kubelets } = await openSettings(flags, argv as string[], this.session(flags));
    const report = settingsReport(facts, { collector: flags.collector, kubelets });
    await print(report, facts);
    for (const problem of report.problems) this.remark(`Warning: ${problem}`);
  }
}

/** Reads settings from files that are named, or else from the cluster. */
async function openSettings(
  flags: CommonFlags & ValuesOf<typeof Settings.flags>,
  nodes: readonly string[],
  session: Session,
): Promise<FactsOfFiles> {
  const { from = [], settings, kubelet, selector } = flags;
  if (from.length > 0 || settings !== undefined || kubelet !== undefined) {
    const saved =
      settings === undefined && kubelet === undefined
        ? await openSaved(flags, from, session)
        : undefined;
    if (saved) return { facts: settingsIn(saved, nodes, selector), kubelets: undefined };
    if (nodes.length > 0 || selector !== undefined) {
      throw usageError('files are read, and nodes can only be named for a cluster', [
        'Leave out the nodes, or the files.',
      ]);
    }
    return settingsOfFiles({ from, settings, kubelet, now: givenTime(flags) });
  }
  const client = await session.client();
  const { loadSettings } = await import('../cluster/settings/load-settings.ts');
  const facts = await withProgress('Reading settings', (progress) =>
    loadSettings(client, {
      nodes,
      selector,
      onProgress: (done, total) => progress.update(`Reading settings: ${done} of ${total} nodes`),
    }),
  );
  return { facts, kubelets: undefined };
}

function settingsIn(
  { evidence, records }: Snapshot,
  nodes: readonly string[],
  selector: string | undefined,
): SettingsFacts {
  if (!evidence?.settings) {
    throw new GcError(
      'the snapshot does not contain the settings of the cluster, so they are unknown',
      {
        code: 'settings-not-saved',
        suggestions: [
          'Save it again without --metadata-only, with a current version of kubectl gc.',
          'Without a cluster, see the settings of a file: --settings FILE or --kubelet FILE.',
        ],
      },
    );
  }
  const { programs, problems, ...facts } = decodeSettings(evidence.settings);
  const known = records.filter(isNode);
  const missing = nodes.filter((name) => known.every((node) => node.name !== name));
  if (missing.length > 0) {
    throw new GcError(`nodes "${missing.join('", "')}" not found`, {
      code: 'no-such-node',
      suggestions: [
        ...didYouMean(
          missing[0] ?? '',
          known.map(({ name }) => name),
        ),
        'Leave out the names to ask of all nodes.',
      ],
    });
  }
  const matches = parseLabelSelector(selector ?? '');
  const chosen = new Set(
    nodes.length > 0
      ? nodes
      : known.filter(({ labels }) => matches(labels)).map(({ name }) => name),
  );
  const isChosen = ({ component, instance }: ProgramFacts) =>
    component !== 'kubelet' || chosen.has(instance);
  // One problem names all nodes that answered the same: where all chosen ones answered, it is about others.
  const haveAnswered = programs.every(
    (program) => !isChosen(program) || program.component !== 'kubelet' || program.configuration,
  );
  return {
    ...facts,
    programs: programs.filter(isChosen),
    problems: haveAnswered
      ? problems.filter(({ resource }) => resource !== 'nodes/proxy')
      : problems,
  };
}

/** Refuses collectors that no setting is about. */
function checkCollector(id: string | undefined): void {
  if (id === undefined) return;
  const all = [...Object.values(settingsTable()).flat(), ...featureGates()];
  const known = new Set(all.flatMap(({ collectors }) => collectors));
  known.delete('all');
  if (known.has(id)) return;
  throw usageError(`no setting is about a controller "${id}", so none can be shown`, [
    ...didYouMean(id, [...known]),
    `Controllers with settings are: ${[...known].sort().join(', ')}.`,
  ]);
}
