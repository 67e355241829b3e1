import { printedText } from '../../output/printable.ts';
import { renderYaml } from '../../output/yaml.ts';
import { jsonText } from '../../syntax/json-text.ts';
import { writeOut } from './streams.ts';

/** Prints objects to apply: a List in JSON, or documents of YAML. */
export async function printManifests(manifests: readonly object[], format: string): Promise<void> {
  if (format === 'json') {
    return writeOut(
      printedText(`${jsonText({ apiVersion: 'v1', kind: 'List', items: manifests }, 2)}\n`),
    );
  }
  for (const [index, manifest] of manifests.entries()) {
    await writeOut(printedText(`${index === 0 ? '' : '---\n'}${renderYaml(manifest)}`));
  }
}
