/**
 * Warnings of a plan for each object of real installations, deleted by itself: `node bench/false-warnings.ts FOLDER…`, each
 * folder with the manifests of one. All objects count as applied, and as all that the cluster has.
 */
import { planDeletion } from '../src/deletion/plan/plan-deletion.ts';
import { fromFiles } from '../src/files/from-files.ts';
import { fullNameOf } from '../src/kube/object-reference.ts';

for (const folder of process.argv.slice(2)) {
  const read = await fromFiles([folder], { now: () => new Date(), complete: true });
  const records = read.records.map((record, at) => ({ ...record, uid: `uid-${at}` }));
  const snapshot = { ...read, records, coverage: { ...read.coverage, problems: [] } };
  const context = {
    now: Date.parse(read.observedAt),
    settings: {},
    cluster: { server: '', uid: '' },
  };
  const counts = new Map<string, number>();
  for (const target of records) {
    const { remarks } = planDeletion(
      snapshot,
      { targets: [target], policy: 'Background' },
      context,
    );
    for (const { severity, code, message } of remarks) {
      if (severity !== 'warning') continue;
      counts.set(code, (counts.get(code) ?? 0) + 1);
      process.stdout.write(`${fullNameOf(target)}\n  ${code}: ${message}\n`);
    }
  }
  const told = [...counts].map(([code, count]) => `${count} ${code}`).join(', ') || 'no warnings';
  process.stdout.write(`${folder}: ${records.length} objects, ${told}\n\n`);
}
