import * as Flags from '@oclif/core/flags';
import { printedText } from '../output/printable.ts';
import { guards } from '../shell/completion/guards.ts';
import { kubectlScript } from '../shell/completion/kubectl-script.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { writeOut } from '../shell/terminal/streams.ts';

export default class Completion extends GcCommand {
  static override summary = 'Print the script for shell completion';
  static override description = [
    'kubectl itself completes kubectl gc: it asks a program kubectl_complete-gc in PATH. The npm package',
    'has it, and this command prints it. The shell needs the completion of kubectl. With --guard: a function for a',
    'shell that previews what is deleted on a terminal, and asks.',
  ].join(' ');
  static override examples = [
    '<%= config.bin %> completion',
    '<%= config.bin %> completion > ~/bin/kubectl_complete-gc && chmod +x ~/bin/kubectl_complete-gc',
    'mkdir -p ~/.krew/bin && <%= config.bin %> completion > ~/.krew/bin/kubectl_complete-gc',
    '<%= config.bin %> completion --guard bash >> ~/.bashrc',
  ];
  static override flags = {
    guard: Flags.option({
      summary: 'print the function that stands before kubectl delete in this shell',
      options: ['bash', 'zsh', 'fish'] as const,
    })(),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Completion);
    await writeOut(printedText(flags.guard ? guards[flags.guard] : kubectlScript));
  }
}
