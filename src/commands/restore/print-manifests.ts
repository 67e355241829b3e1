import { manifestYaml } from '../../restore/backup/object-file.ts';
import type { PlannedRestoration } from '../../restore/plan/planned-restoration.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';

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

/** What would be created, with references to the owners that live now: for users who apply it themselves. */
function relinkedManifests(planned: readonly PlannedRestoration[]) {
  /** References to owners that are among the manifests, and have no uid before they are created. */
  let withoutUid = 0;
  const manifests = planned.flatMap(({ manifest, references }) => {
    if (!manifest) return [];
    const kept = references.filter(({ end, told }) => end !== 'gone' && told.to !== '');
    withoutUid += references.filter(({ told }) => told.change === 'to-come').length;
    if (kept.length === 0) return manifest;
    const ownerReferences = kept.map(({ reference }) => reference);
    return { ...manifest, metadata: { ...manifest.metadata, ownerReferences } };
  });
  return { manifests, withoutUid };
}
