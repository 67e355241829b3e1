import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { runControllersFlags } from './run-controllers-flags.ts';
import { serveControllers } from './serve.ts';

export default class RunControllers extends GcCommand {
  static override summary = 'How do deletions cascade in envtest, which has no garbage collector?';
  static override description = [
    'Runs the garbage collector and the namespace controller against an API server without',
    'a controller manager, until stdin ends. A test writes settle to stdin and reads from',
    'stdout, one JSON document in each line, when everything that follows has been done.',
  ].join(' ');
  static override usage = '<%= command.id %> [--controllers NAMES] [--until-settled] [--writes]';
  static override examples = [
    '<%= config.bin %> run-controllers --until-settled --writes',
    '<%= config.bin %> run-controllers --controllers garbagecollector',
    'echo settle | <%= config.bin %> run-controllers',
  ];
  static override flags = runControllersFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(RunControllers);
    await withInterruption(async (interruption) => {
      await serveControllers(flags, interruption);
    });
  }
}
