import * as Args from '@oclif/core/args';
import { shellScripts } from '../cli/completion/shells.ts';
import { GcCommand } from '../cli/oclif/gc-command.ts';
import { writeOut } from '../cli/terminal/streams.ts';

const shells = Object.keys(shellScripts) as (keyof typeof shellScripts)[];

export default class Completion extends GcCommand {
  static override summary = 'Print the script that lets a shell complete command lines.';
  static override description = [
    'Sourced by bash, zsh, fish or PowerShell, the script completes kubectl-gc. For kubectl gc,',
    'kubectl itself asks a program kubectl_complete-gc in PATH: the npm package has it, and',
    'completion kubectl prints it.',
  ].join(' ');
  static override usage = `completion ${shells.join('|')}`;
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    '<%= config.bin %> completion fish > ~/.config/fish/completions/kubectl-gc.fish',
    '<%= config.bin %> completion kubectl > ~/bin/kubectl_complete-gc && chmod +x ~/bin/kubectl_complete-gc',
  ];
  static override args = {
    shell: Args.string({ required: true, options: shells, description: 'the shell' }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    await writeOut(shellScripts[args.shell as (typeof shells)[number]]);
  }
}
