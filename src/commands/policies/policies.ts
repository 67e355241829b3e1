import * as Flags from '@oclif/core/flags';
import { usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';
import { printedText } from '../../output/printable.ts';
import { renderItems } from '../../output/tables/table.ts';
import { formatOf } from '../../questions/render.ts';
import { outputFlag } from '../../shell/flags/flags.ts';
import { openSource } from '../../shell/input/read-question.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { printManifests } from '../../shell/terminal/manifests.ts';
import { documentLook, writeOut } from '../../shell/terminal/streams.ts';
import { admissionPolicies, type PolicyAction, policyRows } from './admission-policies.ts';

export default class Policies extends GcCommand {
  static override summary = 'Generate admission policies against wrong deletions';
  static override description = [
    'ValidatingAdmissionPolicies with their bindings: for references to owners that can never work, and for',
    'deletions of namespaces, of CustomResourceDefinitions and of what is labelled as protected',
    'without an approval. Which kinds are served is asked of the cluster, or read from --from. Nothing is changed: apply',
    'what is printed. -o table shows which wrong references admission can see.',
  ].join(' ');
  static override usage = '<%= command.id %> [POLICY...] [--action Audit|Warn|Deny]';
  static override examples = [
    '<%= config.bin %> policies --action Warn',
    '<%= config.bin %> policies --from examples/clusters/shop.json.gz',
    '<%= config.bin %> policies namespace-deletion crd-deletion --action Deny --from examples/clusters/shop.json.gz',
    '<%= config.bin %> policies --from examples/clusters/shop.json.gz -o table',
  ];
  static override strict = false;
  static override flags = {
    action: Flags.string({
      summary: 'treatment of a request that a policy matches',
      options: ['Audit', 'Warn', 'Deny'],
      default: 'Warn',
    }),
    output: outputFlag(['yaml', 'json', 'table'], 'yaml'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Policies);
    const format = formatOf(flags.output, ['yaml', 'json', 'table']);
    const names = [...new Set(policyRows.flatMap(({ policy }) => policy ?? []))];
    const chosen = argv as string[];
    for (const name of chosen) {
      if (names.includes(name)) continue;
      throw usageError(`there is no policy "${name}", so no manifest can be printed`, [
        ...didYouMean(name, names),
        `The policies are: ${names.join(', ')}.`,
      ]);
    }
    if (format === 'table')
      return writeOut(printedText(this.#table(flags), documentLook(format, flags)));
    const { types } = await openSource(flags, this.session(flags));
    const isWanted = (name: string) => chosen.length === 0 || chosen.includes(name);
    const manifests = admissionPolicies(types, flags.action as PolicyAction, isWanted);
    await printManifests(manifests, format);
  }

  #table(flags: Parameters<typeof documentLook>[1]): string {
    return renderItems(
      policyRows,
      [
        ['POLICY', ({ policy }) => policy ?? '<none>'],
        ['ABOUT', ({ about }) => about],
        ['WHY', ({ because }) => because],
      ],
      { ...documentLook('table', flags), now: 0 },
    );
  }
}
