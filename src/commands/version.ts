import { printedText } from '../output/printable.ts';
import { formatOf } from '../questions/render.ts';
import { outputFlag } from '../shell/flags/flags.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { writeOut } from '../shell/terminal/streams.ts';
import { printVersion, versionDocument } from '../shell/version.ts';
import { jsonText } from '../syntax/json-text.ts';

export default class Version extends GcCommand {
  static override summary = 'Print the version and the tested Kubernetes versions';
  static override description =
    'No cluster is asked. Proven against means: the predictions were compared with what the control plane of that version did.';
  static override usage = '<%= command.id %> [-o json]';
  static override examples = [
    '<%= config.bin %> version',
    '<%= config.bin %> version -o json',
    '<%= config.bin %> version -o yaml',
  ];
  static override flags = { output: outputFlag(['table', 'json', 'yaml'], 'table') };

  async run(): Promise<void> {
    const { flags } = await this.parse(Version);
    switch (formatOf(flags.output, ['table', 'json', 'yaml'])) {
      case 'json':
        return writeOut(printedText(`${jsonText(versionDocument(), 2)}\n`));
      case 'yaml': {
        const { renderYaml } = await import('../output/yaml.ts');
        return writeOut(printedText(renderYaml(versionDocument())));
      }
      default:
        return printVersion();
    }
  }
}
