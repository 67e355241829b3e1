import { imagesReport } from '../questions/nodes/images.ts';
import { documentFormats } from '../questions/render.ts';
import { outputFlag } from '../shell/flags/flags.ts';
import { nodeFlags, openNodes } from '../shell/input/open-nodes.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';

export default class Images extends GcCommand {
  static override summary = 'Forecast the images that kubelets remove';
  static override description = [
    'For each image of a node: who uses it, whether the next pass of image garbage collection',
    'removes it, and why.',
  ].join(' ');
  static override usage = '<%= command.id %> NODE... | --all | -l SELECTOR';
  static override examples = [
    '<%= config.bin %> images worker-1',
    '<%= config.bin %> images --all',
    '<%= config.bin %> images --from examples/nodes/worker-1.txt',
    '<%= config.bin %> images --all --from examples/nodes',
    '<%= config.bin %> images worker-1 --from examples/nodes -o json',
  ];
  static override strict = false;
  static override flags = {
    ...nodeFlags,
    output: outputFlag(documentFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Images);
    const print = this.printer(flags, documentFormats);
    const facts = await openNodes(flags, argv as string[], this.session(flags));
    await print(imagesReport(facts), { observedAt: facts[0]?.observedAt ?? '' });
  }
}
