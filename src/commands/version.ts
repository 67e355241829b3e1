import { outputFlag } from '../cli/flags/flags.ts';
import { commit } from '../cli/oclif/build-commit.ts';
import { GcCommand } from '../cli/oclif/gc-command.ts';
import { writeOut } from '../cli/terminal/streams.ts';
import { provenVersions } from '../kube/proven-versions.ts';
import { jsonText } from '../output/printable.ts';
import { formatOf } from '../output/render.ts';

export default class Version extends GcCommand {
  static override summary = 'Show the version, and the Kubernetes versions it was proven against.';
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
    const document = {
      apiVersion: 'kubectl-gc/v1',
      kind: 'Version',
      version: this.config.version,
      ...(commit !== undefined && { commit }),
      node: process.version,
      platform: `${process.platform}/${process.arch}`,
      provenAgainst: provenVersions,
    };
    switch (formatOf(flags.output, ['table', 'json', 'yaml'])) {
      case 'json':
        return writeOut(`${jsonText(document, 2)}\n`);
      case 'yaml': {
        const { renderYaml } = await import('../output/yaml.ts');
        return writeOut(renderYaml(document));
      }
      default: {
        const { version, node, platform } = document;
        const lines = [
          `Version: ${version} (commit ${commit ?? 'unknown'})`,
          `Node: ${node} on ${platform}`,
          `Proven against Kubernetes: ${provenVersions.join(', ')}`,
        ];
        return writeOut(`${lines.join('\n')}\n`);
      }
    }
  }
}
