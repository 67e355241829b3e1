import { jsonText } from '../../output/printable.ts';
import { renderYaml } from '../../output/yaml.ts';
import { writeOut } from './streams.ts';

/** Prints objects to apply: a List in JSON, or documents of YAML. */
export async function printManifests(manifests: readonly object[], format: string): Promise<void> {
  await writeOut(
    format === 'json'
      ? `${jsonText({ apiVersion: 'v1', kind: 'List', items: manifests }, 2)}\n`
      : manifests.map(renderYaml).join('---\n'),
  );
}
