import { settingsReport } from '../output/documents/settings.ts';
import { documentFormats } from '../output/render.ts';
import { outputFlag } from '../shell/flags/flags.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { checkCollector, openSettings, settingsFlags } from '../shell/settings/open-settings.ts';

export default class Settings extends GcCommand {
  static override summary = 'How are the controllers configured, and where was each setting read?';
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
    ...settingsFlags,
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
