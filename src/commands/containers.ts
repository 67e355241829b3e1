import { containersReport } from '../questions/nodes/containers.ts';
import { documentFormats } from '../questions/render.ts';
import { outputFlag } from '../shell/flags/flags.ts';
import { nodeFlags, openNodes } from '../shell/input/open-nodes.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';

export default class Containers extends GcCommand {
  static override summary = 'Forecast the dead containers that kubelets remove';
  static override description = [
    'For each container of a node: whether the next pass of container garbage collection removes',
    'it, and why.',
  ].join(' ');
  static override usage = '<%= command.id %> NODE... | --all | -l SELECTOR';
  static override examples = [
    '<%= config.bin %> containers worker-1',
    '<%= config.bin %> containers --all --from examples/nodes',
    '<%= config.bin %> containers --from examples/nodes/worker-1.txt',
    '<%= config.bin %> containers worker-1 --from examples/nodes -o json',
  ];
  static override strict = false;
  static override flags = {
    ...nodeFlags,
    output: outputFlag(documentFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Containers);
    const print = this.printer(flags, documentFormats);
    const facts = await openNodes(flags, argv as string[], this.session(flags));
    await print(containersReport(facts), { observedAt: facts[0]?.observedAt ?? '' });
  }
}
