import { manifestYaml } from '../../backup/manifest-yaml.ts';
import type { PlannedRestoration } from '../../backup/planned-restoration.ts';
import { relinkedManifests } from '../../backup/relinked-manifests.ts';
import { writeErr, writeOut } from '../streams.ts';

/** Prints what would be created, re-linked, for a pipe: YAML documents, or one List in JSON. */
export async function printManifests(
  planned: readonly PlannedRestoration[],
  format: string,
): Promise<void> {
  const { manifests, withoutUid } = relinkedManifests(planned);
  if (format === 'json') {
    const list = { apiVersion: 'v1', kind: 'List', items: manifests };
    await writeOut(`${JSON.stringify(list, undefined, 2)}\n`);
  } else {
    for (const manifest of manifests) await writeOut(`---\n${manifestYaml(manifest)}`);
  }
  for (const { saved, because, action } of planned) {
    if (action !== 'cannot') continue;
    writeErr(`Warning: ${saved.type.kind} ${saved.name} is left out: ${because}`);
  }
  if (withoutUid === 0) return;
  const what = withoutUid === 1 ? '1 reference is' : `${withoutUid} references are`;
  writeErr(
    `Warning: ${what} left out: their owners are among the manifests, and have no uid before they are created. Without --dry-run, restore creates them in order and sets all references.`,
  );
}
