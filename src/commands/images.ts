import { imagesReport } from '../output/documents/nodes/images.ts';
import { documentFormats } from '../output/render.ts';
import { outputFlag } from '../shell/flags/flags.ts';
import { imageSettingFlags, nodeFlags } from '../shell/flags/node-flags.ts';
import { openNodes } from '../shell/input/open-nodes.ts';
import { triedImageSettings } from '../shell/input/tried-settings.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';

export default class Images extends GcCommand {
  static override summary = 'Which images will the kubelets of nodes remove, and when?';
  static override description = [
    'For each image of a node: who uses it, whether the next pass of image garbage collection',
    'removes it, and why. With --high, --low, --max-age, --min-age or --kubelet: what it',
    'would remove with other settings.',
  ].join(' ');
  static override usage = '<%= command.id %> NODE... | --all | -l SELECTOR';
  static override examples = [
    '<%= config.bin %> images worker-1',
    '<%= config.bin %> images --all',
    '<%= config.bin %> images --from examples/nodes/worker-1.txt',
    '<%= config.bin %> images --all --from examples/nodes',
    '<%= config.bin %> images --high 70 --low 60 --from examples/nodes/worker-1.txt',
  ];
  static override strict = false;
  static override flags = {
    ...nodeFlags,
    ...imageSettingFlags,
    output: outputFlag(documentFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Images);
    const print = this.printer({ ...flags, settings: flags.kubelet }, documentFormats);
    const whatIf = await triedImageSettings(flags, (line) => this.remark(line));
    // An age counts only as long as the kubelet runs.
    const kubeletStart = flags['max-age'] !== undefined || flags.kubelet !== undefined;
    const facts = await openNodes(flags, argv as string[], this.session(flags), { kubeletStart });
    const report = imagesReport(facts, { whatIf });
    await print(report, { observedAt: facts[0]?.observedAt ?? '' });
  }
}
